// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_made_blocks.h"

#include <algorithm>
#include <memory>

#include "../../check.h"
#include "../encoder/j2k_encode.h"
#include "j2k/encoder/encoder.h"
#include "j2k/encoder/tile_writer.h"
#include "j2k/tier1/context/coding_pass.h"
#include "j2k/tier2/packets.h"

namespace coalesce::test {

using namespace j2k;

namespace {

void must(const Status &s) {
  require(s.ok(), s.message());
}

// A pass has some bytes, few, or none.
CodedBlock make_passes(const BlockPlan &plan, unsigned style, std::uint32_t most, Random &random,
                       Pass *passes) {
  const int most_planes = std::min<int>(plan.max_planes, kMaxPlanes);
  const int planes = random.below(6) == 0 ? 0 : random.below(most_planes + 1);
  const int count = std::max(3 * planes - 2, 0);
  std::uint32_t length = 0;
  const std::uint32_t room = std::min(most, plan.bytes);
  for (int i = 0; i < count; ++i) {
    const int plane = planes - 1 - (i + 2) / 3;
    const auto type = static_cast<PassType>((i + 2) % 3);
    const int left = static_cast<int>(room - length) / (random.below(2) == 0 ? 1 : count - i);
    if (random.below(4) != 0) length += static_cast<std::uint32_t>(random.below(left + 1));
    passes[i] = {length,
                 0,
                 type,
                 static_cast<std::uint8_t>(plane),
                 pass_is_terminated(style, planes, plane, type),
                 pass_is_raw(style, planes, plane, type)};
  }
  return {plan.max_planes - planes, count, length};
}

// All at once, at random, seldom, or everything late; and perhaps not all of it.
void spread(const std::vector<CodedBlock> &coded, Random &random, LayerPasses *layers) {
  const int kind = random.below(4);
  const int first = kind == 3 ? random.below(layers->layers) : 0;
  for (std::size_t b = 0; b < layers->blocks; ++b) {
    int passes = 0;
    for (int layer = first; layer < layers->layers; ++layer) {
      const int left = coded[b].passes - passes;
      if (kind == 0 || (kind == 1 && random.below(3) != 0) || random.below(40) == 0)
        passes += kind == 0 ? left : random.below(left + 1);
      layers->at(layer, b) = static_cast<std::uint8_t>(passes);
    }
  }
}

void start(const EncoderParams &params, MadeBlocks *made) {
  must(make_plan(params, &made->plan));
  made->passes.resize(made->plan.passes);
  made->bytes.resize(made->plan.bytes);
  made->coded.resize(made->plan.blocks.size());
  made->layers.layers = params.layers;
  made->layers.blocks = made->plan.blocks.size();
  made->layers.passes.resize(made->layers.blocks * static_cast<std::size_t>(params.layers));
}

void finish(MadeBlocks *made) {
  for (std::size_t b = 0; b < made->coded.size(); ++b) {
    const BlockPlan &plan = made->plan.blocks[b];
    made->data.push_back({made->passes.data() + plan.first_pass,
                          made->bytes.data() + plan.first_byte, made->coded[b], plan.weight, 0});
  }
}

}  // namespace

MadeBlocks made_blocks(const EncoderParams &params, std::uint32_t most_bytes, Random &random) {
  MadeBlocks made;
  start(params, &made);
  for (std::size_t b = 0; b < made.coded.size(); ++b) {
    const BlockPlan &plan = made.plan.blocks[b];
    made.coded[b] = make_passes(plan, params.block_style, most_bytes, random,
                                made.passes.data() + plan.first_pass);
    std::generate_n(made.bytes.begin() + static_cast<std::ptrdiff_t>(plan.first_byte),
                    made.coded[b].length,
                    [&random] { return static_cast<std::uint8_t>(random.bits()); });
  }
  spread(made.coded, random, &made.layers);
  finish(&made);
  return made;
}

MadeBlocks encoded_blocks(const EncoderParams &params, Random &random,
                          std::vector<std::uint8_t> *codestream) {
  std::unique_ptr<Encoder> encoder;
  must(Encoder::make(params, &encoder));
  must(encoder->code(AllSamples(picture(params.coding, random)).at, nullptr));
  spread_over_layers(encoder.get(), random);
  must(encoder->write(codestream));
  MadeBlocks made;
  start(params, &made);
  made.layers = *encoder->layers();
  for (std::size_t b = 0; b < made.coded.size(); ++b) {
    const BlockPlan &plan = made.plan.blocks[b];
    const BlockData &block = encoder->blocks()[b];
    made.coded[b] = block.coded;
    std::copy_n(block.passes, block.coded.passes, made.passes.data() + plan.first_pass);
    std::copy_n(block.bytes, block.coded.length, made.bytes.data() + plan.first_byte);
  }
  finish(&made);
  return made;
}

std::vector<std::uint8_t> codestream_of(const MadeBlocks &made) {
  const EncoderPlan &plan = made.plan;
  std::vector<std::uint8_t> out;
  std::size_t tlm;
  put_main_header(plan.header, &out, &tlm);
  Packets packets;
  for (const TilePlan &tile : plan.tiles) {
    packets.make(plan.params, tile.geometry, tile.order, made.data.data() + tile.first_block,
                 made.layers, tile.first_block);
    must(append_tile(plan.params, tile, packets, tlm, &out));
  }
  put_end(&out);
  return out;
}

}  // namespace coalesce::test
