// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows of samples out of pictures of any format, and back, for the CPU back ends: numbers of 16
// bits, one component after the other. The function for a format is chosen once.
#pragma once

#include <cstdint>

#include "pixel_format.h"

namespace coalesce {

// Reads a component.
class RowReader {
 public:
  RowReader() = default;
  explicit RowReader(const PixelComponent &component);

  // Samples first to first + count - 1 of a row. Only they, and what shares their words, are read:
  // of v210 groups of 16 bytes, elsewhere pixels, or pairs of pixels.
  void operator()(const std::uint8_t *row, int first, int count, std::uint16_t *out) const {
    read_(row, first, count, place_, out);
  }

  // A sample in the word that there is for each of them.
  struct Place {
    int shift;
    std::uint16_t mask;
  };

 private:
  using Read = void (*)(const std::uint8_t *row, int first, int count, Place place,
                        std::uint16_t *out);
  Read read_ = nullptr;
  Place place_ = {};
};

// Writes all components of a plane.
class RowWriter {
 public:
  RowWriter() = default;
  // width: of the picture, in pixels.
  RowWriter(const PixelFormat &format, int plane, int width);

  // Columns first to first + count - 1 of the plane, as many as its luma or its only components
  // have. samples[c]: of the format's component c from there on, in the component's range; those of
  // other planes are ignored.
  //   4:2:2 in one plane   first is even, and count too, unless the row ends there: then the second
  //                        luma of the last pair repeats the first
  //   v210                 the same with multiples of 6; the rest of the row's last group becomes 0
  // Containers that no component has, as in RGBx, and the two spare bits of fields of ten bits
  // become ones; spare bits of samples become 0.
  void operator()(std::uint8_t *row, int first, int count,
                  const std::uint16_t *const (&samples)[4]) const {
    write_(row, first, count, layout_, samples);
  }

  // A word for each pixel: component[i] at bit shift[i]. 4:2:2: a word for each pair, in which
  // component[0] and [1] are the two samples of luma.
  struct Layout {
    int components;
    int component[4], shift[4];
    std::uint64_t ones;
    int width;
  };
  const Layout &layout() const { return layout_; }

 private:
  using Write = void (*)(std::uint8_t *row, int first, int count, const Layout &layout,
                         const std::uint16_t *const (&samples)[4]);
  Write write_ = nullptr;
  Layout layout_ = {};
};

}  // namespace coalesce
