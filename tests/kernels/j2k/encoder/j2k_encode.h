// SPDX-License-Identifier: LGPL-2.1-or-later
// What tests of the whole encoder share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../../support/random.h"
#include "../judges/j2k_decoded.h"
#include "core/thread_pool.h"
#include "j2k/encoder/encoder.h"
#include "j2k_picture.h"

namespace coalesce::test {

// Of all components, as Encoder takes them.
struct AllSamples {
  explicit AllSamples(const Picture &p);
  j2k::Samples at[j2k::kMaxComponents];
};

// Passes of each block in the layers: at random, and all of them in the last.
void spread_over_layers(j2k::Encoder *encoder, Random &random);

// The codestream, its layers as above. It throws where something fails.
std::vector<std::uint8_t> encode(const j2k::EncoderParams &params, const Picture &p,
                                 ThreadPool *pool, Random &random);

// Of all samples; infinite if a component is not as large.
double mean_squared_error(const Picture &p, const Decoded &decoded);

// The same before samples were rounded, as the tests' own decoder tells.
double error_before_rounding(const Picture &p, const Decoded &decoded);

// The largest difference of a sample; INT_MAX if a component is not as large.
int largest_difference(const Decoded &a, const Decoded &b);

// Empty, or how codestreams differ.
std::string byte_difference(const std::vector<std::uint8_t> &bytes,
                            const std::vector<std::uint8_t> &expected);

}  // namespace coalesce::test
