// SPDX-License-Identifier: LGPL-2.1-or-later
#include "median_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../sample_bits.h"

namespace coalesce::test {
namespace {

// A component's samples.
struct Channel {
  int columns, rows;
  std::vector<int> samples;

  int at(int x, int y) const { return samples[static_cast<std::size_t>(y * columns + x)]; }
};

Channel read_channel(const PixelComponent &c, const ConstImage &in, int rows) {
  const int columns = (in.width + (1 << c.log2_width) - 1) >> c.log2_width;
  Channel channel = {columns, rows, {}};
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      channel.samples.push_back(read_bits(in.plane[c.plane].row(y), c, x));
  return channel;
}

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

int filtered(const MedianParams &params, const PixelComponent &c, const Channel &channel, int x,
             int y) {
  const bool chroma = c.role == Role::u || c.role == Role::v;
  std::vector<int> window;
  for (int dy = -(params.height / 2); dy <= params.height / 2; ++dy)
    for (int dx = -(params.width / 2); dx <= params.width / 2; ++dx) {
      const int column = inside(params.border, x + dx, channel.columns);
      const int row = inside(params.border, y + dy, channel.rows);
      window.push_back(column >= 0 && row >= 0 ? channel.at(column, row)
                       : chroma                ? 1 << (c.bits - 1)
                                               : params.border_value);
    }
  std::sort(window.begin(), window.end());
  const double last = static_cast<double>(window.size() - 1);
  return window[static_cast<std::size_t>(std::floor(params.percentile * last / 100 + 0.5))];
}

// Alpha of two bits never is.
bool is_filtered(const MedianParams &params, const PixelComponent &c) {
  if (c.role == Role::alpha) return params.filter_alpha && c.bits > 2;
  return !params.luma_only || (c.role != Role::u && c.role != Role::v);
}

}  // namespace

// Bits that no filtered component has stay.
void median_reference(const MedianParams &params, const ConstImage &in, const Image &out) {
  for (int p = 0; p < in.format.planes; ++p) {
    const Plane<std::uint8_t> &plane = out.plane[p];
    const int rows = std::min(used_rows(in, p), plane.height);
    for (int y = 0; y < rows; ++y)
      std::memcpy(plane.row(y), in.plane[p].row(y), static_cast<std::size_t>(plane.width));
    for (int i = 0; i < in.format.components; ++i) {
      const PixelComponent &c = in.format.component[i];
      if (c.plane != p || !is_filtered(params, c)) continue;
      const Channel channel = read_channel(c, in, rows);
      // The second luma of an odd width's last pair repeats the first.
      const bool in_pairs = c.step == 2 && in.format.component[1].step == 4;
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < channel.columns + (in_pairs ? channel.columns & 1 : 0); ++x)
          write_bits(plane.row(y), c, x,
                     filtered(params, c, channel, std::min(x, channel.columns - 1), y));
    }
    // A row that only the output has is the nearest one of its field.
    for (int y = rows; y < plane.height; ++y)
      std::memcpy(plane.row(y), plane.row(std::max(y - 2, 0)),
                  static_cast<std::size_t>(plane.width));
  }
}

}  // namespace coalesce::test
