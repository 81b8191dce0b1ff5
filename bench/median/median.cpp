// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median/median.h"

#include "bench/support/frames.h"
#include "bench/support/scratch.h"
#include "picture/formats.h"

namespace coalesce::test {
namespace {

struct Work {
  const char *format;
  int size;
  double percentile = 50;
};
// Grey as peers have it, then what people have.
constexpr Work kWorks[] = {
    {"GRAY8", 3},     {"GRAY8", 5},     {"GRAY8", 7},      {"GRAY8", 9},      {"GRAY8", 15},
    {"GRAY8", 31},    {"GRAY8", 75},    {"GRAY8", 3, 0},   {"GRAY8", 31, 0},  {"NV12", 3},
    {"NV12", 5},      {"NV12", 7},      {"NV12", 15},      {"RGB", 3},        {"RGB", 5},
    {"RGB", 7},       {"RGB", 15},      {"RGB", 31},       {"RGBA", 3},       {"RGBA", 5},
    {"P010_10LE", 3}, {"P010_10LE", 5}, {"P010_10LE", 15}, {"GRAY16_LE", 3},  {"GRAY16_LE", 5},
    {"GRAY16_LE", 7}, {"GRAY16_LE", 9}, {"GRAY16_LE", 15}, {"GRAY16_LE", 31}, {"UYVY", 3},
    {"v210", 3},
};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

FrameWork frames_of(const Work &work, FrameSize size) {
  const PictureBytes bytes = picture_bytes(pixel_format(work.format), size);
  const std::string side = std::to_string(work.size);
  return {
      "median " + side + "x" + side + (work.percentile == 0 ? " minimum" : "") + " " + work.format,
      size, bytes.all, bytes.all, 2 * bytes.useful};
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const Work &work : kWorks) {
      MedianParams params;
      params.width = params.height = work.size;
      params.percentile = work.percentile;
      const PixelFormat format = pixel_format(work.format);
      const std::uint8_t *none = nullptr;
      const Scratch scratch(container_scratch_bytes(picture_at(none, format, size)), backend.cuda);
      time_frames(bench, backend, frames_of(work, size),
                  [&](const std::uint8_t *in, std::uint8_t *out) {
                    return median(params, picture_at(in, format, size),
                                  picture_at(out, format, size), backend.queue(), scratch.data());
                  });
    }
}

}  // namespace

BenchCase median_bench() {
  return {"median", time_all, {}};
}

}  // namespace coalesce::test
