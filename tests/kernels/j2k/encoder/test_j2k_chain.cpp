// SPDX-License-Identifier: LGPL-2.1-or-later
// All stages before Tier-1, as an encoder calls them, tile by tile, and back by an inverse that
// shares nothing with them: without loss, or with the loss that the step promises.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../guarded_plane.h"
#include "../transform/j2k_wavelet_reference.h"
#include "j2k/canvas/geometry.h"
#include "j2k/transform/colour.h"
#include "j2k/transform/quantiser.h"
#include "j2k/transform/wavelet.h"
#include "j2k_picture.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// The coefficients of a tile, by component, as an inverse takes them.
template <class T>
using Coefficients = std::array<ReferencePicture<T>, kMaxComponents>;

template <class T>
void store(const GuardedPlane<std::int32_t> &from, ReferencePicture<T> &to) {
  for (int y = 0; y < to.rect.height(); ++y)
    for (int x = 0; x < to.rect.width(); ++x)
      to(x, y) = static_cast<T>(from.at(x, y));
}

Coefficients<std::int32_t> forward_reversible(const Picture &p, bool transform, int tile,
                                              Random &random, ThreadPool *pool) {
  Coefficients<std::int32_t> out;
  WaveletMemory<std::int32_t> memory;
  std::vector<std::unique_ptr<GuardedPlane<std::int32_t>>> planes;
  std::vector<Samples> samples;
  for (int c = 0; c < p.params.num_components; ++c) {
    const Rect tc = tile_component_rect(p.params, tile, c);
    out[static_cast<std::size_t>(c)].rect = tc;
    planes.push_back(
        tc.empty() ? nullptr
                   : std::make_unique<GuardedPlane<std::int32_t>>(tc.width(), tc.height(), random));
    samples.push_back(p.samples(c, tc));
    if (!tc.empty() && !(transform && c < 3))
      CHECK_MESSAGE(level_shift(samples.back(), planes.back()->plane(), pool).ok(), "level shift");
  }
  if (transform && planes[0] != nullptr)
    CHECK_MESSAGE(
        reversible_transform({samples[0], samples[1], samples[2]},
                             {planes[0]->plane(), planes[1]->plane(), planes[2]->plane()}, pool)
            .ok(),
        "transform");
  for (std::size_t c = 0; c < planes.size(); ++c) {
    if (planes[c] == nullptr) continue;
    ReferencePicture<std::int32_t> &result = out[c];
    const int w = result.rect.width(), h = result.rect.height();
    const GuardedPlane<std::int32_t> transformed(w, h, random);
    CHECK_MESSAGE(wavelet_53(result.rect, p.params.levels, planes[c]->plane(), transformed.plane(),
                             &memory, pool)
                      .ok(),
                  "wavelet");
    result.at.resize(static_cast<std::size_t>(w * h));
    store(transformed, result);
    // M_b bit-planes hold every coefficient.
    const TileGeometry geometry = tile_geometry(p.params, tile);
    for (const Subband &band : geometry.bands) {
      if (band.component != static_cast<int>(c)) continue;
      const int planes_of_band =
          band_quantiser({Wavelet::reversible_53, p.params.levels, p.params.component[c].bits,
                          transform && c < 3 ? static_cast<int>(c) : -1, 2, 1, false},
                         band.orientation, band.level)
              .planes;
      for (int y = 0; y < band.rect.height(); ++y)
        for (int x = 0; x < band.rect.width(); ++x)
          CHECK_MESSAGE(std::abs(result(band.plane_x + x, band.plane_y + y)) < 1 << planes_of_band,
                        planes_of_band, " planes");
    }
  }
  return out;
}

void test_reversible(const CodingParams &params, bool transform, Random &random, ThreadPool *pool) {
  const Picture p = picture(params, random);
  for (int tile = 0; tile < tile_count(params); ++tile) {
    Coefficients<std::int32_t> v = forward_reversible(p, transform, tile, random, pool);
    for (int c = 0; c < params.num_components; ++c)
      if (!v[static_cast<std::size_t>(c)].rect.empty())
        v[static_cast<std::size_t>(c)].inverse(params.levels);
    const auto value = [&](int c, int x, int y) {
      const auto at = [&](std::size_t i) { return v[i](x - v[i].rect.x0, y - v[i].rect.y0); };
      if (!transform || c > 2) return at(static_cast<std::size_t>(c));
      const int green = at(0) - static_cast<int>(std::floor((at(1) + at(2)) / 4.0));
      return c == 0 ? at(2) + green : c == 1 ? green : at(1) + green;
    };
    for (int c = 0; c < params.num_components; ++c) {
      const Rect r = v[static_cast<std::size_t>(c)].rect;
      const int middle = 1 << (params.component[static_cast<std::size_t>(c)].bits - 1);
      for (int y = r.y0; y < r.y1; ++y)
        for (int x = r.x0; x < r.x1; ++x)
          CHECK_MESSAGE(value(c, x, y) + middle == p.at(c, x, y), "tile ", tile, ", component ", c,
                        " at ", x, ", ", y);
    }
  }
}

TEST_CASE("lossless") {
  Random random = random_of_run(20);
  ThreadPool two(2);
  for (int i = 0; i < 60; ++i) {
    CodingParams p;
    p.image = {random.below(5), random.below(5), 0, 0};
    p.image.x1 = p.image.x0 + random.between(3, 90);
    p.image.y1 = p.image.y0 + random.between(3, 90);
    if (i % 3 != 0) {
      p.tile_width = random.between(9, 50);
      p.tile_height = random.between(9, 50);
    }
    p.levels = random.between(0, 6);
    p.num_components = random.between(1, 4);
    const bool transform = p.num_components >= 3 && i % 2 == 0;
    const int bits = random.between(1, 16);
    for (std::size_t c = 0; c < kMaxComponents; ++c) {
      const bool chroma = !transform && (c == 1 || c == 2);
      p.component[c] = {chroma ? 2 : 1, chroma ? random.between(1, 2) : 1,
                        transform && c < 3 ? bits : random.between(1, 16)};
    }
    CHECK_MESSAGE(check_params(p).ok(), check_params(p).message());
    test_reversible(p, transform, random, i % 2 == 0 ? &two : nullptr);
  }
}

// The mean squared error of R, G, B after 9/7 with a base step, coefficients taken for the middle
// of their interval.
double irreversible_error(const Picture &p, double base_step, bool derived, Random &random) {
  const Rect r = tile_component_rect(p.params, 0, 0);
  const int w = r.width(), h = r.height(), levels = p.params.levels,
            bits = p.params.component[0].bits;
  std::vector<std::unique_ptr<GuardedPlane<float>>> planes;
  for (int c = 0; c < 3; ++c)
    planes.push_back(std::make_unique<GuardedPlane<float>>(w, h, random));
  CHECK_MESSAGE(
      irreversible_transform({p.samples(0, r), p.samples(1, r), p.samples(2, r)},
                             {planes[0]->plane(), planes[1]->plane(), planes[2]->plane()}, nullptr)
          .ok(),
      "transform");
  std::array<ReferencePicture<double>, 3> v;
  WaveletMemory<float> memory;
  const TileGeometry geometry = tile_geometry(p.params, 0);
  for (std::size_t c = 0; c < 3; ++c) {
    const GuardedPlane<float> out(w, h, random);
    CHECK_MESSAGE(wavelet_97(r, levels, planes[c]->plane(), out.plane(), &memory, nullptr).ok(),
                  "wavelet");
    v[c] = {r, std::vector<double>(static_cast<std::size_t>(w * h))};
    for (const Subband &band : geometry.bands) {
      if (band.component != static_cast<int>(c) || band.rect.empty()) continue;
      const BandQuantiser q = band_quantiser(
          {Wavelet::irreversible_97, levels, bits, static_cast<int>(c), 2, base_step, derived},
          band.orientation, band.level);
      const GuardedPlane<std::int32_t> indices(band.rect.width(), band.rect.height(), random);
      const Plane<const float> part = {&out.at(band.plane_x, band.plane_y), band.rect.width(),
                                       band.rect.height(), out.plane().pitch};
      CHECK_MESSAGE(quantise(q, part, indices.plane(), nullptr).ok(), "quantise");
      for (int y = 0; y < band.rect.height(); ++y)
        for (int x = 0; x < band.rect.width(); ++x) {
          const int index = indices.at(x, y) / (1 << kFractionBitsOf97);  // what Tier-1 codes
          const double middle = index == 0 ? 0 : index < 0 ? -0.5 : 0.5;
          v[c](band.plane_x + x, band.plane_y + y) = (index + middle) * static_cast<double>(q.step);
        }
    }
    v[c].inverse(levels);
  }
  double sum = 0;
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const double l = v[0](x, y), cb = v[1](x, y), cr = v[2](x, y);
      const double rgb[] = {l + 1.402 * cr, l - 0.344136 * cb - 0.714136 * cr, l + 1.772 * cb};
      for (int c = 0; c < 3; ++c) {
        const double error = rgb[c] + (1 << (bits - 1)) - p.at(c, r.x0 + x, r.y0 + y);
        sum += error * error;
      }
    }
  return sum / (3.0 * w * h);
}

// A step adds step^2 / 12 to the mean squared error if each band has the right share. (A little
// more where many coefficients lie in the zero bin.)
TEST_CASE("lossy") {
  Random random = random_of_run(21);
  for (const int bits : {8, 12, 16}) {
    CodingParams p;
    p.image = {3, 2, 3 + 200, 2 + 150};
    p.num_components = 3;
    for (Component &c : p.component)
      c.bits = bits;
    const Picture in = picture(p, random);
    const double peak = (1 << bits) - 1;
    for (const double step : {bits == 16 ? 0.25 : 0.0625, 1.0}) {
      const double error = irreversible_error(in, step, false, random);
      const double loose = irreversible_error(in, step, true, random);
      std::printf("%2d bits, step %.4f: %.2f dB, %.2f dB promised; derived steps %.2f dB\n", bits,
                  step, 10 * std::log10(peak * peak / error),
                  10 * std::log10(peak * peak / (step * step / 12)),
                  10 * std::log10(peak * peak / loose));
      CHECK_MESSAGE((error > 0.8 * step * step / 12 && error < 1.25 * step * step / 12), error);
      CHECK(loose < 3 * step * step / 12);
    }
  }
}

}  // namespace
}  // namespace coalesce::test
