// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/rgb2yuv/rgb2yuv_variants.h"
#include "bench/support/frames.h"
#include "tests/kernels/rgb2yuv/rgb2yuv_reference.h"
#include "tests/kernels/rgb2yuv/rgb2yuv_trial.h"

namespace coalesce::test {
namespace {

struct Kind {
  const char *text;
  RgbLayout in;
  bool alpha;
  YuvLayout out;
  std::size_t skew;  // bytes from a well-aligned address to the picture
  bool h_cosited = false;
};
const Kind kKinds[] = {
    {"RGB->Y444", RgbLayout::rgb, false, YuvLayout::planar444, 0},
    {"RGB->NV12", RgbLayout::rgb, false, YuvLayout::nv12, 0},
    {"RGB->AYUV", RgbLayout::rgb, false, YuvLayout::ayuv, 0},
    {"RGB->GRAY8", RgbLayout::rgb, false, YuvLayout::gray, 0},
    {"RGB->NV12, mpeg2 chroma", RgbLayout::rgb, false, YuvLayout::nv12, 0, true},
    {"RGB->I420", RgbLayout::rgb, false, YuvLayout::planar420, 0},
    {"RGBA->AYUV", RgbLayout::rgbx, true, YuvLayout::ayuv, 0},
    {"BGRx->NV12", RgbLayout::bgrx, false, YuvLayout::nv12, 0},
    {"RGBP->Y444", RgbLayout::planar, false, YuvLayout::planar444, 0},
    {"RGB->NV12, 1 pixel cropped", RgbLayout::rgb, false, YuvLayout::nv12, 3},
};
constexpr int kVariantKinds = 4;  // the first, which are all from RGB to layouts of their own
constexpr FrameSize kVariantSizes[] = {{3840, 2160}, {16384, 16384}};

// Planes one after the other, with padded rows.
struct Planes {
  std::vector<PlaneSize> sizes;

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
  template <class Image, class T>
  Image at(T *data) const {
    Image image;
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

  Frame(const Kind &k, FrameSize s) : kind(k), size(s) {
    params.in = kind.in;
    params.alpha = kind.alpha;
    params.out = kind.out;
    params.h_cosited = kind.h_cosited;
    in.sizes = rgb_plane_sizes(kind.in, size.width, size.height);
    out.sizes = yuv_plane_sizes(kind.out, size.width, size.height, false);
  }
  FrameWork work() const {
    return {kind.text, size, in.memory() + kind.skew, out.memory(), in.useful() + out.useful()};
  }
  RgbImage rgb(const std::uint8_t *data) const { return in.at<RgbImage>(data + kind.skew); }
  YuvImage yuv(std::uint8_t *data) const { return out.at<YuvImage>(data); }
};

void bench_library(Bench &bench, const Backend &backend, const Frame &frame) {
  time_frames(bench, backend, frame.work(), [&](const std::uint8_t *in, std::uint8_t *out) {
    return rgb2yuv(frame.params, frame.rgb(in), frame.yuv(out), backend.queue());
  });
}

void bench_variants(Bench &bench, const Backend &backend, const Frame &frame) {
  std::vector<FrameVariant> runs;
  for (const Rgb2yuvVariant &v : rgb2yuv_variants())
    if (v.out == frame.kind.out)
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

}  // namespace

void rgb2yuv_bench(Bench &bench, const Backend &backend) {
  if (backend.cuda) return bench_cuda(bench, backend);
  for (const FrameSize &size : kCpuSizes)
    for (const Kind &kind : kKinds)
      bench_library(bench, backend, {kind, size});
}

std::vector<VariantTrial> rgb2yuv_variant_trials() {
  std::vector<VariantTrial> trials;
  for (const Rgb2yuvVariant &v : rgb2yuv_variants()) {
    const Rgb2yuv run = [&v](const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
                             const Queue &queue) { return v.run(params, in, out, queue.stream()); };
    trials.push_back({v.name, [run, &v](Random &random, int index, const Backend &on) {
                        return rgb2yuv_trial(run,
                                             {.aligned = true, .in = RgbLayout::rgb, .out = v.out},
                                             random, index, on);
                      }});
  }
  return trials;
}

}  // namespace coalesce::test
