// SPDX-License-Identifier: LGPL-2.1-or-later
// A conversion as the kernels see it: how to read and write several pixels at a time.
#pragma once

#include <cstdint>

#include "convert_job.h"

namespace coalesce {

// The words of a plane of the output: of each pixel, sample, pair of pixels (4:2:2), or group of
// six (v210).
struct PlaneWords {
  std::uint8_t bytes = 0;   // 1, 2, 3, 4 or 8; 5: be10; 16: v210
  std::uint8_t pixels = 1;  // samples of the plane's widest component: 1, 2, or 6
  std::uint8_t log2_width = 0, log2_height = 0;  // of that component
  std::uint8_t components = 0;
  std::uint8_t component[4] = {}, shift[4] = {};  // in a pair 0 and 1 are its two samples of luma
  std::uint64_t ones = 0;
};

// How runs of pixels are in memory.
// (In this order: Shaped::is() asks which are of pixels, and which of those have bytes of their
// own.)
enum class Packing : std::uint8_t {
  planes8,   // a plane for each component, or luma alone
  planes16,  // the same in words of 16 bits
  packed24,
  packed32,
  packed64,  // four words of 16 bits
  fields10,  // three fields of ten bits and one of two
  pairs8,    // 4:2:2: words of two samples of luma, U and V
  pairs16,
  v210,
  be10,
};

// Where the chroma is.
enum class ChromaPacking : std::uint8_t {
  none,    // or with the rest of the pixel
  planes,  // as wide as samples of `packing`
  interleaved,
  packed,  // pairs8, pairs16, v210, be10
};

// A picture whose components are in slots: luma or the colours in the order of memory, what is in
// three components' places but has no component counts as zero; alpha or padding is slot 3.
struct PackedPicture {
  Packing packing = Packing::planes8;
  ChromaPacking chroma = ChromaPacking::none;
  bool half = false;       // half as many columns of chroma
  bool half_rows = false;  // and rows
  bool alpha = false;
  bool spare = false;           // a fourth sample that no component has, of ones
  std::uint8_t colours = 0;     // slots, without alpha
  std::uint8_t shift = 0;       // of samples in words of 16 bits, and
  std::uint16_t mask = 0;       // what of them belongs to the sample
  std::uint16_t selector = 0;   // packed32, pairs8: __byte_perm() of memory to slots, or back
  bool alpha_first = false;     // packed64
  std::uint8_t *plane[4] = {};  // planes*: by slot; interleaved chroma: 1
  std::size_t pitch[4] = {};
  std::uint8_t alignment[4] = {};  // of addresses and pitch, at most 16
  int chroma_columns = 0, chroma_rows = 0;
};

// What of a picture selects code, as a number, so that kernels can be compiled for it.
constexpr int shape(Packing packing, ChromaPacking chroma, bool half, bool half_rows, int colours,
                    bool alpha) {
  return static_cast<int>(packing) | static_cast<int>(chroma) << 4 | half << 6 | alpha << 7 |
         colours << 8 | half_rows << 10;
}
constexpr int shape(const PackedPicture &p) {
  return shape(p.packing, p.chroma, p.half, p.half_rows, p.colours, p.alpha);
}
// Shapes of which the compiler knows less: any; with half as many columns of chroma, or luma alone;
// with all colours of each pixel; v210.
constexpr int kAnyShape = -1, kAnyHalf = -2, kAnyWhole = -3, kAnyV210 = -4;

// A picture of a shape that is known when compiling, or of any. One that is known is aligned to the
// accesses of its runs, and its pitches have 32 bits.
template <int kShape>
struct Shaped {
  static constexpr bool kKnown = kShape >= 0;
  static constexpr bool kIsV210 = kShape == kAnyV210;
  // If it is known:
  static constexpr auto kPacking = static_cast<Packing>(kShape & 15);
  static constexpr auto kChroma = static_cast<ChromaPacking>(kShape >> 4 & 3);
  static constexpr bool kHalf = (kShape >> 6 & 1) != 0, kHalfRows = (kShape >> 10 & 1) != 0;
  const PackedPicture &at;

  COALESCE_HOST_DEVICE int alignment(int slot) const { return kKnown ? 16 : at.alignment[slot]; }
  COALESCE_HOST_DEVICE Packing packing() const {
    if (kKnown) return kPacking;
    if (kIsV210) return Packing::v210;
    return at.packing;
  }
  // As a question for each packing: the code for those that cannot be is left out.
  COALESCE_HOST_DEVICE bool is(Packing p) const {
    const bool beyond_whole = p > Packing::fields10;
    const bool beyond_half = p >= Packing::packed24 && !beyond_whole;
    if (kShape == kAnyHalf && beyond_half) return false;
    if (kShape == kAnyWhole && beyond_whole) return false;
    return packing() == p;
  }
  COALESCE_HOST_DEVICE ChromaPacking chroma() const {
    if (kIsV210) return ChromaPacking::packed;
    return kKnown ? kChroma : at.chroma;
  }
  COALESCE_HOST_DEVICE bool half() const {
    if (kIsV210 || kShape == kAnyWhole) return kIsV210;
    return kKnown ? kHalf : at.half;
  }
  COALESCE_HOST_DEVICE bool half_rows() const {
    return kKnown ? kHalfRows : !kIsV210 && at.half_rows;
  }
  COALESCE_HOST_DEVICE bool alpha() const {
    return kKnown ? (kShape >> 7 & 1) != 0 : !kIsV210 && at.alpha;
  }
  COALESCE_HOST_DEVICE int colours() const {
    if (kIsV210) return 3;
    return kKnown ? kShape >> 8 & 3 : at.colours;
  }
};

// Output slot s is clamp((sum + offset) >> shift, 0, maximum).
struct SlotSum {
  std::int32_t weight[3] = {};
  std::int32_t alpha_weight = 0;
  std::int64_t offset = 0;
  std::int32_t maximum = 0;
  std::uint8_t shift = 0;
  bool dithered = false;
};

// What a thread does with the pixels of a run.
enum class RunKind : std::uint8_t {
  none,  // a shape that only the kernel for any word has
  full,  // the output has all colours of each pixel
  half,  // half as many columns of chroma on both sides
  down,  // half as many columns of chroma in the output alone
};

// What convert_up.cuh works with. It adds one sample of chroma to slots 0 and 1, the other one to 1
// and 2.
struct UpArgs {
  bool fits = false;
  int groups = 0;                  // of rows, one for each thread down
  std::uint32_t selector[2] = {};  // __byte_perm() of a column to the one and to the other
  std::int32_t first = 0, middle[2] = {}, last = 0;
  // Of each field's pairs of rows that are between the same rows of chroma, the taps of these.
  std::int32_t between[2][2][2] = {};
};

struct ConvertArgs {
  ConvertJob job;
  PlaneWords words[4];
  RunKind kind = RunKind::none;
  int run = 8;  // pixels: 12 with v210
  // Threads down: rows, or where luma shares rows of chroma, two of a field and that one.
  int groups = 0;
  bool shares_rows = false;
  bool aligned = false;  // all planes, to the accesses of runs, with pitches of 32 bits
  PackedPicture in, out;
  SlotSum sum[4];
  // full: of each pair of columns of chroma, on its left and right.
  std::int32_t even[2] = {}, odd[2] = {};
  UpArgs up;
  // down: of the columns left, here and right.
  std::int32_t across[3] = {};
};

ConvertArgs make_args(const ConvertJob &job);

}  // namespace coalesce
