// SPDX-License-Identifier: LGPL-2.1-or-later
// What it costs to measure a frame: luma of two frames is read.
#include "bench/support/frames.h"
#include "picture/formats.h"
#include "telecine/combing.h"

namespace coalesce::test {
namespace {

constexpr const char *kFormats[] = {"GRAY8", "GRAY16_LE", "UYVY", "v210", "RGB"};
constexpr FrameSize kSizes[] = {{1920, 1080}, {3840, 2160}};

void time_format(Bench &bench, const Backend &backend, const char *name, FrameSize size) {
  const PixelFormat format = pixel_format(name);
  const auto row = static_cast<std::size_t>(row_bytes(format, 0, size.width));
  const std::size_t frame = padded(row) * static_cast<std::size_t>(size.height);
  const std::size_t useful = row * static_cast<std::size_t>(size.height);
  const FrameWork work = {std::string("combing ") + name, size, 2 * frame,
                          kCombingParts * sizeof(Combing), 2 * useful};
  time_frames(bench, backend, work, [&](const std::uint8_t *from, std::uint8_t *to) {
    const auto image = [&](std::size_t number) {
      ConstImage one = {format, size.width, size.height, true, {}};
      one.plane[0] = {from + number * frame, static_cast<int>(row), size.height, padded(row)};
      return one;
    };
    return measure_combing(image(0), image(1), reinterpret_cast<Combing *>(to), backend.queue());
  });
}

void time_all(Bench &bench, const Backend &backend) {
  for (const FrameSize &size : kSizes)
    for (const char *format : kFormats)
      time_format(bench, backend, format, size);
}

}  // namespace

BenchCase telecine_bench() {
  return {"telecine", time_all, {}};
}

}  // namespace coalesce::test
