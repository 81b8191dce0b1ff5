// SPDX-License-Identifier: LGPL-2.1-or-later
// Code-blocks of every kind, by chance or from a photograph.
#pragma once

#include <string>
#include <vector>

#include "../../../support/random.h"
#include "j2k/tier1/tier1.h"

namespace coalesce::test {

enum class Content { zeros, one, sparse, dense, laplacian, gradient, extremes, photograph };

struct TestBlock {
  std::vector<std::int32_t> samples;
  int pitch, width, height, fraction_bits;
  j2k::Band band;
  unsigned style;
  Content content;

  // max_planes as large as it gets.
  j2k::CodeBlock block() const;
  std::string text() const;
};

// At most most_samples of them, which is what the time of a trial depends on.
TestBlock random_block(Random &random, int most_samples);
// Samples of a size and kind of choice; everything else by chance.
TestBlock block_of(Random &random, int width, int height, Content content);

// The sub-bands of one step of a wavelet transform of a photograph, 64 x 64 samples each.
const std::vector<std::int32_t> &photograph_band(j2k::Band band);

}  // namespace coalesce::test
