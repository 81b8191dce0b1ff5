// SPDX-License-Identifier: LGPL-2.1-or-later
// What context modelling gives to the coders, whichever way it was computed.
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "../../canvas/code_block.h"
#include "contexts.h"

namespace coalesce::j2k {

// Decisions of one coding pass in the order of T.800 D.1, one byte each (symbol_of), and what they
// do for the squared error (Pass::distortion).
struct PassSymbols {
  int count;
  std::int32_t distortion;
};

// The most symbols of one pass: ten for four samples of a column that begin with a run, and the
// segmentation symbol.
constexpr int kMaxPassSymbols = kMaxBlockSamples / 4 * 10 + 4;

// T.800 D.6: the passes that have raw bits, and D.4.1 and Table D.9: those behind which a segment
// ends. planes is the number of planes that are coded, from plane planes - 1 down to 0.
COALESCE_HOST_DEVICE constexpr bool pass_is_raw(unsigned style, int planes, int plane,
                                                PassType type) {
  return (style & kBypass) != 0 && plane < planes - 4 && type != PassType::cleanup;
}
COALESCE_HOST_DEVICE constexpr bool pass_is_terminated(unsigned style, int planes, int plane,
                                                       PassType type) {
  if ((style & kTermAll) != 0 || (plane == 0 && type == PassType::cleanup)) return true;
  if ((style & kBypass) == 0 || plane > planes - 4) return false;
  return type == PassType::cleanup || (plane < planes - 4 && type == PassType::refinement);
}

// The distortion a sample gives away, in units of step^2 * 4^plane / 64. fraction is the part of
// its magnitude below the plane, as a fraction of 2^plane in units of 1 / 64, rounded down. exact:
// the plane is the last and the decoder knows that there is nothing below it.
constexpr int kDistortionBits = 6;
constexpr int becomes_significant(int fraction, bool exact) {
  return 48 + (exact ? 16 : 0) + 3 * fraction;
}
constexpr int is_refined(int bit, int fraction, bool exact) {
  return (exact ? 16 : 0) + (bit != 0 ? fraction - 16 : 48 - fraction);
}

}  // namespace coalesce::j2k
