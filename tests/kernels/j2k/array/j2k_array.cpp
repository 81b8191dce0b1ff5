// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_array.h"

#include <algorithm>
#include <cmath>

#include "j2k/canvas/progression.h"
#include "j2k/encoder/encoder.h"
#include "j2k/pcrd/rate.h"
#include "j2k/transform/quantiser.h"
#include "j2k/transform/roi.h"
#include "j2k_array_factors.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Factor = J2kArray::Factor;
using Kind = LayerBudget::Kind;

// ---- what decides about a codestream ------------------------------------------------------------

// (A tile has at least what lies before the image, and then its share.)
Factor offsets() {
  const auto at = [](int x, int y, int tile_x, int tile_y) {
    return [=](EncoderParams *e) {
      CodingParams &p = e->coding;
      p.image = {x, y, p.image.x1 + x, p.image.y1 + y};
      p.tile_x0 = tile_x;
      p.tile_y0 = tile_y;
    };
  };
  return {"offset",
          {{"0,0", at(0, 0, 0, 0)},
           {"7,5", at(7, 5, 0, 0)},
           {"64,33 tiles 61,33", at(64, 33, 61, 33)}}};
}

Factor tiles() {
  const auto shares = [](int across, int down) {
    return [=](EncoderParams *e) {
      CodingParams &p = e->coding;
      p.tile_width = p.image.x0 - p.tile_x0 + p.image.width() / across + 1;
      p.tile_height = p.image.y0 - p.tile_y0 + p.image.height() / down + 1;
    };
  };
  return {"tiles",
          {{"one", [](EncoderParams *) {}},
           {"halves", shares(2, 2)},
           {"3x5", shares(3, 5)},
           {"strips", shares(1, 8)}}};
}

Factor wavelets() {
  // Steps for samples of 8 bits; of others, as much of the range.
  const auto irreversible = [](double step, bool derived) {
    return [=](EncoderParams *e) {
      e->wavelet = Wavelet::irreversible_97;
      e->base_step = std::ldexp(step, e->coding.component[0].bits - 8);
      e->derived = derived;
    };
  };
  return {"wavelet",
          {{"5/3", [](EncoderParams *) {}},
           {"9/7 fine", irreversible(0.25, false)},
           {"9/7", irreversible(1, false)},
           {"9/7 coarse", irreversible(16, false)},
           {"9/7 derived", irreversible(2, true)}},
          Ties::mostly_first};
}

Factor blocks() {
  Factor factor = {"block", {}};
  for (const auto &[x, y] :
       {std::pair{2, 2}, {3, 4}, {4, 4}, {5, 5}, {6, 6}, {10, 2}, {2, 10}, {3, 8}, {7, 5}})
    factor.values.push_back(
        {std::to_string(1 << x) + "x" + std::to_string(1 << y), [x = x, y = y](EncoderParams *e) {
           e->coding.block_x = x;
           e->coding.block_y = y;
         }});
  return factor;
}

Factor precincts() {
  // The largest resolution's exponents and those of all others.
  const auto sizes = [](PrecinctSize largest, PrecinctSize others) {
    return [=](EncoderParams *e) {
      e->coding.precinct.fill(others);
      e->coding.precinct[static_cast<std::size_t>(e->coding.levels)] = largest;
    };
  };
  return {"precincts",
          {{"none", [](EncoderParams *) {}},
           {"256x256 128x128", sizes({8, 8}, {7, 7})},
           {"64x32", sizes({6, 5}, {6, 5})},
           {"32x512 16x64", sizes({5, 9}, {4, 6})},
           {"16x8 4x4", sizes({4, 3}, {2, 2})}}};
}

// ---- rates, which know the layers ---------------------------------------------------------------

std::vector<LayerBudget> automatic(const EncoderParams &e, LayerBudget last) {
  std::vector<LayerBudget> targets(static_cast<std::size_t>(e.layers), {Kind::automatic, 0});
  targets.back() = last;
  return targets;
}

// Each layer but the last in another way.
std::vector<LayerBudget> mixed(const EncoderParams &e) {
  std::vector<LayerBudget> targets;
  const LayerBudget ways[] = {{Kind::bytes, 20},    {Kind::slope, kSlopeOne},
                              {Kind::automatic, 0}, target_at_psnr(e, 30),
                              {Kind::bytes, 200},   {Kind::everything, 0}};
  for (std::size_t i = 0; i + 1 < static_cast<std::size_t>(e.layers); ++i)
    targets.push_back(ways[i % std::size(ways)]);
  targets.push_back({Kind::bytes, 400});
  return targets;
}

Factor rates() {
  const auto last = [](Kind kind, std::uint64_t value) {
    return [=](EncoderParams *e) { e->targets = automatic(*e, {kind, value}); };
  };
  const auto psnr = [](EncoderParams *e) { e->targets = automatic(*e, target_at_psnr(*e, 38)); };
  const auto component = [last](EncoderParams *e) {
    last(Kind::everything, 0)(e);
    e->component_bytes = 60;
  };
  return {"rate",
          {{"all in the first layer", [](EncoderParams *) {}},
           {"all in the last layer", last(Kind::everything, 0)},
           {"few bytes", last(Kind::bytes, 25)},
           {"bytes", last(Kind::bytes, 250)},
           {"38 dB", psnr},
           {"slope", last(Kind::slope, kSlopeOne + 3 * 256)},
           {"mixed", [](EncoderParams *e) { e->targets = mixed(*e); }},
           {"component bytes", component}},
          Ties::mostly_first};
}

Factor regions() {
  // In eighths of the image.
  const auto region = [](int x0, int y0, int x1, int y1) {
    return [=](EncoderParams *e) {
      const Rect &image = e->coding.image;
      const auto x = [&](int n) { return image.x0 + image.width() * n / 8; };
      const auto y = [&](int n) { return image.y0 + image.height() * n / 8; };
      e->roi = {x(x0), y(y0), std::max(x(x1), x(x0) + 1), std::max(y(y1), y(y0) + 1)};
    };
  };
  return {"region",
          {{"none", [](EncoderParams *) {}},
           {"inside", region(2, 3, 6, 5)},
           {"corner", region(0, 0, 3, 8)}},
          Ties::mostly_first};
}

std::vector<Factor> factors() {
  return {
      j2k_formats(),
      numbers("style", 0, 63, [](EncoderParams *e, int v) { e->block_style = unsigned(v); }),
      j2k_sizes(),
      offsets(),
      tiles(),
      wavelets(),
      flag("visual weighting", &EncoderParams::visual_weighting),
      numbers("levels", {0, 1, 2, 3, 5, 8, 10},
              [](EncoderParams *e, int v) { e->coding.levels = v; }),
      blocks(),
      precincts(),
      numbers("order", 0, 4,
              [](EncoderParams *e, int v) { e->progression = static_cast<Progression>(v); }),
      flag("largest last", &EncoderParams::largest_last),
      numbers("tile-parts", 0, 3,
              [](EncoderParams *e, int v) { e->tile_parts = static_cast<TileParts>(v); }),
      numbers("layers", {1, 2, 5, 20}, [](EncoderParams *e, int v) { e->layers = v; }),
      numbers("guard bits", {0, 1, 2, 4, 7}, [](EncoderParams *e, int v) { e->guard_bits = v; }),
      regions(),
      flag("sop", &EncoderParams::sop),
      flag("eph", &EncoderParams::eph),
      flag("plt", &EncoderParams::plt),
      flag("tlm", &EncoderParams::tlm),
      {"comment",
       {{"none", [](EncoderParams *) {}},
        {"some", [](EncoderParams *e) { e->comment = "A comment."; }}}},
      rates()};
}

// ---- what cannot be -----------------------------------------------------------------------------

bool fits_region(const EncoderParams &e) {
  if (e.roi.empty()) return true;
  for (int c = 0; c < e.coding.num_components; ++c)
    for (int r = 0; r <= e.coding.levels; ++r)
      for (int b = r > 0; b <= (r > 0 ? 3 : 0); ++b) {
        const int level = r > 0 ? e.coding.levels - r + 1 : e.coding.levels;
        const BandQuantiser band =
            band_quantiser(quantiser_params(e, c), static_cast<Band>(b), level);
        if (!check_max_shift(band.planes).ok()) return false;
      }
  return true;
}

// Of one layer. (Rows, columns: the precincts' cells that a resolution touches.)
int packets(const CodingParams &p, int tile) {
  const auto cells = [](int first, int end, int exponent) {
    return end <= first ? 0 : ((end - 1) >> exponent) - (first >> exponent) + 1;
  };
  int n = 0;
  for (int c = 0; c < p.num_components; ++c)
    for (int r = 0; r <= p.levels; ++r) {
      const Rect rect = resolution_rect(tile_component_rect(p, tile, c), p.levels, r);
      const PrecinctSize size = p.precinct[static_cast<std::size_t>(r)];
      n += cells(rect.x0, rect.x1, size.x) * cells(rect.y0, rect.y1, size.y);
    }
  return n;
}

// A tile that could be cut behind each of its packets has not too many of them. (Such as could not,
// and may have more, are among the random parameters.)
bool fits_tile_parts(const EncoderParams &e) {
  if (e.tile_parts == TileParts::one) return true;
  for (int tile = 0; tile < tile_count(e.coding); ++tile)
    if (packets(e.coding, tile) * e.layers > kMaxTileParts) return false;
  return true;
}

}  // namespace

const J2kArray &j2k_array() {
  static const J2kArray array(factors(), [](const EncoderParams &e) {
    return check_params(e).ok() && fits_region(e) && fits_tile_parts(e);
  });
  return array;
}

}  // namespace coalesce::test
