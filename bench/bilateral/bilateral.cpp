// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral/bilateral.h"

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Work {
  const char *format;
  int radius;
  int iterations = 1;
};
// RGB as people have it and as NPP does, then other formats.
constexpr Work kWorks[] = {
    {"RGB", 1},       {"RGB", 2},   {"RGB", 3},       {"RGB", 4},  {"RGB", 5},
    {"RGB", 9},       {"BGRx", 2},  {"BGRx", 5},      {"GBR", 2},  {"GRAY8", 1},
    {"GRAY8", 2},     {"GRAY8", 5}, {"NV12", 2},      {"NV12", 5}, {"RGB", 2, 3},
    {"I420", 2},      {"AYUV", 2},  {"P010_10LE", 2}, {"v210", 2}, {"GRAY16_LE", 2},
    {"GRAY16_LE", 5}, {"RGBA", 2},  {"GBR_10LE", 2},
};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

FrameWork frames_of(const Work &work, FrameSize size) {
  const PictureBytes bytes = picture_bytes(pixel_format(work.format), size);
  return {"bilateral radius " + std::to_string(work.radius) +
              (work.iterations > 1 ? ", " + std::to_string(work.iterations) + " iterations" : "") +
              " " + work.format,
          size, bytes.all, bytes.all, 2 * bytes.useful};
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const Work &work : kWorks) {
      const PixelFormat format = pixel_format(work.format);
      Bilateral weights;
      BilateralSettings settings;
      settings.radius = work.radius;
      settings.sigma_space = work.radius;
      if (!make_bilateral(settings, format, &weights).ok()) continue;
      BilateralParams params;
      params.bilateral = &weights;
      params.iterations = work.iterations;
      const std::uint8_t *none = nullptr;
      const Scratch scratch(
          bilateral_scratch_bytes(picture_at(none, format, size), work.iterations), backend.cuda);
      time_frames(
          bench, backend, frames_of(work, size), [&](const std::uint8_t *in, std::uint8_t *out) {
            return bilateral(params, picture_at(in, format, size), picture_at(out, format, size),
                             backend.queue(), scratch.data());
          });
    }
}

}  // namespace

BenchCase bilateral_bench() {
  return {"bilateral", time_all, {}};
}

}  // namespace coalesce::test
