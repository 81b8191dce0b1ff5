// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string_view>

#include "bench/rgb2yuv/rgb2yuv_variants.h"
#include "bench/support/frames.h"
#include "picture/formats.h"
#include "tests/kernels/plane_sizes.h"
#include "tests/kernels/rgb2yuv/rgb2yuv_trial.h"

namespace coalesce::test {
namespace {

struct Kind {
  const char *text, *in, *out;
  std::size_t skew = 0;  // bytes from a well-aligned address to the picture
  bool h_cosited = false;
};
const Kind kKinds[] = {
    {"RGB->Y444", "RGB", "Y444"},
    {"RGB->NV12", "RGB", "NV12"},
    {"RGB->AYUV", "RGB", "AYUV"},
    {"RGB->GRAY8", "RGB", "GRAY8"},
    {"RGB->NV12, mpeg2 chroma", "RGB", "NV12", 0, true},
    {"RGB->I420", "RGB", "I420"},
    {"RGBA->AYUV", "RGBA", "AYUV"},
    {"BGRx->NV12", "BGRx", "NV12"},
    {"RGBP->Y444", "RGBP", "Y444"},
    {"RGB->NV12, 1 pixel cropped", "RGB", "NV12", 3},
};
constexpr int kVariantKinds = 4;  // the first, which are all from RGB to layouts of their own
constexpr FrameSize kVariantSizes[] = {{1920, 1080}, {3840, 2160}, {16384, 16384}};

// Planes one after the other, with padded rows.
struct Planes {
  PixelFormat format;
  FrameSize size;
  std::vector<PlaneSize> sizes;

  Planes(const char *name, FrameSize s)
      : format(pixel_format(name)), size(s), sizes(plane_sizes(format, s.width, s.height)) {}

  static std::size_t pitch(const PlaneSize &size) {
    return padded(static_cast<std::size_t>(size.row_bytes));
  }
  std::size_t memory() const {
    std::size_t sum = 0;
    for (const PlaneSize &size : sizes)
      sum += pitch(size) * static_cast<std::size_t>(size.height);
    return sum;
  }
  std::size_t useful() const {
    std::size_t sum = 0;
    for (const PlaneSize &size : sizes)
      sum += static_cast<std::size_t>(size.row_bytes) * static_cast<std::size_t>(size.height);
    return sum;
  }
  template <class Byte>
  ImageOf<Byte> at(Byte *data) const {
    ImageOf<Byte> image = {format, size.width, size.height, false, {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      image.plane[i] = {data, sizes[i].row_bytes, sizes[i].height, pitch(sizes[i])};
      data += pitch(sizes[i]) * static_cast<std::size_t>(sizes[i].height);
    }
    return image;
  }
};

// A kind at a size.
struct Frame {
  Kind kind;
  FrameSize size;
  Rgb2yuvParams params;
  Planes in, out;

  Frame(const Kind &k, FrameSize s) : kind(k), size(s), in(k.in, s), out(k.out, s) {
    params.h_cosited = kind.h_cosited;
  }
  FrameWork work() const {
    return {kind.text, size, in.memory() + kind.skew, out.memory(), in.useful() + out.useful()};
  }
  ConstImage rgb(const std::uint8_t *data) const { return in.at(data + kind.skew); }
  Image yuv(std::uint8_t *data) const { return out.at(data); }
};

void bench_library(Bench &bench, const Backend &backend, const Frame &frame) {
  time_frames(bench, backend, frame.work(), [&](const std::uint8_t *in, std::uint8_t *out) {
    return rgb2yuv(frame.params, frame.rgb(in), frame.yuv(out), backend.queue());
  });
}

void bench_variants(Bench &bench, const Backend &backend, const Frame &frame) {
  std::vector<FrameVariant> runs;
  for (const Rgb2yuvVariant &v : rgb2yuv_variants())
    if (std::string_view(v.out) == frame.kind.out)
      runs.push_back({v.name, [&backend, &frame, &v](const std::uint8_t *in, std::uint8_t *out) {
                        return v.run(frame.params, frame.rgb(in), frame.yuv(out),
                                     backend.queue().stream());
                      }});
  time_variants(bench, backend, frame.work(), runs);
}

void bench_cuda(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kCudaSizes)
    for (const Kind &kind : kKinds)
      bench_library(bench, backend, {kind, size});
  if (!bench.variants()) return;
  for (const FrameSize &size : kVariantSizes)
    for (int i = 0; i < kVariantKinds; ++i)
      bench_variants(bench, backend, {kKinds[i], size});
}

void time_all(Bench &bench, const Backend &backend) {
  if (backend.cuda) return bench_cuda(bench, backend);
  for (const FrameSize &size : kCpuSizes)
    for (const Kind &kind : kKinds)
      bench_library(bench, backend, {kind, size});
}

std::vector<VariantTrial> variant_trials() {
  std::vector<VariantTrial> trials;
  for (const Rgb2yuvVariant &v : rgb2yuv_variants()) {
    const Rgb2yuv run = [&v](const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                             const Queue &queue) { return v.run(params, in, out, queue.stream()); };
    trials.push_back({v.name, [run, &v](Random &random, int index, const Backend &on) {
                        return rgb2yuv_trial(run, {.aligned = true, .in = "RGB", .out = v.out},
                                             random, index, on);
                      }});
  }
  return trials;
}

}  // namespace

BenchCase rgb2yuv_bench() {
  return {"rgb2yuv", time_all, variant_trials};
}

}  // namespace coalesce::test
