// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tile_transform.h"

#include <algorithm>
#include <new>
#include <type_traits>

#include "../transform/colour.h"
#include "../transform/quantiser.h"
#include "../transform/roi.h"

namespace coalesce::j2k {
namespace {

const Rect &rect_of(const TilePlan &tile, int c) {
  return tile.geometry.components[static_cast<std::size_t>(c)].rect;
}

template <class T>
std::size_t padded(int width) {
  constexpr std::size_t kAlign = 64 / sizeof(T);
  return (static_cast<std::size_t>(width) + kAlign - 1) / kAlign * kAlign;
}

Plane<std::int32_t> coefficient_plane(const TilePlan &tile, int c, std::int32_t *coefficients) {
  const Rect &rect = rect_of(tile, c);
  return {coefficients + tile.plane[c].first, rect.width(), rect.height(),
          tile.plane[c].pitch * sizeof(std::int32_t)};
}

template <class T>
Plane<T> band_plane(const Plane<T> &plane, const Subband &band) {
  return {plane.row(band.plane_y) + band.plane_x, band.rect.width(), band.rect.height(),
          plane.pitch};
}

// All components of a tile, level-shifted and with the component transform.
template <class T>
Status shift(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
             const Plane<T> *planes, ThreadPool *pool) {
  Samples part[kMaxComponents];
  for (int c = 0; c < plan.components(); ++c) {
    const Rect whole = component_rect(plan.params.coding, c), &rect = rect_of(tile, c);
    part[c] = samples[c];
    part[c].x0 += rect.x0 - whole.x0;
    part[c].y0 += rect.y0 - whole.y0;
  }
  const bool colour = plan.params.colour_transform;
  if (colour && !rect_of(tile, 0).empty()) {
    const Samples in[3] = {part[0], part[1], part[2]};
    const Plane<T> out[3] = {planes[0], planes[1], planes[2]};
    Status s;
    if constexpr (std::is_same_v<T, float>)
      s = irreversible_transform(in, out, pool);
    else
      s = reversible_transform(in, out, pool);
    if (!s.ok()) return s;
  }
  for (int c = colour ? 3 : 0; c < plan.components(); ++c) {
    if (rect_of(tile, c).empty()) continue;
    if (Status s = level_shift(part[c], planes[c], pool); !s.ok()) return s;
  }
  return {};
}

// The region in samples of a component.
Rect component_roi(const EncoderPlan &plan, int c) {
  const Component &k = plan.params.coding.component[static_cast<std::size_t>(c)];
  const Rect &roi = plan.params.roi;
  const auto up = [](int v, int step) {
    return static_cast<int>((std::int64_t{v} + step - 1) / step);
  };
  return {up(roi.x0, k.dx), up(roi.y0, k.dy), up(roi.x1, k.dx), up(roi.y1, k.dy)};
}

Status shift_regions(const EncoderPlan &plan, const TilePlan &tile, std::int32_t *coefficients,
                     ThreadPool *pool) {
  if (plan.params.roi.empty()) return {};
  const bool quantised = plan.params.wavelet == Wavelet::irreversible_97;
  for (const Subband &band : tile.geometry.bands) {
    if (band.rect.empty()) continue;
    const int c = band.component;
    const Rect in = roi_in_band(plan.params.wavelet, rect_of(tile, c), component_roi(plan, c),
                                band.orientation, band.level);
    const Rect inside = in.empty() ? Rect{}
                                   : Rect{in.x0 - band.rect.x0, in.y0 - band.rect.y0,
                                          in.x1 - band.rect.x0, in.y1 - band.rect.y0};
    const Status s = max_shift(band_plane(coefficient_plane(tile, c, coefficients), band), inside,
                               plan.bands[static_cast<std::size_t>(c)].roi_shift,
                               quantised ? kFractionBitsOf97 : 0, pool);
    if (!s.ok()) return s;
  }
  return {};
}

}  // namespace

// Rows begin at 64 bytes. Uninitialised: every sample will be written.
template <class T>
void TileTransform::Memory<T>::reserve(int plane, int width, int height) {
  const std::size_t samples = padded<T>(width) * static_cast<std::size_t>(height);
  if (size[plane] >= samples) return;
  size[plane] = 0;
  storage[plane].reset(new T[samples]);
  size[plane] = samples;
}

template <class T>
bool TileTransform::Memory<T>::reserve_wavelet(int width, int height, ThreadPool *pool) {
  return wavelet.get(wavelet_memory_bound<T>(width, height, pool)) != nullptr;
}

template <class T>
Plane<T> TileTransform::Memory<T>::get(int plane, const Rect &rect) {
  if (rect.empty()) return {};
  return {storage[plane].get(), rect.width(), rect.height(), padded<T>(rect.width()) * sizeof(T)};
}

Status TileTransform::prepare(const EncoderPlan &plan, ThreadPool *pool) {
  const bool reversible = plan.params.wavelet == Wavelet::reversible_53;
  try {
    for (int c = 0; c < plan.components(); ++c) {
      int width = 0, height = 0;
      for (const TilePlan &tile : plan.tiles) {
        width = std::max(width, rect_of(tile, c).width());
        height = std::max(height, rect_of(tile, c).height());
      }
      if (reversible) integers_.reserve(c, width, height);
      if (!reversible) floats_.reserve(c, width, height);
      if (!reversible) transformed_.reserve(0, width, height);
      if (reversible ? !integers_.reserve_wavelet(width, height, pool)
                     : !floats_.reserve_wavelet(width, height, pool))
        throw std::bad_alloc();
    }
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, "j2k: no memory for a tile of this size"};
  }
  return {};
}

Status TileTransform::run(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
                          std::int32_t *coefficients, ThreadPool *pool) {
  const bool reversible = plan.params.wavelet == Wavelet::reversible_53;
  const Status s = reversible ? run_53(plan, tile, samples, coefficients, pool)
                              : run_97(plan, tile, samples, coefficients, pool);
  return s.ok() ? shift_regions(plan, tile, coefficients, pool) : s;
}

Status TileTransform::run_53(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
                             std::int32_t *coefficients, ThreadPool *pool) {
  Plane<std::int32_t> planes[kMaxComponents];
  for (int c = 0; c < plan.components(); ++c)
    planes[c] = integers_.get(c, rect_of(tile, c));
  if (Status s = shift(plan, tile, samples, planes, pool); !s.ok()) return s;
  for (int c = 0; c < plan.components(); ++c) {
    if (rect_of(tile, c).empty()) continue;
    const Status s = wavelet_53(rect_of(tile, c), plan.params.coding.levels, planes[c],
                                coefficient_plane(tile, c, coefficients), &integers_.wavelet, pool);
    if (!s.ok()) return s;
  }
  return {};
}

Status TileTransform::run_97(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
                             std::int32_t *coefficients, ThreadPool *pool) {
  Plane<float> planes[kMaxComponents];
  for (int c = 0; c < plan.components(); ++c)
    planes[c] = floats_.get(c, rect_of(tile, c));
  if (Status s = shift(plan, tile, samples, planes, pool); !s.ok()) return s;
  for (int c = 0; c < plan.components(); ++c) {
    if (rect_of(tile, c).empty()) continue;
    const Plane<float> transformed = transformed_.get(0, rect_of(tile, c));
    const Status s = wavelet_97(rect_of(tile, c), plan.params.coding.levels, planes[c], transformed,
                                &floats_.wavelet, pool);
    if (!s.ok()) return s;
    const Plane<std::int32_t> out = coefficient_plane(tile, c, coefficients);
    const ComponentBands &bands = plan.bands[static_cast<std::size_t>(c)];
    const int per_component = static_cast<int>(bands.bands.size());
    for (int b = 0; b < per_component; ++b) {
      const Subband &band = tile.geometry.bands[static_cast<std::size_t>(c * per_component + b)];
      if (band.rect.empty()) continue;
      const Status q = quantise(bands.bands[static_cast<std::size_t>(b)],
                                band_plane(transformed, band), band_plane(out, band), pool);
      if (!q.ok()) return q;
    }
  }
  return {};
}

}  // namespace coalesce::j2k
