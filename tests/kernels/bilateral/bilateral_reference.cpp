// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "../sample_bits.h"

namespace coalesce::test {
namespace {

// Walks to the picture step by step. -1: nowhere.
int inside(Border border, int at, int size) {
  if (0 <= at && at < size) return at;
  if (border == Border::constant) return -1;
  if (border == Border::replicate) return at < 0 ? 0 : size - 1;
  if (size == 1) return 0;
  while (at < 0 || at >= size) {
    if (border == Border::wrap) {
      at += at < 0 ? size : -size;
    } else {
      const int edge = border == Border::reflect ? 1 : 0;
      at = at < 0 ? -at - edge : 2 * (size - 1) - at + edge;
    }
  }
  return at;
}

std::int64_t weight(double square, double sigma) {
  return static_cast<std::int64_t>(
      std::floor(65535 * std::exp(-square / (2 * sigma * sigma)) + 0.5));
}

// The weight of a distance: of the distance itself, if those up to where weights are 0 are at most
// 1024; else of the nearest multiple of the least power of two for which they are.
class RangeWeights {
 public:
  RangeWeights(double sigma, int most) : sigma_(sigma) {
    while (entries(most) > 1024)
      step_ *= 2;
    known_.resize(static_cast<std::size_t>((most + step_ / 2) / step_ + 1), -1);
  }
  std::int64_t operator()(int distance) {
    const int nearest = (distance + step_ / 2) / step_;
    int &known = known_[static_cast<std::size_t>(nearest)];
    if (known < 0) known = static_cast<int>(weight(std::pow(nearest * step_, 2), sigma_));
    return known;
  }

 private:
  int entries(int most) const {
    for (int i = 0;; ++i)
      if (i == (most + step_ / 2) / step_ || weight(std::pow(i * step_, 2), sigma_) == 0)
        return i + 1;
  }

  double sigma_;
  int step_ = 1;
  std::vector<int> known_;  // -1: not yet
};

bool is_filtered(const BilateralParams &params, const PixelComponent &c) {
  if (c.role == Role::alpha) return params.filter_alpha && c.bits > 2;
  return !params.luma_only || (c.role != Role::u && c.role != Role::v);
}

}  // namespace

void bilateral_pass_reference(const BilateralSettings &settings, Border border, int max, bool rgb,
                              std::vector<BilateralChannel> *channels) {
  const auto n = channels->size();
  const int r = settings.radius, columns = channels->front().columns, rows = channels->front().rows;
  RangeWeights range(settings.sigma_range * max / 255, rgb ? 3 * max : max);
  struct Tap {
    int i, j;
    std::int64_t weight;
  };
  std::vector<Tap> window;
  for (int j = -r; j <= r; ++j)
    for (int i = -r; i <= r; ++i)
      if (i * i + j * j <= r * r)
        window.push_back({i, j, weight(i * i + j * j, settings.sigma_space)});
  std::vector<BilateralChannel> out = *channels;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      std::int64_t weights = 0, sums[3] = {};
      for (const Tap &tap : window) {
        const int column = inside(border, x + tap.i, columns),
                  row = inside(border, y + tap.j, rows);
        int samples[3] = {}, distance = 0;
        for (std::size_t c = 0; c < n; ++c) {
          const BilateralChannel &channel = (*channels)[c];
          samples[c] = column >= 0 && row >= 0 ? channel.at(column, row) : channel.outside;
          distance += std::abs(samples[c] - channel.at(x, y));
        }
        const std::int64_t w = (tap.weight * range(distance) + 32768) / 65536;
        weights += w;
        for (std::size_t c = 0; c < n; ++c)
          sums[c] += w * samples[c];
      }
      for (std::size_t c = 0; c < n; ++c)
        out[c].samples[static_cast<std::size_t>(y * columns + x)] =
            static_cast<int>((2 * sums[c] + weights) / (2 * weights));
    }
  *channels = out;
}

void bilateral_reference(const BilateralSettings &settings, const BilateralParams &params,
                         const ConstImage &in, const Image &out) {
  const auto rows_of = [&](int p) { return std::min(used_rows(in, p), out.plane[p].height); };
  for (int p = 0; p < in.format.planes; ++p)
    for (int y = 0; y < rows_of(p); ++y)
      std::memcpy(out.plane[p].row(y), in.plane[p].row(y),
                  static_cast<std::size_t>(out.plane[p].width));
  const bool rgb = in.format.has(Role::r);
  const int max = (1 << in.format.component[0].bits) - 1;
  for (int i = 0; i < in.format.components;) {
    const int together = rgb && i == 0 ? 3 : 1;
    const PixelComponent *const first = in.format.component + i;
    i += together;
    if (!is_filtered(params, *first)) continue;
    std::vector<BilateralChannel> channels;
    for (const PixelComponent *c = first; c < first + together; ++c) {
      const bool chroma = c->role == Role::u || c->role == Role::v;
      BilateralChannel channel = {(in.width + (1 << c->log2_width) - 1) >> c->log2_width,
                                  rows_of(c->plane),
                                  chroma ? 1 << (c->bits - 1) : params.border_value,
                                  {}};
      for (int y = 0; y < channel.rows; ++y)
        for (int x = 0; x < channel.columns; ++x)
          channel.samples.push_back(read_bits(in.plane[c->plane].row(y), *c, x));
      channels.push_back(channel);
    }
    for (int pass = 0; pass < params.iterations; ++pass)
      bilateral_pass_reference(settings, params.border, max, rgb, &channels);
    for (int k = 0; k < together; ++k) {
      const PixelComponent &c = first[k];
      const BilateralChannel &channel = channels[static_cast<std::size_t>(k)];
      // The second luma of an odd width's last pair repeats the first.
      const bool in_pairs = c.step == 2 && in.format.component[1].step == 4;
      for (int y = 0; y < channel.rows; ++y)
        for (int x = 0; x < channel.columns + (in_pairs ? channel.columns & 1 : 0); ++x)
          write_bits(out.plane[c.plane].row(y), c, x,
                     channel.at(std::min(x, channel.columns - 1), y));
    }
  }
  // A row that only the output has is the nearest one of its field.
  for (int p = 0; p < in.format.planes; ++p)
    for (int y = rows_of(p); y < out.plane[p].height; ++y)
      std::memcpy(out.plane[p].row(y), out.plane[p].row(std::max(y - 2, 0)),
                  static_cast<std::size_t>(out.plane[p].width));
}

}  // namespace coalesce::test
