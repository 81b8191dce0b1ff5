// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv.h"

#include <cmath>
#include <initializer_list>

#include "rgb2yuv_pixel.h"

namespace coalesce {
namespace {

struct Size {
  int width, height;
};

// Is the plane what the contract says? `spare_row`: one row more is allowed.
Status check_size(const Plane<const std::uint8_t> &plane, Size size, bool spare_row,
                  const char *wrong) {
  if (Status s = check_plane(plane); !s.ok()) return s;
  if (plane.width != size.width) return invalid_argument(wrong);
  if (plane.height != size.height && !(spare_row && plane.height == size.height + 1))
    return invalid_argument(wrong);
  return {};
}

Size first_plane_size(YuvLayout layout, Size picture) {
  switch (layout) {
    case YuvLayout::ayuv:
    case YuvLayout::vuya:
      return {4 * picture.width, picture.height};
    case YuvLayout::yuy2:
    case YuvLayout::uyvy:
      return {4 * ((picture.width + 1) / 2), picture.height};
    default:
      return picture;
  }
}

Size chroma_size(YuvLayout layout, Size picture) {
  const ChromaShift shift = chroma_shift(layout);
  const int width = (picture.width + shift.across) >> shift.across;
  const int height = (picture.height + shift.down) >> shift.down;
  return {chroma_in_pairs(layout) ? 2 * width : width, height};
}

Status check_params(const Rgb2yuvParams &params) {
  if (params.in > RgbLayout::planar) return invalid_argument("rgb2yuv: no such RGB layout");
  if (params.out > YuvLayout::uyvy) return invalid_argument("rgb2yuv: no such YUV layout");
  if (params.matrix > YuvMatrix::fcc) return invalid_argument("rgb2yuv: no such matrix");
  if (params.in_range > SampleRange::limited || params.out_range > SampleRange::limited)
    return invalid_argument("rgb2yuv: no such range");
  if (params.alpha && rgb_order(params.in).x < 0)
    return invalid_argument("rgb2yuv: this RGB layout has no alpha");
  return {};
}

Status check_planes(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out) {
  const int step = rgb_order(params.in).step;
  if (Status s = check_plane(in.plane[0]); !s.ok()) return s;
  if (in.plane[0].width % step != 0)
    return invalid_argument("rgb2yuv: the RGB plane is not a whole number of pixels wide");
  // The bytes of a packed row of any layout, and of the sums of positions inside it, fit an int.
  const Size picture = {in.plane[0].width / step, in.plane[0].height};
  if (picture.width > (1 << 28))
    return invalid_argument("rgb2yuv: the picture is too wide; the limit is 2^28 pixels");
  for (int i = 1; i < (params.in == RgbLayout::planar ? 3 : 1); ++i)
    if (Status s =
            check_size(in.plane[i], picture, false, "rgb2yuv: the RGB planes differ in size");
        !s.ok())
      return s;
  if (Status s = check_size(out.plane[0], first_plane_size(params.out, picture), false,
                            "rgb2yuv: the first YUV plane has not the size of the picture");
      !s.ok())
    return s;
  const Size chroma = chroma_size(params.out, picture);
  const bool spare_row =
      params.interlaced && chroma_shift(params.out).down == 1 && chroma.height % 2 == 1;
  for (int i = 1; i < yuv_planes(params.out); ++i)
    if (Status s = check_size(out.plane[i], chroma, spare_row,
                              "rgb2yuv: a chroma plane has not the size that the layout wants");
        !s.ok())
      return s;
  if (yuv_planes(params.out) == 3 && out.plane[1].height != out.plane[2].height)
    return invalid_argument("rgb2yuv: the chroma planes differ in height");
  return {};
}

struct RedBlue {
  double red, blue;
};

// Shares of red and blue in luma: ITU-R BT.601, BT.709, BT.2020, SMPTE 240M, FCC 73.682.
RedBlue shares(YuvMatrix matrix) {
  switch (matrix) {
    case YuvMatrix::bt709:
      return {0.2126, 0.0722};
    case YuvMatrix::bt2020:
      return {0.2627, 0.0593};
    case YuvMatrix::smpte240m:
      return {0.212, 0.087};
    case YuvMatrix::fcc:
      return {0.30, 0.11};
    case YuvMatrix::bt601:
      break;
  }
  return {0.299, 0.114};
}

constexpr double kOne = 1 << kWeightBits;

int nearest(double value) {
  return static_cast<int>(std::floor(value + 0.5));
}

// Each weight to the nearest integer; what their sum then lacks goes to those that rounding has
// moved furthest the other way.
ComponentWeights quantised(double red, double green, double blue) {
  const double exact[3] = {red * kOne, green * kOne, blue * kOne};
  int weight[3];
  int missing = nearest(exact[0] + exact[1] + exact[2]);
  for (int i = 0; i < 3; ++i) {
    weight[i] = nearest(exact[i]);
    missing -= weight[i];
  }
  for (; missing != 0; missing -= missing > 0 ? 1 : -1) {
    const int step = missing > 0 ? 1 : -1;
    int furthest = 0;
    for (int i = 1; i < 3; ++i)
      if (step * (exact[i] - weight[i]) > step * (exact[furthest] - weight[furthest])) furthest = i;
    weight[furthest] += step;
  }
  return {static_cast<std::int16_t>(weight[0]), static_cast<std::int16_t>(weight[1]),
          static_cast<std::int16_t>(weight[2]), 0};
}

}  // namespace

RgbLayout rgb_layout(const PixelFormat &format) {
  const PixelComponent &r = *format.find(Role::r), &b = *format.find(Role::b);
  for (const RgbLayout layout : {RgbLayout::rgb, RgbLayout::bgr, RgbLayout::rgbx, RgbLayout::bgrx,
                                 RgbLayout::xrgb, RgbLayout::xbgr}) {
    const RgbOrder order = rgb_order(layout);
    if (order.step == r.step && order.r == r.first && order.b == b.first) return layout;
  }
  return RgbLayout::planar;
}

YuvLayout yuv_layout(const PixelFormat &format) {
  const PixelComponent *y = format.find(Role::y);
  if (y == nullptr) return YuvLayout::gray;
  const PixelComponent &u = *format.find(Role::u), &v = *format.find(Role::v);
  if (u.plane == y->plane && u.log2_width == 0)
    return y->first == 1 ? YuvLayout::ayuv : YuvLayout::vuya;
  if (u.plane == y->plane) return y->first == 0 ? YuvLayout::yuy2 : YuvLayout::uyvy;
  if (u.plane == v.plane) return u.first < v.first ? YuvLayout::nv12 : YuvLayout::nv21;
  return u.log2_height != 0  ? YuvLayout::planar420
         : u.log2_width != 0 ? YuvLayout::planar422
                             : YuvLayout::planar444;
}

YuvWeights yuv_weights(const Rgb2yuvParams &params) {
  const bool from_full = params.in_range == SampleRange::full;
  const bool to_full = params.out_range == SampleRange::full;
  const double levels = from_full ? 255 : 219;
  const double luma = (to_full ? 255 : 219) / levels;
  const double chroma = (to_full ? 255 : 224) / levels;
  const auto [red, blue] = shares(params.matrix);
  const double green = 1 - red - blue;
  const double u = chroma / (2 * (1 - blue));
  const double v = chroma / (2 * (1 - red));

  YuvWeights w = {quantised(luma * red, luma * green, luma * blue),
                  quantised(-u * red, -u * green, u * (1 - blue)),
                  quantised(v * (1 - red), -v * green, -v * blue)};
  constexpr int half = 1 << (kWeightBits - 1);
  const int black = from_full ? 0 : 16;
  w.y.bias = (to_full ? 0 : 16) * (1 << kWeightBits) + half - w.y.sum(black, black, black);
  w.u.bias = w.v.bias = 128 * (1 << kWeightBits) + half;
  return w;
}

Status rgb2yuv(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
               const Queue &queue) {
  if (Status s = check_params(params); !s.ok()) return s;
  if (Status s = check_planes(params, in, out); !s.ok()) return s;
  if (!queue.on_cuda()) return rgb2yuv_cpu(params, in, out, queue.pool());
#if COALESCE_CUDA_KERNELS
  return rgb2yuv_cuda(params, in, out, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
