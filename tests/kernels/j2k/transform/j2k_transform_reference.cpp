// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstring>

#include "j2k/transform/quantiser.h"
#include "j2k/transform/roi.h"
#include "j2k_transform_trial.h"
#include "j2k_wavelet_reference.h"

namespace coalesce::test {
namespace {

using namespace j2k;

std::int32_t sample(const Samples &s, int x, int y) {
  const auto *row =
      static_cast<const std::uint8_t *>(s.data) + static_cast<std::size_t>(s.y0 + y) * s.pitch;
  const int i = s.first + (s.x0 + x) * s.step;
  const bool v210 = s.container == Container::v210;
  if (s.container == Container::be10) {
    std::int32_t field = 0;
    for (int bit = 10 * i; bit < 10 * i + 10; ++bit)
      field = 2 * field + (row[bit / 8] >> (7 - bit % 8) & 1);
    return (field >> s.shift) % (1 << s.bits) - (1 << (s.bits - 1));
  }
  const std::size_t bytes = static_cast<std::size_t>(container_bytes(s.container));
  std::uint64_t value = 0;
  std::memcpy(&value, row + bytes * static_cast<std::size_t>(v210 ? i / 3 : i), bytes);
  value >>= s.shift + (v210 ? i % 3 * 10 : 0);
  return static_cast<std::int32_t>(value % (1u << s.bits)) - (1 << (s.bits - 1));
}

void transform_pixel(std::int32_t &r, std::int32_t &g, std::int32_t &b) {
  const std::int32_t y = static_cast<std::int32_t>(std::floor((r + 2 * g + b) / 4.0));
  const std::int32_t cb = b - g, cr = r - g;
  r = y;
  g = cb;
  b = cr;
}

void transform_pixel(float &r, float &g, float &b) {
  const float y = (0.299f * r + 0.587f * g) + 0.114f * b;
  const float cb = (b - y) * static_cast<float>(1 / 1.772);
  const float cr = (r - y) * static_cast<float>(1 / 1.402);
  r = y;
  g = cb;
  b = cr;
}

std::int32_t coefficient(std::int32_t value, const BandQuantiser &) {
  return value;
}

std::int32_t coefficient(float value, const BandQuantiser &band) {
  const float limit = std::nextafter(std::ldexp(1.0f, band.planes + kFractionBitsOf97), 0.0f);
  const float scaled = value * (64.0f / band.step);
  return static_cast<std::int32_t>(std::clamp(scaled, -limit, limit));
}

template <class T>
void put_band(const EncoderPlan &plan, const TilePlan &tile, std::size_t band,
              ReferencePicture<T> &from, std::int32_t *coefficients) {
  const Subband &b = tile.geometry.bands[band];
  const auto c = static_cast<std::size_t>(b.component);
  const Component &k = plan.params.coding.component[c];
  const Rect &roi = plan.params.roi;
  const auto up = [](int v, int step) { return (v + step - 1) / step; };
  const Rect inside =
      roi_in_band(plan.params.wavelet, from.rect,
                  {up(roi.x0, k.dx), up(roi.y0, k.dy), up(roi.x1, k.dx), up(roi.y1, k.dy)},
                  b.orientation, b.level);
  const int index = static_cast<int>(plan.band_of(tile, static_cast<int>(band)));
  const BandQuantiser &quantiser = plan.bands[c].bands[static_cast<std::size_t>(index)];
  for (int y = b.rect.y0; y < b.rect.y1; ++y)
    for (int x = b.rect.x0; x < b.rect.x1; ++x) {
      const int at_x = b.plane_x + x - b.rect.x0, at_y = b.plane_y + y - b.rect.y0;
      std::int32_t v = coefficient(from(at_x, at_y), quantiser);
      if (!roi.empty() && plan.params.wavelet == Wavelet::irreversible_97) v /= 64;
      if (x >= inside.x0 && x < inside.x1 && y >= inside.y0 && y < inside.y1)
        v *= 1 << plan.bands[c].roi_shift;
      const CoefficientPlane &plane = tile.plane[c];
      coefficients[plane.first + static_cast<std::size_t>(at_y) * plane.pitch +
                   static_cast<std::size_t>(at_x)] = v;
    }
}

template <class T>
void transform_tile(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
                    std::int32_t *coefficients) {
  std::vector<ReferencePicture<T>> pictures;
  for (int c = 0; c < plan.components(); ++c) {
    const Rect rect = tile.geometry.components[static_cast<std::size_t>(c)].rect;
    const Rect whole = component_rect(plan.params.coding, c);
    pictures.push_back({rect, {}});
    for (int y = rect.y0; y < rect.y1; ++y)
      for (int x = rect.x0; x < rect.x1; ++x)
        pictures.back().at.push_back(
            static_cast<T>(sample(samples[c], x - whole.x0, y - whole.y0)));
  }
  if (plan.params.colour_transform)
    for (std::size_t i = 0; i < pictures[0].at.size(); ++i)
      transform_pixel(pictures[0].at[i], pictures[1].at[i], pictures[2].at[i]);
  for (ReferencePicture<T> &p : pictures)
    if (!p.rect.empty()) p.forward(plan.params.coding.levels);
  for (std::size_t b = 0; b < tile.geometry.bands.size(); ++b)
    if (!tile.geometry.bands[b].rect.empty())
      put_band(plan, tile, b, pictures[static_cast<std::size_t>(tile.geometry.bands[b].component)],
               coefficients);
}

}  // namespace

void j2k_transform_reference(const EncoderPlan &plan, const Samples *samples,
                             std::int32_t *coefficients) {
  for (const TilePlan &tile : plan.tiles)
    if (plan.params.wavelet == Wavelet::reversible_53)
      transform_tile<std::int32_t>(plan, tile, samples, coefficients);
    else
      transform_tile<float>(plan, tile, samples, coefficients);
}

}  // namespace coalesce::test
