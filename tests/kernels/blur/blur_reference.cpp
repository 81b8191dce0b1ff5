// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blur_reference.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../convolve/convolve_reference.h"
#include "../sample_bits.h"
#include "picture/rows.h"

namespace coalesce::test {
namespace {

using Number = std::int64_t;

// Samples of any place in a rectangle that need not begin at 0.
struct Samples {
  int left, top, width, height;
  std::vector<Number> at;

  Samples(int x, int y, int w, int h)
      : left(x),
        top(y),
        width(w),
        height(h),
        at(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  Number &operator()(int x, int y) {
    return at[static_cast<std::size_t>((y - top) * width + (x - left))];
  }
};

// floor(number / divisor + 1/2), of what is not negative.
Number rounded(Number number, Number divisor) {
  return (2 * number + divisor) / (2 * divisor);
}

// A component with all that its border must be known of.
Samples surrounded(const BlurParams &params, const ConstImage &in, const PixelComponent &c,
                   int columns, int rows, int margin, int outside) {
  const RowReader read(c);
  std::vector<std::vector<std::uint16_t>> picture;
  for (int y = 0; y < rows; ++y) {
    picture.emplace_back(static_cast<std::size_t>(columns) + 64);
    read(in.of(c).row(y), 0, columns, picture.back().data());
  }
  Samples all(-margin, -margin, columns + 2 * margin, rows + 2 * margin);
  std::vector<int> column;
  for (int x = -margin; x < columns + margin; ++x)
    column.push_back(position_inside(params.border, x, columns));
  for (int y = -margin; y < rows + margin; ++y) {
    const int row = position_inside(params.border, y, rows);
    for (int x = -margin; x < columns + margin; ++x) {
      const int from = column[static_cast<std::size_t>(x + margin)];
      all(x, y) = row < 0 || from < 0
                      ? outside
                      : picture[static_cast<std::size_t>(row)][static_cast<std::size_t>(from)];
    }
  }
  return all;
}

void blur_component(const BlurParams &params, const ConstImage &in, const Image &out,
                    const PixelComponent &c, bool is_chroma) {
  const Blur &blur = *params.blur;
  const int f = 1 << blur.log2_factor, reach = blur.reach;
  const int columns = -(-in.width >> c.log2_width);
  const int rows = std::min(used_rows(in, c.plane), out.of(c).height);
  const int outside = is_chroma ? 1 << (c.bits - 1) : params.border_value;
  const int across = (columns + f - 1) / f, down = (rows + f - 1) / f;  // cells
  Samples picture = surrounded(params, in, c, columns, rows, (reach + 3) * f, outside);

  Samples low(-reach, -reach, across + 2 * reach + 1, down + 2 * reach + 1);
  for (int j = low.top; j < low.top + low.height; ++j)
    for (int i = low.left; i < low.left + low.width; ++i) {
      Number sum = 0;
      for (int y = 1 - f; y < f; ++y)
        for (int x = 1 - f; x < f; ++x)
          sum += (f - std::abs(x)) * (f - std::abs(y)) * picture(f * i + x, f * j + y);
      low(i, j) = rounded(sum << (16 - c.bits), Number{f} * f * f * f);
    }

  Samples half(low.left, -1, low.width, down + 2), smooth(-1, -1, across + 2, down + 2);
  for (int j = -1; j < down + 1; ++j)
    for (int i = half.left; i < half.left + half.width; ++i) {
      Number sum = 0;
      for (int q = 1 - reach; q <= reach; ++q)
        sum += blur.tap[q + reach - 1] * low(i, j + q);
      half(i, j) = rounded(sum, 1 << 15);
    }
  for (int j = -1; j < down + 1; ++j)
    for (int i = -1; i < across + 1; ++i) {
      Number sum = 0;
      for (int p = 1 - reach; p <= reach; ++p)
        sum += blur.tap[p + reach - 1] * half(i + p, j);
      smooth(i, j) = rounded(sum, 1 << 15);
    }

  const auto before = [f](int at) { return Number{f - at} * (f - at); };
  const auto behind = [](int at) { return Number{at} * at; };
  const auto here = [&](int at) { return 2 * Number{f} * f - before(at) - behind(at); };
  const Number f4 = Number{f} * f * f * f;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const int i = x / f, j = y / f;
      const auto column = [&](int k) {
        const Number sum = before(y % f) * smooth(k, j - 1) + here(y % f) * smooth(k, j) +
                           behind(y % f) * smooth(k, j + 1);
        return rounded(sum << 14, f4);
      };
      const Number all =
          before(x % f) * column(i - 1) + here(x % f) * column(i) + behind(x % f) * column(i + 1);
      const auto sample = static_cast<int>(rounded(all, Number{1} << (32 - c.bits)));
      write_bits(out.of(c).row(y), c, x, sample);
      // The second luma of an odd width's last pair.
      const bool pairs = in.format.planes == 1 && in.format.components > 1 &&
                         in.format.component[1].log2_width == 1;
      if (pairs && c.role == Role::y && x + 1 == columns && columns % 2 == 1)
        write_bits(out.of(c).row(y), c, x + 1, sample);
    }
}

}  // namespace

void blur_reference(const BlurParams &params, const ConstImage &in, const Image &out) {
  const PixelFormat &format = in.format;
  for (int p = 0; p < format.planes; ++p)
    for (int y = 0; y < std::min(used_rows(in, p), out.plane[p].height); ++y)
      std::memcpy(out.plane[p].row(y), in.plane[p].row(y),
                  static_cast<std::size_t>(in.plane[p].width));
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    const bool is_chroma = c.role == Role::u || c.role == Role::v;
    const bool is_copied = is_chroma
                               ? params.luma_only
                               : c.role == Role::alpha && !(params.filter_alpha && c.bits > 2);
    if (!is_copied) blur_component(params, in, out, c, is_chroma);
  }
  // The row more that only the output has.
  for (int p = 0; p < format.planes; ++p) {
    const int missing = used_rows(in, p);
    if (out.plane[p].height > missing)
      std::memcpy(out.plane[p].row(missing), out.plane[p].row(std::max(missing - 2, 0)),
                  static_cast<std::size_t>(out.plane[p].width));
  }
}

}  // namespace coalesce::test
