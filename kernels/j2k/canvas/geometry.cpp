// SPDX-License-Identifier: LGPL-2.1-or-later
#include "geometry.h"

#include <algorithm>

namespace coalesce::j2k {
namespace {

// Of negative numbers, too.
int ceil_shift(std::int64_t a, int shift) {
  return static_cast<int>((a + (std::int64_t{1} << shift) - 1) >> shift);
}

Rect intersection(const Rect &a, const Rect &b) {
  return {std::max(a.x0, b.x0), std::max(a.y0, b.y0), std::min(a.x1, b.x1), std::min(a.y1, b.y1)};
}

// The cells of 2^x by 2^y, counted from 0, that a rectangle touches.
Rect cells(const Rect &rect, int x, int y) {
  if (rect.empty()) return {};
  return {rect.x0 >> x, rect.y0 >> y, ceil_shift(rect.x1, x), ceil_shift(rect.y1, y)};
}

// The samples of the cells.
Rect samples(const Rect &cells, int x, int y) {
  const auto at = [](int cell, int shift) {  // the last cell may reach beyond 31 bits
    return static_cast<int>(std::min<std::int64_t>(std::int64_t{cell} << shift, INT32_MAX));
  };
  return {at(cells.x0, x), at(cells.y0, y), at(cells.x1, x), at(cells.y1, y)};
}

Status check_image(const CodingParams &p) {
  if (p.image.x0 < 0 || p.image.y0 < 0)
    return invalid_argument("j2k: the image offset is negative");
  if (p.image.empty()) return invalid_argument("j2k: the image is empty");
  if (p.num_components < 1 || p.num_components > kMaxComponents)
    return invalid_argument("j2k: the number of components is not 1 to 4");
  for (int i = 0; i < p.num_components; ++i) {
    const Component &c = p.component[static_cast<std::size_t>(i)];
    if (c.dx < 1 || c.dx > 255 || c.dy < 1 || c.dy > 255)
      return invalid_argument("j2k: the subsampling of a component is not 1 to 255");
    if (c.bits < 1 || c.bits > kMaxBits)
      return invalid_argument("j2k: the bits of a component are not 1 to 16");
    if (component_rect(p, i).empty()) return invalid_argument("j2k: a component has no samples");
  }
  return {};
}

Status check_tiles(const CodingParams &p) {
  if (p.tile_width < 0 || p.tile_height < 0)
    return invalid_argument("j2k: the tile size is negative");
  if (p.tile_x0 < 0 || p.tile_y0 < 0 || p.tile_x0 > p.image.x0 || p.tile_y0 > p.image.y0)
    return invalid_argument("j2k: the tile offset is not between 0 and the image offset");
  if (std::int64_t{p.tile_x0} + tile_width(p) <= p.image.x0 ||
      std::int64_t{p.tile_y0} + tile_height(p) <= p.image.y0)
    return invalid_argument("j2k: the first tile has nothing of the image");
  if (std::int64_t{tiles_wide(p)} * tiles_high(p) > kMaxTiles)
    return invalid_argument("j2k: there are more than 65535 tiles (the tile size is too small)");
  return {};
}

Status check_blocks(const CodingParams &p) {
  if (p.levels < 0 || p.levels > kMaxLevels)
    return invalid_argument("j2k: the number of resolutions is not 1 to 11");
  if (p.block_x < 2 || p.block_x > 10 || p.block_y < 2 || p.block_y > 10)
    return invalid_argument("j2k: the width or height of code-blocks is not 4 to 1024");
  if (1 << (p.block_x + p.block_y) > kMaxBlockArea)
    return invalid_argument("j2k: code-blocks have more than 4096 samples");
  for (int r = 0; r <= p.levels; ++r) {
    const PrecinctSize &size = p.precinct[static_cast<std::size_t>(r)];
    if (size.x > kMaxPrecinctExponent || size.y > kMaxPrecinctExponent)
      return invalid_argument("j2k: the size of a precinct is more than 32768");
    if (r > 0 && (size.x == 0 || size.y == 0))
      return invalid_argument(
          "j2k: a precinct is smaller than 2 samples at a resolution other than the smallest");
  }
  return {};
}

struct BlockSize {
  int x, y;
};

// xcb', ycb' (B-17, B-18).
BlockSize block_size(const CodingParams &p, int resolution) {
  const PrecinctSize &size = p.precinct[static_cast<std::size_t>(resolution)];
  const int share = resolution > 0;
  return {std::min(p.block_x, size.x - share), std::min(p.block_y, size.y - share)};
}

// At least as many cells as any rectangle of the size touches, wherever it lies.
std::int64_t most_cells(std::int64_t width, std::int64_t height, int x, int y) {
  if (width == 0 || height == 0) return 0;
  return (std::int64_t{ceil_shift(width, x)} + 1) * (std::int64_t{ceil_shift(height, y)} + 1);
}

// (There are never more precincts than blocks by this count.)
Status check_counts(const CodingParams &p) {
  std::int64_t blocks = 0;
  const int tile_w = std::min(tile_width(p), p.image.width());
  const int tile_h = std::min(tile_height(p), p.image.height());
  for (int i = 0; i < p.num_components; ++i) {
    const Component &c = p.component[static_cast<std::size_t>(i)];
    const int width = ceil_div(tile_w, c.dx), height = ceil_div(tile_h, c.dy);
    for (int r = 0; r <= p.levels; ++r) {
      const BlockSize block = block_size(p, r);
      const int level = r > 0 ? p.levels - r + 1 : p.levels;
      blocks += (r > 0 ? 3 : 1) *
                most_cells(ceil_shift(width, level), ceil_shift(height, level), block.x, block.y);
    }
  }
  if (blocks > kMaxTileBlocks)
    return invalid_argument(
        "j2k: a tile has more than 2^24 code-blocks; use a larger code-block-width or "
        "code-block-height, or smaller tiles");
  return {};
}

}  // namespace

Status check_params(const CodingParams &params) {
  for (const auto check : {check_image, check_tiles, check_blocks, check_counts})
    if (Status s = check(params); !s.ok()) return s;
  return {};
}

Rect tile_rect(const CodingParams &p, int tile) {
  const int wide = tiles_wide(p);
  const std::int64_t x = p.tile_x0 + std::int64_t{tile % wide} * tile_width(p);
  const std::int64_t y = p.tile_y0 + std::int64_t{tile / wide} * tile_height(p);
  return {static_cast<int>(std::max<std::int64_t>(x, p.image.x0)),
          static_cast<int>(std::max<std::int64_t>(y, p.image.y0)),
          static_cast<int>(std::min<std::int64_t>(x + tile_width(p), p.image.x1)),
          static_cast<int>(std::min<std::int64_t>(y + tile_height(p), p.image.y1))};
}

Rect tile_component_rect(const CodingParams &p, int tile, int comp) {
  return subsampled(tile_rect(p, tile), p.component[static_cast<std::size_t>(comp)]);
}

Rect resolution_rect(const Rect &tc, int levels, int resolution) {
  return band_rect(tc, Band::ll, levels - resolution);
}

Rect band_rect(const Rect &tc, Band orientation, int level) {
  const std::int64_t half = level > 0 ? std::int64_t{1} << (level - 1) : 0;
  const std::int64_t x = high_across(orientation) ? half : 0;
  const std::int64_t y = high_down(orientation) ? half : 0;
  return {ceil_shift(tc.x0 - x, level), ceil_shift(tc.y0 - y, level), ceil_shift(tc.x1 - x, level),
          ceil_shift(tc.y1 - y, level)};
}

namespace {

// Fills the lists from the top down.
class Builder {
 public:
  Builder(const CodingParams &params, TileGeometry *tile) : p_(params), t_(*tile) {}

  void add_component(int comp) {
    const Rect rect = tile_component_rect(p_, t_.index, comp);
    const int first_block = size(t_.blocks);
    t_.components.push_back({rect, size(t_.resolutions), first_block, 0});
    for (int r = 0; r <= p_.levels; ++r)
      add_resolution(comp, rect, r);
    t_.components.back().num_blocks = size(t_.blocks) - first_block;
  }

 private:
  template <class T>
  static int size(const std::vector<T> &list) {
    return static_cast<int>(list.size());
  }

  void add_resolution(int comp, const Rect &tc, int r) {
    const Rect rect = resolution_rect(tc, p_.levels, r);
    const PrecinctSize step = p_.precinct[static_cast<std::size_t>(r)];
    const Rect grid = cells(rect, step.x, step.y);
    const Resolution resolution = {
        rect, step, grid.width(), grid.height(), size(t_.precincts), size(t_.bands), r > 0 ? 3 : 1};
    t_.resolutions.push_back(resolution);
    add_bands(comp, tc, r);
    for (int y = grid.y0; y < grid.y1; ++y)
      for (int x = grid.x0; x < grid.x1; ++x)
        add_precinct(comp, r, resolution, {x, y, x + 1, y + 1});
  }

  void add_bands(int comp, const Rect &tc, int r) {
    const int level = r > 0 ? p_.levels - r + 1 : p_.levels;
    const Rect low = band_rect(tc, Band::ll, level);
    const BlockSize block = block_size(p_, r);
    for (int i = r > 0; i <= (r > 0 ? 3 : 0); ++i) {
      const auto o = static_cast<Band>(i);
      t_.bands.push_back({o, level, band_rect(tc, o, level), high_across(o) ? low.width() : 0,
                          high_down(o) ? low.height() : 0, block.x, block.y, comp, r});
    }
  }

  // cell: of the grid of precincts.
  void add_precinct(int comp, int r, const Resolution &resolution, const Rect &cell) {
    const PrecinctSize step = resolution.precinct_size;
    const Component &c = p_.component[static_cast<std::size_t>(comp)];
    const int down = p_.levels - r;
    // The cell's first sample on the reference grid; the tile's, where the tile begins behind it.
    const auto reference = [&](int index, int exponent, int first, int sampling, int tile0) {
      const std::int64_t at = std::int64_t{index} << exponent;
      return at < first ? tile0 : static_cast<int>((at << down) * sampling);
    };
    t_.precincts.push_back({size(t_.precinct_bands),
                            reference(cell.x0, step.x, resolution.rect.x0, c.dx, t_.rect.x0),
                            reference(cell.y0, step.y, resolution.rect.y0, c.dy, t_.rect.y0)});
    const int share = r > 0;
    const Rect area = samples(cell, step.x - share, step.y - share);
    for (int b = 0; b < resolution.num_bands; ++b)
      add_blocks(resolution.first_band + b, area);
  }

  // The blocks of a band inside a precinct's area.
  void add_blocks(int band_index, const Rect &area) {
    const Subband &band = t_.bands[static_cast<std::size_t>(band_index)];
    const Rect part = intersection(band.rect, area);
    const Rect grid = cells(part, band.block_x, band.block_y);
    t_.precinct_bands.push_back({grid.width(), grid.height(), size(t_.blocks), band_index});
    for (int y = grid.y0; y < grid.y1; ++y) {
      for (int x = grid.x0; x < grid.x1; ++x) {
        const Rect rect =
            intersection(part, samples({x, y, x + 1, y + 1}, band.block_x, band.block_y));
        t_.blocks.push_back({rect, band.plane_x + rect.x0 - band.rect.x0,
                             band.plane_y + rect.y0 - band.rect.y0, band_index,
                             size(t_.precincts) - 1});
      }
    }
  }

  const CodingParams &p_;
  TileGeometry &t_;
};

}  // namespace

TileGeometry tile_geometry(const CodingParams &params, int tile) {
  TileGeometry geometry;
  geometry.index = tile;
  geometry.rect = tile_rect(params, tile);
  Builder builder(params, &geometry);
  for (int i = 0; i < params.num_components; ++i)
    builder.add_component(i);
  return geometry;
}

}  // namespace coalesce::j2k
