// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames for benchmarks, cut out of a large photograph: each is different, and all are real.
#pragma once

#include <cstdint>
#include <vector>

namespace coalesce::test {

class Photograph {
 public:
  explicit Photograph(const char *ppm);  // of 8 bits; throws std::runtime_error

  // The R, G and B planes, one after the other, of frame i of `count`: at different places, every
  // other one mirrored; and what a camera sees that is further right. Outside the photograph is its
  // mirror image.
  std::vector<std::uint8_t> frame(int i, int count, int width, int height, int right = 0) const;

 private:
  int width_ = 0, height_ = 0;
  std::vector<std::uint8_t> samples_;
};

}  // namespace coalesce::test
