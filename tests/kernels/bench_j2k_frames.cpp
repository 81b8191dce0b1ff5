// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bench_j2k_frames.h"

#include "../support/photograph.h"

namespace coalesce::test {

BenchFrames read_bench_frames(const char *name, int width, int height, int count) {
  const Photograph photograph(name);
  BenchFrames result;
  result.width = width;
  result.height = height;
  for (int i = 0; i < count; ++i) {
    const std::vector<std::uint8_t> planes = photograph.frame(i, count, width, height);
    if (i == 0) result.first = planes;
    result.frames.emplace_back(planes.size());
    result.frames.back().upload(planes.data());
  }
  return result;
}

}  // namespace coalesce::test
