// SPDX-License-Identifier: LGPL-2.1-or-later
// What the encoder computes once for a format of input.
#pragma once

#include <array>
#include <cstdint>
#include <new>
#include <vector>

#include "../canvas/block_plan.h"
#include "../canvas/progression.h"
#include "../codestream/codestream.h"
#include "../params/encoder_params.h"
#include "../transform/quantiser.h"

namespace coalesce::j2k {

// Of a picture, and not the standard's: they bound memory, 8 bytes and 1 of each, and the time of a
// frame, which nothing interrupts.
constexpr std::uint64_t kMaxPackets = std::uint64_t{1} << 27;
constexpr std::uint64_t kMaxLayerBlocks = std::uint64_t{1} << 27;  // layers times code-blocks

// The bands of a component.
struct ComponentBands {
  std::vector<BandQuantiser> bands;  // LL; HL, LH, HH of the coarsest level; and so on
  int roi_shift = 0;                 // RGN
};
using Bands = std::array<ComponentBands, kMaxComponents>;

// A tile-component's coefficients: where they begin, and samples from row to row.
struct CoefficientPlane {
  std::size_t first, pitch;
};

struct TilePlan {
  TileGeometry geometry;
  std::vector<PacketPlace> order;
  std::vector<std::size_t> part_ends;  // of tile-parts, in `order`
  std::size_t first_part;              // of those of all tiles
  std::size_t first_block;             // of those of all tiles
  CoefficientPlane plane[kMaxComponents];
};

struct EncoderPlan {
  EncoderParams params;
  Bands bands;
  std::vector<TilePlan> tiles;
  std::vector<BlockPlan> blocks;  // of all tiles
  // Room for the picture's coefficients, and for what Tier-1 makes of them.
  std::size_t coefficients = 0, bytes = 0, passes = 0, symbols = 0;
  int fraction_bits = 0;
  std::size_t tile_parts = 0;  // of all tiles
  MainHeader header;

  int components() const { return params.coding.num_components; }
  // Index of a tile's band among those of its component.
  std::size_t band_of(const TilePlan &tile, int band) const;
  // M_b and the shift of a region of interest.
  int max_planes(const TilePlan &tile, int band) const;
};

// Where memory for an encoder and its plan could not be had.
constexpr Status no_memory() {
  return {StatusCode::out_of_memory, "j2k: no memory for a picture of this size"};
}

// What allocates.
template <class Body>
Status with_memory(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return no_memory();
  }
}

// For params that check_params() has passed. Allocates.
Status make_plan(const EncoderParams &params, EncoderPlan *plan);

}  // namespace coalesce::j2k
