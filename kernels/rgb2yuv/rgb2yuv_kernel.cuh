// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of rgb2yuv as templates over their shape, for the operation and for its benchmark.
#pragma once

#include "../core/grid_order.cuh"
#include "rgb2yuv_chunk.cuh"

namespace coalesce {

template <bool kAligned, int kWords>
__device__ __forceinline__ void store(std::uint8_t *to, const std::uint32_t *w, int bytes) {
  constexpr int kVector = kWords < 4 ? kWords : 4;
#pragma unroll
  for (int i = 0; i < kWords; i += kVector) {
    if constexpr (kAligned)
      store_vector<kVector>(to + 4 * i, w + i);
    else
      store_run<kVector>(to + 4 * i, w + i, bytes - 4 * i);
  }
}

// The write functions convert a chunk, at x of row y. kAligned: it is whole, and rows start on 16
// bytes.

// Gray and 4:4:4 in planes.
template <YuvSink kSink, RgbSource kSource, int kPixels, bool kAligned>
__device__ __forceinline__ void write_planes(const Rgb2yuvArgs &a, int x, int y,
                                             const RgbChunk<kSource, kPixels> &chunk) {
  constexpr int kQuads = kPixels / 4;
  std::uint32_t luma[kQuads], u[kQuads], v[kQuads];
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    std::uint32_t pixel[4];
    chunk.quad(q, pixel);
    luma[q] = samples(a.y, a.y_bias, pixel);
    if constexpr (kSink == YuvSink::planar444) {
      u[q] = samples(a.u, a.uv_bias, pixel);
      v[q] = samples(a.v, a.uv_bias, pixel);
    }
  }
  store<kAligned, kQuads>(a.out.plane[0].row(y) + x, luma, a.width - x);
  if constexpr (kSink == YuvSink::planar444) {
    store<kAligned, kQuads>(a.out.plane[1].row(y) + x, u, a.width - x);
    store<kAligned, kQuads>(a.out.plane[2].row(y) + x, v, a.width - x);
  }
}

// AYUV and VUYA.
template <RgbSource kSource, int kPixels, bool kAligned>
__device__ __forceinline__ void write_packed444(const Rgb2yuvArgs &a, int x, int y,
                                                const RgbChunk<kSource, kPixels> &chunk) {
  std::uint32_t out[kPixels];
#pragma unroll
  for (int q = 0; q < kPixels / 4; ++q) {
    std::uint32_t pixel[4];
    chunk.quad(q, pixel);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      out[4 * q + i] = packed_sample(a, pixel[i]);
  }
  store<kAligned, kPixels>(a.out.plane[0].row(y) + 4 * x, out, 4 * (a.width - x));
}

// The second pair of a quad is two bytes further in its words of luma and chroma.
constexpr std::uint32_t kSecondPair = 0x2222;

// YUY2 and UYVY.
template <RgbSource kSource, int kPixels, bool kAligned>
__device__ __forceinline__ void write_packed422(const Rgb2yuvArgs &a, int x, int y,
                                                const RgbChunk<kSource, kPixels> &chunk) {
  std::uint32_t out[kPixels / 2];
  ChromaSum before;
  before.add(a, chunk.before);
#pragma unroll
  for (int q = 0; q < kPixels / 4; ++q) {
    std::uint32_t pixel[4];
    chunk.template pairs<kAligned>(a, x, q, pixel);
    ChromaSums sums;
    sums.add_row(a, pixel);
    const std::uint32_t luma = samples(a.y, a.y_bias, pixel);
    const std::uint32_t chroma = sums.packed(a, before);
    out[2 * q] = __byte_perm(luma, chroma, a.order);
    out[2 * q + 1] = __byte_perm(luma, chroma, a.order + kSecondPair);
  }
  const int bytes = 4 * ((a.width - x + 1) / 2);
  store<kAligned, kPixels / 2>(a.out.plane[0].row(y) + 2 * x, out, bytes);
}

// Row y of the chroma that 4:2:2 and 4:2:0 have in planes, from words of U V U V.
template <int kQuads, bool kAligned>
__device__ __forceinline__ void store_chroma(const Rgb2yuvArgs &a, int x, int y,
                                             const std::uint32_t (&uv)[kQuads]) {
  const int bytes = (a.width - x + 1) / 2;
  if (a.pairs) return store<kAligned, kQuads>(a.out.plane[1].row(y) + x, uv, 2 * bytes);
  std::uint32_t u[kQuads / 2], v[kQuads / 2];
#pragma unroll
  for (int i = 0; i < kQuads / 2; ++i) {
    u[i] = __byte_perm(uv[2 * i], uv[2 * i + 1], 0x6420);
    v[i] = __byte_perm(uv[2 * i], uv[2 * i + 1], 0x7531);
  }
  store<kAligned, kQuads / 2>(a.out.plane[1].row(y) + x / 2, u, bytes);
  store<kAligned, kQuads / 2>(a.out.plane[2].row(y) + x / 2, v, bytes);
}

// 4:2:2 in planes.
template <RgbSource kSource, int kPixels, bool kAligned>
__device__ __forceinline__ void write_planar422(const Rgb2yuvArgs &a, int x, int y,
                                                const RgbChunk<kSource, kPixels> &chunk) {
  constexpr int kQuads = kPixels / 4;
  std::uint32_t luma[kQuads], uv[kQuads];
  ChromaSum before;
  before.add(a, chunk.before);
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    std::uint32_t pixel[4];
    chunk.template pairs<kAligned>(a, x, q, pixel);
    luma[q] = samples(a.y, a.y_bias, pixel);
    ChromaSums sums;
    sums.add_row(a, pixel);
    uv[q] = sums.packed(a, before);
  }
  store<kAligned, kQuads>(a.out.plane[0].row(y) + x, luma, a.width - x);
  store_chroma<kQuads, kAligned>(a, x, y, uv);
}

// Everything but 4:2:0: kRows rows, each for itself, but all of their loads first.
template <YuvSink kSink, RgbSource kSource, int kPixels, int kRows, bool kAligned>
__device__ __forceinline__ void convert_rows(const Rgb2yuvArgs &a, int x, int first) {
  constexpr bool kPairs = kSink == YuvSink::planar422 || kSink == YuvSink::packed422;
  RgbChunk<kSource, kPixels> chunk[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (first + r < a.height)
      chunk[r].template load<kAligned>(a, x, first + r, kPairs && a.h_cosited);
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int y = first + r;
    if (y >= a.height) return;
    if constexpr (kSink == YuvSink::packed444)
      write_packed444<kSource, kPixels, kAligned>(a, x, y, chunk[r]);
    else if constexpr (kSink == YuvSink::packed422)
      write_packed422<kSource, kPixels, kAligned>(a, x, y, chunk[r]);
    else if constexpr (kSink == YuvSink::planar422)
      write_planar422<kSource, kPixels, kAligned>(a, x, y, chunk[r]);
    else
      write_planes<kSink, kSource, kPixels, kAligned>(a, x, y, chunk[r]);
  }
}

// 4:2:0: row c of chroma and its two rows of luma. The row above them, where chroma is cosited, is
// loaded quad by quad: it is in the cache, and all of it would take too many registers.
template <RgbSource kSource, int kPixels, bool kAligned>
__device__ __forceinline__ void convert_planar420(const Rgb2yuvArgs &a, int x, int c) {
  constexpr int kQuads = kPixels / 4;
  const ChromaRows rows = chroma_rows(c, a.interlaced);
  const int y[2] = {rows.first, rows.first + rows.step};
  const int above = clamp_row(rows.first - rows.step, a.height, rows.step);
  RgbChunk<kSource, kPixels> chunk[2];
#pragma unroll
  for (int r = 0; r < 2; ++r)
    chunk[r].template load<kAligned>(a, x, clamp_row(y[r], a.height, rows.step), a.h_cosited);
  std::uint32_t luma[2][kQuads], uv[kQuads];
  ChromaSum before;
#pragma unroll
  for (int q = 0; q < kQuads; ++q) {
    ChromaSums sums;
    std::uint32_t pixel[4];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      chunk[r].template pairs<kAligned>(a, x, q, pixel);
      luma[r][q] = samples(a.y, a.y_bias, pixel);
      sums.add_row(a, pixel);
      if (q == 0) before.add(a, chunk[r].before);
      if (r == 0 && a.v_cosited) {  // [1 2 1]
        sums.twice();
        if (q == 0) before.twice();
      }
    }
    if (a.v_cosited && (kAligned || x + 4 * q < a.width)) {
      RgbChunk<kSource, 4> quad;
      quad.template load<kAligned>(a, x + 4 * q, above, q == 0 && a.h_cosited);
      quad.template pairs<kAligned>(a, x + 4 * q, 0, pixel);
      sums.add_row(a, pixel);
      if (q == 0) before.add(a, quad.before);
    }
    uv[q] = sums.packed(a, before);
  }
#pragma unroll
  for (int r = 0; r < 2; ++r)
    if (y[r] < a.height)
      store<kAligned, kQuads>(a.out.plane[0].row(y[r]) + x, luma[r], a.width - x);
  if (c < a.out.plane[1].height) store_chroma<kQuads, kAligned>(a, x, c, uv);
}

template <YuvSink kSink, RgbSource kSource, int kPixels, int kRows, bool kAligned>
__device__ __forceinline__ void convert_chunk(const Rgb2yuvArgs &a, int x, int band) {
  if constexpr (kSink == YuvSink::planar420)
    convert_planar420<kSource, kPixels, kAligned>(a, x, band);
  else
    convert_rows<kSink, kSource, kPixels, kRows, kAligned>(a, x, kRows * band);
}

// blockIdx.x and threadIdx.x go along a row, blockIdx.y and threadIdx.y down the bands. kResident
// blocks of up to kThreads fit a multiprocessor.
template <YuvSink kSink, RgbSource kSource, int kPixels = chunk_pixels(kSink),
          int kRows = band_rows(kSink), int kThreads = 512, int kResident = 1>
__global__ void __launch_bounds__(kThreads, kResident) rgb_to_yuv(Rgb2yuvArgs a) {
  wait_for_grid_before();
  const int x = kPixels * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int band = a.first_band + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width) return;
  if (a.aligned && x <= a.width - kPixels)
    convert_chunk<kSink, kSource, kPixels, kRows, true>(a, x, band);
  else
    convert_chunk<kSink, kSource, kPixels, kRows, false>(a, x, band);
}

}  // namespace coalesce
