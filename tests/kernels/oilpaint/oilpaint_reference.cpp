// SPDX-License-Identifier: LGPL-2.1-or-later
#include "oilpaint_reference.h"

#include <algorithm>
#include <cstring>

#include "../sample_bits.h"

namespace coalesce::test {
namespace {

// The row of component c that pixels of row y have, in a plane of any height.
int row_of(const ConstImage &image, const PixelComponent &c, int y) {
  if (!image.interlaced || c.log2_height != 1) return y >> c.log2_height;
  const int field = y % 2, row_of_field = y / 2;
  return row_of_field / 2 * 2 + field;
}

OilPixels read_pixels(const ConstImage &in) {
  OilPixels pixels = {in.width, in.height, in.format.has(Role::r), {}};
  pixels.pixels.resize(static_cast<std::size_t>(in.width * in.height));
  for (int i = 0; i < in.format.components; ++i) {
    const PixelComponent &c = in.format.component[i];
    if (c.role == Role::alpha) continue;
    for (int y = 0; y < in.height; ++y) {
      int row = row_of(in, c, y);
      while (row >= used_rows(in, c.plane))
        row -= 2;  // of the same field
      for (int x = 0; x < in.width; ++x)
        pixels.at(x, y)[static_cast<std::size_t>(i)] =
            read_bits(in.plane[c.plane].row(std::max(row, 0)), c, x >> c.log2_width);
    }
  }
  return pixels;
}

// Sample x of a row: the mean of all pixels that have it.
int mean(const OilPixels &pixels, const ConstImage &image, int component, int x, int row) {
  const PixelComponent &c = image.format.component[component];
  int sum = 0, count = 0;
  for (int py = 0; py < pixels.height; ++py)
    for (int px = x << c.log2_width; px < std::min((x + 1) << c.log2_width, pixels.width); ++px)
      if (row_of(image, c, py) == row) {
        sum += pixels.at(px, py)[static_cast<std::size_t>(component)];
        ++count;
      }
  return count == 0 ? -1 : (2 * sum + count) / (2 * count);
}

OilPixels paint(const OilpaintParams &params, int components, const OilPixels &in,
                OilStateReference *state) {
  if (params.method == OilMethod::strokes) return strokes_reference(params, components, in, state);
  return params.method == OilMethod::mode ? mode_reference(params, in)
                                          : kuwahara_reference(params, in);
}

}  // namespace

int OilPixels::intensity(int x, int y) const {
  const std::array<int, 3> &p = at(x, y);
  return rgb ? (9798 * p[0] + 19235 * p[1] + 3735 * p[2] + 16384) / 32768 : p[0];
}

void oilpaint_reference(const OilpaintParams &params, const ConstImage &in, const Image &out,
                        OilStateReference *state) {
  const int components = in.format.has(Role::grey) ? 1 : 3;
  const OilPixels painted = paint(params, components, read_pixels(in), state);
  for (int p = 0; p < in.format.planes; ++p)
    for (int y = 0; y < std::min(in.plane[p].height, out.plane[p].height); ++y)
      std::memcpy(out.plane[p].row(y), in.plane[p].row(y),
                  static_cast<std::size_t>(out.plane[p].width));
  for (int i = 0; i < in.format.components; ++i) {
    const PixelComponent &c = in.format.component[i];
    if (c.role == Role::alpha) continue;
    const bool in_pairs = c.step == 2 && in.format.component[1].step == 4;
    const int columns = (in.width + (1 << c.log2_width) - 1) >> c.log2_width;
    for (int y = 0; y < out.plane[c.plane].height; ++y)
      for (int x = 0; x < columns + (in_pairs ? columns & 1 : 0); ++x) {
        const int column = std::min(x, columns - 1);
        int sample = mean(painted, in, i, column, y);
        for (int row = y - 2; sample < 0; row -= 2)  // a row that no pixel has
          sample = mean(painted, in, i, column, std::max(row, 0));
        write_bits(out.plane[c.plane].row(y), c, x, sample);
      }
  }
}

}  // namespace coalesce::test
