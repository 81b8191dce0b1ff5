// SPDX-License-Identifier: LGPL-2.1-or-later
// A code-block before and after Tier-1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../codestream/coding_params.h"
#include "band.h"

namespace coalesce::j2k {

enum class PassType : std::uint8_t { significance, refinement, cleanup };  // D.3.1, D.3.3, D.3.4

constexpr int kMaxBlockSide = 1024;
constexpr int kMaxBlockSamples = 4096;
constexpr int kMaxPlanes = 32;      // that a block has
constexpr int kMaxBandPlanes = 74;  // M_b: 37, and as much of a region of interest's shift
constexpr int kMaxFractionBits = 30;
constexpr int kMaxPasses = 3 * kMaxPlanes - 2;

struct CodeBlock {
  // Two's complement. The low fraction_bits of a magnitude are not coded (they are below the
  // quantiser's step), but the distortion takes them into account. 0 says that the integers are all
  // there is, and that a decoder which reads all planes gets them exactly (5/3 wavelet). Any value
  // of int32 may come.
  const std::int32_t *samples;
  std::ptrdiff_t pitch;  // from row to row, in samples
  int width, height;     // from 1 to kMaxBlockSide, the product at most kMaxBlockSamples
  int fraction_bits;     // 0 to kMaxFractionBits
  // M_b of the sub-band, 0 to kMaxBandPlanes: exponent + guard bits - 1, plus the shift of a region
  // of interest (E-2, H-1).
  int max_planes;
  Band band;
  std::uint8_t style;  // of BlockStyle
};

struct Pass {
  // A decoder that is to stop behind this pass needs that many of the block's bytes, from the first
  // one. Never decreases. Not a byte less would do, except at the end of predictable segments.
  std::uint32_t length;
  // By how much the pass makes the squared error smaller, in units of step^2 * 4^plane / 64: see
  // docs/numerics.md. It can be negative.
  std::int32_t distortion;
  PassType type;
  std::uint8_t plane;  // 0 is the lowest
  bool terminated;     // length is the end of a segment
  bool raw;            // bits of the bypass
};

// What a distortion counts for in the picture: mantissa * 2^exponent, mantissa 32768 to 65535. So
// it has 16 bits for sums in integers, whatever its size.
struct DistortionWeight {
  std::uint16_t mantissa = 32768;
  std::int16_t exponent = -15;
};

struct CodedBlock {
  int zero_planes;       // of max_planes, from the top
  int passes;            // 3 * planes - 2; 0 for a block of zeros
  std::uint32_t length;  // of the last pass
};

}  // namespace coalesce::j2k
