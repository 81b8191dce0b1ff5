// SPDX-License-Identifier: LGPL-2.1-or-later
// remap() of pictures of every format, by maps of any places.
#include <algorithm>
#include <cmath>

#include "picture/formats.h"
#include "picture/luma.h"
#include "random_map.h"

namespace coalesce::test {
namespace {

struct Call {
  RemapMap map;
  ConstImage in;
  Image out;
};
using Operation = std::function<Status(const Call &call, const Queue &queue)>;

Status remap_call(const Call &c, const Queue &queue) {
  return remap(c.map, c.in, c.out, queue);
}

int sample_at(const ConstImage &image, int x, int y) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height) return 0;
  const PixelComponent &c = *luma_by_itself(image.format);
  const std::uint8_t *row = image.of(c).row(y);
  const int place = c.first + x * c.step;
  if (c.container == Container::u8) return row[place];
  const int word = row[2 * place] | row[2 * place + 1] << 8;
  return (word >> c.shift) % (1 << c.bits) * (1 << (16 - c.bits));
}

void reference(const Call &c) {
  const bool bytes = luma_by_itself(c.in.format)->container == Container::u8;
  for (int y = 0; y < c.out.height; ++y)
    for (int x = 0; x < c.out.width; ++x) {
      const MapPoint at = c.map.point.row(y)[x];
      const int fraction = c.map.fraction.row(y)[x] % 1024;
      const int fx = fraction % 32, fy = fraction / 32;
      double exact = 0;
      float sum = 0;
      for (int down = 0; down < 2; ++down)
        for (int right = 0; right < 2; ++right) {
          const double weight = (right == 1 ? fx : 32 - fx) * (down == 1 ? fy : 32 - fy) / 1024.;
          const int sample = sample_at(c.in, at.x + right, at.y + down);
          exact += weight * sample;
          const auto product = static_cast<float>(weight * sample);  // rounded once
          sum += product;
        }
      const int value = static_cast<int>(bytes ? std::floor(exact + 0.5) : std::nearbyint(sum));
      std::uint8_t *to = c.out.plane[0].row(y) + (bytes ? x : 2 * x);
      to[0] = static_cast<std::uint8_t>(value & 0xFF);
      if (!bytes) to[1] = static_cast<std::uint8_t>(value >> 8);
    }
}

std::vector<const char *> formats() {
  std::vector<const char *> names;
  for (const NamedFormat &each : named_formats())
    if (luma_by_itself(each.format) != nullptr) names.push_back(each.name);
  return names;
}

std::string trial(const Operation &operation, bool planted, Random &random, int index,
                  const Backend &backend) {
  static const auto all = formats();
  const char *const format = planted ? random.pick({"GRAY8", "I420_10LE", "P010_10LE"})
                                     : all[static_cast<std::size_t>(index) % all.size()];
  const int width = random.between(1, random.pick({3, 70, 400}));
  const int height = random.between(1, random.pick({3, 40}));
  const bool same = random.below(2) == 0;
  const int out_width = same ? width : random.between(1, 100);
  const int out_height = same ? height : random.between(1, 30);
  const bool bytes = luma_by_itself(pixel_format(format))->container == Container::u8;
  const LayoutOptions layout = {random.below(2) == 0, planted};
  InputPicture in({format, width, height}, layout, random_pattern(random), random);
  OutputPicture out({bytes ? "GRAY8" : "GRAY16_LE", out_width, out_height}, layout, random);
  RandomMap map(out_width, out_height, width, height, layout, random);
  const std::string what = std::string(format) + " " + std::to_string(width) + "x" +
                           std::to_string(height) + " to " + std::to_string(out_width) + "x" +
                           std::to_string(out_height) + in.text() + out.text() + map.text();
  const RemapMap given = map.given(backend);
  const std::string difference = picture_trial(
      &in, &out, what, backend,
      [&](const ConstImage &from, const Image &to) {
        reference({map.map(), from, to});
      },
      [&](const ConstImage &from, const Image &to) {
        return operation({given, from, to}, backend.queue());
      });
  return difference.empty() ? map.difference(backend) : difference;
}

PlantedBug bug(const char *name, void (*spoil)(Call *call)) {
  const Operation broken = [spoil](Call call, const Queue &queue) {
    spoil(&call);
    return remap_call(call, queue);
  };
  return {name, false, [broken](Random &random, int index, const Backend &backend) {
            return trial(broken, true, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("remap, the last column is outside",
          [](Call *c) { c->in.width = std::max(1, c->in.width - 1); }),
      bug("remap, the row below is outside",
          [](Call *c) { c->in.height = std::max(1, c->in.height - 1); }),
      bug("remap, ignores the pitch",
          [](Call *c) { c->in.plane[0].pitch = static_cast<std::size_t>(c->in.plane[0].width); }),
      bug("remap, ignores the map's pitch",
          [](Call *c) {
            c->map.fraction.pitch = 2 * static_cast<std::size_t>(c->map.fraction.width);
          }),
  };
}

}  // namespace

Case remap_case() {
  return {"remap", 200,
          [](Random &random, int index, const Backend &backend) {
            return trial(remap_call, false, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
