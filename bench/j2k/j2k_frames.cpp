// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench/j2k/j2k_frames.h"

#include <cstring>

#include "bench/support/photograph.h"

namespace coalesce::test {

namespace {

std::vector<std::uint8_t> widened(const std::vector<std::uint8_t> &planes, int bits) {
  std::vector<std::uint8_t> wide(2 * planes.size());
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const auto sample =
        static_cast<std::uint16_t>(planes[i] << (bits - 8) | planes[i] >> (16 - bits));
    std::memcpy(wide.data() + 2 * i, &sample, sizeof sample);
  }
  return wide;
}

}  // namespace

BenchFrames read_bench_frames(const char *name, int width, int height, int count, int bits) {
  const Photograph photograph(name);
  BenchFrames result;
  result.width = width;
  result.height = height;
  result.bits = bits;
  for (int i = 0; i < count; ++i) {
    std::vector<std::uint8_t> planes = photograph.frame(i, count, width, height);
    if (bits > 8) planes = widened(planes, bits);
    if (i == 0) result.first = planes;
    result.frames.emplace_back(planes.size());
    result.frames.back().upload(planes.data());
  }
  return result;
}

}  // namespace coalesce::test
