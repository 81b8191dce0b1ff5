// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CUDA kernels of rgb2yuv are told: parameters and formats as numbers.
#pragma once

#include <utility>

#include "rgb2yuv_access.h"
#include "rgb2yuv_pixel.h"

namespace coalesce {

// The weights of a component in the order of the bytes of a pixel, as pairs of signed 16 bits; 0
// for a byte that is none of red, green and blue.
struct WordWeights {
  std::uint32_t low, high;
};

// Arrays in here must be indexed by constants: else the kernel would copy them to its stack.
struct Rgb2yuvArgs {
  RgbPlanes in;
  YuvPlanes out;
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

inline WordWeights word_weights(const ComponentWeights &c, const RgbOrder &order) {
  std::uint16_t of_byte[4] = {};
  of_byte[order.r] = static_cast<std::uint16_t>(c.r);
  of_byte[order.g] = static_cast<std::uint16_t>(c.g);
  of_byte[order.b] = static_cast<std::uint16_t>(c.b);
  return {of_byte[0] | std::uint32_t{of_byte[1]} << 16,
          of_byte[2] | std::uint32_t{of_byte[3]} << 16};
}

// AYUV, VUYA: from bytes 0 to 3, which are Y U V 255, and 4 to 7, the source pixel. YUY2, UYVY:
// from 0 and 1, two samples of luma, and 4 and 5, U V.
constexpr std::uint32_t byte_order(const Rgb2yuvJob &job) {
  if (job.sink == YuvSink::packed422) return job.luma_at == 0 ? 0x5140 : 0x1504;
  const auto alpha = static_cast<std::uint32_t>(job.order.alpha >= 0 ? 4 + job.order.alpha : 3);
  return job.luma_at == 1 ? 0x2100 | alpha : 0x0012 | alpha << 12;
}

inline Rgb2yuvArgs rgb2yuv_args(const Rgb2yuvJob &job) {
  YuvWeights w = yuv_weights(job.params);
  if (job.pairs && job.v_first) std::swap(w.u, w.v);
  const ChromaShift shift = chroma_shift(job.sink);
  const int across = shift.across == 0 ? 0 : job.params.h_cosited ? 2 : 1;
  const int down = shift.down == 0 ? 0 : job.params.v_cosited ? 2 : 1;
  Rgb2yuvArgs a{};
  a.in = job.in;
  a.out = job.out;
  a.width = job.width;
  a.height = job.height;
  a.aligned = choose_access(job) == RgbAccess::aligned;
  a.y = word_weights(w.y, job.order);
  a.u = word_weights(w.u, job.order);
  a.v = word_weights(w.v, job.order);
  a.y_bias = w.y.bias;
  a.uv_bias = w.u.bias * (1 << (across + down));
  a.uv_shift = kWeightBits + across + down;
  a.order = byte_order(job);
  a.pairs = job.pairs;
  a.h_cosited = job.params.h_cosited;
  a.v_cosited = job.params.v_cosited;
  a.interlaced = job.interlaced;
  return a;
}

}  // namespace coalesce
