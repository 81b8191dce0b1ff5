// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_picture.h"

#include <algorithm>
#include <cmath>

namespace coalesce::test {

using namespace j2k;

Samples Picture::samples(int c, const Rect &tile_component) const {
  const auto i = static_cast<std::size_t>(c);
  const Rect all = component_rect(params, c);
  return {plane[i].data(),
          static_cast<std::size_t>(all.width()) * 2,
          Container::u16,
          0,
          static_cast<std::uint8_t>(params.component[i].bits),
          0,
          1,
          tile_component.x0 - all.x0,
          tile_component.y0 - all.y0};
}

int Picture::at(int c, int x, int y) const {
  const Rect all = component_rect(params, c);
  return plane[c][static_cast<std::size_t>((y - all.y0) * all.width() + x - all.x0)];
}

Picture picture(const CodingParams &params, Random &random) {
  Picture p = {params, {}};
  for (int c = 0; c < params.num_components; ++c) {
    const Rect r = component_rect(params, c);
    const int most = (1 << params.component[static_cast<std::size_t>(c)].bits) - 1;
    std::vector<double> across;
    for (int x = r.x0; x < r.x1; ++x)
      across.push_back(0.4 * std::sin(x / 9.0 + c));
    for (int y = r.y0; y < r.y1; ++y) {
      const double down = std::cos(y / 7.0);
      for (int x = r.x0; x < r.x1; ++x) {
        const double smooth = 0.5 + across[static_cast<std::size_t>(x - r.x0)] * down;
        const double noise = (random.below(1001) - 500) / 5000.0;
        const double edge = (x + 2 * y) / 23 % 2 != 0 ? 0.1 : -0.1;
        p.plane[c].push_back(static_cast<std::uint16_t>(
            std::clamp(static_cast<int>(most * (smooth + noise + edge) + 0.5), 0, most)));
      }
    }
  }
  return p;
}

}  // namespace coalesce::test
