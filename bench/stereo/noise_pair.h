// SPDX-License-Identifier: LGPL-2.1-or-later
// Two grey pictures of noise in one buffer, the right one after the left one. It has most columns
// further left: by 10 pixels at the top, by a pixel more every 20 rows.
#pragma once

#include <algorithm>

#include "bench/support/frames.h"
#include "picture/formats.h"
#include "tests/support/random.h"

namespace coalesce::test {

inline int noise_disparity(int row) {
  return 10 + row / 20;
}

inline std::vector<std::uint8_t> noise_pair(FrameSize size) {
  const auto grey = pixel_format("GRAY8");
  const std::size_t bytes = picture_bytes(grey, size).all;
  std::vector<std::uint8_t> pair(2 * bytes);
  Random random(1);
  const ImageOf<std::uint8_t> left = picture_at(pair.data(), grey, size);
  const ImageOf<std::uint8_t> right = picture_at(pair.data() + bytes, grey, size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x)
      left.plane[0].row(y)[x] = static_cast<std::uint8_t>(random.bits());
    for (int x = 0; x < size.width; ++x)
      right.plane[0].row(y)[x] =
          left.plane[0].row(y)[std::min(x + noise_disparity(y), size.width - 1)];
  }
  return pair;
}

}  // namespace coalesce::test
