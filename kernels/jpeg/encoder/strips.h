// SPDX-License-Identifier: LGPL-2.1-or-later
// CPU: the samples of a row of MCUs, component by component, out of pictures of any format.
#pragma once

#include <cstdint>
#include <vector>

#include "../../picture/image.h"
#include "../../picture/rows.h"
#include "../plan/coding_plan.h"

namespace coalesce::jpeg {

class Strips {
 public:
  // Allocates. The plan is of the format.
  Strips(const PixelFormat &format, const CodingPlan &plan);

  // Rows of MCUs in any order.
  void load(const ConstImage &image, int mcu_y);
  // Row y of a component within the MCUs, from 0 on: 8 * blocks_x samples. Beyond the picture are
  // its last column and row.
  const std::uint8_t *row(int component, int y) const {
    return rows_[component].data() + pitch_[component] * static_cast<std::size_t>(y);
  }

 private:
  std::uint8_t *own_row(int component, int y) {
    return rows_[component].data() + pitch_[component] * static_cast<std::size_t>(y);
  }
  void load_component(const ConstImage &image, int component, int y, std::uint8_t *to);
  void convert_row(const ConstImage &image, int y, std::uint8_t *luma);
  void load_converted(const ConstImage &image, int mcu_y);
  void load_as_they_are(const ConstImage &image, int mcu_y);

  CodingPlan plan_;
  RowReader readers_[kMostComponents];
  std::size_t pitch_[kMostComponents];
  std::vector<std::uint8_t> rows_[kMostComponents];
  // RGB: a row of each colour, and up to two rows of chroma before they are shrunk.
  std::vector<std::uint16_t> colours_[kMostComponents];
  std::vector<std::uint8_t> chroma_[2][2];
};

}  // namespace coalesce::jpeg
