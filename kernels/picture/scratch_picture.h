// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures in scratch memory: their planes are behind each other, and rows begin at multiples of
// 128 bytes from its start.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "image.h"

namespace coalesce {

inline std::size_t scratch_pitch(int row_bytes) {
  return (static_cast<std::size_t>(row_bytes) + 127) / 128 * 128;
}

template <class Byte>
std::size_t scratch_bytes(const Plane<Byte> &plane) {
  return scratch_pitch(plane.width) * static_cast<std::size_t>(plane.height);
}

// Of a picture whose planes have widths and heights.
template <class Byte>
std::size_t scratch_picture_bytes(const ImageOf<Byte> &picture) {
  std::size_t bytes = 0;
  for (int p = 0; p < picture.format.planes; ++p)
    bytes += scratch_bytes(picture.plane[p]);
  return bytes;
}

// Gives them data and pitch. memory: nullptr where only sizes matter, as of Layout.
inline void put_in_scratch(Image *picture, void *memory) {
  auto at = reinterpret_cast<std::uintptr_t>(memory);
  for (int p = 0; p < picture->format.planes; ++p) {
    Plane<std::uint8_t> &plane = picture->plane[p];
    plane.data = reinterpret_cast<std::uint8_t *>(at), plane.pitch = scratch_pitch(plane.width);
    at += scratch_bytes(plane);
  }
}

// What stands between two steps of the way from `in` to `out`, with the rows that both have.
inline Image scratch_picture_between(const ConstImage &in, const Image &out, void *memory) {
  Image picture = {in.format, in.width, in.height, in.interlaced, {}};
  for (int p = 0; p < in.format.planes; ++p) {
    picture.plane[p].width = in.plane[p].width;
    picture.plane[p].height = std::min(in.plane[p].height, out.plane[p].height);
  }
  put_in_scratch(&picture, memory);
  return picture;
}

}  // namespace coalesce
