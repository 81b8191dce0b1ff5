// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_rate_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "../../../support/doctest.h"
#include "j2k/pcrd/hull.h"
#include "j2k/transform/quantiser.h"

namespace coalesce::test {
namespace {

using j2k::Pass;
using j2k::RateBlock;

double unit(Random &random) {
  return static_cast<double>(random.bits() >> 11) * 0x1p-53;
}

Pass pass_at(int index, int planes) {
  Pass pass = {};
  pass.type = static_cast<j2k::PassType>((index + 2) % 3);
  pass.plane = static_cast<std::uint8_t>(planes - 1 - (index + 2) / 3);
  return pass;
}

std::vector<Pass> likely_passes(Random &random, int planes) {
  std::vector<Pass> passes;
  double length = 2;
  for (int i = 0; i < 3 * planes - 2; ++i) {
    Pass pass = pass_at(i, planes);
    length += std::exp2(i / 3.0 * 0.8) * (1 + 2 * unit(random));
    pass.length = static_cast<std::uint32_t>(length);
    const double distortion = std::exp2(i / 3.0 * 1.3) * 100 *
                              (pass.type == j2k::PassType::refinement ? 0.2 : 0.6) *
                              (1 + unit(random));
    pass.distortion = static_cast<std::int32_t>(std::min(distortion, 2147483647.0));
    passes.push_back(pass);
  }
  return passes;
}

std::vector<Pass> unlikely_passes(Random &random, int planes) {
  std::vector<Pass> passes;
  std::uint32_t length = 0;
  const int most = random.pick({1, 3, 40, 3000});
  const int gain = random.pick({1, 2, 1000, INT32_MAX / 2});
  for (int i = 0; i < 3 * planes - 2; ++i) {
    Pass pass = pass_at(i, planes);
    if (random.below(3) != 0) length += static_cast<std::uint32_t>(random.below(most + 1));
    pass.length = length;
    pass.distortion = random.below(5) == 0 ? 0 : random.between(-gain / 2, gain);
    passes.push_back(pass);
  }
  return passes;
}

int bits_of_pass_count(int count) {  // Table B.4
  return count == 1 ? 1 : count == 2 ? 2 : count <= 5 ? 4 : count <= 36 ? 9 : 16;
}

}  // namespace

std::size_t Blocks::most_passes() const {
  std::size_t sum = 0;
  for (const std::vector<Pass> &p : passes)
    sum += p.size();
  return sum;
}

Blocks random_blocks(Random &random, Passes kind, int count, int most_planes) {
  Blocks made;
  for (int i = 0; i < count; ++i) {
    const int planes = random.between(kind == Passes::likely ? 1 : 0, most_planes);
    made.passes.push_back(planes == 0              ? std::vector<Pass>()
                          : kind == Passes::likely ? likely_passes(random, planes)
                                                   : unlikely_passes(random, planes));
  }
  for (const std::vector<Pass> &passes : made.passes) {
    RateBlock block;
    block.passes = passes.data();
    block.num_passes = static_cast<int>(passes.size());
    block.weight = j2k::distortion_weight(std::exp2(8 * unit(random) - 4));
    block.final_error = static_cast<std::uint32_t>(random.below(5000));
    made.blocks.push_back(block);
  }
  return made;
}

std::uint32_t length_of(const RateBlock &block, int passes) {
  return passes == 0 ? 0 : block.passes[passes - 1].length;
}

long double gain_of(const RateBlock &block, int passes) {
  long double sum = 0;
  for (int i = 0; i < passes; ++i) {
    const Pass &pass = block.passes[i];
    const bool region = block.roi_shift > 0 && pass.plane >= block.roi_shift;
    sum += std::ldexp(static_cast<long double>(pass.distortion),
                      2 * (pass.plane - (region ? block.roi_shift : 0)) - 6);
  }
  return std::ldexp(sum * block.weight.mantissa, block.weight.exponent);
}

std::uint64_t bytes_of(const Blocks &blocks, const std::uint8_t *row) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < blocks.blocks.size(); ++i)
    sum += length_of(blocks.blocks[i], row[i]);
  return sum;
}

long double gain_of(const Blocks &blocks, const std::uint8_t *row) {
  long double sum = 0;
  for (std::size_t i = 0; i < blocks.blocks.size(); ++i)
    sum += gain_of(blocks.blocks[i], row[i]);
  return sum;
}

int slope_of(const Blocks &blocks, const std::uint8_t *row) {
  int least = j2k::kMaxSlope + 1;
  j2k::HullStep steps[j2k::kMaxPasses];
  for (std::size_t i = 0; i < blocks.blocks.size(); ++i) {
    const j2k::Hull hull = j2k::convex_hull(blocks.blocks[i], steps);
    for (int n = 0; n < hull.steps && steps[n].passes <= row[i]; ++n)
      least = std::min<int>(least, steps[n].slope);
  }
  return least;
}

ModelHeaders::ModelHeaders(const Blocks &blocks, int packet_blocks)
    : blocks_(blocks), packet_blocks_(packet_blocks) {}

void ModelHeaders::count(int layer, unsigned, const j2k::PassTable &table, std::uint64_t *bytes) {
  ++calls;
  CHECK_MESSAGE((layer == layer_ || layer == layer_ + 1), "layer ", layer, " after ", layer_);
  const std::size_t before = static_cast<std::size_t>(layer) * table.blocks;
  CHECK_MESSAGE(
      (seen_.size() >= before && std::equal(seen_.data(), seen_.data() + before, table.passes)),
      "layers before ", layer);
  layer_ = layer;
  seen_.assign(table.passes, table.layer(layer) + table.blocks);
  answers_.push_back({seen_, of_layer(layer, table)});
  bytes[0] += answers_.back().bytes;
}

std::uint64_t ModelHeaders::all(const j2k::PassTable &table) const {
  std::uint64_t sum = 0;
  for (int layer = 0; layer < table.layers; ++layer)
    sum += of_layer(layer, table);
  return sum;
}

std::uint64_t ModelHeaders::answered(int layer, const j2k::PassTable &table) const {
  const std::vector<std::uint8_t> rows(table.passes, table.layer(layer) + table.blocks);
  const auto answer = std::find_if(answers_.begin(), answers_.end(),
                                   [&](const Answer &a) { return a.rows == rows; });
  REQUIRE_MESSAGE(answer != answers_.end(), "headers of layer ", layer, " were not counted");
  return answer->bytes;
}

std::uint64_t ModelHeaders::of_layer(int layer, const j2k::PassTable &table) const {
  std::uint64_t sum = 0;
  int bits = 0;
  bool empty = true;
  for (std::size_t i = 0; i < table.blocks; ++i) {
    // Lblock of B.10.7.1 remembers all layers before.
    int length_bits = 3, passes = 0, cost = 0;
    for (int l = 0; l <= layer; ++l) {
      const int now = table.layer(l)[i], added = now - passes;
      cost = 1;
      if (added > 0) {
        cost += bits_of_pass_count(added) + (passes == 0 ? 4 : 0);
        const std::uint32_t bytes =
            length_of(blocks_.blocks[i], now) - length_of(blocks_.blocks[i], passes);
        const int extra = static_cast<int>(std::bit_width(static_cast<unsigned>(added))) - 1;
        const int needed = std::max(static_cast<int>(std::bit_width(bytes)) - extra, length_bits);
        cost += needed - length_bits + 1 + needed + extra;
        length_bits = needed;
        empty = empty && l < layer;
      }
      passes = now;
    }
    bits += cost;
    if ((i + 1) % static_cast<std::size_t>(packet_blocks_) == 0 || i + 1 == table.blocks) {
      sum += static_cast<std::uint64_t>(empty ? 1 : (1 + bits + 7) / 8);
      bits = 0;
      empty = true;
    }
  }
  return sum;
}

}  // namespace coalesce::test
