// SPDX-License-Identifier: LGPL-2.1-or-later
// The two pictures of rgb2yuv as its back ends see them: what their formats have in common is a
// source and a sink, what differs is numbers.
#pragma once

#include <cstdint>

#include "rgb2yuv.h"

namespace coalesce {

enum class RgbSource : std::uint8_t { packed24, packed32, planar };

// What one kernel writes.
enum class YuvSink : std::uint8_t {
  gray,
  planar444,
  planar422,
  planar420,  // chroma apart or in pairs
  packed444,
  packed422,
};

struct RgbPlanes {
  Plane<const std::uint8_t> plane[3];  // one of pixels, or R, G, B
};
struct YuvPlanes {
  Plane<std::uint8_t> plane[3];  // one of pixels, or Y, U, V, or Y and pairs of U and V
};

// Bytes from a packed pixel to the next, and where its components are in it; alpha: -1 if there is
// none. planar: 1, and 0, 1, 2, as its planes are put into a pixel.
struct RgbOrder {
  int step;
  int r, g, b, alpha;
};

struct Rgb2yuvJob {
  Rgb2yuvParams params;
  RgbSource source;
  RgbOrder order;
  YuvSink sink;
  bool pairs;    // planar420: U and V in plane[1], by turns
  bool v_first;  // of these pairs
  int luma_at;   // packed: the first byte of luma in a pixel, or a pair of pixels
  int width, height;
  bool interlaced;
  RgbPlanes in;
  YuvPlanes out;

  int in_planes() const { return source == RgbSource::planar ? 3 : 1; }
  int out_planes() const {
    if (sink == YuvSink::gray || sink == YuvSink::packed444 || sink == YuvSink::packed422) return 1;
    return pairs ? 2 : 3;
  }
};

// How much chroma a sink has: log2 of the luma samples that share one, across and down.
struct ChromaShift {
  int across, down;
};
constexpr ChromaShift chroma_shift(YuvSink sink) {
  if (sink == YuvSink::planar420) return {1, 1};
  return {sink == YuvSink::planar422 || sink == YuvSink::packed422 ? 1 : 0, 0};
}

// Checks the arguments of rgb2yuv().
Status make_job(const Rgb2yuvParams &params, const ConstImage &in, const Image &out,
                Rgb2yuvJob *job);

// The back ends.
Status rgb2yuv_cpu(const Rgb2yuvJob &job, ThreadPool *pool);
Status rgb2yuv_cuda(const Rgb2yuvJob &job, void *stream);

}  // namespace coalesce
