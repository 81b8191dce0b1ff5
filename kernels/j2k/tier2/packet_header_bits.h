// SPDX-License-Identifier: LGPL-2.1-or-later
// What a packet header tells of a block, without going through the blocks before it. See
// docs/jpeg2000.md.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"
#include "packet_codes.h"
#include "packet_format.h"

namespace coalesce::j2k {

// When a block comes, as a packet sees it.
enum class Comes : std::uint32_t { before, now, later };

// In the tree of inclusion a node has the least of Comes, and of which leaf it is the first: both
// in one key, of which it is the least.
constexpr int kLeafBits = 24;
COALESCE_HOST_DEVICE std::uint32_t leaf_key(Comes comes, std::uint32_t leaf) {
  return static_cast<std::uint32_t>(comes) << kLeafBits | leaf;
}
COALESCE_HOST_DEVICE Comes comes_of(std::uint32_t key) {
  return static_cast<Comes>(key >> kLeafBits);
}

COALESCE_HOST_DEVICE std::uint32_t halved(std::uint32_t size, int level) {
  return (size + (std::uint32_t{1} << level) - 1) >> level;
}

// Where a band's tag trees have their nodes.
struct TreePlaces {
  FlatBand band;
  int depth;

  COALESCE_HOST_DEVICE explicit TreePlaces(const FlatBand &b) : band(b), depth(0) {
    const std::uint32_t most = b.wide > b.high ? b.wide : b.high;
    if (b.wide != 0 && b.high != 0) depth = most == 1 ? 1 : floor_log2(most - 1) + 2;
  }
  COALESCE_HOST_DEVICE std::uint32_t level_nodes(int level) const {
    return halved(band.wide, level) * halved(band.high, level);
  }
  COALESCE_HOST_DEVICE std::uint32_t first_node(int level) const {
    std::uint32_t node = band.first_node;
    for (int i = 0; i < level; ++i)
      node += level_nodes(i);
    return node;
  }
  // The one that stands for a leaf.
  COALESCE_HOST_DEVICE std::uint32_t above(std::uint32_t x, std::uint32_t y, int level) const {
    return first_node(level) + (y >> level) * halved(band.wide, level) + (x >> level);
  }
};

// How many of a block's passes have come in a layer. (Layer -1 has nothing.)
COALESCE_HOST_DEVICE int passes_in(const PacketFormat &f, const PacketInput &in, int layer,
                                   std::uint32_t b) {
  return layer < 0 ? 0 : in.layers[std::size_t{f.blocks} * static_cast<unsigned>(layer) + b];
}
// Those that come in it.
COALESCE_HOST_DEVICE PassRun pass_run(const PacketFormat &f, const PacketInput &in, int layer,
                                      std::uint32_t b) {
  const Pass *passes = in.passes + in.plan[b].first_pass;
  const int before = passes_in(f, in, layer - 1, b);
  return {passes, before, passes_in(f, in, layer, b), before > 0 ? passes[before - 1].length : 0,
          f.one_segment};
}

// One packet.
struct PacketView {
  const PacketFormat &format;
  const PacketInput &input;
  FlatPrecinct precinct;
  std::uint32_t number;  // the packet's
  int layer;
  const FlatBand *bands;
  const std::uint8_t *l_block_before;
  std::uint32_t *keys;  // of the precinct's nodes
  std::uint8_t *zero_planes;

  COALESCE_HOST_DEVICE PacketView(const PacketFormat &f, const PacketInput &in,
                                  const PacketScratch &scratch, std::uint32_t precinct_number,
                                  int at_layer)
      : format(f),
        input(in),
        precinct(f.precincts[precinct_number]),
        number(static_cast<unsigned>(at_layer) * f.num_precincts + precinct_number),
        layer(at_layer) {
    bands = f.bands + precinct.first_band;
    const std::size_t row = std::size_t{f.blocks} * static_cast<unsigned>(layer);
    l_block_before = scratch.l_block + row - f.blocks;
    const std::size_t first_node =
        std::size_t{f.nodes} * static_cast<unsigned>(layer) + precinct.first_node;
    keys = scratch.keys + first_node;
    zero_planes = scratch.zero_planes + first_node;
  }

  // Of block number b, one of the precinct's.
  COALESCE_HOST_DEVICE int passes_in(int of_layer, std::uint32_t b) const {
    return j2k::passes_in(format, input, of_layer, b);
  }
  COALESCE_HOST_DEVICE int l_block(std::uint32_t b) const {
    return layer > 0 ? l_block_before[b] : kFirstLBlock;
  }
  COALESCE_HOST_DEVICE FlatBand band_of(std::uint32_t b) const {
    const FlatBand *band = bands + precinct.bands - 1;
    while (band->first_block > b)
      --band;
    return *band;
  }

  // Of a node, by its number among all.
  COALESCE_HOST_DEVICE std::uint32_t &key(std::uint32_t node) const {
    return keys[node - precinct.first_node];
  }
  COALESCE_HOST_DEVICE std::uint8_t &planes(std::uint32_t node) const {
    return zero_planes[node - precinct.first_node];
  }

  // The trees: leaves, then level by level.
  COALESCE_HOST_DEVICE void set_leaf(std::uint32_t b) const {
    const FlatBand band = band_of(b);
    const std::uint32_t leaf = b - band.first_block;
    const Comes comes = passes_in(layer - 1, b) > 0 ? Comes::before
                        : passes_in(layer, b) > 0   ? Comes::now
                                                    : Comes::later;
    const CodedBlock &coded = input.coded[b];
    key(band.first_node + leaf) = leaf_key(comes, leaf);
    planes(band.first_node + leaf) =
        static_cast<std::uint8_t>(coded.passes > 0 ? coded.zero_planes : kMaxBandPlanes);
  }
  // (At the edges, a node below counts twice.)
  COALESCE_HOST_DEVICE void set_node(const TreePlaces &tree, int level, std::uint32_t column,
                                     std::uint32_t row) const {
    const std::uint32_t wide = halved(tree.band.wide, level);
    const std::uint32_t below_wide = halved(tree.band.wide, level - 1);
    const std::uint32_t below_high = halved(tree.band.high, level - 1);
    const std::uint32_t x = 2 * column, y = 2 * row;
    const std::uint32_t right = x + 1 < below_wide ? 1 : 0;
    const std::uint32_t down = y + 1 < below_high ? below_wide : 0;
    const std::uint32_t first = tree.first_node(level - 1) + y * below_wide + x;
    const std::uint32_t node = tree.first_node(level) + row * wide + column;
    key(node) = least(least(key(first), key(first + right)),
                      least(key(first + down), key(first + down + right)));
    planes(node) =
        static_cast<std::uint8_t>(least(least(planes(first), planes(first + right)),
                                        least(planes(first + down), planes(first + down + right))));
  }

 private:
  COALESCE_HOST_DEVICE static std::uint32_t least(std::uint32_t a, std::uint32_t b) {
    return a < b ? a : b;
  }
};

// Which layers the trees of inclusion have told of before a packet: those up to the last one that
// had a packet with anything in it. same(k): no block has other passes in layer k than in the layer
// before the packet; and so it is in all layers between. (-1: none has any.)
template <class Same>
COALESCE_HOST_DEVICE int layers_told(int layer, Same &&same) {
  int high = layer - 1, low = -2;  // same(high), not same(low)
  for (int step = 1; high > -1 && low == -2; step *= 2) {
    const int k = high - step < -1 ? -1 : high - step;
    if (same(k))
      high = k;
    else
      low = k;
  }
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (same(middle))
      high = middle;
    else
      low = middle;
  }
  return high + 1;
}

// Up to which layer a packet says that a block comes, or does not.
COALESCE_HOST_DEVICE int told_up_to(Comes comes, int told, int layer) {
  return comes == Comes::before ? told : comes == Comes::now ? layer : layer + 1;
}

// A node that nobody knows is told of when the first block below it is visited, which is the one in
// its corner: then no block below it has come.
template <class Bits>
COALESCE_HOST_DEVICE void tell_inclusion(const PacketView &packet, const TreePlaces &tree,
                                         std::uint32_t x, std::uint32_t y, int told, Bits *bits) {
  int level = 0;
  while (level + 1 < tree.depth && ((x | y) >> level & 1) == 0)
    ++level;
  Comes above = Comes::before;
  if (level + 1 < tree.depth) above = comes_of(packet.key(tree.above(x, y, level + 1)));
  for (; level >= 0; --level) {
    const Comes comes = comes_of(packet.key(tree.above(x, y, level)));
    const int from = told_up_to(above, told, packet.layer);
    above = comes;
    if (comes == Comes::before) continue;
    bits->zeros(static_cast<std::uint32_t>(told_up_to(comes, told, packet.layer) - from));
    if (comes == Comes::now) bits->put(1, 1);
  }
}

// Of a block that comes: the nodes that it is the first one of, of all that come.
template <class Bits>
COALESCE_HOST_DEVICE void tell_zero_planes(const PacketView &packet, const TreePlaces &tree,
                                           std::uint32_t x, std::uint32_t y, Bits *bits) {
  const std::uint32_t mine = leaf_key(Comes::now, y * tree.band.wide + x);
  int level = 0;
  while (level < tree.depth && packet.key(tree.above(x, y, level)) == mine)
    ++level;
  std::uint32_t low = level < tree.depth ? packet.planes(tree.above(x, y, level)) : 0;
  while (--level >= 0) {
    const std::uint32_t planes = packet.planes(tree.above(x, y, level));
    bits->zeros(planes - low);
    bits->put(1, 1);
    low = planes;
  }
}

struct BlockTold {
  std::uint32_t body = 0;  // bytes
  int l_block;             // afterwards
};

// told: layers_told().
template <class Bits>
COALESCE_HOST_DEVICE BlockTold tell_block(const PacketView &packet, std::uint32_t b, int told,
                                          Bits *bits) {
  const PassRun run = pass_run(packet.format, packet.input, packet.layer, b);
  const FlatBand band = packet.band_of(b);
  const TreePlaces tree(band);
  const std::uint32_t leaf = b - band.first_block, x = leaf % band.wide, y = leaf / band.wide;
  if (run.first > 0)
    bits->put(run.end > run.first, 1);
  else
    tell_inclusion(packet, tree, x, y, told, bits);
  if (run.end == run.first) return {0, packet.l_block(b)};
  if (run.first == 0) tell_zero_planes(packet, tree, x, y, bits);
  put_number_of_passes(run.end - run.first, bits);
  return {run.bytes(), put_lengths(packet.l_block(b), run, bits)};
}

}  // namespace coalesce::j2k
