// SPDX-License-Identifier: LGPL-2.1-or-later
// depths() and colours() of pictures of any numbers.
#include <algorithm>
#include <functional>

#include "../picture.h"
#include "picture/formats.h"
#include "stereo/colour_maps.h"
#include "stereo/view.h"

namespace coalesce::test {
namespace {

struct Call {
  bool coloured;
  std::uint32_t scale;
  ColourMap map;
  ColourRange range;
  ConstImage in;
  Image out;
};
using Operation = std::function<Status(const Call &call, const Queue &queue)>;

Status view_call(const Call &c, const Queue &queue) {
  return c.coloured ? colours(c.map, c.range, c.in, c.out, queue)
                    : depths(c.scale, c.in, c.out, queue);
}

int number_at(const ConstImage &image, int x, int y) {
  const std::uint8_t *row = image.plane[0].row(y) + 2 * x;
  return row[0] | row[1] << 8;
}

void depth_reference(const Call &c) {
  for (int y = 0; y < c.in.height; ++y)
    for (int x = 0; x < c.in.width; ++x) {
      const int v = number_at(c.in, x, y);
      // Half of an odd disparity is less than a half of the next number, so that is rounded, too.
      const double depth = v == 0 ? 0 : (double(c.scale) + v / 2) / v;
      const int whole = v == 0 ? 0 : static_cast<int>(std::clamp(depth, 1., 65535.));
      std::uint8_t *to = c.out.plane[0].row(y) + 2 * x;
      to[0] = static_cast<std::uint8_t>(whole & 0xFF);
      to[1] = static_cast<std::uint8_t>(whole >> 8);
    }
}

void colour_reference(const Call &c) {
  for (int y = 0; y < c.in.height; ++y)
    for (int x = 0; x < c.in.width; ++x) {
      const int v = number_at(c.in, x, y);
      const int from = std::clamp(v, c.range.first, c.range.last) - c.range.first;
      const int length = c.range.last - c.range.first;
      int index = 0;  // the last one that begins at this number, or before it
      while (index < 255 && (2 * index + 1) * length <= 510 * from)
        index++;
      const std::uint32_t rgb = v == 0 ? 0 : kColourMaps.colour[static_cast<int>(c.map)][index];
      const int step = c.out.format.component[0].step;
      std::uint8_t *to = c.out.plane[0].row(y) + x * step;
      std::fill_n(to, step, 255);
      to[c.out.format.find(Role::r)->first] = static_cast<std::uint8_t>(rgb >> 16);
      to[c.out.format.find(Role::g)->first] = static_cast<std::uint8_t>(rgb >> 8 & 0xFF);
      to[c.out.format.find(Role::b)->first] = static_cast<std::uint8_t>(rgb & 0xFF);
    }
}

std::string trial(const Operation &operation, int kind, Random &random, int index,
                  const Backend &backend) {
  static const auto formats = [] {
    std::vector<const char *> names;
    for (const NamedFormat &each : named_formats())
      if (colours_make(each.format)) names.push_back(each.name);
    return names;
  }();
  Call call = {};
  call.coloured = kind >= 0 ? kind == 1 : index % 2 == 1;
  // Most numbers of noise are beyond disparities: there are depths of few and of many bits.
  call.scale = static_cast<std::uint32_t>(random.between(1, random.pick({9, 70000, 0x7FFFFFFF})));
  call.map = static_cast<ColourMap>(random.below(2));
  call.range.first = random.between(0, random.pick({0, 300, 65534}));
  call.range.last = random.between(call.range.first + 1, 65535);
  const char *const format =
      call.coloured ? formats[static_cast<std::size_t>(index / 2) % formats.size()] : "GRAY16_LE";
  const int width = random.between(1, random.pick({9, 300, 1000}));
  const int height = random.between(1, random.pick({3, 40}));
  const LayoutOptions layout = {random.below(2) == 0, kind >= 0};
  InputPicture in({"GRAY16_LE", width, height}, layout, random_pattern(random), random);
  OutputPicture out({format, width, height}, layout, random);
  const std::string what = std::string(format) + " " + std::to_string(width) + "x" +
                           std::to_string(height) + ", scale " + std::to_string(call.scale) +
                           ", range " + std::to_string(call.range.first) + " to " +
                           std::to_string(call.range.last) + in.text() + out.text();
  return picture_trial(
      &in, &out, what, backend,
      [&](const ConstImage &from, const Image &to) {
        Call c = call;
        c.in = from, c.out = to;
        c.coloured ? colour_reference(c) : depth_reference(c);
      },
      [&](const ConstImage &from, const Image &to) {
        Call c = call;
        c.in = from, c.out = to;
        return operation(c, backend.queue());
      });
}

PlantedBug bug(const char *name, int kind, void (*spoil)(Call *call)) {
  const Operation broken = [spoil](Call call, const Queue &queue) {
    spoil(&call);
    return view_call(call, queue);
  };
  return {name, false, [broken, kind](Random &random, int index, const Backend &backend) {
            return trial(broken, kind, random, index, backend);
          }};
}

std::vector<PlantedBug> planted() {
  return {
      bug("views, another scale", 0, [](Call *c) { c->scale = c->scale / 2 + 1; }),
      bug("views, the other map", 1,
          [](Call *c) {
            c->map = c->map == ColourMap::turbo ? ColourMap::viridis : ColourMap::turbo;
          }),
      bug("views, a range that ends early", 1,
          [](Call *c) { c->range.last = (c->range.first + c->range.last + 1) / 2; }),
      bug("views, red for blue", 1,
          [](Call *c) {
            for (PixelComponent &component : c->out.format.component)
              component.role = component.role == Role::r   ? Role::b
                               : component.role == Role::b ? Role::r
                                                           : component.role;
          }),
      bug("views, ignores the pitch", 0,
          [](Call *c) { c->in.plane[0].pitch = static_cast<std::size_t>(2 * c->in.width); }),
  };
}

}  // namespace

Case views_case() {
  return {"views", 200,
          [](Random &random, int index, const Backend &backend) {
            return trial(view_call, -1, random, index, backend);
          },
          planted};
}

}  // namespace coalesce::test
