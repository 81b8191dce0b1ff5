// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures for the trials of stereo and multiview.
#pragma once

#include <algorithm>
#include <cstring>

#include "../picture.h"
#include "picture/formats.h"
#include "picture/luma.h"

namespace coalesce::test {

// GRAY8 or GRAY16_LE every other time, else one after the other of those that have luma or grey in
// bytes or words of its own.
inline const char *luma_format(int index, Random &random) {
  static const auto all = [] {
    std::vector<const char *> found;
    for (const NamedFormat &each : named_formats())
      if (luma_by_itself(each.format) != nullptr) found.push_back(each.name);
    return found;
  }();
  return random.below(2) == 0 ? random.pick({"GRAY8", "GRAY16_LE"})
                              : all[static_cast<std::size_t>(index) % all.size()];
}

// Of so many pixels at most.
inline PictureShape random_shape(const char *format, int most, Random &random) {
  PictureShape shape = {format, random.between(1, random.pick({20, 100, 400, 900})), 1};
  shape.width = std::min(shape.width, most);
  shape.height = std::clamp(most / shape.width, 1, random.pick({2, 20, 90, 200}));
  shape.interlaced = random.below(4) == 0;
  return shape;
}

// Luma or grey is that of another picture, whose column is column_of(x, y), with noise in some of
// its samples. (What is no sample is copied, too.)
template <class ColumnOf>
void draw_moved(const InputPicture &from_picture, InputPicture *picture, Random &random,
                const ColumnOf &column_of) {
  const ConstImage from = from_picture.image();
  const PixelComponent &c = *luma_by_itself(from.format);
  const int bytes = c.container == Container::u16 ? 2 : 1, pixel = bytes * c.step;
  InputImage &plane = picture->plane(c.plane);
  const Plane<std::uint8_t> to = plane.image.plane();
  const int noise = random.pick({0, 2, 10, 40});
  for (int y = 0; y < from.height; ++y)
    for (int x = 0; x < from.width; ++x) {
      const int column = std::clamp(column_of(x, y), 0, from.width - 1);
      if (noise > 0 && random.below(noise) == 0) continue;
      std::memcpy(to.row(y) + x * pixel + bytes * c.first,
                  from.plane[c.plane].row(y) + column * pixel + bytes * c.first,
                  static_cast<std::size_t>(bytes));
    }
  std::copy_n(plane.image.data(), plane.image.size(), plane.before.data());
}

}  // namespace coalesce::test
