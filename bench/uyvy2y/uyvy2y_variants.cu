// SPDX-License-Identifier: LGPL-2.1-or-later
#include "uyvy2y_variants.h"

#include "core/cuda_status.h"
#include "uyvy2y/uyvy2y_kernel.cuh"

namespace coalesce {
namespace {

// A thread takes one pixel: a byte in, a byte out.
__global__ void luma_8_bit(LumaArgs a) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width || y >= a.height) return;
  a.luma[y * a.luma_pitch + x] = a.packed[y * a.packed_pitch + 2 * x + a.offset];
}

// Four pixels: four bytes in, each loaded by itself, one word out. What compilers once made of
// picking the components of a uchar4.
__global__ void luma_8_bit_loads(LumaArgs a) {
  const int x = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width || y >= a.height) return;
  const volatile std::uint8_t *in = a.packed + y * a.packed_pitch + 2 * x + a.offset;
  const std::uint32_t word = in[0] | in[2] << 8 | in[4] << 16 | std::uint32_t{in[6]} << 24;
  *reinterpret_cast<std::uint32_t *>(a.luma + y * a.luma_pitch + x) = word;
}

// Four pixels: a word and two bytes in, one word out. What compilers made of it later.
__global__ void luma_32_and_8_bit_loads(LumaArgs a) {
  const int x = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width || y >= a.height) return;
  const volatile std::uint8_t *in = a.packed + y * a.packed_pitch + 2 * x;
  const std::uint32_t first = *reinterpret_cast<const volatile std::uint32_t *>(in);
  const std::uint32_t third = in[4 + a.offset], fourth = in[6 + a.offset];
  *reinterpret_cast<std::uint32_t *>(a.luma + y * a.luma_pitch + x) =
      luma_of_words(first, third << 8 * a.offset | fourth << (16 + 8 * a.offset), a.offset);
}

// Four pixels: two words in, one out.
__global__ void luma_32_bit(LumaArgs a) {
  const int x = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width || y >= a.height) return;
  const auto *in =
      reinterpret_cast<const volatile std::uint32_t *>(a.packed + y * a.packed_pitch + 2 * x);
  const std::uint32_t first = in[0];
  const std::uint32_t second = in[1];
  *reinterpret_cast<std::uint32_t *>(a.luma + y * a.luma_pitch + x) =
      luma_of_words(first, second, a.offset);
}

// Four pixels: 64 bits in, 32 out.
__global__ void luma_64_bit(LumaArgs a) {
  const int x = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.width || y >= a.height) return;
  const uint2 in = *reinterpret_cast<const uint2 *>(a.packed + y * a.packed_pitch + 2 * x);
  *reinterpret_cast<std::uint32_t *>(a.luma + y * a.luma_pitch + x) =
      luma_of_words(in.x, in.y, a.offset);
}

LumaArgs args_of(const ConstImage &in, const Image &out) {
  return {in.plane[0].data, out.plane[0].data, in.plane[0].pitch,     out.plane[0].pitch,
          out.width,        out.height,        luma_offset(in.format)};
}

// kPixels and kRows: what one thread of the kernel takes; kX and kY: the block's shape; kHead:
// pixels that the first thread of a row has for itself, at most.
template <void (*kKernel)(LumaArgs), int kPixels, int kRows, int kX, int kY, int kHead = 0>
Status run(const ConstImage &in, const Image &out, void *stream) {
  constexpr int kMaxRows = kRows * kY * 65535;  // of a launch: the limit of gridDim.y
  LumaArgs args = args_of(in, out);
  for (int left = args.height; left > 0; left -= args.height) {
    args.height = left < kMaxRows ? left : kMaxRows;
    const dim3 grid((args.width - 1 + kHead) / (kPixels * kX) + 1,
                    (args.height - 1) / (kRows * kY) + 1);
    Status s = launch(kKernel, grid, dim3(kX, kY), static_cast<cudaStream_t>(stream), args);
    if (!s.ok()) return s;
    args.packed += static_cast<std::size_t>(args.height) * args.packed_pitch;
    args.luma += static_cast<std::size_t>(args.height) * args.luma_pitch;
  }
  return {};
}

template <int kLoads, int kRows, int kX, int kY, CacheHint kHint = CacheHint::evict_first_stores>
constexpr auto shaped = run<luma_aligned<kLoads, kRows, kHint>, 8 * kLoads, kRows, kX, kY>;

constexpr Uyvy2yVariant kVariants[] = {
    {"8-bit loads, 8-bit stores", run<luma_8_bit, 1, 1, 128, 1>},
    {"8-bit loads, 32-bit stores", run<luma_8_bit_loads, 4, 1, 128, 1>},
    {"32- and 8-bit loads, 32-bit stores", run<luma_32_and_8_bit_loads, 4, 1, 128, 1>},
    {"32-bit loads, 32-bit stores", run<luma_32_bit, 4, 1, 128, 1>},
    {"64-bit loads, 32-bit stores", run<luma_64_bit, 4, 1, 128, 1>},
    {"128/64 bits, 1 row", shaped<1, 1, 128, 1>},
    {"128/64 bits, 2 rows", shaped<1, 2, 128, 1>},
    {"128/64 bits, 4 rows", shaped<1, 4, 128, 1>},
    {"128/64 bits, 8 rows", shaped<1, 8, 128, 1>},
    {"128/64 bits, 16 rows", shaped<1, 16, 128, 1>},
    {"128/64 bits, 4 rows, no hints", shaped<1, 4, 128, 1, CacheHint::none>},
    {"128/64 bits, 8 rows, no hints", shaped<1, 8, 128, 1, CacheHint::none>},
    {"128/64 bits, 4 rows, hinted loads too", shaped<1, 4, 128, 1, CacheHint::evict_first>},
    {"128/64 bits, 8 rows, hinted loads too", shaped<1, 8, 128, 1, CacheHint::evict_first>},
    {"128/64 bits, 4 rows, prefetch", shaped<1, 4, 128, 1, CacheHint::prefetch>},
    {"128/64 bits, 8 rows, prefetch", shaped<1, 8, 128, 1, CacheHint::prefetch>},
    {"128/64 bits, 4 rows, block 64x1", shaped<1, 4, 64, 1>},
    {"128/64 bits, 8 rows, block 64x1", shaped<1, 8, 64, 1>},
    {"128/64 bits, 4 rows, block 256x1", shaped<1, 4, 256, 1>},
    {"128/64 bits, 8 rows, block 256x1", shaped<1, 8, 256, 1>},
    {"128/64 bits, 1 row, block 32x8", shaped<1, 1, 32, 8>},
    {"128/64 bits, 2 rows, block 32x4", shaped<1, 2, 32, 4>},
    {"128/64 bits, 4 rows, block 32x4", shaped<1, 4, 32, 4>},
    {"128/64 bits, 8 rows, block 32x4", shaped<1, 8, 32, 4>},
    {"2x128/128 bits, 1 row", shaped<2, 1, 128, 1>},
    {"2x128/128 bits, 2 rows", shaped<2, 2, 128, 1>},
    {"2x128/128 bits, 4 rows", shaped<2, 4, 128, 1>},
    {"2x128/128 bits, 8 rows", shaped<2, 8, 128, 1>},
    {"2x128/128 bits, 4 rows, no hints", shaped<2, 4, 128, 1, CacheHint::none>},
    {"2x128/128 bits, 4 rows, block 64x1", shaped<2, 4, 64, 1>},
    {"2x128/128 bits, 8 rows, block 64x1", shaped<2, 8, 64, 1>},
    {"any alignment, 1 row", run<luma_shifted<1>, 8, 1, 128, 1, 8>},
    {"any alignment, 2 rows", run<luma_shifted<2>, 8, 2, 128, 1, 8>},
    {"any alignment, 4 rows", run<luma_shifted<4>, 8, 4, 128, 1, 8>},
    {"any alignment, 8 rows", run<luma_shifted<8>, 8, 8, 128, 1, 8>},
};

}  // namespace

Uyvy2yVariants uyvy2y_variants() {
  return {kVariants, static_cast<int>(sizeof kVariants / sizeof *kVariants)};
}

}  // namespace coalesce
