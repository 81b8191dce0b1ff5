// SPDX-License-Identifier: LGPL-2.1-or-later
// From the samples of a picture to what the wavelet transform takes: level shift and component
// transforms (ITU-T T.800 Annex G). int32 for the 5/3 wavelet, float for the 9/7.
#pragma once

#include <cstdint>

#include "../../core/plane.h"
#include "../../core/status.h"
#include "../../core/thread_pool.h"
#include "samples.h"

namespace coalesce::j2k {

// out(x, y) = sample(x, y) - 2^(bits - 1), for a plane of any size (G.1.2).
Status level_shift(const Samples &in, const Plane<std::int32_t> &out, ThreadPool *pool);
Status level_shift(const Samples &in, const Plane<float> &out, ThreadPool *pool);

// The same, then the reversible or the irreversible transform of R, G, B to Y, Cb, Cr (G.2, G.3).
// Three components of the same bits, three planes of the same size.
Status reversible_transform(const Samples (&in)[3], const Plane<std::int32_t> (&out)[3],
                            ThreadPool *pool);
Status irreversible_transform(const Samples (&in)[3], const Plane<float> (&out)[3],
                              ThreadPool *pool);

// invalid_argument for samples without data, of 0 or more than 16 bits, of bits that the container
// does not have, or behind the end of a row (pitch).
Status check_samples(const Samples &in, int width);

// Errors: invalid_argument for a plane that check_plane() refuses, for samples that check_samples()
// does; for components or planes that differ. Planes and samples must not overlap (which is not
// checked).

}  // namespace coalesce::j2k
