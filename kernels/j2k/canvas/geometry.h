// SPDX-License-Identifier: LGPL-2.1-or-later
// How JPEG 2000 divides a picture (ITU-T T.800, Annex B): tiles, tile-components, resolutions,
// sub-bands, precincts, code-blocks. Names are the standard's.
//
// Coordinates are the standard's, too: of the reference grid, or of the component, resolution or
// band, and absolute (the first sample of a tile is not at 0). A transformed tile-component lies in
// one plane, of its own size, with each level's LL, HL, LH, HH in the four corners of the LL before
// (plane_x, plane_y count from the plane's first sample).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "../../core/status.h"
#include "../codestream/coding_params.h"
#include "band.h"

namespace coalesce::j2k {

constexpr int kMaxTileBlocks = 1 << 24;  // of one tile; not the standard's

// What T.800 forbids, and what goes beyond the limits above; the text names the parameter. What the
// standard has an answer for is no error: a code-block larger than a precinct's share of a band is
// cut to it (B.7), a tile or a band without samples has no blocks.
Status check_params(const CodingParams &params);

// Everything below wants params that check_params() has passed.

Rect tile_rect(const CodingParams &params, int tile);                      // B-7 to B-10
Rect tile_component_rect(const CodingParams &params, int tile, int comp);  // B-12

inline bool high_across(Band o) {
  return (static_cast<int>(o) & 1) != 0;
}
inline bool high_down(Band o) {
  return (static_cast<int>(o) & 2) != 0;
}
// log2 of the gain of a band (Table E.1): 0, 1, 1, 2.
inline int log2_gain(Band o) {
  return high_across(o) + high_down(o);
}

Rect resolution_rect(const Rect &tile_component, int levels, int resolution);  // B-14
Rect band_rect(const Rect &tile_component, Band orientation, int level);       // B-15

struct BlockPlace {
  Rect rect;             // in the band
  int plane_x, plane_y;  // where its first sample lies in the plane
  int band, precinct;    // indices into the tile's lists
};

// The code-blocks of one band that lie in one precinct; none where the two do not meet.
struct PrecinctBand {
  int blocks_wide = 0, blocks_high = 0;
  int first_block = 0;  // of blocks(), row by row
  int band = 0;
  int blocks() const { return blocks_wide * blocks_high; }
};

struct Precinct {
  int first_band;  // in precinct_bands; as many as the resolution has bands, in their order
  // The point of the reference grid at which the position progressions (RPCL, PCRL, CPRL) come to
  // it: B.12.1.3 to B.12.1.5.
  int reference_x, reference_y;
};

struct Subband {
  Band orientation;
  int level;             // n_b: 1 is the first decomposition; 0 if there is none
  Rect rect;             // may be empty
  int plane_x, plane_y;  // where rect's first sample lies in the plane
  int block_x, block_y;  // xcb', ycb': its blocks are at most 2^x by 2^y
  int component, resolution;
};

struct Resolution {
  Rect rect;  // may be empty: then there are no precincts
  PrecinctSize precinct_size;
  int precincts_wide, precincts_high;
  int first_precinct;  // of precincts_wide * precincts_high, row by row: that is the packets' order
  int first_band, num_bands;  // LL, or HL, LH, HH
  int num_precincts() const { return precincts_wide * precincts_high; }
};

struct TileComponent {
  Rect rect;             // may be empty
  int first_resolution;  // levels + 1 of them, the smallest first
  int first_block, num_blocks;
};

// From one index up to another, which is not among them.
struct IndexRange {
  int begin, end;
};

// One tile, as flat lists. Blocks stand in the order component, resolution, precinct, band, row,
// column, which is the order of their packets within a component and layer.
struct TileGeometry {
  int index = 0;
  Rect rect;
  std::vector<TileComponent> components;
  std::vector<Resolution> resolutions;
  std::vector<Subband> bands;
  std::vector<Precinct> precincts;
  std::vector<PrecinctBand> precinct_bands;
  std::vector<BlockPlace> blocks;

  const Resolution &resolution(int component, int r) const {
    return resolutions[static_cast<std::size_t>(
        components[static_cast<std::size_t>(component)].first_resolution + r)];
  }
  // Of precinct_bands, and of blocks.
  IndexRange bands_of(int precinct) const {
    const auto p = static_cast<std::size_t>(precinct);
    return {precincts[p].first_band, p + 1 < precincts.size()
                                         ? precincts[p + 1].first_band
                                         : static_cast<int>(precinct_bands.size())};
  }
  IndexRange blocks_of(int precinct) const {
    const IndexRange range = bands_of(precinct);
    const PrecinctBand &last = precinct_bands[static_cast<std::size_t>(range.end) - 1];
    return {precinct_bands[static_cast<std::size_t>(range.begin)].first_block,
            last.first_block + last.blocks()};
  }
};

// Allocates: once for a format of input, not for every frame.
TileGeometry tile_geometry(const CodingParams &params, int tile);

}  // namespace coalesce::j2k
