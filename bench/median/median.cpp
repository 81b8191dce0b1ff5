// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median/median.h"

#include "bench/support/frames.h"
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
    {"GRAY16_LE", 7}, {"GRAY16_LE", 9}, {"GRAY16_LE", 15}, {"GRAY16_LE", 31},
};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

template <class Byte>
ImageOf<Byte> picture_at(Byte *data, const PixelFormat &format, FrameSize size) {
  ImageOf<Byte> image = {format, size.width, size.height, false, {}};
  for (int p = 0; p < format.planes; ++p) {
    const auto row = static_cast<std::size_t>(row_bytes(format, p, size.width));
    image.plane[p] = {data, static_cast<int>(row), plane_rows(format, p, size.height), padded(row)};
    data += padded(row) * static_cast<std::size_t>(image.plane[p].height);
  }
  return image;
}

FrameWork frames_of(const Work &work, FrameSize size) {
  const PixelFormat format = pixel_format(work.format);
  FrameWork frames = {std::string("median ") + std::to_string(work.size) + "x" +
                          std::to_string(work.size) + (work.percentile == 0 ? " minimum" : "") +
                          " " + work.format,
                      size, 0, 0, 0};
  for (int p = 0; p < format.planes; ++p) {
    const auto row = static_cast<std::size_t>(row_bytes(format, p, size.width));
    const auto rows = static_cast<std::size_t>(plane_rows(format, p, size.height));
    frames.in_bytes += padded(row) * rows;
    frames.useful_bytes += 2 * row * rows;
  }
  frames.out_bytes = frames.in_bytes;
  return frames;
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const Work &work : kWorks) {
      MedianParams params;
      params.width = params.height = work.size;
      params.percentile = work.percentile;
      const PixelFormat format = pixel_format(work.format);
      time_frames(bench, backend, frames_of(work, size),
                  [&](const std::uint8_t *in, std::uint8_t *out) {
                    return median(params, picture_at(in, format, size),
                                  picture_at(out, format, size), backend.queue());
                  });
    }
}

}  // namespace

BenchCase median_bench() {
  return {"median", time_all, {}};
}

}  // namespace coalesce::test
