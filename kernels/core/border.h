// SPDX-License-Identifier: LGPL-2.1-or-later
// What stands outside a picture, for operations that look there.
#pragma once

#include <cstdint>

#include "host_device.h"

namespace coalesce {

enum class Border : std::uint8_t {
  replicate,    // a a a | a b c d | d d d
  reflect,      // c b a | a b c d | d c b: the edge sample repeated
  reflect_101,  // d c b | a b c d | c b a: not repeated
  wrap,         // b c d | a b c d | a b c
  constant,     // k k k | a b c d | k k k
};

// The position inside 0 .. size - 1 that stands for `position`, at any distance; -1 for constant.
COALESCE_HOST_DEVICE int border_position(Border border, int position, int size) {
  if (position >= 0 && position < size) return position;
  if (border == Border::replicate) return position < 0 ? 0 : size - 1;
  if (border == Border::constant) return -1;
  const int period = border == Border::wrap      ? size
                     : border == Border::reflect ? 2 * size
                     : size > 1                  ? 2 * size - 2
                                                 : 1;
  int p = position % period;
  if (p < 0) p += period;
  if (p < size) return p;
  return border == Border::reflect ? 2 * size - 1 - p : 2 * size - 2 - p;
}

}  // namespace coalesce
