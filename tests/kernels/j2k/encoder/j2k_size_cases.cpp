// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_size_cases.h"

namespace coalesce::test {

using namespace j2k;

using Kind = LayerBudget::Kind;

EncoderParams of_size(int x0, int y0, int width, int height, int components, int bits) {
  EncoderParams e;
  e.coding.image = {x0, y0, x0 + width, y0 + height};
  e.coding.num_components = components;
  for (Component &c : e.coding.component)
    c.bits = bits;
  return e;
}

EncoderParams in_layers(EncoderParams e, int layers, LayerBudget::Kind kind, LayerBudget last) {
  e.layers = layers;
  e.targets.assign(static_cast<std::size_t>(layers), {kind, 0});
  e.targets.back() = last;
  return e;
}

namespace {

EncoderParams one_sample() {
  EncoderParams e = of_size(4095, 8191, 1, 1, 4, 16);
  e.coding.levels = kMaxLevels;
  e.colour_transform = true;
  return e;
}

// Each of a sample; of the chroma, three in four of none.
EncoderParams most_tiles() {
  EncoderParams e = of_size(1, 1, 255, 257, 3);
  e.coding.tile_x0 = e.coding.tile_y0 = 1;
  e.coding.tile_width = e.coding.tile_height = 1;
  e.coding.component[1].dx = e.coding.component[1].dy = 2;
  e.coding.component[2] = e.coding.component[1];
  e.coding.levels = 2;
  e.tlm = e.plt = e.sop = true;
  return e;
}

// Of which all but one have nothing.
EncoderParams most_layers() {
  EncoderParams e = of_size(0, 0, 40, 30);
  e.coding.levels = 1;
  e.layers = kMaxLayers;
  e.plt = e.eph = true;
  return e;
}

// PLT can list 2^24 packets of a byte, about.
EncoderParams too_many_packets() {
  EncoderParams e = of_size(0, 0, 257, 1);
  e.coding.levels = 0;
  e.coding.precinct[0] = {0, 0};
  e.layers = kMaxLayers;
  e.plt = true;
  return e;
}

EncoderParams many_allocated_layers() {
  return in_layers(of_size(0, 0, 97, 61), 1500, Kind::automatic, {Kind::bytes, 40000});
}

// A tag tree of ten levels, and a packet of many blocks.
EncoderParams small_blocks() {
  EncoderParams e = of_size(3, 5, 3000, 2900);
  e.coding.block_x = e.coding.block_y = 2;
  e.coding.levels = 3;
  e.wavelet = Wavelet::irreversible_97;
  return in_layers(e, 2, Kind::automatic, {Kind::bytes, 3000000});
}

EncoderParams small_precincts() {
  EncoderParams e = of_size(0, 0, 300, 200, 2);
  for (PrecinctSize &size : e.coding.precinct)
    size = {2, 2};
  e.progression = Progression::pcrl;
  return e;
}

EncoderParams very_wide() {
  EncoderParams e = of_size(65535, 3, 1000001, 1);
  e.coding.block_x = 10;
  e.coding.block_y = 2;
  e.wavelet = Wavelet::irreversible_97;
  return e;
}

EncoderParams very_tall() {
  EncoderParams e = of_size(3, 65535, 1, 600001);
  e.coding.block_x = 2;
  e.coding.block_y = 10;
  return e;
}

// Offsets of symbols and bytes beyond 32 bits, samples beyond 30.
EncoderParams large_planes() {
  EncoderParams e = of_size(0, 0, 16384, 16384, 4, 16);
  e.colour_transform = true;
  return in_layers(e, 1, Kind::automatic, {Kind::bytes, 200000000});
}

// Errors are summed over all blocks, each by a warp.
EncoderParams many_blocks() {
  EncoderParams e = of_size(0, 0, 16384, 8192, 1);
  e.wavelet = Wavelet::irreversible_97;
  e.coding.block_x = e.coding.block_y = 3;
  return in_layers(e, 1, Kind::automatic, {Kind::error, std::uint64_t{1} << 30});
}

constexpr SizeCase kSmall[] = {{"one sample", one_sample},
                               {"most layers", most_layers},
                               {"many layers with targets", many_allocated_layers},
                               {"very wide", very_wide},
                               {"very tall", very_tall},
                               {"small precincts", small_precincts}};
constexpr SizeCase kLarge[] = {{"most tiles", most_tiles}, {"small blocks", small_blocks}};
constexpr SizeCase kByHand[] = {
    {"too many packets for PLT", too_many_packets, StatusCode::unsupported},
    {"many blocks", many_blocks},
    {"large planes", large_planes}};

}  // namespace

std::span<const SizeCase> small_sizes() {
  return kSmall;
}

std::span<const SizeCase> large_sizes() {
  return kLarge;
}

std::span<const SizeCase> sizes_by_hand() {
  return kByHand;
}

EncoderParams too_large_packet() {
  EncoderParams e = of_size(0, 0, 3500, 3500, 1, 16);
  e.coding.levels = 0;
  e.coding.block_x = e.coding.block_y = 2;
  e.guard_bits = 7;
  e.block_style = kReset;
  return e;
}

}  // namespace coalesce::test
