// SPDX-License-Identifier: LGPL-2.1-or-later
#include "packet_headers.h"

#include <algorithm>
#include <limits>

namespace coalesce::j2k {
namespace {

// A layer that is yet to come.
constexpr int kLater = std::numeric_limits<int>::max();

}  // namespace

void TileHeaders::start(const TileGeometry &tile, const BlockData *blocks) {
  tile_ = &tile;
  blocks_ = blocks;
  trees_.clear();
  int nodes = 0;
  for (const PrecinctBand &band : tile.precinct_bands) {
    const int size = tag_tree_nodes(band.blocks_wide, band.blocks_high);
    trees_.push_back({nodes, nodes + size});
    nodes += 2 * size;
  }
  nodes_.resize(static_cast<std::size_t>(nodes));
  states_.assign(tile.blocks.size(), {});
  for (std::size_t band = 0; band < trees_.size(); ++band)
    start_band(band);
}

// Blocks of zeros are in no layer, so no decoder asks for their planes: a large number leaves the
// nodes above them to the others.
void TileHeaders::start_band(std::size_t index) {
  const PrecinctBand &band = tile_->precinct_bands[index];
  TagTree inclusion(nodes_.data() + trees_[index].inclusion, band.blocks_wide, band.blocks_high);
  TagTree zero_planes(nodes_.data() + trees_[index].zero_planes, band.blocks_wide,
                      band.blocks_high);
  for (int i = 0; i < band.blocks(); ++i) {
    const CodedBlock &coded = blocks_[band.first_block + i].coded;
    inclusion.set(i, kLater);
    zero_planes.set(i, coded.passes > 0 ? coded.zero_planes : kMaxBandPlanes);
  }
  inclusion.start();
  zero_planes.start();
}

std::uint64_t TileHeaders::put(int precinct, int layer, const std::uint8_t *passes,
                               std::vector<std::uint8_t> *out) {
  const IndexRange blocks = tile_->blocks_of(precinct), bands = tile_->bands_of(precinct);
  bool any = false;
  for (int b = blocks.begin; b < blocks.end && !any; ++b)
    any = passes[b] > states_[static_cast<std::size_t>(b)].passes;
  HeaderBits bits(out);
  bits.put(any);
  std::uint64_t body = 0;
  for (int band = bands.begin; band < bands.end && any; ++band)
    body += put_band(static_cast<std::size_t>(band), layer, passes, &bits);
  bits.end();
  return body;
}

std::uint64_t TileHeaders::put_band(std::size_t index, int layer, const std::uint8_t *passes,
                                    HeaderBits *bits) {
  const PrecinctBand &band = tile_->precinct_bands[index];
  const int wide = band.blocks_wide, high = band.blocks_high, first = band.first_block;
  TagTree inclusion(nodes_.data() + trees_[index].inclusion, wide, high);
  TagTree zero_planes(nodes_.data() + trees_[index].zero_planes, wide, high);
  for (int i = 0; i < band.blocks(); ++i)
    if (is_first(first + i, passes)) inclusion.lower(i % wide, i / wide, layer);
  std::uint64_t body = 0;
  for (int i = 0; i < band.blocks(); ++i) {
    const int block = first + i;
    BlockState &state = states_[static_cast<std::size_t>(block)];
    if (state.passes > 0)
      bits->put(passes[block] > state.passes);
    else
      inclusion.encode(i % wide, i / wide, layer + 1, bits);
    if (passes[block] == state.passes) continue;
    if (state.passes == 0)
      zero_planes.encode(i % wide, i / wide, blocks_[block].coded.zero_planes + 1, bits);
    const PassRun run = {blocks_[block].passes, state.passes, passes[block], state.length, false};
    put_number_of_passes(run.end - run.first, bits);
    state.l_block = static_cast<std::uint8_t>(put_lengths(state.l_block, run, bits));
    state.passes = passes[block];
    state.length += run.bytes();
    body += run.bytes();
  }
  return body;
}

}  // namespace coalesce::j2k
