// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the samples of a component lie in a picture, whatever its format.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../picture/pixel_format.h"

namespace coalesce::j2k {

// A PixelComponent with the memory of its plane: x0 + x and y0 + y count its samples and rows.
// Any address will do.
struct Samples {
  const void *data = nullptr;
  std::size_t pitch = 0;  // bytes from one row to the next
  Container container = Container::u8;
  std::uint8_t shift = 0;
  std::uint8_t bits = 8;  // 1 to 16
  int first = 0, step = 1;
  int x0 = 0, y0 = 0;  // where the region begins, in samples
};

}  // namespace coalesce::j2k
