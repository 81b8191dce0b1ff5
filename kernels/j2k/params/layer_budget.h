// SPDX-License-Identifier: LGPL-2.1-or-later
// What a quality layer is to reach, together with those before it.
#pragma once

#include <cstdint>

namespace coalesce::j2k {

// Slopes, squared error (weighted) for a byte, are kept as logarithms: kSlopeOne + 256 log2(slope),
// rounded down, 0 to kMaxSlope.
constexpr int kSlopeOne = 96 * 256;
constexpr int kMaxSlope = 65535;

// Sums of squared errors are in units of 1 / kErrorUnits. (64 bits hold those of pictures of 2^29
// samples of 16 bits.)
constexpr int kErrorUnits = 16;

struct LayerBudget {
  enum class Kind : std::uint8_t {
    // Not the last layer: sizes go up to the last one's geometrically, over num_layers - 1 octaves,
    // but at most six.
    automatic,
    bytes,      // at most `value` bytes, those of headers and markers among them
    error,      // the fewest bytes that leave a squared error of `value` / kErrorUnits, or less
    slope,      // what has at least the slope `value`
    everything  // all passes
  };
  Kind kind = Kind::everything;
  std::uint64_t value = 0;
  // error: `value` is for errors that are everywhere. If `usual` is not 0, and all passes leave
  // less than that, the target lies as much nearer to `concentrated`, which is not more than
  // `value`.
  std::uint64_t concentrated = 0, usual = 0;  // below 2^55
  // error, of the last layer: what blocks of nothing but rounding (hull.h) would gain counts so
  // many 256ths, and so does what they leave, but not more than it is. All the error of a part of
  // the picture is in such a block, so decoders round about half of it away, however little of the
  // others' they leave.
  std::uint32_t rounding = 128;
  // error: if it is not 0, what `value` is for pictures so smooth that fine blocks (RateBlock) have
  // no error even if nothing of them is decoded: then it is all in coarse bands, where errors add
  // up. The more of `value` fine blocks could have, the nearer the target lies to it.
  std::uint64_t smooth = 0;
};

}  // namespace coalesce::j2k
