// SPDX-License-Identifier: LGPL-2.1-or-later
// What host and device agree on for bytes.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../tile_source.cuh"
#include "numbers.h"

namespace coalesce {

// Units are 16 taps and zeros: kDown down, kAcross across. A block is so many warps down and
// across; each computes kWindows windows before it stores them.
template <int kDown, int kAcross, int kWarpsAcross>
struct BytesShape {
  static constexpr int kDownUnits = kDown, kAcrossUnits = kAcross;
  // Windows begin at a multiple of 16 columns in the picture; with two units, 8 behind one, for
  // there the usual rows of up to 17 taps fit.
  static constexpr int kShift = kAcross == 2 ? 8 : 0;
  static constexpr int kWindows = 8;
  static constexpr int kWarpsDown = 2;
  static constexpr int kThreads = 32 * kWarpsDown * kWarpsAcross;
  static constexpr int kWarpColumns = 16 * kWindows;
  static constexpr int kColumns = kWarpColumns * kWarpsAcross;                  // of a strip
  static constexpr int kRowBytes = kColumns + 16 * (kAcross - 1 + kShift / 8);  // in the ring
  static constexpr int kPitch =
      kRowBytes / 16 % 2 == 0 ? kRowBytes + 16 : kRowBytes;  // no bank conflicts
  static constexpr int kStep = 16 * kWarpsDown;              // rows
  static constexpr int kBands = 2 * kWarpsDown + kDown - 1;  // the ring's: of 16 rows
  static constexpr int kRing = 16 * kBands;                  // rows
  static constexpr int kStagePitch = kWarpColumns + 16;      // of what is to be stored
  static constexpr int kDownWords = 16 * kDown + 6, kAcrossWords = 16 * kAcross + 12;
};

struct BytesPlane {
  TileSource in;
  std::uint8_t *out;
  std::size_t out_pitch;
  std::uint32_t copied;  // bytes of a word that are not filtered
  int add;               // to sums; as the way of finishing wants it
  int row;               // of BytesArgs
};

// A row of taps, for planes with so many channels.
template <class Shape, SeparableSums kSums>
struct BytesRow {
  int left;   // columns of input before those of output
  int right;  // columns behind the last one of output that are needed
  std::uint32_t across[MmaTypes<kSums>::kDigits][Shape::kAcrossWords];
};

template <class Shape, SeparableSums kSums>
struct BytesArgs {
  BytesPlane plane[4];
  int above;  // rows of input before those of output
  int below;  // rows of input that a row of output needs, less one
  int steps;  // of a block
  int shift;  // finishing
  std::uint32_t reciprocal;
  // The taps t as the lanes want them: four bytes a word, zeros before the first and behind the
  // last. down[j + 15]: t[j], t[j + 1], t[j + 8], t[j + 9]; across[j + 15]: t[j] to t[j + 3].
  std::uint32_t down[MmaTypes<kSums>::kDigits][Shape::kDownWords];
  BytesRow<Shape, kSums> row[2];
};

}  // namespace coalesce
