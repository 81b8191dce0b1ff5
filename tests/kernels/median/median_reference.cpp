// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace coalesce::test {
namespace {

// A component's samples, or the padding of pixels.
struct Channel {
  const ConstImage &in;
  int plane, first, step, rows;
  const PixelComponent *component;  // nullptr: padding

  int bytes() const { return in.format.in_bytes() ? 1 : 2; }
  int columns() const { return in.plane[plane].width / (step * bytes()); }
  std::size_t place(int x) const { return static_cast<std::size_t>((x * step + first) * bytes()); }
  int word(int x, int y) const {
    const std::uint8_t *at = in.plane[plane].row(y) + place(x);
    return bytes() == 1 ? at[0] : at[0] + 256 * at[1];
  }
  int sample(int x, int y) const {
    return word(x, y) >> component->shift & ((1 << component->bits) - 1);
  }
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

int filtered(const MedianParams &params, const Channel &channel, int x, int y) {
  const PixelComponent &c = *channel.component;
  const bool chroma = c.role == Role::u || c.role == Role::v;
  std::vector<int> window;
  for (int dy = -(params.height / 2); dy <= params.height / 2; ++dy)
    for (int dx = -(params.width / 2); dx <= params.width / 2; ++dx) {
      const int column = inside(params.border, x + dx, channel.columns());
      const int row = inside(params.border, y + dy, channel.rows);
      window.push_back(column >= 0 && row >= 0 ? channel.sample(column, row)
                       : chroma                ? 1 << (c.bits - 1)
                                               : params.border_value);
    }
  std::sort(window.begin(), window.end());
  const double last = static_cast<double>(window.size() - 1);
  return window[static_cast<std::size_t>(std::floor(params.percentile * last / 100 + 0.5))];
}

bool is_filtered(const MedianParams &params, const PixelComponent *c) {
  if (c == nullptr) return false;
  if (c->role == Role::alpha) return params.filter_alpha;
  return !params.luma_only || (c->role != Role::u && c->role != Role::v);
}

void filter_channel(const MedianParams &params, const Channel &channel,
                    const Plane<std::uint8_t> &out) {
  for (int y = 0; y < channel.rows; ++y)
    for (int x = 0; x < channel.columns(); ++x) {
      const int word = is_filtered(params, channel.component)
                           ? filtered(params, channel, x, y) << channel.component->shift
                           : channel.word(x, y);
      for (int i = 0; i < channel.bytes(); ++i)
        out.row(y)[channel.place(x) + static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(word >> 8 * i);
    }
}

}  // namespace

void median_reference(const MedianParams &params, const ConstImage &in, const Image &out) {
  for (int p = 0; p < in.format.planes; ++p) {
    const Plane<std::uint8_t> &plane = out.plane[p];
    const int rows = std::min(used_rows(in, p), plane.height);
    int step = 1;
    for (int i = 0; i < in.format.components; ++i)
      if (in.format.component[i].plane == p) step = in.format.component[i].step;
    for (int first = 0; first < step; ++first) {
      const PixelComponent *component = nullptr;
      for (int i = 0; i < in.format.components; ++i)
        if (in.format.component[i].plane == p && in.format.component[i].first == first)
          component = &in.format.component[i];
      filter_channel(params, {in, p, first, step, rows, component}, plane);
    }
    // A row that only the output has is the nearest one of its field.
    for (int y = rows; y < plane.height; ++y)
      std::memcpy(plane.row(y), plane.row(std::max(y - 2, 0)),
                  static_cast<std::size_t>(plane.width));
  }
}

}  // namespace coalesce::test
