// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv_variants.h"

#include "core/cuda_status.h"
#include "rgb2yuv/rgb2yuv_kernel.cuh"

namespace coalesce {
namespace {

__device__ __forceinline__ std::uint32_t pixel_of(const std::uint8_t *p) {
  return p[0] | p[1] << 8 | p[2] << 16;
}

template <YuvSink kSink>
__device__ __forceinline__ void write_pixel(const Rgb2yuvArgs &a, int x, int y,
                                            std::uint32_t pixel) {
  if constexpr (kSink == YuvSink::packed444) {
    reinterpret_cast<std::uint32_t *>(a.out.plane[0].row(y))[x] = packed_sample(a, pixel);
  } else {
    const auto sample = [pixel](const WordWeights &weights, int bias) {
      return saturated(add_weighted(weights, pixel, bias) >> kWeightBits);
    };
    a.out.plane[0].row(y)[x] = sample(a.y, a.y_bias);
    if constexpr (kSink == YuvSink::planar444) {
      a.out.plane[1].row(y)[x] = sample(a.u, a.uv_bias);
      a.out.plane[2].row(y)[x] = sample(a.v, a.uv_bias);
    }
  }
}

// A thread takes a pixel, byte by byte.
template <YuvSink kSink>
__global__ void by_bytes(Rgb2yuvArgs a) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = a.first_band + static_cast<int>(blockIdx.y);
  if (x >= a.width) return;
  write_pixel<kSink>(a, x, y, pixel_of(a.in.plane[0].row(y) + 3 * x));
}

// The post's: of a block's 64 threads 48 bring in a word each, then all take a pixel, byte by byte,
// from shared memory.
constexpr int kPostThreads = 64;

template <YuvSink kSink>
__global__ void of_the_post(Rgb2yuvArgs a) {
  __shared__ std::uint32_t words[kPostThreads * 3 / 4];
  const int thread = static_cast<int>(threadIdx.x);
  const int block = static_cast<int>(blockIdx.x);
  const int y = a.first_band + static_cast<int>(blockIdx.y);
  const auto *in = reinterpret_cast<const std::uint32_t *>(a.in.plane[0].row(y));
  if (thread < kPostThreads * 3 / 4) words[thread] = in[kPostThreads * 3 / 4 * block + thread];
  __syncthreads();
  write_pixel<kSink>(a, kPostThreads * block + thread, y,
                     pixel_of(reinterpret_cast<const std::uint8_t *>(words) + 3 * thread));
}

// A warp brings 512 pixels of a row in by coalesced 16-byte loads, and its threads take their
// chunks of them from shared memory, those of a store side by side.
constexpr int kWarpPixels = 512;
constexpr int kWarpVectors = 3 * kWarpPixels / 16;

template <YuvSink kSink, int kPixels, int kWarps>
__global__ void staged(Rgb2yuvArgs a) {
  __shared__ uint4 shared[kWarps][kWarpVectors];
  uint4 *vectors = shared[threadIdx.x / 32];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int start = kWarpPixels * static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32);
  const int y = a.first_band + static_cast<int>(blockIdx.y);
  const auto *in = reinterpret_cast<const uint4 *>(a.in.plane[0].row(y) + 3 * start);
  const int there = (3 * (a.width - start)) / 16;
  uint4 loaded[kWarpVectors / 32];
#pragma unroll
  for (int i = 0; i < kWarpVectors / 32; ++i)
    if (lane + 32 * i < there) loaded[i] = __ldg(in + lane + 32 * i);
#pragma unroll
  for (int i = 0; i < kWarpVectors / 32; ++i)
    if (lane + 32 * i < there) vectors[lane + 32 * i] = loaded[i];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kWarpPixels / (32 * kPixels); ++i) {
    const int at = kPixels * (lane + 32 * i);
    if (start + at >= a.width) return;
    RgbChunk<RgbSource::packed24, kPixels> chunk;
    if constexpr (kPixels == 16) {
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const uint4 v = vectors[3 * at / 16 + j];
        chunk.word[4 * j] = v.x, chunk.word[4 * j + 1] = v.y;
        chunk.word[4 * j + 2] = v.z, chunk.word[4 * j + 3] = v.w;
      }
    } else {
      const auto *words = reinterpret_cast<const std::uint32_t *>(vectors) + 3 * at / 4;
#pragma unroll
      for (int j = 0; j < 3 * kPixels / 4; ++j)
        chunk.word[j] = words[j];
    }
    if constexpr (kSink == YuvSink::packed444)
      write_packed444<RgbSource::packed24, kPixels, true>(a, start + at, y, chunk);
    else
      write_planes<kSink, RgbSource::packed24, kPixels, true>(a, start + at, y, chunk);
  }
}

// kPixels, kRows: of a thread; kX, kY: the block's shape.
template <void (*kKernel)(Rgb2yuvArgs), int kPixels, int kRows, int kX, int kY>
Status run(const Rgb2yuvParams &params, const ConstImage &in, const Image &out, void *stream) {
  constexpr int kMaxBands = 65535 * kY;  // of a launch: the limit of gridDim.y
  Rgb2yuvJob job;
  if (Status s = make_job(params, in, out, &job); !s.ok()) return s;
  Rgb2yuvArgs args = rgb2yuv_args(job);
  const bool halved = chroma_shift(job.sink).down != 0;
  const int all = halved ? band_count(job) : (args.height - 1) / kRows + 1;
  int bands = 0;
  for (int left = all; left > 0; left -= bands) {
    bands = left < kMaxBands ? left : kMaxBands;
    const dim3 grid((args.width - 1) / (kPixels * kX) + 1, (bands - 1) / kY + 1);
    Status s = launch(kKernel, grid, dim3(kX, kY), static_cast<cudaStream_t>(stream), args);
    if (!s.ok()) return s;
    args.first_band += bands;
  }
  return {};
}

template <YuvSink kSink, int kPixels, int kRows, int kX, int kY>
constexpr auto direct =
    run<rgb_to_yuv<kSink, RgbSource::packed24, kPixels, kRows>, kPixels, kRows, kX, kY>;
template <YuvSink kSink>
constexpr auto plain = run<by_bytes<kSink>, 1, 1, 128, 1>;
template <YuvSink kSink>
constexpr auto post = run<of_the_post<kSink>, 1, 1, kPostThreads, 1>;
template <YuvSink kSink, int kPixels, int kX>
constexpr auto shared = run<staged<kSink, kPixels, kX / 32>, 16, 1, kX, 1>;

constexpr YuvSink k444 = YuvSink::planar444, kAyuv = YuvSink::packed444, kGray = YuvSink::gray,
                  k420 = YuvSink::planar420;

constexpr Rgb2yuvVariant kVariants[] = {
    {"8-bit loads and stores", "Y444", plain<k444>},
    {"the post's: 48 of 64 threads load", "Y444", post<k444>},
    {"its reader's: 3 words, 4 pixels", "Y444", direct<k444, 4, 1, 512, 1>},
    {"4 pixels", "Y444", direct<k444, 4, 1, 128, 1>},
    {"4 pixels, 2 rows", "Y444", direct<k444, 4, 2, 128, 1>},
    {"4 pixels, 4 rows", "Y444", direct<k444, 4, 4, 128, 1>},
    {"8 pixels", "Y444", direct<k444, 8, 1, 128, 1>},
    {"8 pixels, 2 rows", "Y444", direct<k444, 8, 2, 128, 1>},
    {"16 pixels", "Y444", direct<k444, 16, 1, 128, 1>},
    {"16 pixels, 2 rows", "Y444", direct<k444, 16, 2, 128, 1>},
    {"16 pixels, 4 rows", "Y444", direct<k444, 16, 4, 128, 1>},
    {"16 pixels, block 64x1", "Y444", direct<k444, 16, 1, 64, 1>},
    {"16 pixels, block 256x1", "Y444", direct<k444, 16, 1, 256, 1>},
    {"16 pixels, block 32x4", "Y444", direct<k444, 16, 1, 32, 4>},
    {"16 pixels, shared memory", "Y444", shared<k444, 16, 128>},
    {"4 times 4 pixels, shared memory", "Y444", shared<k444, 4, 128>},

    {"8-bit loads, 32-bit stores", "AYUV", plain<kAyuv>},
    {"the post's: 48 of 64 threads load", "AYUV", post<kAyuv>},
    {"its reader's: 3 words, 4 pixels", "AYUV", direct<kAyuv, 4, 1, 512, 1>},
    {"4 pixels", "AYUV", direct<kAyuv, 4, 1, 128, 1>},
    {"4 pixels, 2 rows", "AYUV", direct<kAyuv, 4, 2, 128, 1>},
    {"4 pixels, 4 rows", "AYUV", direct<kAyuv, 4, 4, 128, 1>},
    {"4 pixels, 8 rows", "AYUV", direct<kAyuv, 4, 8, 128, 1>},
    {"4 pixels, 4 rows, block 256x1", "AYUV", direct<kAyuv, 4, 4, 256, 1>},
    {"8 pixels, 2 rows", "AYUV", direct<kAyuv, 8, 2, 128, 1>},
    {"16 pixels", "AYUV", direct<kAyuv, 16, 1, 128, 1>},
    {"4 times 4 pixels, shared memory", "AYUV", shared<kAyuv, 4, 128>},

    {"8-bit loads and stores", "GRAY8", plain<kGray>},
    {"the post's: 48 of 64 threads load", "GRAY8", post<kGray>},
    {"its reader's: 3 words, 4 pixels", "GRAY8", direct<kGray, 4, 1, 512, 1>},
    {"4 pixels, 4 rows", "GRAY8", direct<kGray, 4, 4, 128, 1>},
    {"8 pixels, 2 rows", "GRAY8", direct<kGray, 8, 2, 128, 1>},
    {"16 pixels", "GRAY8", direct<kGray, 16, 1, 128, 1>},
    {"16 pixels, 2 rows", "GRAY8", direct<kGray, 16, 2, 128, 1>},
    {"16 pixels, 4 rows", "GRAY8", direct<kGray, 16, 4, 128, 1>},
    {"16 pixels, block 256x1", "GRAY8", direct<kGray, 16, 1, 256, 1>},
    {"16 pixels, shared memory", "GRAY8", shared<kGray, 16, 128>},

    {"8 pixels", "NV12", direct<k420, 8, 1, 128, 1>},
    {"8 pixels, block 256x1", "NV12", direct<k420, 8, 1, 256, 1>},
    {"16 pixels", "NV12", direct<k420, 16, 1, 128, 1>},
    {"16 pixels, block 64x1", "NV12", direct<k420, 16, 1, 64, 1>},
    {"16 pixels, block 256x1", "NV12", direct<k420, 16, 1, 256, 1>},
    {"16 pixels, block 32x4", "NV12", direct<k420, 16, 1, 32, 4>},
};

}  // namespace

Rgb2yuvVariants rgb2yuv_variants() {
  return {kVariants, static_cast<int>(sizeof kVariants / sizeof *kVariants)};
}

}  // namespace coalesce
