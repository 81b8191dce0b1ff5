// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "../picture.h"
#include "remap/remap.h"

namespace coalesce::test {

// A map in planes of random layouts: places near their pixels, anywhere in a picture and a little
// around it, at its edges, and as far away as a map goes.
class RandomMap {
 public:
  RandomMap(int width, int height, int source_width, int source_height,
            const LayoutOptions &options, Random &random);

  RemapMap map() const { return map_of(points_.image(), fractions_.image()); }
  RemapMap given(const Backend &backend) {
    return map_of(points_.given(backend), fractions_.given(backend));
  }
  std::string text() const { return ", map" + points_.text() + fractions_.text(); }
  std::string difference(const Backend &backend) {
    const std::string first = points_.difference(backend);
    return first.empty() ? fractions_.difference(backend) : first;
  }

 private:
  static RemapMap map_of(const ConstImage &points, const ConstImage &fractions);

  InputPicture points_, fractions_;  // of words of 32 bits, and of 16
};

}  // namespace coalesce::test
