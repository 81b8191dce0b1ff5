// SPDX-License-Identifier: LGPL-2.1-or-later
// Step sizes, bit-planes and weights of the sub-bands (ITU-T T.800 Annex E), and the quantiser.
#pragma once

#include <cstdint>

#include "../../core/plane.h"
#include "../../core/status.h"
#include "../../core/thread_pool.h"
#include "../canvas/code_block.h"
#include "../params/encoder_params.h"
#include "band_weights.h"

namespace coalesce::j2k {

// Tier-1 gets magnitudes of the irreversible path with so many bits below the step: they are not
// coded, but say what a pass is worth.
constexpr int kFractionBitsOf97 = 6;

// Of one tile-component.
struct QuantiserParams {
  Wavelet wavelet = Wavelet::reversible_53;
  int levels = 5;
  int bits = 8;        // of the component's samples
  int colour = -1;     // 0 to 2: it is Y, Cb, Cr of the component transform; -1: it is not
  int guard_bits = 2;  // G, 0 to 7
  // Irreversible: the step, in units of one sample value, of a coefficient that weighs as much as a
  // sample. A band's is that, divided by the root of its energy and Y's: so each coefficient adds
  // (nearly) the same to the squared error. Cb and Cr have the steps of Y: the codestream need not
  // say them three times, which small pictures would notice.
  double base_step = 0.5;
  bool derived = false;  // irreversible: one step in the codestream, the others follow (E-5)
};

// The nearest.
DistortionWeight distortion_weight(double value);

struct BandQuantiser {
  int exponent;  // epsilon_b, as the codestream has it: 0 to 31
  int mantissa;  // mu_b: 0 to 2047; 0 and not in the codestream on the reversible path
  int planes;    // M_b = G + epsilon_b - 1 (E-2)
  float step;    // delta_b (E-3); 1 on the reversible path
  // What 1 of a coefficient's (quantised) value squared is in the squared error of the picture:
  // step^2 times energies. The unit of Tier-1's distortions, times 64.
  DistortionWeight weight = {};
  int visual_slope = 0;  // what `visual` adds to slopes (layer_budget.h): 0 or less
  int fine_planes = 0;   // planes below this one change samples by less than decoders round off
};

// A base step for rate allocation, which cuts the planes that are not needed: fine, and the same
// for grey and for the luma of R, G, B. (Where others have it, too, times a power of two, PSNRs are
// comparable at every rate: they ripple with what the planes' steps happen to be.)
double fine_base_step(bool colour_transform);

// The quantiser's view of a component.
QuantiserParams quantiser_params(const EncoderParams &params, int component);

// Guard bits 0 to 7, levels 0 to 10, bits 1 to 16, colour -1 to 2, a step above 0; the text names
// what is wrong.
Status check_quantiser(const QuantiserParams &params);

// For params that are sound. Reversible: the exponent is bits + log2_gain (+ 1 for Cb and Cr), or
// more if few guard bits make it necessary: 2^M_b is above every coefficient that can occur.
// Irreversible: the step is the nearest there is to the one wanted, but M_b + kFractionBitsOf97 is
// at most 31, so steps have a lower bound. visual: see visual_weight(); of amplitudes, so it counts
// twice.
BandQuantiser band_quantiser(const QuantiserParams &params, Band band, int level,
                             double visual = 1);

// Irreversible: out = sign(in) * floor(|in| / step * 2^kFractionBitsOf97) in floats, see
// docs/numerics.md; what M_b bit-planes do not hold is saturated. Two's complement. Planes of the
// same size (a band of the tile-component's); they must not overlap, or be the same memory.
// Errors: invalid_argument for planes that check_plane() refuses or that differ in size.
Status quantise(const BandQuantiser &band, const Plane<const float> &in,
                const Plane<std::int32_t> &out, ThreadPool *pool);

}  // namespace coalesce::j2k
