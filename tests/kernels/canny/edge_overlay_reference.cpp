// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edge_overlay_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

namespace coalesce::test {
namespace {

// The row of a component that has the chroma of a pixel.
int row_of(const PixelComponent &c, int y, bool interlaced) {
  if (c.log2_height == 0) return y;
  return interlaced ? y / 2 / 2 * 2 + y % 2 : y / 2;
}

}  // namespace

void edge_overlay_reference(const EdgeColour &colour, const ConstImage &edges, const ConstImage &in,
                            const Image &out) {
  for (int p = 0; p < in.format.planes; ++p) {
    const int used = used_rows(in, p);
    for (int y = 0; y < out.plane[p].height; ++y)
      std::memcpy(out.plane[p].row(y), in.plane[p].row(y < used ? y : std::max(used - 2, 0)),
                  static_cast<std::size_t>(out.plane[p].width));
  }
  for (int i = 0; i < in.format.components; ++i) {
    const PixelComponent &c = in.format.component[i];
    if (c.role == Role::alpha) continue;
    const int used = used_rows(in, c.plane);
    // By row and column of samples.
    std::map<std::pair<int, int>, int> strengths;
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x) {
        int &strongest = strengths[{row_of(c, y, in.interlaced), x >> c.log2_width}];
        strongest = std::max(strongest, int{edges.plane[0].row(y)[x]});
      }
    for (const auto &[place, strength] : strengths) {
      const auto [row, column] = place;
      if (strength == 0 || row >= out.plane[c.plane].height) continue;
      const std::uint8_t *from = in.plane[c.plane].row(row < used ? row : std::max(used - 2, 0));
      const int at = c.first + column * c.step;
      const double whole = 255.0 * 255, weight = colour.opacity * strength;
      const double mixed = from[at] * (whole - weight) + colour.sample[i] * weight;
      out.plane[c.plane].row(row)[at] = static_cast<std::uint8_t>(std::floor(mixed / whole + 0.5));
    }
  }
}

}  // namespace coalesce::test
