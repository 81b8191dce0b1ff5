// SPDX-License-Identifier: LGPL-2.1-or-later
// A picture: a pixel format, a size, and the planes that hold it.
#pragma once

#include <cstdint>

#include "../core/plane.h"
#include "../core/status.h"
#include "pixel_format.h"

namespace coalesce {

// It owns nothing. Planes are those of the format, in its order; what it lacks is ignored.
//   width, height  in pixels, both at least 1; the width at most 2^28, a row at most 2^31 - 1 bytes
//   plane[p]       width: row_bytes(), height: plane_rows(), any pitch from that width on; data and
//                  pitch aligned to the format's containers
//   interlaced     rows of even numbers are one field, rows of odd numbers the other. Of 4:2:0, row
//                  2i + f of chroma belongs to field f; a plane may have a row more, so that both
//                  fields have as many.
template <class Byte>
struct ImageOf {
  PixelFormat format;
  int width = 0, height = 0;
  bool interlaced = false;
  Plane<Byte> plane[4];

  // The plane of a component.
  const Plane<Byte> &of(const PixelComponent &c) const { return plane[c.plane]; }

  // A template, so that a picture of const samples has none.
  template <class U, class = std::enable_if_t<std::is_same_v<U, Byte> && !std::is_const_v<Byte>>>
  operator ImageOf<const U>() const {
    return {format, width, height, interlaced, {plane[0], plane[1], plane[2], plane[3]}};
  }
};
using Image = ImageOf<std::uint8_t>;
using ConstImage = ImageOf<const std::uint8_t>;

// Bytes of a row that belong to a picture of `width` pixels. They are whole pixels, and of 4:2:2 in
// one plane whole pairs of them. v210 has whole groups of 48 pixels, as in GStreamer.
std::int64_t row_bytes(const PixelFormat &format, int plane, int width);
// Rows of a progressive picture.
int plane_rows(const PixelFormat &format, int plane, int height);
// Rows of a plane that pixels have. The row more of interlaced 4:2:0 has some only where the odd
// field has as many rows of chroma as the even one: where the height is 4n + 2. Elsewhere nobody
// writes it.
int used_rows(const ConstImage &image, int plane);

// What every operation demands of every picture that it is given.
// Errors: invalid_argument.
Status check_image(const ConstImage &image);
// The same of two pictures, which must have one format, one size and one interlacing.
Status check_alike(const ConstImage &in, const ConstImage &out);

}  // namespace coalesce
