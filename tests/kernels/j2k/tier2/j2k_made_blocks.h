// SPDX-License-Identifier: LGPL-2.1-or-later
// What Tier-2 gets, in flat arrays as BlockPlan has them: made at random, or by the encoder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../../../support/random.h"
#include "j2k/encoder/encoder_plan.h"
#include "j2k/tier2/coded_picture.h"

namespace coalesce::test {

struct MadeBlocks {
  j2k::EncoderPlan plan;
  std::vector<j2k::Pass> passes;
  std::vector<std::uint8_t> bytes;
  std::vector<j2k::CodedBlock> coded;
  j2k::LayerPasses layers;
  std::vector<j2k::BlockData> data;  // the same once more
};

// Passes of any lengths, up to so many bytes a block; and layers of any kind. (Distortions are 0.)
MadeBlocks made_blocks(const j2k::EncoderParams &params, std::uint32_t most_bytes, Random &random);
// Of a picture at random; *codestream: what Encoder::write() makes of them.
MadeBlocks encoded_blocks(const j2k::EncoderParams &params, Random &random,
                          std::vector<std::uint8_t> *codestream);

// What the CPU back end makes of them.
std::vector<std::uint8_t> codestream_of(const MadeBlocks &blocks);

}  // namespace coalesce::test
