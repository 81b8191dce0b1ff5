// SPDX-License-Identifier: LGPL-2.1-or-later
// hide_outside() of disparities of any number, by maps of any places.
#include <algorithm>

#include "../remap/random_map.h"
#include "stereo/view.h"

namespace coalesce::test {
namespace {

struct Call {
  RemapMap left, right;
  Image disparities;
};
using Operation = std::function<Status(const Call &call, const Queue &queue)>;

Status outside_call(const Call &c, const Queue &queue) {
  return hide_outside(c.left, c.right, c.disparities, queue);
}

bool is_outside(const RemapMap &map, int x, int y) {
  const MapPoint at = map.point.row(y)[x];
  const int fraction = map.fraction.row(y)[x] % 1024;
  const double column = at.x + fraction % 32 / 32., row = at.y + fraction / 32 / 32.;
  return column < 0 || column > map.point.width - 1 || row < 0 || row > map.point.height - 1;
}

void reference(const RemapMap &left, const RemapMap &right, const ConstImage &in,
               const Image &out) {
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const std::uint8_t *from = in.plane[0].row(y) + 2 * x;
      const int disparity = from[0] | from[1] << 8;
      const int other = std::max(0, x - (disparity + 8) / 16);
      const bool hidden = is_outside(left, x, y) || is_outside(right, other, y);
      std::uint8_t *to = out.plane[0].row(y) + 2 * x;
      to[0] = hidden ? 0 : from[0], to[1] = hidden ? 0 : from[1];
    }
}

void copy_rows(const ConstImage &from, const Image &to) {
  for (int y = 0; y < from.height; ++y)
    std::copy_n(from.plane[0].row(y), 2 * from.width, to.plane[0].row(y));
}

std::string trial(const Operation &operation, bool planted, Random &random, int,
                  const Backend &backend) {
  const int width = random.between(1, random.pick({3, 70, 400}));
  const int height = random.between(1, random.pick({3, 40}));
  const LayoutOptions layout = {random.below(2) == 0, planted};
  InputPicture in({"GRAY16_LE", width, height}, layout, Pattern::noise, random);
  InputImage &plane = in.plane(0);
  const int most = random.pick({16, 16 * width, 0xFFFF});
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto disparity =
          static_cast<std::uint16_t>(random.below(4) == 0 ? 0 : random.below(most));
      std::memcpy(plane.image.plane().row(y) + 2 * x, &disparity, sizeof disparity);
    }
  std::copy_n(plane.image.data(), plane.image.size(), plane.before.data());
  OutputPicture out({"GRAY16_LE", width, height}, layout, random);
  RandomMap left(width, height, width, height, layout, random);
  RandomMap right(width, height, width, height, layout, random);
  const std::string what = std::to_string(width) + "x" + std::to_string(height) + in.text() +
                           out.text() + left.text() + right.text();
  const RemapMap given[] = {left.given(backend), right.given(backend)};
  const std::string difference = picture_trial(
      &in, &out, what, backend,
      [&](const ConstImage &from, const Image &to) {
        reference(left.map(), right.map(), from, to);
      },
      [&](const ConstImage &from, const Image &to) -> Status {
        // (The operation works in place.)
        if (backend.cuda)
          for (int y = 0; y < from.height; ++y)
            device_copy_async(to.plane[0].row(y), from.plane[0].row(y),
                              2 * static_cast<std::size_t>(from.width));
        else
          copy_rows(from, to);
        return operation({given[0], given[1], to}, backend.queue());
      });
  for (RandomMap *map : {&left, &right})
    if (const std::string changed = map->difference(backend); !changed.empty()) return changed;
  return difference;
}

PlantedBug bug(const char *name, void (*spoil)(Call *call)) {
  const Operation broken = [spoil](Call call, const Queue &queue) {
    spoil(&call);
    return outside_call(call, queue);
  };
  return {name, false, [broken](Random &random, int index, const Backend &backend) {
            return trial(broken, true, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("outside, does not look at the right picture", [](Call *c) { c->right = c->left; }),
      bug("outside, swaps the pictures", [](Call *c) { std::swap(c->left, c->right); }),
      bug("outside, ignores the pitch",
          [](Call *c) {
            c->disparities.plane[0].pitch = 2 * static_cast<std::size_t>(c->disparities.width);
          }),
  };
}

}  // namespace

Case outside_case() {
  return {"outside", 120,
          [](Random &random, int index, const Backend &backend) {
            return trial(outside_call, false, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
