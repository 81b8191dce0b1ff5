// SPDX-License-Identifier: LGPL-2.1-or-later
// All colours of each pixel, from half as many columns of chroma and as many rows or half of them,
// in shapes that are known. A word holds both samples of a column of chroma, and a thread makes the
// two rows that are between the same rows of chroma.
#pragma once

#include <cstdint>

#include "convert_load.cuh"
#include "convert_store.cuh"

namespace coalesce {

// ---- Chroma -------------------------------------------------------------------------------------

// A column's samples: slot 1 in the lower half, slot 2 in the upper one. Filtered they have 15 bits
// (ConvertJob::wide), so that one product weighs both.
using ChromaPair = std::uint32_t;

__device__ __forceinline__ ChromaPair chroma_pair(int a, int b) {
  return static_cast<ChromaPair>(a) | static_cast<ChromaPair>(b) << 16;
}

// Of the first column in a word of packed 4:2:2 or of interleaved samples of 16 bits.
template <class Shape>
__device__ __forceinline__ ChromaPair first_pair(const Shape &p, std::uint32_t word) {
  if (p.is(Packing::pairs8)) return __byte_perm(__byte_perm(word, 0, p.at.selector), 0, 0x4342);
  if (p.is(Packing::v210)) return (word & 0x3ff) | (word >> 4 & 0x3ff0000);
  return word >> p.at.shift & (p.at.mask | std::uint32_t{p.at.mask} << 16);
}

// The columns of a run, and the one behind it; the row's last column is behind itself.
template <int kRun, class Shape>
__device__ __forceinline__ void load_pairs(const Shape &p, int row, int x,
                                           ChromaPair (&c)[kRun / 2 + 1]) {
  constexpr int kColumns = kRun / 2;
  const bool is_last = x / 2 + kColumns >= p.at.chroma_columns;
  if constexpr (Shape::kPacking == Packing::v210) {
    const std::uint8_t *from = address(p, 0, row, 8 * x / 3);
    std::uint32_t words[2 * kRun / 3], next = 0;
    load_run<8 * kRun / 3>(from, 16, words);
    if (!is_last) next = load_global(reinterpret_cast<const std::uint32_t *>(from) + 2 * kRun / 3);
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      c[i] = chroma_pair(field_at(words, 4 * i), field_at(words, 4 * i + 2));
    c[kColumns] = first_pair(p, next);
  } else if constexpr (Shape::kPacking != Packing::planes8) {
    const std::uint8_t *from = address(p, p.is(Packing::pairs8) ? 0 : 1, row, 2 * x);
    std::uint32_t words[kColumns], next = 0;
    load_run<2 * kRun>(from, 16, words);
    if (!is_last) next = load_global(reinterpret_cast<const std::uint32_t *>(from) + kColumns);
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      c[i] = first_pair(p, words[i]);
    c[kColumns] = first_pair(p, next);
  } else {
    std::uint32_t words[kColumns / 2];
    if (p.chroma() == ChromaPacking::interleaved) {
      const std::uint8_t *from = address(p, 1, row, x);
      std::uint16_t next = 0;
      load_run<kRun>(from, 16, words);
      if (!is_last) next = load_global(reinterpret_cast<const std::uint16_t *>(from + kRun));
      c[kColumns] = __byte_perm(next, 0, 0x4140);
    } else {
      const std::uint8_t *u = address(p, 1, row, x / 2), *v = address(p, 2, row, x / 2);
      std::uint32_t of_u[kColumns / 4], of_v[kColumns / 4];
      load_run<kColumns>(u, 16, of_u);
      load_run<kColumns>(v, 16, of_v);
      c[kColumns] = is_last ? 0 : chroma_pair(load_global(u + kColumns), load_global(v + kColumns));
#pragma unroll
      for (int i = 0; i < kColumns / 2; ++i)
        words[i] = __byte_perm(of_u[i / 2], of_v[i / 2], i % 2 == 0 ? 0x5140 : 0x7362);
    }
#pragma unroll
    for (int i = 0; i < kColumns; ++i)
      c[i] = __byte_perm(words[i / 2], 0, i % 2 == 0 ? 0x4140 : 0x4342);
  }
  if (is_last) c[kColumns] = c[kColumns - 1];
}

// The column before the run; the row's first column is before itself.
template <class Shape>
__device__ __forceinline__ ChromaPair load_left(const Shape &p, int row, int x) {
  int a, b;
  load_column(p, row, x / 2 - 1, &a, &b);
  return chroma_pair(a, b);
}

// ---- Rows ---------------------------------------------------------------------------------------

// A thread's: of pixels two of a field that follow each other, if both exist; the rows of chroma on
// both sides of them, and for each row of pixels the taps of these.
struct UpRows {
  int row[2], chroma[2], tap[2][2];
  bool exists[2];
};

// Where chroma has all rows, group i is row i; else rows 2j + 1 and 2j + 2 of a field, which are
// between rows j and j + 1 of its chroma, from j = -1 on.
template <class In>
__device__ __forceinline__ UpRows up_rows(const ConvertArgs &a, const In &in, int group) {
  if (!in.half_rows()) return {{group, group}, {group, group}, {{1, 0}, {1, 0}}, {true, false}};
  const int log2_fields = a.job.log2_fields(), field = group & ((1 << log2_fields) - 1);
  const int j = (group >> log2_fields) - 1, height = a.job.out.height;
  const int first = ((2 * j + 1) << log2_fields) + field, second = first + (1 << log2_fields);
  const bool has_first = j >= 0 && first < height, has_second = second < height;
  const auto &tap = a.up.between[field];
  return {{has_first ? first : second, has_second ? second : first},
          {field_row(j, field, log2_fields, in.at.chroma_rows),
           field_row(j + 1, field, log2_fields, in.at.chroma_rows)},
          {{tap[0][0], tap[0][1]}, {tap[1][0], tap[1][1]}},
          {has_first, has_second}};
}

// ---- Sums ---------------------------------------------------------------------------------------

// What a column of chroma adds to slots 0 to 2.
struct Shares {
  int slot[3];

  __device__ __forceinline__ Shares(const UpArgs &up, ChromaPair c) {
    const auto one = static_cast<int>(__byte_perm(c, 0, up.selector[0]));
    const auto other = static_cast<int>(__byte_perm(c, 0, up.selector[1]));
    slot[0] = up.first * one;
    slot[1] = up.middle[0] * one + up.middle[1] * other;
    slot[2] = up.last * other;
  }
};

// Pixels from their luma and chroma that is filtered down. kLeft: also from the column before.
template <bool kLeft, int kRun>
__device__ __forceinline__ void sum_up(const ConvertArgs &a, const int (&luma)[kRun],
                                       ChromaPair left, const ChromaPair (&c)[kRun / 2 + 1],
                                       Slots<kRun> &v) {
  Shares before(a.up, left), here(a.up, c[0]);
#pragma unroll
  for (int i = 0; i < kRun / 2; ++i) {
    const Shares behind(a.up, c[i + 1]);
#pragma unroll
    for (int s = 0; s < 3; ++s) {
      const SlotSum &sum = a.sum[s];
      const auto offset = static_cast<int>(sum.offset);
      const int even = offset + sum.weight[0] * luma[2 * i] + a.even[1] * here.slot[s] +
                       (kLeft ? a.even[0] * before.slot[s] : 0);
      const int odd = offset + sum.weight[0] * luma[2 * i + 1] + a.odd[0] * here.slot[s] +
                      a.odd[1] * behind.slot[s];
      v[s][2 * i] = even >> sum.shift;
      v[s][2 * i + 1] = odd >> sum.shift;
    }
    before = here, here = behind;
  }
#pragma unroll
  for (int i = 0; i < kRun; ++i)
    v[3][i] = a.sum[3].maximum;
}

// A run of a thread's rows.
template <class Run, bool kLeft>
__device__ __forceinline__ void convert_run_up(const ConvertArgs &a, int group, int x) {
  constexpr int kRun = Run::kRun, kRows = Run::In::kHalfRows ? 2 : 1, kColumns = kRun / 2;
  const typename Run::In in = {a.in};
  const typename Run::Out out = {a.out};
  const UpRows rows = up_rows(a, in, group);
  Slots<kRun> pixels[kRows];
  ChromaPair c[kRows][kColumns + 1], left[kRows] = {};
#pragma unroll
  for (int r = 0; r < kRows; ++r) {  // all loads first
    load_pixels<kRun>(in, rows.row[r], x, pixels[r]);
    load_pairs<kRun>(in, rows.chroma[r], x, c[r]);
    if (kLeft) left[r] = load_left(in, rows.chroma[r], x);
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const auto filtered = [&](ChromaPair above, ChromaPair below) {
      return kRows == 1 ? above
                        : static_cast<ChromaPair>(rows.tap[r][0]) * above +
                              static_cast<ChromaPair>(rows.tap[r][1]) * below;
    };
    ChromaPair f[kColumns + 1];
#pragma unroll
    for (int i = 0; i <= kColumns; ++i)
      f[i] = filtered(c[0][i], c[kRows - 1][i]);
    Slots<kRun> v;
    sum_up<kLeft>(a, pixels[r][0], filtered(left[0], left[kRows - 1]), f, v);
    if (rows.exists[r]) store_pixels<kRun>(out, rows.row[r], x, v);
  }
}

}  // namespace coalesce
