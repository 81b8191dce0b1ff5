// SPDX-License-Identifier: LGPL-2.1-or-later
#include "packet_headers.h"

#include <algorithm>
#include <limits>

namespace coalesce::j2k {
namespace {

int floor_log2(unsigned v) {
  return 31 - __builtin_clz(v);
}

// Table B.4.
void put_number_of_passes(int passes, HeaderBits *bits) {
  if (passes == 1)
    bits->put(0, 1);
  else if (passes == 2)
    bits->put(2, 2);
  else if (passes <= 5)
    bits->put(0xCu + static_cast<unsigned>(passes - 3), 4);
  else if (passes <= 36)
    bits->put(0x1E0u + static_cast<unsigned>(passes - 6), 9);
  else
    bits->put(0xFF80u + static_cast<unsigned>(passes - 37), 16);
}

// The codeword segments, or parts of one, that passes first to end - 1 are in: visit(number of
// passes, bytes).
template <class Visit>
void for_segments(const Pass *passes, int first, int end, std::uint32_t sent, Visit &&visit) {
  for (int i = first; i < end; ++i) {
    if (i + 1 < end && !passes[i].terminated) continue;
    visit(static_cast<unsigned>(i + 1 - first), passes[i].length - sent);
    sent = passes[i].length;
    first = i + 1;
  }
}

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
    const std::uint32_t before = state.length;
    put_number_of_passes(passes[block] - state.passes, bits);
    put_lengths(block, passes[block], bits);
    body += state.length - before;
  }
  return body;
}

// B.10.7: a length has l_block + floor(log2(passes)) bits, so l_block grows until all fit.
void TileHeaders::put_lengths(int block, int upto, HeaderBits *bits) {
  const Pass *passes = blocks_[block].passes;
  BlockState &state = states_[static_cast<std::size_t>(block)];
  int l_block = state.l_block;
  for_segments(passes, state.passes, upto, state.length, [&](unsigned count, std::uint32_t bytes) {
    const int needed = bytes == 0 ? 0 : floor_log2(bytes) + 1;
    l_block = std::max(l_block, needed - floor_log2(count));
  });
  for (int i = state.l_block; i < l_block; ++i)
    bits->put(true);
  bits->put(false);
  state.l_block = static_cast<std::uint8_t>(l_block);
  for_segments(passes, state.passes, upto, state.length, [&](unsigned count, std::uint32_t bytes) {
    bits->put(bytes, l_block + floor_log2(count));
  });
  state.passes = static_cast<std::uint8_t>(upto);
  state.length = passes[upto - 1].length;
}

}  // namespace coalesce::j2k
