// SPDX-License-Identifier: LGPL-2.1-or-later
// All colours of each pixel, from half as many columns of chroma and as many rows or half of them,
// in shapes that are known. A word holds both samples of a column of chroma, and a thread makes the
// two rows that are between the same rows of chroma. Warps store whole sectors of memory, by way of
// shared memory: a thread's own pixels are parts of several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "convert_load.cuh"
#include "convert_store.cuh"
#include "convert_word.cuh"

namespace coalesce {

// ---- Chroma -------------------------------------------------------------------------------------

// A column's samples: slot 1 in the lower half, slot 2 in the upper one. Filtered they have 15 bits
// (ConvertJob::wide), so that one product weighs both.
using ChromaPair = std::uint32_t;

__device__ __forceinline__ ChromaPair pair_of(int a, int b) {
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
      c[i] = pair_of(field_at(words, 4 * i), field_at(words, 4 * i + 2));
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
      c[kColumns] = is_last ? 0 : pair_of(load_global(u + kColumns), load_global(v + kColumns));
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
  return pair_of(a, b);
}

// ---- Rows ---------------------------------------------------------------------------------------

// A thread's: of pixels two of a field that follow each other, if they exist; the rows of chroma on
// both sides of them, and for each row of pixels the taps of these.
struct UpRows {
  int row[2], chroma[2], tap[2][2];
  bool exists[2];
};

// Groups of rows, one for each thread down.
__host__ __device__ __forceinline__ int up_groups(const ConvertArgs &a) {
  if (!a.in.half_rows) return a.job.out.height;
  const int fields = 1 << a.job.log2_fields();
  return fields * ((a.job.out.height + fields - 1) / fields / 2 + 1);
}

// Where chroma has all rows, group i is row i; else rows 2j + 1 and 2j + 2 of a field, which are
// between rows j and j + 1 of its chroma, from j = -1 on.
template <class In>
__device__ __forceinline__ UpRows up_rows(const ConvertArgs &a, const In &in, int group) {
  if (!in.half_rows()) return {{group, group}, {group, group}, {{1, 0}, {1, 0}}, {true, false}};
  const int log2_fields = a.job.log2_fields(), field = group & ((1 << log2_fields) - 1);
  const int j = (group >> log2_fields) - 1, height = a.job.out.height;
  const int first = ((2 * j + 1) << log2_fields) + field, second = first + (1 << log2_fields);
  const bool has_first = j >= 0 && first < height, has_second = second < height;
  const auto &tap = a.between[field];
  return {{has_first ? first : second, has_second ? second : first},
          {field_row(j, field, log2_fields, in.at.chroma_rows),
           field_row(j + 1, field, log2_fields, in.at.chroma_rows)},
          {{tap[0][0], tap[0][1]}, {tap[1][0], tap[1][1]}},
          {has_first, has_second}};
}

// ---- Sums ---------------------------------------------------------------------------------------

// What a column of chroma adds to slot s.
__device__ __forceinline__ int share_of(const ConvertArgs &a, int s, ChromaPair c) {
  const SlotSum &sum = a.sum[s];
  return sum.weight[1] * static_cast<int>(c & 0xffff) + sum.weight[2] * static_cast<int>(c >> 16);
}

// Pixels from their luma and chroma that is filtered down. kLeft: also from the column before.
template <bool kLeft, int kRun>
__device__ __forceinline__ void sum_up(const ConvertArgs &a, const int (&luma)[kRun],
                                       ChromaPair left, const ChromaPair (&c)[kRun / 2 + 1],
                                       Slots<kRun> &v) {
#pragma unroll
  for (int s = 0; s < 3; ++s) {
    const SlotSum &sum = a.sum[s];
    const auto offset = static_cast<int>(sum.offset);
    int before = kLeft ? share_of(a, s, left) : 0, here = share_of(a, s, c[0]);
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i) {
      const int behind = share_of(a, s, c[i + 1]);
      const int even = offset + sum.weight[0] * luma[2 * i] + a.even[1] * here +
                       (kLeft ? a.even[0] * before : 0);
      const int odd =
          offset + sum.weight[0] * luma[2 * i + 1] + a.odd[0] * here + a.odd[1] * behind;
      v[s][2 * i] = even >> sum.shift;
      v[s][2 * i + 1] = odd >> sum.shift;
      before = here, here = behind;
    }
  }
#pragma unroll
  for (int i = 0; i < kRun; ++i)
    v[3][i] = a.sum[3].maximum;
}

// ---- Stores -------------------------------------------------------------------------------------

// A warp's runs of kWords words, one behind the other.
template <int kWords>
struct WarpRow {
  static constexpr int kChunk = kWords % 4 == 0 ? 4 : kWords % 2 == 0 ? 2 : 1;  // words
  static constexpr int kChunks = kWords / kChunk;                               // of a run
  using Chunk =
      std::conditional_t<kChunk == 4, uint4, std::conditional_t<kChunk == 2, uint2, std::uint32_t>>;
  Chunk chunk[32 * kChunks];

  // (Lanes whose runs begin in the same banks write their halves in the other order.)
  static __device__ __forceinline__ int place(int number) {
    return kWords == 8 ? number ^ (number >> 3 & 1) : number;
  }
  __device__ __forceinline__ void put(int lane, const std::uint32_t (&words)[kWords]) {
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      Chunk &to = chunk[place(kChunks * lane + i)];
      if constexpr (kChunk == 4)
        to = make_uint4(words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
      else if constexpr (kChunk == 2)
        to = make_uint2(words[2 * i], words[2 * i + 1]);
      else
        to = words[i];
    }
  }
  // The runs of the first `lanes` lanes.
  __device__ __forceinline__ void store(int lane, int lanes, std::uint8_t *to) const {
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      const int number = 32 * i + lane;
      if (number < kChunks * lanes)
        __stcs(reinterpret_cast<Chunk *>(to) + number, chunk[place(number)]);
    }
  }
};

// ---- Threads ------------------------------------------------------------------------------------

// Words of a run of pixels; 0 where components have planes of their own.
template <int kRun, class Shape>
constexpr int kPixelWords = Shape::kPacking == Packing::packed24   ? 3 * kRun / 4
                            : Shape::kPacking == Packing::packed32 ? kRun
                                                                   : 0;

// Where warps keep rows of theirs until these are stored.
template <class Run>
struct UpStage {
  static constexpr int kRows = Run::In::kHalfRows ? 2 : 1;
  static constexpr int kWords = kPixelWords<Run::kRun, typename Run::Out>;
  WarpRow<kWords == 0 ? 1 : kWords> row[kRows];
};

// A run of a thread's rows.
template <class Run>
__device__ __forceinline__ void convert_run_up(const ConvertArgs &a, const UpRows &rows, int x,
                                               UpStage<Run> &stage) {
  constexpr int kRun = Run::kRun, kRows = UpStage<Run>::kRows, kColumns = kRun / 2;
  const typename Run::In in = {a.in};
  const typename Run::Out out = {a.out};
  const bool uses_left = a.even[0] != 0;
  Slots<kRun> pixels[kRows];
  ChromaPair c[kRows][kColumns + 1], left[kRows] = {};
#pragma unroll
  for (int r = 0; r < kRows; ++r) {  // all loads first
    load_pixels<kRun>(in, rows.row[r], x, pixels[r]);
    load_pairs<kRun>(in, rows.chroma[r], x, c[r]);
    if (uses_left) left[r] = load_left(in, rows.chroma[r], x);
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
    if (uses_left)
      sum_up<true>(a, pixels[r][0], filtered(left[0], left[kRows - 1]), f, v);
    else
      sum_up<false>(a, pixels[r][0], 0, f, v);
    if constexpr (UpStage<Run>::kWords > 0) {
      std::uint32_t words[UpStage<Run>::kWords];
      pack_pixels<kRun>(out, v, words);
      stage.row[r].put(static_cast<int>(threadIdx.x), words);
    } else if (rows.exists[r]) {
      store_pixels<kRun>(out, rows.row[r], x, v);
    }
  }
}

}  // namespace coalesce
