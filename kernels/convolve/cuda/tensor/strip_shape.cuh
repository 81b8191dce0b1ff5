// SPDX-License-Identifier: LGPL-2.1-or-later
// The sizes that strip.cuh is made in, what a launch takes along, and what a block shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../tile_source.cuh"
#include "bulk_copy.cuh"
#include "direct_sums.cuh"

namespace coalesce {

constexpr int kUnitRows = 8, kUnitColumns = 128;  // samples of a channel

constexpr int kSegmentColumns = 8;  // of a mask: as many as a window has places

// Words of a digit of a mask's row; and of all digits of a mask with wide sums: three of 31 x 31.
constexpr int kMostRowWords = (kMaxMaskSize + 3 + 3) / 4;
constexpr int kMostWideWords = 3 * kMaxMaskSize * kMostRowWords;

// The tile of a plane whose pixels have so many bytes: units of a channel side by side, and bytes
// from a row to the next. A row of byte planes takes no more than one of pixels, which begins up to
// 15 bytes in.
COALESCE_HOST_DEVICE constexpr int strip_across(int pixel_bytes) {
  return pixel_bytes == 1 ? 4 : pixel_bytes == 2 ? 2 : 1;
}
COALESCE_HOST_DEVICE constexpr int strip_byte_plane(int pixel_bytes, int segments) {  // of a row
  return strip_across(pixel_bytes) * kUnitColumns + kSegmentColumns * segments;
}
COALESCE_HOST_DEVICE constexpr int strip_pitch(int pixel_bytes, int segments) {
  const int most_before = pixel_bytes % 4 == 0 ? 0 : pixel_bytes == 2 ? 8 : 12;
  return (strip_byte_plane(pixel_bytes, segments) * pixel_bytes + most_before + 15) / 16 * 16;
}

// Rows of output that a tile is for, if rows are so long: fewer where a block would take too much.
constexpr int strip_most_rows(int pitch) {
  return pitch > 1024 ? 16 : 32;
}

// Masks of kMaskHeight rows, which is odd, or fewer, and of 9 columns, less what is free to the
// left of them; or of several segments of so many rows and of 8 columns. Weights of kDigitCount
// bytes, samples in kBytes. Wide: sums of 64 bits.
template <int kMaskHeight, int kDigitCount, int kBytes, bool kHasSegments, bool kHasWideSums>
struct StripShape {
  static constexpr int kHeight = kMaskHeight, kDigits = kDigitCount, kSampleBytes = kBytes;
  static constexpr bool kSegments = kHasSegments, kWide = kHasWideSums, kAnywhere = false;
  static constexpr int kPairs = (kHeight + 1) / 2;  // of a row of output
  static constexpr int kUnitPairs = (kUnitRows + kHeight - 1) / 2;
  static constexpr int kMostThreads = 128;
  // Decides on registers.
  static constexpr int kBlocks = kWide                                             ? 3
                                 : kDigits == 1 && kSampleBytes == 1 && !kSegments ? 7
                                                                                   : 5;
  // Planes of a launch. The weights of wide masks leave no room for more.
  static constexpr int kPlanes = kWide ? 1 : 4;
  // Four bytes of a row of taps for each distance from the first byte of a window's word to the
  // place: -7 to 12. No taps stand before the first row and behind the last one.
  static constexpr int kTapRows = kHeight + 2, kTapWords = 20;
  // Words of taps that a segment has in shared memory, each with that of the next row; and what
  // arguments have: the same, or the mask's weights.
  static constexpr int kTaps = (kTapRows - 1) * kTapWords;
  static constexpr int kGivenWords = !kSegments    ? kDigits * kTapRows * kTapWords
                                     : kWide       ? kMostWideWords
                                     : kDigits > 2 ? kDigits *kHeight *kMostRowWords
                                                   : kDigits *kMaxMaskSize *kMostRowWords;
};

// The same for planes that need not be aligned. A kernel of its own: the aligned ones have no
// registers to spare.
template <class Shape>
struct StripAnywhere : Shape {
  static constexpr bool kAnywhere = true;
};

// How sums of 64 bits become samples of one role.
struct WideSamples {
  bool shifts;  // an offset and a shift are all, and lead to 31 bits and sign
  int shift, max;
  std::int64_t offset;
  Finish<std::int64_t> finish;
  Finish<std::int64_t>::Offsets offsets;
};

struct StripPlane {
  CUtensorMap map;  // of the picture, for tiles
  TileSource in;
  std::uint8_t *out;
  std::size_t out_pitch;
  int element;                 // bytes: of the map
  int channels;                // of a pixel
  int tile_pitch, byte_plane;  // bytes
  int across, down;            // units of a channel that a block has at a time
  int units;                   // side by side, of all channels that are filtered
  std::uint32_t filtered;      // those channels, four bits each
  std::uint32_t chroma;        // a bit for each channel
  bool has_copied;
  std::uint32_t copied[8];  // bits of two times 12 or three times 8 bytes, and of the next 8
  int first_block;          // of the launch
  int tiles_across;
  Divider<std::int32_t> by_tiles_across;
};

template <class Shape>
struct StripArgs {
  StripPlane plane[Shape::kPlanes];
  std::conditional_t<Shape::kWide, WideSamples, MmaSamples> samples[2];  // of level, of chroma
  int shift;                                                             // of samples of two bytes
  std::uint32_t max;                                                     // of two of them
  int rows;                 // of output of a block: a multiple of kUnitRows
  int left, above, behind;  // pixels before the sample where windows begin, a multiple of 4; rows;
                            // pixels behind it
  bool is_signed;           // the uppermost digit, if there are several
  int tile_bytes;           // of shared memory
  int height, width;        // of the mask, with what is free to the left
  int segments_down, segments_across;
  int row_words;  // of segments: of a digit of a row of the mask
  // By digit and row.
  std::uint32_t taps[Shape::kGivenWords];

  __device__ __forceinline__ int tile_rows() const {
    return rows + (Shape::kSegments ? segments_down : 1) * Shape::kHeight - 1;
  }
};

// The tile's rows follow, and the taps: by digit, the lower one first, and segment.
template <class Shape>
struct alignas(128) StripShared {
  // Output on its way to the lanes that store it: rows of all channels, channel by channel.
  std::uint8_t out[Shape::kMostThreads / 32 * kUnitRows * kUnitColumns * Shape::kSampleBytes];
  BulkBarrier arrived;

  __device__ __forceinline__ std::uint8_t *tile() {
    return reinterpret_cast<std::uint8_t *>(this + 1);
  }
  __device__ __forceinline__ uint2 *taps(int tile_bytes) {
    return reinterpret_cast<uint2 *>(tile() + tile_bytes);
  }
};

}  // namespace coalesce
