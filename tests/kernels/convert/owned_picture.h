// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "../../support/random.h"
#include "../plane_sizes.h"
#include "picture/formats.h"
#include "picture/image.h"

namespace coalesce::test {

// A picture with memory of its own: of words, so that samples of any size are aligned. 0 at first.
class OwnedPicture {
 public:
  OwnedPicture(const char *format, int width, int height, bool interlaced = false) {
    image_ = {pixel_format(format), width, height, interlaced, {}};
    const std::vector<PlaneSize> sizes = plane_sizes(image_.format, width, height);
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      const auto word = static_cast<std::size_t>(8);
      const auto row = static_cast<std::size_t>(sizes[p].row_bytes);
      const std::size_t pitch = (row + word - 1) / word * word;
      memory_[p].assign(pitch / word * static_cast<std::size_t>(sizes[p].height), 0);
      image_.plane[p] = {reinterpret_cast<std::uint8_t *>(memory_[p].data()), sizes[p].row_bytes,
                         sizes[p].height, pitch};
    }
  }

  Image &image() { return image_; }
  const Image &image() const { return image_; }
  std::uint8_t *plane(int p) const { return image_.plane[p].data; }
  // With noise.
  void fill(Random &random) {
    for (std::vector<std::uint64_t> &plane : memory_)
      for (std::uint64_t &word : plane)
        word = random.bits();
  }

 private:
  std::vector<std::uint64_t> memory_[4];
  Image image_;
};

}  // namespace coalesce::test
