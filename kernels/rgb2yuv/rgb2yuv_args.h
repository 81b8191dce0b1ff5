// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA kernels of rgb2yuv are told: parameters and layouts as numbers.
#pragma once

#include <utility>

#include "rgb2yuv_access.h"

namespace coalesce {

// The weights of a component in the order of the bytes of a pixel, as pairs of signed 16 bits; 0
// for a byte that is none of red, green and blue.
struct WordWeights {
  std::uint32_t low, high;
};

// Arrays in here must be indexed by constants: else the kernel would copy them to its stack.
struct Rgb2yuvArgs {
  RgbImage in;
  YuvImage out;
  int width, height;  // pixels
  int first_band;     // of this launch
  bool aligned;       // RgbAccess::aligned
  WordWeights y, u, v;
  int y_bias;
  int uv_bias;          // of the sum of the filter
  int uv_shift;         // from that sum to the sample
  std::uint32_t order;  // of the bytes of a packed sink, as a selector of __byte_perm
  bool pairs;           // chroma in plane[1] alone
  bool h_cosited, v_cosited, interlaced;
};

inline WordWeights word_weights(const ComponentWeights &c, RgbLayout layout) {
  const RgbOrder order = layout == RgbLayout::planar ? RgbOrder{1, 0, 1, 2, -1} : rgb_order(layout);
  std::uint16_t of_byte[4] = {};
  of_byte[order.r] = static_cast<std::uint16_t>(c.r);
  of_byte[order.g] = static_cast<std::uint16_t>(c.g);
  of_byte[order.b] = static_cast<std::uint16_t>(c.b);
  return {of_byte[0] | std::uint32_t{of_byte[1]} << 16,
          of_byte[2] | std::uint32_t{of_byte[3]} << 16};
}

// ayuv, vuya: from bytes 0 to 3, which are Y U V 255, and 4 to 7, the source pixel. yuy2, uyvy:
// from 0 and 1, two samples of luma, and 4 and 5, U V.
constexpr std::uint32_t byte_order(const Rgb2yuvParams &params) {
  const auto alpha = static_cast<std::uint32_t>(params.alpha ? 4 + rgb_order(params.in).x : 3);
  switch (params.out) {
    case YuvLayout::ayuv:
      return 0x2100 | alpha;
    case YuvLayout::vuya:
      return 0x0012 | alpha << 12;
    case YuvLayout::uyvy:
      return 0x1504;
    default:
      return 0x5140;
  }
}

inline Rgb2yuvArgs rgb2yuv_args(const Rgb2yuvParams &params, const RgbImage &in,
                                const YuvImage &out) {
  YuvWeights w = yuv_weights(params);
  if (params.out == YuvLayout::nv21) std::swap(w.u, w.v);
  const ChromaShift shift = chroma_shift(params.out);
  const int across = shift.across == 0 ? 0 : params.h_cosited ? 2 : 1;
  const int down = shift.down == 0 ? 0 : params.v_cosited ? 2 : 1;
  Rgb2yuvArgs a{};
  a.in = in;
  a.out = out;
  a.width = in.plane[0].width / rgb_order(params.in).step;
  a.height = in.plane[0].height;
  a.aligned = choose_access(params, in, out) == RgbAccess::aligned;
  a.y = word_weights(w.y, params.in);
  a.u = word_weights(w.u, params.in);
  a.v = word_weights(w.v, params.in);
  a.y_bias = w.y.bias;
  a.uv_bias = w.u.bias * (1 << (across + down));
  a.uv_shift = kWeightBits + across + down;
  a.order = byte_order(params);
  a.pairs = chroma_in_pairs(params.out);
  a.h_cosited = params.h_cosited;
  a.v_cosited = params.v_cosited;
  a.interlaced = params.interlaced;
  return a;
}

}  // namespace coalesce
