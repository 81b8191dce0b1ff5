// SPDX-License-Identifier: LGPL-2.1-or-later
// What host and device agree on for bytes.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shape.cuh"

namespace coalesce {

// A block is two warps down and so many across.
template <int kDown, int kAcross, int kWarpsAcross>
struct BytesShape : SeparableShape<kDown, kAcross> {
  using Base = SeparableShape<kDown, kAcross>;
  static constexpr int kThreads = 32 * Base::kWarpsDown * kWarpsAcross;
  static constexpr int kColumns = Base::kSegment * kWarpsAcross;  // of a strip
  static constexpr int kRowBytes = kColumns + Base::kHalo;        // in the ring
  static constexpr int kPitch =
      kRowBytes / 16 % 2 == 0 ? kRowBytes + 16 : kRowBytes;  // no bank conflicts
  static constexpr int kStagePitch = Base::kSegment + 16;    // of what is to be stored
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
