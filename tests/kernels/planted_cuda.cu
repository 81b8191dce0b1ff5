// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>

#include "core/cuda_status.h"
#include "planted.h"
#include "rgb2yuv/rgb2yuv_pixel.h"
#include "uyvy2y/uyvy2y_pixel.h"

namespace coalesce::test {
namespace {

template <Planted kBug>
__global__ void broken_uyvy2y(const std::uint8_t *packed, std::size_t packed_pitch,
                              std::uint8_t *luma, std::size_t luma_pitch, int width, int height,
                              int offset) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width + (kBug == Planted::past_row ? 1 : 0) || y >= height) return;
  const std::size_t pitch =
      kBug == Planted::ignores_pitch ? static_cast<std::size_t>(width) : luma_pitch;
  const int from = kBug == Planted::last_column && x == width - 1 ? 1 - offset : offset;
  const int pixel = x < width ? x : 0;
  luma[y * pitch + x] = packed[y * packed_pitch + 2 * pixel + from];
}

template <Planted kBug>
__global__ void broken_rgb2yuv(const std::uint8_t *rgb, std::size_t rgb_pitch, std::uint8_t *luma,
                               std::size_t luma_pitch, int width, int height, ComponentWeights w) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width + (kBug == Planted::past_row ? 1 : 0) || y >= height) return;
  const std::size_t pitch =
      kBug == Planted::ignores_pitch ? static_cast<std::size_t>(width) : luma_pitch;
  const std::uint8_t *from = rgb + y * rgb_pitch + 3 * (x < width ? x : 0);
  const int bias = w.bias - (kBug == Planted::truncates ? 1 << (kWeightBits - 1) : 0);
  const std::uint8_t right = saturated(rounded(w.sum(from[0], from[1], from[2]), bias, 0));
  luma[y * pitch + x] = kBug == Planted::last_column && x == width - 1 ? right ^ 1 : right;
}

// The trials' tallest planes have more rows than this grid can: they are not what is tested here.
dim3 grid_of(const Plane<std::uint8_t> &luma) {
  return dim3(luma.width / 128 + 1, luma.height > 65535 ? 65535 : luma.height);
}

// Sums n bytes and one more.
__global__ void sum_one_too_many(const std::uint8_t *data, int n, unsigned *sum) {
  const int i = static_cast<int>(threadIdx.x);
  if (i <= n) atomicAdd(sum, data[i]);
}

}  // namespace

Status planted_uyvy2y_cuda(Planted bug, const Uyvy2yParams &params,
                           Plane<const std::uint8_t> packed, const LumaImage &out,
                           const Queue &queue) {
  auto *kernel = bug == Planted::last_column ? broken_uyvy2y<Planted::last_column>
                 : bug == Planted::past_row  ? broken_uyvy2y<Planted::past_row>
                                             : broken_uyvy2y<Planted::ignores_pitch>;
  return launch(kernel, grid_of(out.luma), dim3(128), static_cast<cudaStream_t>(queue.stream()),
                packed.data, packed.pitch, out.luma.data, out.luma.pitch, out.luma.width,
                out.luma.height, luma_offset(params.layout));
}

Status planted_rgb2yuv_cuda(Planted bug, const Rgb2yuvParams &params, const RgbImage &in,
                            const YuvImage &out, const Queue &queue) {
  auto *kernel = bug == Planted::last_column     ? broken_rgb2yuv<Planted::last_column>
                 : bug == Planted::past_row      ? broken_rgb2yuv<Planted::past_row>
                 : bug == Planted::ignores_pitch ? broken_rgb2yuv<Planted::ignores_pitch>
                                                 : broken_rgb2yuv<Planted::truncates>;
  const Plane<std::uint8_t> &luma = out.plane[0];
  return launch(kernel, grid_of(luma), dim3(128), static_cast<cudaStream_t>(queue.stream()),
                in.plane[0].data, in.plane[0].pitch, luma.data, luma.pitch, luma.width, luma.height,
                yuv_weights(params).y);
}

int run_planted_oob() {
  constexpr int kSize = 100;
  std::uint8_t *data = nullptr;
  unsigned *sum = nullptr;
  if (!cuda_checked(cudaMalloc(&data, kSize)).ok() ||
      !cuda_checked(cudaMalloc(&sum, sizeof *sum)).ok() ||
      !cuda_checked(cudaMemset(data, 1, kSize)).ok() ||
      !cuda_checked(cudaMemset(sum, 0, sizeof *sum)).ok())
    return 2;
  const Status s = launch(sum_one_too_many, dim3(1), dim3(128), cudaStream_t{nullptr},
                          static_cast<const std::uint8_t *>(data), kSize, sum);
  const Status end = cuda_checked(cudaDeviceSynchronize());
  std::printf("the kernel that reads past its buffer: %s, %s\n", s.message(), end.message());
  return 0;
}

}  // namespace coalesce::test
