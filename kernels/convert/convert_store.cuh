// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of a run of pixels, in slots, clamped and packed into memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../picture/runs.cuh"
#include "convert_load.cuh"

namespace coalesce {

template <class Shape>
__device__ __forceinline__ std::uint32_t pack_halves(const Shape &p, int a, int b) {
  return (clamped(a, p.at.mask) | clamped(b, p.at.mask) << 16) << p.at.shift;
}

template <class Shape>
__device__ __forceinline__ std::uint8_t *place(const Shape &p, int slot, int row, int bytes) {
  return p.at.plane[slot] + distance(p, slot, row, bytes);
}

template <int kRun, class Shape>
__device__ __forceinline__ void store_plane(const Shape &p, int slot, int row, int x,
                                            const int (&v)[kRun]) {
  if (p.is(Packing::planes8)) {
    std::uint32_t words[(kRun + 3) / 4];
#pragma unroll
    for (int i = 0; i < kRun; i += 4)
      words[i / 4] = pack_bytes(v[i], v[i + 1], i + 2 < kRun ? v[(i + 2) % kRun] : 0,
                                i + 3 < kRun ? v[(i + 3) % kRun] : 0);
    store_run<kRun>(place(p, slot, row, x), p.alignment(slot), words);
  } else {
    std::uint32_t words[kRun / 2];
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i)
      words[i] = pack_halves(p, v[2 * i], v[2 * i + 1]);
    store_run<2 * kRun>(place(p, slot, row, 2 * x), p.alignment(slot), words);
  }
}

template <int kRun, class Shape>
__device__ __forceinline__ void store_interleaved(const Shape &p, int row, int x,
                                                  const int (&a)[kRun], const int (&b)[kRun]) {
  if (p.is(Packing::planes8)) {
    std::uint32_t words[kRun / 2];
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i)
      words[i] = pack_bytes(a[2 * i], b[2 * i], a[2 * i + 1], b[2 * i + 1]);
    store_run<2 * kRun>(place(p, 1, row, 2 * x), p.alignment(1), words);
  } else {
    std::uint32_t words[kRun];
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      words[i] = pack_halves(p, a[i], b[i]);
    store_run<4 * kRun>(place(p, 1, row, 4 * x), p.alignment(1), words);
  }
}

// All colours of each pixel, and alpha or padding; or luma alone, where chroma has its own planes.
template <int kRun, class Shape>
__device__ __forceinline__ void store_pixels(const Shape &p, int row, int x, const Slots<kRun> &v) {
  if (p.is(Packing::planes8) || p.is(Packing::planes16)) {
    store_plane<kRun>(p, 0, row, x, v[0]);
    if (p.chroma() == ChromaPacking::interleaved && !p.half()) {
      store_interleaved<kRun>(p, row, x, v[1], v[2]);
    } else if (p.chroma() == ChromaPacking::none && p.colours() == 3) {
      store_plane<kRun>(p, 1, row, x, v[1]);
      store_plane<kRun>(p, 2, row, x, v[2]);
    }
    if (p.alpha()) store_plane<kRun>(p, 3, row, x, v[3]);
  } else if (p.is(Packing::packed24)) {
    std::uint32_t words[3 * kRun / 4];
#pragma unroll
    for (int i = 0; i < 3 * kRun; i += 4)
      words[i / 4] = pack_bytes(v[i % 3][i / 3], v[(i + 1) % 3][(i + 1) / 3],
                                v[(i + 2) % 3][(i + 2) / 3], v[(i + 3) % 3][(i + 3) / 3]);
    store_run<3 * kRun>(place(p, 0, row, 3 * x), p.alignment(0), words);
  } else if (p.is(Packing::packed32)) {
    std::uint32_t words[kRun];
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      words[i] = __byte_perm(pack_bytes(v[0][i], v[1][i], v[2][i], v[3][i]), 0, p.at.selector);
    store_run<4 * kRun>(place(p, 0, row, 4 * x), p.alignment(0), words);
  } else if (p.is(Packing::packed64)) {
    std::uint32_t words[2 * kRun];
#pragma unroll
    for (int i = 0; i < kRun; ++i) {
      const bool first = p.at.alpha_first;
      words[2 * i] = pack_halves(p, first ? v[3][i] : v[0][i], first ? v[0][i] : v[1][i]);
      words[2 * i + 1] = pack_halves(p, first ? v[1][i] : v[2][i], first ? v[2][i] : v[3][i]);
    }
    store_run<8 * kRun>(place(p, 0, row, 8 * x), p.alignment(0), words);
  } else if (p.is(Packing::fields10)) {
    std::uint32_t words[kRun];
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      words[i] = clamped(v[0][i], 0x3ff) | clamped(v[1][i], 0x3ff) << 10 |
                 clamped(v[2][i], 0x3ff) << 20 | clamped(v[3][i], 3) << 30;
    store_run<4 * kRun>(place(p, 0, row, 4 * x), p.alignment(0), words);
  }
}

// Chroma of half as many columns, in planes of its own.
template <int kRun, class Shape>
__device__ __forceinline__ void store_chroma(const Shape &p, int row, int x,
                                             const int (&a)[kRun / 2], const int (&b)[kRun / 2]) {
  if (p.chroma() == ChromaPacking::interleaved) {
    store_interleaved<kRun / 2>(p, row, x / 2, a, b);
  } else {
    store_plane<kRun / 2>(p, 1, row, x / 2, a);
    store_plane<kRun / 2>(p, 2, row, x / 2, b);
  }
}

// 4:2:2 in one plane.
template <int kRun, class Shape>
__device__ __forceinline__ void store_pairs(const Shape &p, int row, int x, const int (&y)[kRun],
                                            const int (&a)[kRun / 2], const int (&b)[kRun / 2]) {
  if (p.is(Packing::pairs8)) {
    std::uint32_t words[kRun / 2];
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i)
      words[i] = __byte_perm(pack_bytes(y[2 * i], y[2 * i + 1], a[i], b[i]), 0, p.at.selector);
    store_run<2 * kRun>(place(p, 0, row, 2 * x), p.alignment(0), words);
  } else if (p.is(Packing::pairs16)) {
    std::uint32_t words[kRun];
#pragma unroll
    for (int i = 0; i < kRun / 2; ++i) {
      words[2 * i] = pack_halves(p, y[2 * i], a[i]);
      words[2 * i + 1] = pack_halves(p, y[2 * i + 1], b[i]);
    }
    store_run<4 * kRun>(place(p, 0, row, 4 * x), p.alignment(0), words);
  } else if (p.is(Packing::be10)) {
    std::uint32_t words[(5 * kRun / 2 + 3) / 4] = {};
#pragma unroll
    for (int i = 0; i < 2 * kRun; ++i) {
      const auto field = clamped(i % 2 == 1 ? y[i / 2] : i % 4 == 0 ? a[i / 4] : b[i / 4], 0x3ff);
      const int word = 10 * i / 32, bit = 10 * i % 32;
      words[word] |= bit <= 22 ? field << (22 - bit) : field >> (bit - 22);
      if (bit > 22) words[word + 1] |= field << (54 - bit);
    }
    swap_bytes(words);
    store_run<5 * kRun / 2>(place(p, 0, row, 5 * x / 2), p.alignment(0), words);
  } else if constexpr (kRun % 6 == 0) {
    std::uint32_t words[2 * kRun / 3];
    const auto field = [&](int i) {
      return clamped(i % 2 == 1 ? y[i / 2] : i % 4 == 0 ? a[i / 4] : b[i / 4], 0x3ff);
    };
#pragma unroll
    for (int i = 0; i < 2 * kRun / 3; ++i)
      words[i] = field(3 * i) | field(3 * i + 1) << 10 | field(3 * i + 2) << 20;
    store_run<8 * kRun / 3>(place(p, 0, row, 8 * x / 3), p.alignment(0), words);
  }
}

}  // namespace coalesce
