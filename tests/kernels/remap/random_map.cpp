// SPDX-License-Identifier: LGPL-2.1-or-later
#include "random_map.h"

#include <algorithm>

namespace coalesce::test {
namespace {

void keep(InputImage *plane) {
  std::copy_n(plane->image.data(), plane->image.size(), plane->before.data());
}

int coordinate(int pixel, int size, int kind, Random &random) {
  switch (kind) {
    case 0:
      return pixel + random.between(-2, 2);
    case 1:
      return random.between(-3, size + 2);
    case 2:
      return random.pick({-1, 0, size - 2, size - 1, size});
    default:
      return random.between(-32768, 32767);
  }
}

}  // namespace

RandomMap::RandomMap(int width, int height, int source_width, int source_height,
                     const LayoutOptions &options, Random &random)
    : points_({"Y410", width, height}, options, Pattern::noise, random),
      fractions_({"GRAY16_LE", width, height}, options, Pattern::noise, random) {
  InputImage &points = points_.plane(0), &fractions = fractions_.plane(0);
  const int kind = random.below(5);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int own = kind == 4 ? random.below(4) : kind;
      const int column = coordinate(x, source_width, own, random);
      const int row = coordinate(y, source_height, own, random);
      const std::int16_t at[] = {static_cast<std::int16_t>(column), static_cast<std::int16_t>(row)};
      std::memcpy(points.image.plane().row(y) + 4 * x, at, sizeof at);
      // Half of the places are those of a sample, in one direction or in both.
      const int kept = random.pick({0xFFFF, 0xFFFF, 0xFFFF, 0xFC1F, 0xFFE0, 0});
      const auto fraction = static_cast<std::uint16_t>(random.below(0x10000) & kept);
      std::memcpy(fractions.image.plane().row(y) + 2 * x, &fraction, sizeof fraction);
    }
  keep(&points);
  keep(&fractions);
}

RemapMap RandomMap::map_of(const ConstImage &points, const ConstImage &fractions) {
  const Plane<const std::uint8_t> &p = points.plane[0], &f = fractions.plane[0];
  return {{reinterpret_cast<const MapPoint *>(p.data), points.width, points.height, p.pitch},
          {reinterpret_cast<const std::uint16_t *>(f.data), points.width, points.height, f.pitch}};
}

}  // namespace coalesce::test
