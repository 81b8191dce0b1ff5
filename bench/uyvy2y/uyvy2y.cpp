// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/support/frames.h"
#include "bench/uyvy2y/uyvy2y_variants.h"
#include "picture/formats.h"
#include "tests/kernels/uyvy2y/uyvy2y_trial.h"

namespace coalesce::test {
namespace {

struct Kind {
  const char *text;
  bool chroma;
  std::size_t skew;  // bytes from a well-aligned address to the packed plane
};
const Kind kLuma = {"UYVY->GRAY8", false, 0};
const Kind kCropped = {"UYVY->GRAY8, 2 pixels cropped", false, 4};
const Kind kOdd = {"UYVY->GRAY8, odd address", false, 1};
const Kind kNv12 = {"UYVY->NV12", true, 0};

std::size_t pitch_of(FrameSize size) {
  return padded(static_cast<std::size_t>(size.width));
}

FrameWork work_of(const Kind &kind, FrameSize size) {
  const auto width = static_cast<std::size_t>(size.width);
  const auto height = static_cast<std::size_t>(size.height);
  const std::size_t out_rows = height + (kind.chroma ? height / 2 : 0);
  return {kind.text, size, 2 * pitch_of(size) * height + kind.skew, pitch_of(size) * out_rows,
          2 * width * height + width * out_rows};
}

// (Widths and heights are even.)
ConstImage packed_at(const std::uint8_t *data, FrameSize size) {
  return {pixel_format("UYVY"),
          size.width,
          size.height,
          false,
          {{data, 2 * size.width, size.height, 2 * pitch_of(size)}}};
}

Image image_at(std::uint8_t *data, const Kind &kind, FrameSize size) {
  const std::size_t pitch = pitch_of(size);
  Image out = {pixel_format(kind.chroma ? "NV12" : "GRAY8"), size.width, size.height, false, {}};
  out.plane[0] = {data, size.width, size.height, pitch};
  out.plane[1] = {out.plane[0].row(size.height), size.width, size.height / 2, pitch};
  return out;
}

void bench_library(Bench &bench, const Backend &backend, const Kind &kind, FrameSize size) {
  time_frames(bench, backend, work_of(kind, size), [&](const std::uint8_t *in, std::uint8_t *out) {
    return uyvy2y(packed_at(in + kind.skew, size), image_at(out, kind, size), backend.queue());
  });
}

void bench_variants(Bench &bench, const Backend &backend, FrameSize size) {
  std::vector<FrameVariant> runs;
  for (const Uyvy2yVariant &v : uyvy2y_variants())
    runs.push_back({v.name, [&backend, &v, size](const std::uint8_t *in, std::uint8_t *out) {
                      return v.run(packed_at(in, size), image_at(out, kLuma, size),
                                   backend.queue().stream());
                    }});
  time_variants(bench, backend, work_of(kLuma, size), runs);
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : sizes_of(backend)) {
    for (const Kind &kind : {kLuma, kCropped, kOdd, kNv12})
      bench_library(bench, backend, kind, size);
    if (backend.cuda && bench.variants()) bench_variants(bench, backend, size);
  }
}

std::vector<VariantTrial> variant_trials() {
  std::vector<VariantTrial> trials;
  for (const Uyvy2yVariant &v : uyvy2y_variants()) {
    const Uyvy2y run = [&v](const ConstImage &in, const Image &out, const Queue &queue) {
      return v.run(in, out, queue.stream());
    };
    trials.push_back({v.name, [run](Random &random, int index, const Backend &on) {
                        return uyvy2y_trial(run, {.aligned = true, .luma_only = true}, random,
                                            index, on);
                      }});
  }
  return trials;
}

}  // namespace

BenchCase uyvy2y_bench() {
  return {"uyvy2y", time_all, variant_trials};
}

}  // namespace coalesce::test
