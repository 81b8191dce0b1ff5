// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bilateral_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>

#include "../sample_bits.h"

namespace coalesce::test {
namespace {

// A component's samples.
struct Channel {
  int columns = 0, rows = 0;
  int outside = 0;  // by border=constant
  std::vector<int> samples;

  int &at(int x, int y) { return samples[static_cast<std::size_t>(y * columns + x)]; }
};

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
  }
  std::int64_t operator()(int distance) {
    const int nearest = (distance + step_ / 2) / step_ * step_;
    const auto [at, is_new] = known_.try_emplace(nearest);
    if (is_new) at->second = weight(std::pow(nearest, 2), sigma_);
    return at->second;
  }

 private:
  int entries(int most) const {
    for (int i = 0;; ++i)
      if (i == (most + step_ / 2) / step_ || weight(std::pow(i * step_, 2), sigma_) == 0)
        return i + 1;
  }

  double sigma_;
  int step_ = 1;
  std::map<int, std::int64_t> known_;
};

// One pass over components that are filtered together.
void filter(const BilateralSettings &settings, Border border, RangeWeights &range,
            std::vector<Channel> &channels) {
  std::vector<Channel> out = channels;
  const int r = settings.radius, columns = channels[0].columns, rows = channels[0].rows;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      std::int64_t weights = 0;
      std::vector<std::int64_t> sums(channels.size());
      for (int j = -r; j <= r; ++j)
        for (int i = -r; i <= r; ++i) {
          if (i * i + j * j > r * r) continue;
          const int column = inside(border, x + i, columns), row = inside(border, y + j, rows);
          std::vector<int> samples;
          int distance = 0;
          for (Channel &c : channels) {
            samples.push_back(column >= 0 && row >= 0 ? c.at(column, row) : c.outside);
            distance += std::abs(samples.back() - c.at(x, y));
          }
          const std::int64_t w =
              (weight(i * i + j * j, settings.sigma_space) * range(distance) + 32768) / 65536;
          weights += w;
          for (std::size_t c = 0; c < sums.size(); ++c)
            sums[c] += w * samples[c];
        }
      for (std::size_t c = 0; c < sums.size(); ++c)
        out[c].at(x, y) = static_cast<int>((2 * sums[c] + weights) / (2 * weights));
    }
  channels = out;
}

bool is_filtered(const BilateralParams &params, const PixelComponent &c) {
  if (c.role == Role::alpha) return params.filter_alpha && c.bits > 2;
  return !params.luma_only || (c.role != Role::u && c.role != Role::v);
}

}  // namespace

void bilateral_reference(const BilateralSettings &settings, const BilateralParams &params,
                         const ConstImage &in, const Image &out) {
  const auto rows_of = [&](int p) { return std::min(used_rows(in, p), out.plane[p].height); };
  for (int p = 0; p < in.format.planes; ++p)
    for (int y = 0; y < rows_of(p); ++y)
      std::memcpy(out.plane[p].row(y), in.plane[p].row(y),
                  static_cast<std::size_t>(out.plane[p].width));
  const bool rgb = in.format.has(Role::r);
  const int max = (1 << in.format.component[0].bits) - 1;
  RangeWeights range(settings.sigma_range * max / 255, rgb ? 3 * max : max);
  for (int i = 0; i < in.format.components;) {
    const int together = rgb && i == 0 ? 3 : 1;
    const PixelComponent *const first = in.format.component + i;
    i += together;
    if (!is_filtered(params, *first)) continue;
    std::vector<Channel> channels;
    for (const PixelComponent *c = first; c < first + together; ++c) {
      const bool chroma = c->role == Role::u || c->role == Role::v;
      Channel channel = {(in.width + (1 << c->log2_width) - 1) >> c->log2_width,
                         rows_of(c->plane),
                         chroma ? 1 << (c->bits - 1) : params.border_value,
                         {}};
      for (int y = 0; y < channel.rows; ++y)
        for (int x = 0; x < channel.columns; ++x)
          channel.samples.push_back(read_bits(in.plane[c->plane].row(y), *c, x));
      channels.push_back(channel);
    }
    for (int pass = 0; pass < params.iterations; ++pass)
      filter(settings, params.border, range, channels);
    for (int k = 0; k < together; ++k) {
      const PixelComponent &c = first[k];
      Channel &channel = channels[static_cast<std::size_t>(k)];
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
