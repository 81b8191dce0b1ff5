// SPDX-License-Identifier: LGPL-2.1-or-later
// The parameters that the main header of a codestream has, plain (ITU-T T.800 A.5.1 SIZ, A.6.1
// COD). Names are the standard's. canvas/geometry.h checks them and says how they divide a picture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace coalesce::j2k {

enum class Wavelet : std::uint8_t { reversible_53, irreversible_97 };

// In which order packets come (T.800 B.12, Table A.16): Layer, Resolution, Component, Position.
enum class Progression : std::uint8_t { lrcp, rlcp, rpcl, pcrl, cprl };

// The flags of the code-block style, with the bits they have in COD and COC (T.800 Table A.19).
enum BlockStyle : std::uint8_t {
  kBypass = 1,                // raw bits in most passes below the fourth bit-plane (D.6)
  kReset = 2,                 // contexts begin anew with every pass
  kTermAll = 4,               // every pass is a segment
  kCausal = 8,                // contexts do not look into the next stripe (D.7)
  kPredictable = 16,          // segments end so that a decoder notices errors (D.4.2)
  kSegmentationSymbols = 32,  // 1010 behind every cleanup pass (D.5)
  kAllBlockStyles = 63,
};

constexpr int kMaxComponents = 4;
// Sets of components have a bit for each.
constexpr unsigned kAllComponents = (1u << kMaxComponents) - 1;
constexpr int kMaxLevels = 10;
constexpr int kMaxResolutions = kMaxLevels + 1;
constexpr int kMaxBits = 16;
constexpr int kMaxTiles = 65535;
constexpr int kMaxBlockArea = 4096;
constexpr int kMaxPrecinctExponent = 15;

// Includes x0, y0; excludes x1, y1.
struct Rect {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;

  int width() const { return x1 - x0; }
  int height() const { return y1 - y0; }
  bool empty() const { return x1 <= x0 || y1 <= y0; }
  bool operator==(const Rect &o) const {
    return x0 == o.x0 && y0 == o.y0 && x1 == o.x1 && y1 == o.y1;
  }
};

struct Component {
  int dx = 1, dy = 1;  // XRsiz, YRsiz: 1 to 255 steps of the reference grid to a sample
  int bits = 8;        // 1 to 16, unsigned

  bool operator==(const Component &o) const { return dx == o.dx && dy == o.dy && bits == o.bits; }
};

// Precincts of a resolution are 2^x by 2^y samples (PPx, PPy).
struct PrecinctSize {
  std::uint8_t x = kMaxPrecinctExponent, y = kMaxPrecinctExponent;

  bool operator==(const PrecinctSize &o) const { return x == o.x && y == o.y; }
};

struct CodingParams {
  Rect image;                           // XOsiz, YOsiz, Xsiz, Ysiz
  int tile_x0 = 0, tile_y0 = 0;         // XTOsiz, YTOsiz
  int tile_width = 0, tile_height = 0;  // XTsiz, YTsiz; 0: to the end of the image
  int num_components = 1;
  std::array<Component, kMaxComponents> component;
  int levels = 5;                // of decomposition; one resolution more
  int block_x = 6, block_y = 6;  // code-blocks are at most 2^x by 2^y (xcb, ycb)
  std::array<PrecinctSize, kMaxResolutions> precinct;  // by resolution, the smallest first

  int resolutions() const { return levels + 1; }
};

inline int tile_width(const CodingParams &p) {  // XTsiz
  return p.tile_width > 0 ? p.tile_width : p.image.x1 - p.tile_x0;
}
inline int tile_height(const CodingParams &p) {  // YTsiz
  return p.tile_height > 0 ? p.tile_height : p.image.y1 - p.tile_y0;
}

// Everything below requires params that check_params() of canvas/geometry.h has passed.

inline int ceil_div(std::int64_t a, int b) {
  return static_cast<int>((a + b - 1) / b);
}
inline int tiles_wide(const CodingParams &p) {
  return ceil_div(p.image.x1 - p.tile_x0, tile_width(p));
}
inline int tiles_high(const CodingParams &p) {
  return ceil_div(p.image.y1 - p.tile_y0, tile_height(p));
}
inline int tile_count(const CodingParams &p) {
  return tiles_wide(p) * tiles_high(p);
}
// A rectangle of the reference grid on that of a component (B-2, B-12).
inline Rect subsampled(const Rect &grid, const Component &c) {
  return {ceil_div(grid.x0, c.dx), ceil_div(grid.y0, c.dy), ceil_div(grid.x1, c.dx),
          ceil_div(grid.y1, c.dy)};
}
// Of the image.
inline Rect component_rect(const CodingParams &p, int comp) {
  return subsampled(p.image, p.component[static_cast<std::size_t>(comp)]);
}

}  // namespace coalesce::j2k
