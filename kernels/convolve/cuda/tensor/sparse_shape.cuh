// SPDX-License-Identifier: LGPL-2.1-or-later
// What the sparse kernels are made for, their parameters and their shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_copy.cuh"
#include "direct_sums.cuh"
#include "sparse_instructions.cuh"

namespace coalesce {

constexpr int kStepRows = 4;  // of output, and of input that comes with a step
constexpr int kBandBytes = 16;

// Masks of kMaskRows rows, which is odd, or fewer.
template <int kDigitCount, bool kSignedDigits, int kMaskRows>
struct SparseShape {
  static constexpr int kDigits = kDigitCount, kHeight = kMaskRows;
  static constexpr bool kSigned = kSignedDigits;
  // A's rows are four rows of output, or with two digits two: then a step has two groups.
  static constexpr int kGroups = kDigits, kGroupRows = kStepRows / kGroups;
  static constexpr int kPairs = (kHeight + kGroupRows) / 2;     // of rows of input, of a group
  static constexpr int kStepPairs = (kHeight + kStepRows) / 2;  // of a step
  // Rows of input come to the ring while products are under way, or after them, whichever was
  // measured to be faster.
  static constexpr bool kEarly = kDigits == 1;
  static constexpr int kRingPairs = kStepPairs + (kEarly ? kStepRows / 2 : 0);
  // Steps begin in the ring behind so many pairs: input comes in fours of rows.
  static constexpr int kFirstPair = kStepPairs % 2;
  static constexpr int kAhead = (kStepPairs + 1) / 2;  // fours of rows of the first step
  static constexpr int kThreads = 128;
  static constexpr int kColumns = kGroupPositions * kBandBytes;  // of output
  static constexpr int kRawBytes = kColumns + 2 * kBandBytes;    // of a row of input
  static constexpr int kTermPitch = kColumns;                    // of 16 terms of all columns
  static constexpr int kPairPitch = 4 * kTermPitch;
  static constexpr int kRingBytes = kRingPairs * kPairPitch;
  static constexpr int kStages = 2;
  static constexpr int kTapWords = 8;
  // Of a multiprocessor: as many as there are registers and shared memory for.
  static constexpr int kBlocks = kHeight > 15 && kEarly ? 3 : 4;
};

template <class Shape>
struct SparseArgs {
  TileSource in;
  MmaOutput out;
  int left, above;  // bytes and rows of input before the first output
  int right;        // bytes behind the last output
  int lead;         // bytes of a band before the first tap of its first output
  int rows;         // of a block, a multiple of kStepRows
  bool plain;       // output is stored in sixteens of bytes, all of them filtered
  // By digit, the lower one first; byte by byte, zeros behind the last one.
  std::uint32_t taps[Shape::kDigits][Shape::kHeight][kBandBytes / 4];
};

template <class Shape>
struct alignas(128) SparseShared {
  std::uint8_t ring[Shape::kRingBytes];
  // Of a warp: its row of input, and later output on its way to the lanes that store it.
  std::uint8_t raw[Shape::kStages][kStepRows][Shape::kRawBytes];
  BulkBarrier arrived[Shape::kStages][kStepRows];
};

}  // namespace coalesce
