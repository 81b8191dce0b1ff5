// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: bwdif of two samples of at most 12 bits at a time, in the halves of a word. Compared with
// numbers of 32 bits it needs a third of the instructions.
//
// No half goes below zero, so that sums and differences are those of words: differences are kept
// with kBias added.
#pragma once

#include <cstdint>

#include "../core/ptx.cuh"
#include "deinterlace_args.h"

namespace coalesce {

constexpr std::uint32_t kBias = 0x40004000;

constexpr int kWords = kRunBytes / 4;
using RunWords = std::uint32_t[kWords];

COALESCE_HOST_DEVICE constexpr int lanes_of_word(Lanes lanes) {
  return lanes == Lanes::halves ? 2 : lanes == Lanes::v210 ? 3 : 4;
}

// Bytes 2k and 2k + 1 of a word.
__device__ __forceinline__ std::uint32_t pair_of_bytes(std::uint32_t word, int k) {
  return __byte_perm(word, 0, k == 0 ? 0x4140 : 0x4342);
}

// Pairs of fields of ten bits have the same place in two words; others are neighbours.
template <Lanes kLanes>
__device__ __forceinline__ std::uint32_t pair_of(const RunWords &words, int j,
                                                 const PlaneRuns &plane) {
  if (kLanes == Lanes::bytes) return pair_of_bytes(words[j / 2], j % 2);
  if (kLanes == Lanes::halves)
    return words[j] >> plane.shift & static_cast<std::uint32_t>(plane.maximum) * 0x10001;
  constexpr int kInWord = lanes_of_word(kLanes);
  const int word = j / kInWord * 2, shift = 10 * (j % kInWord);
  return (words[word] >> shift & 0x3ff) | (words[word + 1] >> shift & 0x3ff) << 16;
}

template <Lanes kLanes>
__device__ __forceinline__ void put_pair(RunWords &words, int j, int shift, std::uint32_t pair) {
  if (kLanes == Lanes::bytes) {
    words[j / 2] |= __byte_perm(pair, 0, j % 2 == 0 ? 0x4420 : 0x2044);
  } else if (kLanes == Lanes::halves) {
    words[j] = pair << shift;
  } else {
    constexpr int kInWord = lanes_of_word(kLanes);
    const int word = j / kInWord * 2, place = 10 * (j % kInWord);
    words[word] |= (pair & 0xffff) << place;
    words[word + 1] |= (pair >> 16) << place;
  }
}

template <Lanes kLanes>
__device__ __forceinline__ std::uint32_t pair_distance(const RunWords &a, const RunWords &b, int j,
                                                       const PlaneRuns &plane) {
  if (kLanes == Lanes::bytes) return pair_of_bytes(ptx::distances(a[j / 2], b[j / 2]), j % 2);
  const std::uint32_t x = pair_of<kLanes>(a, j, plane), y = pair_of<kLanes>(b, j, plane);
  return __vmaxu2(x, y) - __vminu2(x, y);
}

__device__ __forceinline__ std::uint32_t halved(std::uint32_t pair) {
  return pair >> 1 & 0x7fff7fff;
}

// What a kind of rows has in place of branches: the same code makes all of them.
struct PairRules {
  int nearest, third;   // weights within the field
  int most_still;       // with kBias: prediction with time if it moves more
  std::uint32_t range;  // bits that are set in it

  __device__ __forceinline__ explicit PairRules(LineKind kind)
      : nearest(5077), third(981), most_still(0xffff), range(0) {
    if (kind == LineKind::bwdif)
      most_still = 0x4000;
    else if (kind == LineKind::bwdif_intra)
      range = 0x3fff3fff;  // (no limit)
    else
      nearest = 4096, third = 0;  // (the mean)
  }
};

// BwdifSums of deinterlace_line.h, with kBias. Each pair: a sum of samples.
struct PairSums {
  std::uint32_t nearest, third;  // rows above and below
  std::uint32_t other[3];        // of the fields beside: this row, those 2 and 4 away
  std::uint32_t moves;           // with kBias: above it, if there is motion

  __device__ __forceinline__ int prediction(int half, const PairRules &rules) const {
    const auto of = [half](std::uint32_t pair) {
      return static_cast<int>(half == 0 ? pair & 0xffff : pair >> 16);
    };
    const bool with_time = of(moves) > rules.most_still;
    const int high = (5570 * of(other[0]) - 3801 * of(other[1]) + 1016 * of(other[2])) >> 2;
    return ((with_time ? high : 0) + (with_time ? 4309 : rules.nearest) * of(nearest) -
            (with_time ? 213 : rules.third) * of(third) + (0x4000 << 13)) >>
           13;
  }
};

// Rows: RunRows of bwdif; of bwdif_edge the rows two above and below are the nearest ones.
template <Lanes kLanes, class Rows>
__device__ __forceinline__ std::uint32_t bwdif_pair(const Rows &rows, int j, int maximum,
                                                    const PairRules &rules,
                                                    const PlaneRuns &plane) {
  const auto at = [&](const RunWords &words) { return pair_of<kLanes>(words, j, plane); };
  const auto apart = [&](const RunWords &a, const RunWords &b) {
    return pair_distance<kLanes>(a, b, j, plane);
  };
  const std::uint32_t above = at(rows.above[0]), below = at(rows.below[0]);
  const std::uint32_t above2 = at(rows.before[1]) + at(rows.after[1]);
  const std::uint32_t below2 = at(rows.before[3]) + at(rows.after[3]);
  const std::uint32_t here = at(rows.before[2]) + at(rows.after[2]);
  const std::uint32_t mean = halved(here), moved = apart(rows.before[2], rows.after[2]);

  const std::uint32_t earlier =
      apart(rows.earlier_above, rows.above[0]) + apart(rows.earlier_below, rows.below[0]);
  const std::uint32_t later =
      apart(rows.later_above, rows.above[0]) + apart(rows.later_below, rows.below[0]);
  const std::uint32_t still = __vmaxu2(halved(moved), __vmaxu2(halved(earlier), halved(later)));

  // As checked_range() has it. (Of halves ptxas keeps the signs: the trials pass on a GPU.)
  const std::uint32_t mean_above = halved(above2), mean_below = halved(below2);
  const std::uint32_t low =
      __vminu2(mean + kBias - __vmaxu2(above, below),
               __vmaxu2(mean_above + kBias - above, mean_below + kBias - below));
  const std::uint32_t high =
      __vminu2(__vminu2(above, below) + kBias - mean,
               __vmaxu2(above + kBias - mean_above, below + kBias - mean_below));
  std::uint32_t range = __vmaxu2(still + kBias, __vmaxu2(low, high)) - kBias;
  range = __vminu2(range, __vminu2(still, 0x10001) * 0x3fff);  // 0 where nothing moves
  range |= rules.range;

  const PairSums sums = {
      above + below,
      at(rows.above[1]) + at(rows.below[1]),
      {here, above2 + below2,
       at(rows.before[0]) + at(rows.after[0]) + at(rows.before[4]) + at(rows.after[4])},
      apart(rows.above[0], rows.below[0]) + kBias - moved};
  const std::uint32_t prediction =
      __byte_perm(static_cast<std::uint32_t>(sums.prediction(0, rules)),
                  static_cast<std::uint32_t>(sums.prediction(1, rules)), 0x5410);
  const std::uint32_t limited =
      __vminu2(__vmaxu2(prediction, mean + kBias - range), mean + kBias + range);
  const std::uint32_t top = kBias + static_cast<std::uint32_t>(maximum) * 0x10001;
  return __vminu2(__vmaxu2(limited, kBias), top) - kBias;
}

}  // namespace coalesce
