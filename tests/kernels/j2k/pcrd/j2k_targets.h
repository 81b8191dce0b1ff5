// SPDX-License-Identifier: LGPL-2.1-or-later
// Codestreams whose layers have targets.
#pragma once

#include <cstdint>
#include <vector>

#include "../encoder/j2k_encode.h"

namespace coalesce::test {

// With nothing in any layer, and with all there is.
struct LengthRange {
  std::uint64_t least, finest;
};
LengthRange length_range(j2k::EncoderParams params, const Picture &p);

// The last layer: of bytes; the others anything.
std::vector<j2k::LayerBudget> random_targets(int layers, const LengthRange &range, Random &random);

// For a last layer that has no limit.
j2k::LayerBudget random_unlimited_target(Random &random);

struct Targeted {
  std::vector<std::uint8_t> bytes;
  // Of codestreams that have the first layers only: 1, 2, and so on.
  std::vector<std::uint64_t> lengths;
};
// By Encoder::encode(). Throws if something fails, and if a limit of the last layer's bytes is not
// kept or used (check_limit()).
Targeted encode_to_targets(const j2k::EncoderParams &params, const Picture &p, ThreadPool *pool);

}  // namespace coalesce::test
