// SPDX-License-Identifier: LGPL-2.1-or-later
// The sizes that general.cuh is made in, what a launch takes along, and what a block shares.
#pragma once

#include <cstdint>

#include "../tile_source.cuh"
#include "direct_sums.cuh"

namespace coalesce {

constexpr int kMmaPlaces = 4;  // of a mask down
constexpr int kMmaGroups = 2;  // of so many rows of output, one below the other, in a warp

// Masks of kChunks chunks, or fewer; of any number if kChunks is 0.
template <int kWindowBytes, int kChunkCount, MmaWeights kWeightKind>
struct MmaShape {
  static constexpr int kWindow = kWindowBytes, kChunks = kChunkCount;
  static constexpr MmaWeights kWeights = kWeightKind;
  static constexpr int kDigits = kWeights == MmaWeights::bytes ? 1 : 2;
  static constexpr int kSegments = kWindow <= 32 ? 1 : kWindow / 32;
  static constexpr int kSegment = kWindow / kSegments;  // bytes of a row in a chunk
  static constexpr int kChunkRows = 32 / kSegment;
  static constexpr int kGroupChunks = kMmaPlaces / kChunkRows;  // from one group to the next
  static constexpr int kMostChunks = kChunks == 0 ? 34 : kChunks;
  static constexpr int kMostWidth = kWindow - 1;
  static constexpr int kMostHeight = kMostChunks * kChunkRows - kMmaPlaces + 1;

  static constexpr int kWarpsAcross = 2, kWarpsDown = 2;
  static constexpr int kThreads = 32 * kWarpsAcross * kWarpsDown;
  static constexpr int kColumns = 128 * kWarpsAcross;  // of output
  static constexpr int kWarpRows = kMmaPlaces * kMmaGroups;
  static constexpr int kPassRows = kWarpRows * kWarpsDown;  // one below the other
  // Of a multiprocessor: decides on registers.
  static constexpr int kBlocks = kDigits == 1 && kSegments == 1 ? 5 : 4;

  // Rows of zeros before and after those of the mask; as many as keep lanes out of each other's
  // banks.
  static constexpr int kTapRows = (kMostChunks * kChunkRows + kMmaPlaces - 1) / 4 * 4 + 6;
  static constexpr int kTapWords = kSegment / 4;
  static constexpr int kSegmentTaps = kDigits * 2 * kTapRows * kTapWords;

  static constexpr int kTileChunks = (kColumns + kWindow + 8 + 15) / 16;
  // Two rows of a chunk do not meet in a bank.
  static constexpr int kTilePitch = kSegments == 1 ? kColumns + 64 : 16 * kTileChunks;
  static constexpr int kStageBytes = kPassRows * (kTileChunks + 1) * 16;
  static constexpr int kMaskRows = kMostChunks * kChunkRows - kMmaPlaces;
  // Most passes of a block, one below the other: what fits into 48 KiB.
  static constexpr int kRowsThatFit =
      (48 * 1024 - kStageBytes - kSegments * kSegmentTaps * 4) / kTilePitch;
  static constexpr int kPasses = kWindow < 32    ? 6
                                 : kWindow == 32 ? 4
                                                 : (kRowsThatFit - kMaskRows) / kPassRows;
  static constexpr int kTileRows = kPasses * kPassRows + kMaskRows;
};

template <class Shape>
struct MmaArgs {
  TileSource in;
  MmaOutput out;
  int tiles_across;
  Divider<std::int32_t> by_tiles_across;
  int rows;         // of a block
  int left, above;  // bytes and rows before the sample
  int right;        // bytes behind it
  int height;       // of the mask
  // Byte by byte, of several segments weight by weight; zeros behind the last one.
  std::uint32_t taps[Shape::kDigits][Shape::kMostHeight][Shape::kTapWords];
};

template <class Shape>
struct alignas(16) MmaShared {
  std::uint8_t tile[Shape::kTileRows * Shape::kTilePitch];
  // Rows on their way, as the picture has them.
  std::uint8_t stage[Shape::kStageBytes];
  // The taps of a row, and once more one byte further on.
  std::uint32_t taps[Shape::kSegments][Shape::kDigits][2][Shape::kTapRows][Shape::kTapWords];
};

}  // namespace coalesce
