// SPDX-License-Identifier: LGPL-2.1-or-later
// Windows of 3x3 samples of 8 bits, in registers. A thread has a word of each of 8 rows, and needs
// neither shared memory nor a loop, so that many loads are under way.
#pragma once

#include "median_pairs.cuh"
#include "median_plane.cuh"

namespace coalesce {

constexpr int kThreeRows = 8;                     // of a thread
constexpr int kThreeBatch = 4;                    // of them, whose loads are under way at a time
constexpr int kThreeAcross = 32, kThreeDown = 4;  // threads of a block

// A word of a row, and as many bytes beside it as a pixel has.
struct ThreeWords {
  std::uint32_t left, own, right;
};

// By the border rule, anywhere.
inline __device__ __noinline__ ThreeWords load_three(const TileSource &in, int x, int y) {
  const int row = border_position(in.border, y, in.height);
  const std::uint8_t *from = row < 0 ? nullptr : in.data + static_cast<std::size_t>(row) * in.pitch;
  if (from != nullptr && x >= 8 && x + 12 <= in.width) {
    // From aligned words around, which lie in the row.
    const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from + x) & 3);
    const auto *around = reinterpret_cast<const std::uint32_t *>(from + x - 4 - place);
    std::uint32_t a[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      a[i] = load_global(around + i);
    return {__funnelshift_r(a[0], a[1], 8 * place), __funnelshift_r(a[1], a[2], 8 * place),
            __funnelshift_r(a[2], a[3], 8 * place)};
  }
  std::uint32_t own[1];
  load_words(in, x, y, own);
  ThreeWords words = {0, own[0], 0};
#pragma unroll 1
  for (int i = 0; i < in.pixel; ++i) {
    words.left |= load_byte(in, from, x - 1 - i) << (24 - 8 * i);
    words.right |= load_byte(in, from, x + 4 + i) << 8 * i;
  }
  return words;
}

// The pixel before the first one of a row, or after the last one; reflect_101 has the next one.
__device__ __forceinline__ void reflect(const TileSource &in, int shift, bool first, bool last,
                                        ThreeWords *w) {
  const bool constant = in.border == Border::constant, next = in.border == Border::reflect_101;
  const auto fill = static_cast<std::uint32_t>(in.fill);
  const std::uint32_t left = next ? __funnelshift_rc(w->own, w->right, shift) : w->own;
  const std::uint32_t right = next ? __funnelshift_lc(w->left, w->own, shift) : w->own;
  if (first) w->left = (constant ? fill : left) << (32 - shift);
  if (last) w->right = constant ? fill : right >> (32 - shift);
}

inline __device__ __noinline__ int row_at(const TileSource &in, int y) {
  return border_position(in.border, y, in.height);
}

// kRows rows from y on, which may be above the picture or below.
template <int kRows>
__device__ __forceinline__ void load_three_rows(const TileSource &in, int x, int y,
                                                ThreeWords (&words)[kRows]) {
  const bool first = x == 0, last = x + 4 == in.width;
  // (What follows looks one pixel beyond a border's, and not at the row's other end.)
  const bool regular = in.alignment >= 4 && (last || x + 8 <= in.width) && !(first && last) &&
                       !((first || last) && in.border == Border::wrap);
  const bool inside = y >= 0 && y + kRows <= in.height;
  if (!regular || (!inside && in.border == Border::constant)) {
#pragma unroll
    for (int row = 0; row < kRows; ++row)
      words[row] = load_three(in, x, y + row);
    return;
  }
  const auto load = [&](const std::uint8_t *row, ThreeWords *to) {
    const auto *own = reinterpret_cast<const std::uint32_t *>(row + x);
    to->own = load_global(own);
    if (!first) to->left = load_global(own - 1);
    if (!last) to->right = load_global(own + 1);
  };
  if (inside) {
    const std::uint8_t *from = in.data + static_cast<std::size_t>(y) * in.pitch;
#pragma unroll
    for (int row = 0; row < kRows; ++row, from += in.pitch)
      load(from, &words[row]);
  } else {
    int at[kRows];
#pragma unroll
    for (int row = 0; row < kRows; ++row)
      at[row] = row_at(in, y + row);
#pragma unroll
    for (int row = 0; row < kRows; ++row)
      load(in.data + static_cast<std::size_t>(at[row]) * in.pitch, &words[row]);
  }
  if (!first && !last) return;
  const int shift = 8 * in.pixel;
#pragma unroll
  for (ThreeWords &w : words)
    reflect(in, shift, first, last, &w);
}

// Even and odd samples of a word, each between its neighbours.
__device__ __forceinline__ void order_row(const ThreeWords &w, int shift,
                                          Sorted<Pair, 3> (&ordered)[2]) {
  const std::uint32_t left = __funnelshift_lc(w.left, w.own, shift);
  const std::uint32_t right = __funnelshift_rc(w.own, w.right, shift);
#pragma unroll
  for (int odd = 0; odd < 2; ++odd) {
    const auto half = [odd](std::uint32_t word) {
      return Pair{__byte_perm(word, 0, odd ? 0x4341 : 0x4240)};
    };
    ordered[odd] = sort_three(Sorted<Pair, 3>{{half(left), half(w.own), half(right)}});
  }
}

// Rank 0, 4 or 8 of three rows.
template <int kRank>
__device__ __forceinline__ std::uint32_t rank_of_rows(const Sorted<Pair, 3> &a,
                                                      const Sorted<Pair, 3> &b,
                                                      const Sorted<Pair, 3> &c) {
  if constexpr (kRank == 0) return least(a.at[0], b.at[0], c.at[0]).word;
  if constexpr (kRank == 8) return most(a.at[2], b.at[2], c.at[2]).word;
  const auto middle = [](Pair x, Pair y, Pair z) {
    return sort_three(Sorted<Pair, 3>{{x, y, z}}).at[1];
  };
  return middle(most(a.at[0], b.at[0], c.at[0]), middle(a.at[1], b.at[1], c.at[1]),
                least(a.at[2], b.at[2], c.at[2]))
      .word;
}

__device__ __forceinline__ void store_three(std::uint8_t *to, std::uint32_t word, bool whole,
                                            int bytes) {
  if (whole) {
    *reinterpret_cast<std::uint32_t *>(to) = word;
    return;
  }
#pragma unroll 1
  for (int i = 0; i < bytes; ++i, word >>= 8)
    to[i] = static_cast<std::uint8_t>(word);
}

template <int kRank>
__global__ void __launch_bounds__(kThreeAcross *kThreeDown, 8)
    three_kernel(const __grid_constant__ MedianArgs a) {
  wait_for_grid_before();
  int block;
  const MedianPlane &p = plane_of_block(a, &block);
  const TileSource &in = p.in;
  const int band = block / p.tiles_across, thread = static_cast<int>(threadIdx.x);
  const int x = 4 * ((block - band * p.tiles_across) * kThreeAcross + thread % kThreeAcross);
  const int y = kThreeRows * (band * kThreeDown + thread / kThreeAcross);
  if (x >= in.width || y >= in.height) return;
  const int shift = 8 * in.pixel, bytes = min(in.width - x, 4);
  const bool whole =
      bytes == 4 && ((reinterpret_cast<std::uintptr_t>(p.out) | p.out_pitch) & 3) == 0;
  std::uint8_t *to = p.out + static_cast<std::size_t>(y) * p.out_pitch + x;
  ThreeWords before[2];  // the row above, and this one
  Sorted<Pair, 3> ordered[3][2];
  load_three_rows(in, x, y - 1, before);
  order_row(before[0], shift, ordered[0]);
  order_row(before[1], shift, ordered[1]);
  std::uint32_t centre = before[1].own;
#pragma unroll
  for (int batch = 0; batch < kThreeRows; batch += kThreeBatch) {
    ThreeWords words[kThreeBatch];
    load_three_rows(in, x, y + 1 + batch, words);
#pragma unroll
    for (int i = 0; i < kThreeBatch; ++i, to += p.out_pitch) {
      order_row(words[i], shift, ordered[(batch + i + 2) % 3]);
      std::uint32_t ranked[2];
#pragma unroll
      for (int odd = 0; odd < 2; ++odd)
        ranked[odd] = rank_of_rows<kRank>(ordered[0][odd], ordered[1][odd], ordered[2][odd]);
      const std::uint32_t out = __byte_perm(ranked[0], ranked[1], 0x6240);
      if (y + batch + i < in.height)
        store_three(to, (out & ~p.copied) | (centre & p.copied), whole, bytes);
      centre = words[i].own;
    }
  }
}

}  // namespace coalesce
