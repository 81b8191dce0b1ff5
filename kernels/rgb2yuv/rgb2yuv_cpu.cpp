// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../core/thread_pool.h"
#include "rgb2yuv.h"
#include "rgb2yuv_pixel.h"

namespace coalesce {
namespace {

struct Pixel {
  int r, g, b, a;
};

class Picture {
 public:
  Picture(const Rgb2yuvParams &params, const RgbImage &in)
      : in_(in), order_(rgb_order(params.in)), params_(params) {}

  int width() const { return in_.plane[0].width / order_.step; }
  int height() const { return in_.plane[0].height; }

  Pixel at(int x, int y) const {
    x = std::clamp(x, 0, width() - 1);
    if (params_.in == RgbLayout::planar)
      return {in_.plane[0].row(y)[x], in_.plane[1].row(y)[x], in_.plane[2].row(y)[x], kOpaque};
    const std::uint8_t *p = in_.plane[0].row(y) + static_cast<std::ptrdiff_t>(x) * order_.step;
    return {p[order_.r], p[order_.g], p[order_.b], params_.alpha ? p[order_.x] : kOpaque};
  }

 private:
  const RgbImage &in_;
  RgbOrder order_;
  const Rgb2yuvParams &params_;
};

}  // namespace

Status rgb2yuv_cpu(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
                   ThreadPool *pool) {
  const Picture picture(params, in);
  const YuvWeights w = yuv_weights(params);
  const ChromaShift shift = chroma_shift(params.out);
  const int width = picture.width(), height = picture.height();

  const auto sample = [](const ComponentWeights &c, const Pixel &p) {
    return saturated(rounded(c.sum(p.r, p.g, p.b), c.bias, 0));
  };
  const auto filtered = [&](const ComponentWeights &c, int cx, int cy) {
    const int x = cx << shift.across;
    const ChromaRows rows = shift.down ? chroma_rows(cy, params.interlaced) : ChromaRows{cy, 1};
    const int hw[3] = {params.h_cosited ? 1 : 0, params.h_cosited ? 2 : 1, 1};
    const int vw[3] = {params.v_cosited ? 1 : 0, params.v_cosited ? 2 : 1, 1};
    int sum = 0, bits = 0;
    for (int j = shift.down ? -1 : 0; j <= (shift.down ? 1 : 0); ++j)
      for (int i = shift.across ? -1 : 0; i <= (shift.across ? 1 : 0); ++i) {
        const int weight = (shift.down ? vw[j + 1] : 1) * (shift.across ? hw[i + 1] : 1);
        const Pixel p = picture.at(x + i, clamp_row(rows.first + j * rows.step, height, rows.step));
        sum += weight * c.sum(p.r, p.g, p.b);
      }
    if (shift.across) bits += params.h_cosited ? 2 : 1;
    if (shift.down) bits += params.v_cosited ? 2 : 1;
    return saturated(rounded(sum, c.bias, bits));
  };

  for_ranges(pool, height, std::max(1, (1 << 14) / width), [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      std::uint8_t *row = out.plane[0].row(y);
      for (int x = 0; x < width; ++x) {
        const Pixel p = picture.at(x, y);
        const std::uint8_t luma = sample(w.y, p);
        switch (params.out) {
          case YuvLayout::ayuv:
            row[4 * x] = static_cast<std::uint8_t>(p.a);
            row[4 * x + 1] = luma;
            row[4 * x + 2] = sample(w.u, p);
            row[4 * x + 3] = sample(w.v, p);
            break;
          case YuvLayout::vuya:
            row[4 * x] = sample(w.v, p);
            row[4 * x + 1] = sample(w.u, p);
            row[4 * x + 2] = luma;
            row[4 * x + 3] = static_cast<std::uint8_t>(p.a);
            break;
          case YuvLayout::yuy2:
          case YuvLayout::uyvy: {
            std::uint8_t *pair = row + 4 * (x / 2);
            const int luma_at = params.out == YuvLayout::yuy2 ? 0 : 1;
            pair[luma_at + 2 * (x % 2)] = luma;
            if (x % 2 == 1) break;
            pair[luma_at + 2] = luma;
            pair[1 - luma_at] = filtered(w.u, x / 2, y);
            pair[3 - luma_at] = filtered(w.v, x / 2, y);
            break;
          }
          default:
            row[x] = luma;
        }
      }
    }
  });

  const bool pairs = params.out == YuvLayout::nv12 || params.out == YuvLayout::nv21;
  const bool planar = params.out == YuvLayout::planar444 || params.out == YuvLayout::planar422 ||
                      params.out == YuvLayout::planar420;
  if (!pairs && !planar) return {};
  for_ranges(pool, out.plane[1].height, std::max(1, (1 << 14) / width), [&](int first, int last) {
    for (int y = first; y < last; ++y)
      for (int x = 0; x < (width + shift.across) >> shift.across; ++x) {
        const std::uint8_t u = filtered(w.u, x, y), v = filtered(w.v, x, y);
        if (planar) {
          out.plane[1].row(y)[x] = u;
          out.plane[2].row(y)[x] = v;
        } else {
          out.plane[1].row(y)[2 * x] = params.out == YuvLayout::nv12 ? u : v;
          out.plane[1].row(y)[2 * x + 1] = params.out == YuvLayout::nv12 ? v : u;
        }
      }
  });
  return {};
}

}  // namespace coalesce
