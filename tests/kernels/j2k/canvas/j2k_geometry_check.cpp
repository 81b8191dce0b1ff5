// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_geometry_check.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

#include "../../../support/doctest.h"

namespace coalesce::test {

using namespace j2k;

std::string text(const CodingParams &p) {
  std::ostringstream s;
  s << "image " << p.image.x0 << "," << p.image.y0 << "-" << p.image.x1 << "," << p.image.y1
    << " tiles " << p.tile_x0 << "," << p.tile_y0 << "+" << p.tile_width << "x" << p.tile_height
    << " levels " << p.levels << " blocks " << p.block_x << "," << p.block_y << " precincts";
  for (std::size_t r = 0; r <= static_cast<std::size_t>(p.levels); ++r)
    s << " " << int{p.precinct[r].x} << "," << int{p.precinct[r].y};
  s << " components";
  for (std::size_t c = 0; c < static_cast<std::size_t>(p.num_components); ++c)
    s << " " << p.component[c].dx << "," << p.component[c].dy;
  return s.str();
}

namespace {

// Where a sample of a component ends up.
struct Place {
  int resolution, orientation, x, y;
};

Place place(int x, int y, int levels) {
  for (int level = 1; level <= levels; ++level) {
    const int orientation = (x & 1) + 2 * (y & 1);
    x >>= 1;
    y >>= 1;
    if (orientation != 0) return {levels - level + 1, orientation, x, y};
  }
  return {0, 0, x, y};
}

// One component of one tile.
class ComponentCheck {
 public:
  ComponentCheck(const CodingParams &params, const TileGeometry &tile, int comp)
      : p_(params), t_(tile), comp_(comp), tc_(t_.components[static_cast<std::size_t>(comp)]) {
    painted_.assign(static_cast<std::size_t>(width()) * static_cast<std::size_t>(height()), -1);
  }

  void run(std::set<std::pair<int, int>> *owned) {
    paint();
    for (int y = tc_.rect.y0; y < tc_.rect.y1; ++y)
      for (int x = tc_.rect.x0; x < tc_.rect.x1; ++x) {
        check_sample(x, y);
        CHECK_MESSAGE(owned->insert({x, y}).second, text(p_), ": ", x, ", ", y, " is in two tiles");
      }
    check_counts();
  }

 private:
  int width() const { return tc_.rect.width(); }
  int height() const { return tc_.rect.height(); }

  // Every sample of the plane belongs to one block.
  void paint() {
    for (int i = tc_.first_block; i < tc_.first_block + tc_.num_blocks; ++i) {
      const BlockPlace &block = t_.blocks[static_cast<std::size_t>(i)];
      CHECK_MESSAGE(!block.rect.empty(), text(p_), ": block ", i, " is empty");
      for (int y = 0; y < block.rect.height(); ++y)
        for (int x = 0; x < block.rect.width(); ++x) {
          const int px = block.plane_x + x, py = block.plane_y + y;
          const bool inside = px >= 0 && py >= 0 && px < width() && py < height();
          CHECK_MESSAGE(inside, text(p_), ": block ", i, " leaves the plane");
          if (!inside) return;
          int &cell = painted_[static_cast<std::size_t>(py * width() + px)];
          CHECK_MESSAGE(cell < 0, text(p_), ": blocks ", cell, " and ", i, " overlap");
          cell = i;
        }
    }
    for (int i : painted_)
      CHECK_MESSAGE(i >= 0, text(p_), ": a sample has no block");
  }

  void check_sample(int x, int y) {
    const Place at = place(x, y, p_.levels);
    const Resolution &r = t_.resolution(comp_, at.resolution);
    const int b = at.resolution > 0 ? at.orientation - 1 : 0;
    const int band_index = r.first_band + b;
    const Subband &band = t_.bands[static_cast<std::size_t>(band_index)];
    const int px = band.plane_x + at.x - band.rect.x0, py = band.plane_y + at.y - band.rect.y0;
    const bool inside = at.x >= band.rect.x0 && at.x < band.rect.x1 && at.y >= band.rect.y0 &&
                        at.y < band.rect.y1 && px < width() && py < height();
    CHECK_MESSAGE((inside && static_cast<int>(band.orientation) == at.orientation), text(p_), ": ",
                  x, ", ", y, " is not in its band");
    if (!inside) return;

    const int i = painted_[static_cast<std::size_t>(py * width() + px)];
    if (i < 0) return;  // told already
    const BlockPlace &block = t_.blocks[static_cast<std::size_t>(i)];
    const PrecinctSize size = p_.precinct[static_cast<std::size_t>(at.resolution)];
    const int share = at.resolution > 0;
    const int cell_x = at.x / (1 << (size.x - share)), cell_y = at.y / (1 << (size.y - share));
    const int wide = std::min(1 << p_.block_x, 1 << (size.x - share));
    const int high = std::min(1 << p_.block_y, 1 << (size.y - share));
    const int precinct = r.first_precinct +
                         (cell_y - r.rect.y0 / (1 << size.y)) * r.precincts_wide +
                         (cell_x - r.rect.x0 / (1 << size.x));
    CHECK_MESSAGE(
        (block.band == band_index && block.precinct == precinct && 1 << band.block_x == wide &&
         1 << band.block_y == high && at.x - block.rect.x0 == px - block.plane_x &&
         at.y - block.rect.y0 == py - block.plane_y && block.rect.x0 / wide == at.x / wide &&
         block.rect.y0 / high == at.y / high && (block.rect.x1 - 1) / wide == at.x / wide &&
         (block.rect.y1 - 1) / high == at.y / high),
        text(p_), ": ", x, ", ", y, " is not in its block");
    const Precinct &home = t_.precincts[static_cast<std::size_t>(block.precinct)];
    const PrecinctBand &share_of_band =
        t_.precinct_bands[static_cast<std::size_t>(home.first_band + b)];
    const int expected = share_of_band.first_block +
                         (at.y / high - first(band.rect.y0, cell_y, size.y - share) / high) *
                             share_of_band.blocks_wide +
                         at.x / wide - first(band.rect.x0, cell_x, size.x - share) / wide;
    CHECK_MESSAGE((share_of_band.band == band_index && expected == i), text(p_), ": block ", i,
                  " is not number ", expected);
    area_[band_index] += 1;
    blocks_.insert({band_index, at.x / wide, at.y / high});
  }

  // The first sample of a band in a precinct.
  static int first(int band0, int cell, int exponent) { return std::max(band0, cell << exponent); }

  void check_counts() {
    CHECK_MESSAGE(blocks_.size() == static_cast<std::size_t>(tc_.num_blocks), text(p_), ": ",
                  blocks_.size(), " blocks, not ", tc_.num_blocks);
    for (int r = 0; r <= p_.levels; ++r) {
      const Resolution &resolution = t_.resolution(comp_, r);
      CHECK_MESSAGE(resolution.num_bands == (r > 0 ? 3 : 1), "bands");
      for (int b = resolution.first_band; b < resolution.first_band + resolution.num_bands; ++b) {
        const Subband &band = t_.bands[static_cast<std::size_t>(b)];
        const int area = band.rect.empty() ? 0 : band.rect.width() * band.rect.height();
        CHECK_MESSAGE((area_[b] == area && band.component == comp_ && band.resolution == r &&
                       band.level == (r > 0 ? p_.levels - r + 1 : p_.levels)),
                      text(p_), ": band ", b);
      }
      check_precincts(r, resolution);
    }
  }

  // A sample is in resolution r if its coordinates are multiples of 2^(levels - r).
  void check_precincts(int r, const Resolution &resolution) {
    const int step = 1 << (p_.levels - r);
    std::set<std::pair<int, int>> cells;
    Rect rect = {INT32_MAX, INT32_MAX, 0, 0};
    for (int y = tc_.rect.y0; y < tc_.rect.y1; ++y)
      for (int x = tc_.rect.x0; x < tc_.rect.x1; ++x) {
        if (x % step != 0 || y % step != 0) continue;
        rect = {std::min(rect.x0, x / step), std::min(rect.y0, y / step),
                std::max(rect.x1, x / step + 1), std::max(rect.y1, y / step + 1)};
        cells.insert(
            {y / step >> resolution.precinct_size.y, x / step >> resolution.precinct_size.x});
      }
    CHECK_MESSAGE(cells.size() == static_cast<std::size_t>(resolution.num_precincts()), text(p_),
                  ": ", cells.size(), " precincts, not ", resolution.num_precincts());
    if (cells.empty())
      CHECK_MESSAGE(resolution.rect.empty(), text(p_), ": resolution ", r);
    else
      CHECK_MESSAGE(resolution.rect == rect, text(p_), ": resolution ", r);
    check_positions(r, resolution);
  }

  // B.12.1.3, the loops of the standard: every precinct is met once, where we say.
  void check_positions(int r, const Resolution &resolution) {
    const Component &c = p_.component[static_cast<std::size_t>(comp_)];
    const std::int64_t down = std::int64_t{1} << (p_.levels - r);
    const std::int64_t wide = down << resolution.precinct_size.x;
    const std::int64_t high = down << resolution.precinct_size.y;
    if (resolution.rect.empty()) return;
    int met = 0;
    for (std::int64_t y = t_.rect.y0; y < t_.rect.y1; ++y) {
      if (y % (c.dy * high) != 0 && !(y == t_.rect.y0 && resolution.rect.y0 * down % high != 0))
        continue;
      for (std::int64_t x = t_.rect.x0; x < t_.rect.x1; ++x) {
        if (x % (c.dx * wide) != 0 && !(x == t_.rect.x0 && resolution.rect.x0 * down % wide != 0))
          continue;
        const auto column = [](std::int64_t at, std::int64_t step, int first, int exponent) {
          return static_cast<int>(((at + step - 1) / step >> exponent) - (first >> exponent));
        };
        const int k = column(x, c.dx * down, resolution.rect.x0, resolution.precinct_size.x) +
                      resolution.precincts_wide *
                          column(y, c.dy * down, resolution.rect.y0, resolution.precinct_size.y);
        ++met;
        CHECK_MESSAGE((k >= 0 && k < resolution.num_precincts()), text(p_), ": precinct ", k);
        if (k < 0 || k >= resolution.num_precincts()) return;
        const Precinct &precinct =
            t_.precincts[static_cast<std::size_t>(resolution.first_precinct + k)];
        CHECK_MESSAGE((precinct.reference_x == x && precinct.reference_y == y), text(p_),
                      ": precinct ", k, " of resolution ", r, " is at ", precinct.reference_x, ", ",
                      precinct.reference_y, " instead of ", static_cast<int>(x), ", ",
                      static_cast<int>(y));
      }
    }
    CHECK_MESSAGE(met == resolution.num_precincts(), text(p_), ": met ", met, " precincts of ",
                  resolution.num_precincts());
  }

  const CodingParams &p_;
  const TileGeometry &t_;
  const int comp_;
  const TileComponent tc_;
  std::vector<int> painted_;  // the block at each place of the plane
  std::map<int, int> area_;
  std::set<std::tuple<int, int, int>> blocks_;
};

}  // namespace

void check_geometry(const CodingParams &p) {
  const Status s = check_params(p);
  CHECK_MESSAGE(s.ok(), text(p), ": ", s.message());
  if (!s.ok()) return;
  for (int c = 0; c < p.num_components; ++c) {
    std::set<std::pair<int, int>> owned;
    for (int t = 0; t < tile_count(p); ++t) {
      const TileGeometry tile = tile_geometry(p, t);
      CHECK_MESSAGE(
          (tile.index == t && tile.components.size() == static_cast<std::size_t>(p.num_components)),
          "tile ", t);
      ComponentCheck(p, tile, c).run(&owned);
    }
    // Every sample of the component is in a tile: those on the subsampled grid.
    const Component &k = p.component[static_cast<std::size_t>(c)];
    std::size_t samples = 0;
    for (int y = p.image.y0; y < p.image.y1; ++y)
      for (int x = p.image.x0; x < p.image.x1; ++x)
        if (x % k.dx == 0 && y % k.dy == 0) {
          ++samples;
          CHECK_MESSAGE(owned.count({x / k.dx, y / k.dy}) == 1, text(p), ": ", x, ", ", y,
                        " is in no tile");
        }
    CHECK_MESSAGE(owned.size() == samples, text(p), ": ", owned.size(), " samples");
  }
}

}  // namespace coalesce::test
