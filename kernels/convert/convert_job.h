// SPDX-License-Identifier: LGPL-2.1-or-later
// A conversion as the back ends see it: plain integers, made once for a call.
#pragma once

#include <cstdint>

#include "chroma_taps.h"
#include "convert.h"

namespace coalesce {

class ThreadPool;

// A component of the output is
//
//   clamp((sum + offset) >> shift, 0, maximum)
//
// sum being weight[j] times the filtered sample of component j of the input, over those that `from`
// names; what is not filtered counts 2^(taps) times where another one of the sum is.
// Dithered, dither_threshold() is added, else the half is in the offset.
struct ConvertSum {
  static constexpr int kConstant = -1, kMatrix = -2;
  std::int8_t from = kConstant;  // a component of the input; kMatrix: 0, 1 and 2
  bool filtered = false;         // through ConvertJob::across and down; kMatrix: see filters()
  bool dithered = false;
  std::uint8_t shift = 0;
  std::int32_t weight[3] = {};  // of a single component: weight[0]
  std::int64_t offset = 0;
  std::int32_t maximum = 0;

  COALESCE_HOST_DEVICE constexpr bool is_copy() const {
    return from >= 0 && weight[0] == 1 && shift == 0 && offset == 0;
  }
};

struct ConvertJob {
  ConstImage in;
  Image out;
  int in_chroma_rows, out_chroma_rows;  // of all planes of chroma of 4:2:0
  ChromaTaps across, down[2];           // down: of each field; progressive: down[0]
  std::uint8_t filter_bits;             // of `across` and `down` together
  bool to_rgb;                          // kMatrix: from Y, U, V
  bool wide;          // filtered samples need 32 bits, and sums 64; else 15 and 32
  ConvertSum sum[4];  // of the output's components

  // Is input component j filtered for this sum? From YUV chroma is, for chroma all of R, G, B are.
  COALESCE_HOST_DEVICE constexpr bool filters(const ConvertSum &s, int j) const {
    return s.filtered && !(s.from == ConvertSum::kMatrix && to_rgb && j == 0);
  }
  COALESCE_HOST_DEVICE constexpr int log2_fields() const { return out.interlaced ? 1 : 0; }
};

// The row of the input that is number `index` of a field, of `rows` of all 2^log2_fields fields:
// the nearest of that field, or a row of the other one where it has none.
COALESCE_HOST_DEVICE int field_row(int index, int field, int log2_fields, int rows) {
  const int last = ((rows - field - 1) >> log2_fields);
  if (rows <= field) return 0;
  return ((index < 0 ? 0 : index > last ? last : index) << log2_fields) + field;
}

// 0 to 63: an 8x8 Bayer matrix, the bits of x ^ y and y taken in turn from the lowest on.
COALESCE_HOST_DEVICE int bayer(int x, int y) {
  int number = 0;
  for (int bit = 0; bit < 3; ++bit)
    number = number << 2 | ((x ^ y) >> bit & 1) << 1 | (y >> bit & 1);
  return number;
}

// Of the sample (x, y) of a component, for a sum that is shifted by `shift`: 0 <= it < 2^shift.
COALESCE_HOST_DEVICE std::int64_t dither_threshold(int x, int y, int shift) {
  return (std::int64_t{2 * bayer(x, y) + 1} << shift) >> 7;
}

// Checks the arguments of convert().
Status make_job(const ConvertParams &params, const ConstImage &in, const Image &out,
                ConvertJob *job);

Status convert_cpu(const ConvertJob &job, ThreadPool *pool);

}  // namespace coalesce
