// SPDX-License-Identifier: LGPL-2.1-or-later
// The two products of separable.cuh, down and across, and what becomes of their sums.
#pragma once

#include <cstdint>

#include "../../finish.h"
#include "../tensor/instructions.cuh"
#include "numbers.h"

namespace coalesce {

// d = c + a * b: units up to kPairs one by one, from there on two at a time.
template <int kPairs, bool kSignedA, bool kSignedB, int kUnits>
__device__ __forceinline__ void multiply(int (&d)[4], const std::uint32_t (&a)[kUnits][2],
                                         const std::uint32_t (&b)[kUnits], const int (&c)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    d[i] = c[i];
#pragma unroll
  for (int u = 0; u < kPairs; ++u)
    mma_16<kSignedA, kSignedB>(d, a[u], b[u], d);
#pragma unroll
  for (int u = kPairs; u + 1 < kUnits; u += 2)
    mma_32<kSignedA, kSignedB>(d, a[u], a[u + 1], b[u], b[u + 1], d);
  if constexpr ((kUnits - kPairs) % 2 == 1)
    mma_16<kSignedA, kSignedB>(d, a[kUnits - 1], b[kUnits - 1], d);
}

// Sums down of 16 rows of 16 columns, cut into bytes, the lowest first: of row lane / 4 and the
// row 8 below, columns 4 * (lane % 4) and the 3 behind it.
template <int kPlanes>
struct ColumnSums {
  std::uint32_t bytes[kPlanes][2];
};

// The bands of the taps, as the lane holds them.
template <class Shape, SeparableSums kSums>
struct MmaBands {
  using Types = MmaTypes<kSums>;
  std::uint32_t down[Types::kDigits][Shape::kDownUnits][2];  // first factor of the sums down
  // Second of those across. Two units side by side in registers make one instruction. Those of the
  // sums down must stay where they are: pairs begin with an even one, in windows that begin with an
  // odd one therefore later. There the taps are needed side by side in the other way, too.
  static constexpr bool kTwice = !Types::kWide && Shape::kAcrossUnits > 2;
  std::uint32_t across[1 + kTwice][Types::kDigits][2][Shape::kAcrossUnits];

  // down and across: the words of SeparableMmaArgs.
  __device__ __forceinline__ MmaBands(const std::uint32_t *words) {
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int column = Shape::kShift == 0 ? t : t ^ 2;  // see MmaRows::shift()
    constexpr int kAcrossAt = Types::kDigits * Shape::kDownWords;
#pragma unroll
    for (int d = 0; d < Types::kDigits; ++d) {
#pragma unroll
      for (int u = 0; u < Shape::kDownUnits; ++u)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          down[d][u][h] = words[d * Shape::kDownWords + 16 * u + 2 * t - (g + 8 * h) + 15];
#pragma unroll
      for (int odd = 0; odd < 1 + kTwice; ++odd)
#pragma unroll
        for (int q = 0; q < 2; ++q)
#pragma unroll
          for (int u = 0; u < Shape::kAcrossUnits; ++u) {
            across[odd][d][q][u] = words[kAcrossAt + d * Shape::kAcrossWords + 16 * u + 4 * column -
                                         (4 * (g / 2) + 2 * q + g % 2) + 15];
            asm volatile("" : "+r"(across[odd][d][q][u]));  // to be held, not moved for each use
          }
    }
  }
};

// What column_sums() takes. rows: what the lane hands to load_transposed(), for every two units.
template <class Shape>
struct MmaRows {
  std::uint32_t words[2 * Shape::kDownUnits];

  __device__ __forceinline__ void load(const std::uint32_t (&rows)[(Shape::kDownUnits + 1) / 2],
                                       int offset) {
    constexpr int kUnits = Shape::kDownUnits;
#pragma unroll
    for (int u = 0; u + 1 < kUnits; u += 2)
      load_transposed<4>(rows[u / 2] + offset, words + 2 * u);
    if constexpr (kUnits % 2 == 1)
      load_transposed<2>(rows[kUnits / 2] + offset, words + 2 * kUnits - 2);
  }
  // The 16 columns that begin 8 columns later, the first 8 behind the last: with what stands there.
  __device__ __forceinline__ MmaRows shift(const MmaRows &behind) const {
    MmaRows result;
#pragma unroll
    for (int i = 0; i < 2 * Shape::kDownUnits; ++i)
      result.words[i] = threadIdx.x % 32 < 16 ? behind.words[i] : words[i];
    return result;
  }
};

// Sums down over one byte of the samples: `columns` times the taps, all their digits. Modulo 2^32.
template <class Shape, SeparableSums kSums>
__device__ __forceinline__ void add_down(const MmaBands<Shape, kSums> &bands,
                                         const std::uint32_t (&columns)[Shape::kDownUnits],
                                         int (&sums)[4]) {
  using Types = MmaTypes<kSums>;
  const int zero[4] = {0, 0, 0, 0};
  multiply<0, Types::kSignedDown && Types::kDigits == 1, false>(sums, bands.down[0], columns, zero);
#pragma unroll
  for (int d = 1; d < Types::kDigits; ++d) {
    int upper[4];
    if (d == Types::kDigits - 1)
      multiply<0, Types::kSignedDown, false>(upper, bands.down[d], columns, zero);
    else
      multiply<0, false, false>(upper, bands.down[d], columns, zero);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sums[i] = static_cast<int>(static_cast<unsigned>(sums[i]) +
                                 static_cast<unsigned>(upper[i]) * (1u << 8 * d));
  }
}

// bytes[i]: byte i of four words.
__device__ __forceinline__ void split_words(const std::uint32_t (&s)[4], std::uint32_t *bytes) {
  const std::uint32_t lower[2] = {__byte_perm(s[0], s[1], 0x5140), __byte_perm(s[2], s[3], 0x5140)};
  const std::uint32_t upper[2] = {__byte_perm(s[0], s[1], 0x7362), __byte_perm(s[2], s[3], 0x7362)};
  bytes[0] = __byte_perm(lower[0], lower[1], 0x5410);
  bytes[1] = __byte_perm(lower[0], lower[1], 0x7632);
  bytes[2] = __byte_perm(upper[0], upper[1], 0x5410);
  bytes[3] = __byte_perm(upper[0], upper[1], 0x7632);
}

// The 16 bytes of a row come as pairs; even ones make one factor, odd ones another. Of the terms of
// a unit, 4 * t + i is row {2 * t, 2 * t + 1, 2 * t + 8, 2 * t + 9}[i], t being lane % 4: so
// SeparableMmaArgs::down. rows: of the lower and the upper byte of the samples, where they have
// two; an upper byte counts upper_weight times.
template <class Shape, SeparableSums kSums>
__device__ __forceinline__ auto column_sums(const MmaBands<Shape, kSums> &bands,
                                            const MmaRows<Shape> (&rows)[MmaTypes<kSums>::kBytes],
                                            int upper_weight) {
  using Types = MmaTypes<kSums>;
  constexpr int kUnits = Shape::kDownUnits;
  int sums[2][Types::kBytes][4];  // of even and odd columns: two of row lane / 4, two 8 below
#pragma unroll
  for (int b = 0; b < Types::kBytes; ++b) {
    const auto &words = rows[b].words;
    std::uint32_t columns[2][kUnits];
#pragma unroll
    for (int u = 0; u < kUnits; ++u) {
      columns[0][u] = __byte_perm(words[2 * u], words[2 * u + 1], 0x6420);
      columns[1][u] = __byte_perm(words[2 * u], words[2 * u + 1], 0x7531);
    }
#pragma unroll
    for (int odd = 0; odd < 2; ++odd)
      add_down(bands, columns[odd], sums[odd][b]);
  }
  ColumnSums<Types::kPlanes> result;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    std::uint32_t s[4], above[4];  // 32 bits of the sums, and where they are longer, those above
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const auto &parts = sums[i % 2];
      const int at = 2 * h + i / 2;
      if constexpr (Types::kLong) {
        const std::int64_t sum = std::int64_t{parts[1][at]} * upper_weight + parts[0][at];
        s[i] = static_cast<std::uint32_t>(sum);
        above[i] = static_cast<std::uint32_t>(sum >> 32);
      } else if constexpr (Types::kBytes == 2) {
        // Unsigned, as elsewhere here: what stands beyond a plane's samples may be too large.
        s[i] = static_cast<std::uint32_t>(parts[1][at]) * static_cast<std::uint32_t>(upper_weight) +
               static_cast<std::uint32_t>(parts[0][at]);
      } else {
        s[i] = static_cast<std::uint32_t>(parts[0][at]);
      }
    }
    if constexpr (Types::kPlanes == 2) {
      // Sums that are not negative can be joined by the multiplier, which has less to do.
      const std::uint32_t first =
          Types::kSignedSums ? __byte_perm(s[0], s[1], 0x5410) : s[1] * 65536 + s[0];
      const std::uint32_t last =
          Types::kSignedSums ? __byte_perm(s[2], s[3], 0x5410) : s[3] * 65536 + s[2];
      result.bytes[0][h] = __byte_perm(first, last, 0x6420);
      result.bytes[1][h] = __byte_perm(first, last, 0x7531);
    } else {
      std::uint32_t bytes[4];
      split_words(s, bytes);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        result.bytes[i][h] = bytes[i];
      if constexpr (Types::kLong)
        result.bytes[4][h] = __byte_perm(__byte_perm(above[0], above[1], 0x0040),
                                         __byte_perm(above[2], above[3], 0x0040), 0x5410);
    }
  }
  return result;
}

// c + one digit of the taps times one byte of the sums down: two sums of 2 columns, for 2 rows
// each. kOdd: the first unit is an odd one, counted over windows.
template <int kByte, int kDigit, bool kOdd, class Shape, SeparableSums kSums>
__device__ __forceinline__ void add_across(int (&d)[4], const MmaBands<Shape, kSums> &bands,
                                           int half,
                                           const ColumnSums<MmaTypes<kSums>::kPlanes> *sums,
                                           const int (&c)[4]) {
  using Types = MmaTypes<kSums>;
  std::uint32_t a[Shape::kAcrossUnits][2];
#pragma unroll
  for (int u = 0; u < Shape::kAcrossUnits; ++u)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      a[u][h] = sums[u].bytes[kByte][h];
  constexpr bool kTwice = MmaBands<Shape, kSums>::kTwice;
  multiply<kOdd ? (kTwice ? 1 : Shape::kAcrossUnits) : 0,
           Types::kSignedSums && kByte == Types::kPlanes - 1,
           Types::kSignedAcross && kDigit == Types::kDigits - 1>(
      d, a, bands.across[kOdd && kTwice][kDigit][half], c);
}

// first + all products of weight 256 to the power of kLevel.
template <int kLevel, bool kOdd, class Shape, SeparableSums kSums>
__device__ __forceinline__ void add_level(int (&d)[4], const MmaBands<Shape, kSums> &bands,
                                          int half,
                                          const ColumnSums<MmaTypes<kSums>::kPlanes> *sums,
                                          const int (&first)[4]) {
  using Types = MmaTypes<kSums>;
  constexpr int kDigits = Types::kDigits, kPlanes = Types::kPlanes;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    d[i] = first[i];
  if constexpr (kLevel < kPlanes) add_across<kLevel, 0, kOdd>(d, bands, half, sums, d);
  if constexpr (kDigits > 1 && kLevel >= 1 && kLevel - 1 < kPlanes)
    add_across<kLevel - 1, 1, kOdd>(d, bands, half, sums, d);
  if constexpr (kDigits > 2 && kLevel >= 2 && kLevel - 2 < kPlanes)
    add_across<kLevel - 2, 2, kOdd>(d, bands, half, sums, d);
}

struct SeparableFinish {
  int shift;
  std::uint32_t reciprocal;
  int add[4];  // the same four times: where sums begin
  // Of samples of 16 bits:
  int upper_weight, max, sample_shift;
  // deep_long:
  std::int64_t long_add, top;
  Divider<std::int64_t> divider;
};

// Four samples of 16 bits: their lower and their upper bytes.
__device__ __forceinline__ void split_samples(const int (&v)[4], int shift, std::uint32_t *lower,
                                              std::uint32_t *upper) {
  const auto pair = [shift](int a, int b) {
    return __byte_perm(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), 0x5410)
           << shift;
  };
  const std::uint32_t first = pair(v[0], v[1]), last = pair(v[2], v[3]);
  *lower = __byte_perm(first, last, 0x6420);
  *upper = __byte_perm(first, last, 0x7531);
}

// Four samples of row lane / 4 and four of the row 8 below, columns 4 * (lane % 4) and on, from the
// sums down of the kAcrossUnits * 16 columns there. samples: of each byte of them, both rows.
template <bool kOdd, class Shape, SeparableSums kSums>
__device__ __forceinline__ void row_sums(const MmaBands<Shape, kSums> &bands,
                                         const ColumnSums<MmaTypes<kSums>::kPlanes> *sums,
                                         const SeparableFinish &f,
                                         std::uint32_t (&samples)[MmaTypes<kSums>::kBytes][2]) {
  using Types = MmaTypes<kSums>;
  const int zero[4] = {0, 0, 0, 0};
  if constexpr (Types::kWide) {
    int v[2][4];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      int level[7][4];  // by weight: 256 to the power of
      add_level<0, kOdd>(level[0], bands, q, sums, zero);
      add_level<1, kOdd>(level[1], bands, q, sums, zero);
      add_level<2, kOdd>(level[2], bands, q, sums, zero);
      add_level<3, kOdd>(level[3], bands, q, sums, zero);
      if constexpr (Types::kLong) {
        add_level<4, kOdd>(level[4], bands, q, sums, zero);
        add_level<5, kOdd>(level[5], bands, q, sums, zero);
        add_level<6, kOdd>(level[6], bands, q, sums, zero);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          std::int64_t sum = f.long_add + level[0][i];
          sum += std::int64_t{level[1][i]} * (1 << 8);
          sum += std::int64_t{level[2][i]} * (1 << 16);
          sum += std::int64_t{level[3][i]} * (1 << 24);
          // Unsigned: a part may exceed the 64 bits that the whole fits.
          const std::uint32_t above = static_cast<std::uint32_t>(level[4][i]) +
                                      static_cast<std::uint32_t>(level[5][i]) * (1u << 8) +
                                      static_cast<std::uint32_t>(level[6][i]) * (1u << 16);
          sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                          (static_cast<std::uint64_t>(above) << 32));
          sum = sum < 0 ? 0 : sum > f.top ? f.top : sum;
          v[q][i] = static_cast<int>(divide(sum, f.divider));
        }
      } else {
        add_level<4, kOdd>(level[4], bands, q, sums, f.add);
        // What stands below the next 16 bits is shifted out: floors of floors.
        const auto add_shifted = [](int lower, int upper) {
          return static_cast<int>(static_cast<unsigned>(lower) +
                                  static_cast<unsigned>(upper) * 256) >>
                 16;
        };
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int sum =
              add_shifted(add_shifted(level[0][i], level[1][i]) + level[2][i], level[3][i]) +
              level[4][i];
          v[q][i] = sum >> f.shift;
          if constexpr (Types::kDeep) v[q][i] = max(min(v[q][i], f.max), 0);
        }
      }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h)
      if constexpr (Types::kDeep)
        split_samples({v[0][2 * h], v[0][2 * h + 1], v[1][2 * h], v[1][2 * h + 1]}, f.sample_shift,
                      &samples[0][h], &samples[1][h]);
      else
        samples[0][h] = saturate_bytes(v[0][2 * h], v[0][2 * h + 1], v[1][2 * h], v[1][2 * h + 1]);
  } else {
    int lower[2][4], upper[2][4];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      add_across<0, 0, kOdd>(lower[q], bands, q, sums,
                             kSums == SeparableSums::packed ? zero : f.add);
      add_across<1, 0, kOdd>(upper[q], bands, q, sums, zero);
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      std::uint32_t v[4];
      if constexpr (kSums == SeparableSums::packed) {
        // Two sums in a word, less their lowest byte.
#pragma unroll
        for (int q = 0; q < 2; ++q)
          v[q] = static_cast<std::uint32_t>(upper[q][2 * h + 1]) * 65536 +
                 static_cast<std::uint32_t>(upper[q][2 * h]) +
                 __byte_perm(static_cast<std::uint32_t>(lower[q][2 * h]),
                             static_cast<std::uint32_t>(lower[q][2 * h + 1]), 0x6521) +
                 static_cast<std::uint32_t>(f.add[0]);
        samples[0][h] = __byte_perm(v[0], v[1], 0x7531);
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int at = 2 * h + i % 2;
          const int sum = lower[i / 2][at] + upper[i / 2][at] * 256;
          if constexpr (kSums == SeparableSums::divided)
            v[i] = __umulhi(static_cast<std::uint32_t>(sum), f.reciprocal);
          else
            v[i] = static_cast<std::uint32_t>(sum >> f.shift);
        }
        if constexpr (kSums == SeparableSums::divided)
          samples[0][h] =
              __byte_perm(__byte_perm(v[0], v[1], 0x0040), __byte_perm(v[2], v[3], 0x0040), 0x5410);
        else
          samples[0][h] = saturate_bytes(static_cast<int>(v[0]), static_cast<int>(v[1]),
                                         static_cast<int>(v[2]), static_cast<int>(v[3]));
      }
    }
  }
}

}  // namespace coalesce
