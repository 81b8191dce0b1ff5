// SPDX-License-Identifier: LGPL-2.1-or-later
// What host and device agree on for separable.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../../core/host_device.h"
#include "../../finish.h"
#include "../tile_source.cuh"
#include "numbers.h"

namespace coalesce {

// Units are 16 taps and zeros: kDown down, kAcross across. A warp computes kSegment columns of 16
// rows before it stores them, in windows of 16 columns.
template <int kDown, int kAcross>
struct SeparableShape {
  static constexpr int kDownUnits = kDown, kAcrossUnits = kAcross;
  // Windows begin at a multiple of 16 columns in the picture; with an even number of units, 8
  // behind one, for there the usual rows of up to 17 and 49 taps fit.
  static constexpr int kShift = kAcross % 2 == 0 ? 8 : 0;
  static constexpr int kWindows = 8;
  static constexpr int kSegment = 16 * kWindows;
  static constexpr int kHalo = 16 * (kAcross - 1 + kShift / 8);
  static constexpr int kWarpsDown = 2;
  static constexpr int kStep = 16 * kWarpsDown;              // rows
  static constexpr int kBands = 2 * kWarpsDown + kDown - 1;  // the ring's: of 16 rows
  static constexpr int kRing = 16 * kBands;                  // rows
  static constexpr int kDownWords = 16 * kDown + 6, kAcrossWords = 16 * kAcross + 12;
};

// A plane of pixels of `bytes` bytes, which become as many byte planes. A block makes a strip of
// `columns` pixels.
struct SeparablePlane {
  TileSource in;
  std::uint8_t *out;
  std::size_t out_pitch;
  int bytes, columns;
  std::uint32_t copied;  // bits of the channels that are not filtered
  int channels;          // those that are:
  int channel[4];
  std::int64_t add[4];  // to the sums of channel[i]; as the way of finishing wants it
};

// A sample of 16 bits is (lower >> shift) + (upper << (8 - shift)), after both have been masked:
// here four of each in a word.
struct SampleBits {
  std::uint32_t lower = ~0u, upper = ~0u;
  int shift = 0;
};

template <class Shape, SeparableSums kSums>
struct SeparableMmaArgs {
  SeparablePlane plane[4];
  int above;  // rows of input before those of output
  int below;  // rows of input that a row of output needs, less one
  int left;   // columns of input before those of output
  int right;  // columns behind the last one of output that are needed
  int steps;  // of a block
  int shift;  // finishing
  std::uint32_t reciprocal;
  SampleBits bits;
  int max;           // sample
  std::int64_t top;  // deep_long: see Finish
  Divider<std::int64_t> divider;
  // The taps t as the lanes want them: four bytes a word, zeros before the first and behind the
  // last. down[j + 15]: t[j], t[j + 1], t[j + 8], t[j + 9]; across[j + 15]: t[j] to t[j + 3].
  std::uint32_t down[MmaTypes<kSums>::kDigits][Shape::kDownWords];
  std::uint32_t across[MmaTypes<kSums>::kDigits][Shape::kAcrossWords];
};

// A block's shared memory, in bytes from its start: all of multiples of 16.
template <class Shape, SeparableSums kSums>
struct SharedLayout {
  static constexpr int kTapWords =
      MmaTypes<kSums>::kDigits * (Shape::kDownWords + Shape::kAcrossWords);
  static constexpr int kRing = 16 + (4 * kTapWords + 15) / 16 * 16;  // behind FillColumns, the taps
  int plane_columns;                                                 // of a byte plane in the ring
  int row_bytes;                                                     // of all of them
  int pitch, stage_pitch;
  int stage;      // what is to be stored
  int positions;  // MmaColumns
  int fills;
  int threads;  // FillThread
  int end;

  // No bank conflicts: pitches are odd multiples of 16.
  COALESCE_HOST_DEVICE SharedLayout(int bytes, int columns, int block)
      : plane_columns(columns + Shape::kHalo),
        row_bytes(bytes * plane_columns),
        pitch((row_bytes & 16) != 0 ? row_bytes : row_bytes + 16),
        stage_pitch(bytes * columns + 16),
        stage(kRing + Shape::kRing * pitch),
        positions(stage + Shape::kStep * stage_pitch),
        fills(positions + 4 * row_bytes),
        threads(fills + row_bytes),
        end(threads + 16 * block) {}
};

}  // namespace coalesce
