// SPDX-License-Identifier: LGPL-2.1-or-later
// Fields of interlaced pictures to whole pictures.
#pragma once

#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

enum class DeinterlaceMethod : std::uint8_t {
  weave,   // both fields as they are
  line,    // the row above, which is repeated ("bob")
  linear,  // the mean of the rows above and below
  ela,     // edge-based line average: the mean along the direction that differs least
  yadif,   // FFmpeg's filter of this name
  bwdif,   // FFmpeg's filter of this name
  w3fdif,  // FFmpeg's filter of this name, its filter "complex"; exact where that overflows
  best,    // bwdif, mixed with what moves there in the fields beside this one
};

struct DeinterlaceParams {
  DeinterlaceMethod method = DeinterlaceMethod::bwdif;
  int ela_window = 5;         // columns that directions of `ela` span: 3, 5 or 7
  bool spatial_check = true;  // of `yadif`: limits the result by the rows two above and below
};

// A picture to be made of a frame: the rows of one field, and calculated ones between them.
struct FieldPicture {
  Image out;
  int field = 0;        // whose rows are kept: 0 those of even numbers (top), 1 of odd ones
  bool second = false;  // is it the later one of the frame's two fields?
  // No field comes before it, or none after it: `bwdif` and `best` then look at this field alone.
  bool end = false;
  // Of `weave`: the other rows are of `after`, not of `current`.
  bool across = false;
};

// Makes pictures of `current`.
//
// before, current, after  frames that follow each other, of one format of picture/formats.h and one
//           size. Where there is none, at the ends of a sequence, the nearest one stands in.
// pictures  `count` of them, one or two: fields of `current`, of its format and size. Two take
//           little longer than one, as they are made of the same rows; `best` twice as long.
// A row of number 2i + f of a plane belongs to field f, of 4:2:0 of chroma, too; rows more than a
// progressive picture has (image.h) are ignored, but `weave` copies one that all have. Alpha is
// treated as luma is.
// Any width and height from 1, any pitch, any alignment that image.h allows. `out` must not overlap
// the others (which is not checked).
//
// The arithmetic is in docs/numerics.md, section deinterlace. `yadif` and `bwdif` give the bytes of
// FFmpeg 5.1 wherever that stays inside of its pictures.
//
// Errors: invalid_argument for pictures and parameters that break the above or image.h; unsupported
// for a CUDA queue in a build without CUDA kernels, or on a device they were not built for;
// device_error.
//
// Edge-based line average: Doyle and Looymans, 1990. w3fdif: Weston, BBC, PH-2071.
Status deinterlace(const DeinterlaceParams &params, const ConstImage &before,
                   const ConstImage &current, const ConstImage &after, const FieldPicture *pictures,
                   int count, const Queue &queue);

}  // namespace coalesce
