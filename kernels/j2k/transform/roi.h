// SPDX-License-Identifier: LGPL-2.1-or-later
// A region of interest by max-shift (ITU-T T.800 Annex H): the coefficients that it depends on are
// multiplied by 2^s, and so all of their bit-planes are coded before the others'. A decoder knows
// them by being 2^s or more.
#pragma once

#include <cstdint>

#include "../../core/plane.h"
#include "../../core/status.h"
#include "../../core/thread_pool.h"
#include "../canvas/geometry.h"
#include "band_weights.h"

namespace coalesce::j2k {

// The coefficients of a band that samples of the region depend on. Region and result are in the
// coordinates of the component and of the band; empty where they do not meet.
Rect roi_in_band(Wavelet wavelet, const Rect &tile_component, const Rect &region, Band band,
                 int level);

// s (SPrgn of RGN) for a component whose bands have up to so many planes (M_b). T.800 asks for M_b;
// it is one more, because OpenJPEG, Grok and FFmpeg compare with 2^s what has a bit of fraction
// behind it, and take 2^(s - 1) for the region's.
constexpr int max_shift_of(int max_planes) {
  return max_planes + 1;
}

// Tier-1 has M_b + s planes: invalid_argument if those are more than 31.
Status check_max_shift(int max_planes);

// Shifts what is inside of `band` (from its first sample on) up by s. fraction_bits, which may not
// be coded as if they were planes, are removed everywhere: Tier-1 then has none.
Status max_shift(const Plane<std::int32_t> &band, const Rect &inside, int shift, int fraction_bits,
                 ThreadPool *pool);

}  // namespace coalesce::j2k
