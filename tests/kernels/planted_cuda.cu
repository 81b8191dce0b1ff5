// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>

#include "core/cuda_status.h"
#include "planted.h"
#include "uyvy2y/uyvy2y_pixel.h"

namespace coalesce::test {
namespace {

template <Planted kBug>
__global__ void broken(const std::uint8_t *packed, std::size_t packed_pitch, std::uint8_t *luma,
                       std::size_t luma_pitch, int width, int height, int offset) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width + (kBug == Planted::past_row ? 1 : 0) || y >= height) return;
  const std::size_t pitch =
      kBug == Planted::ignores_pitch ? static_cast<std::size_t>(width) : luma_pitch;
  const int from = kBug == Planted::last_column && x == width - 1 ? 1 - offset : offset;
  const int pixel = x < width ? x : 0;
  luma[y * pitch + x] = packed[y * packed_pitch + 2 * pixel + from];
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
  auto *kernel = bug == Planted::last_column ? broken<Planted::last_column>
                 : bug == Planted::past_row  ? broken<Planted::past_row>
                                             : broken<Planted::ignores_pitch>;
  // The trials' tallest planes have more rows than this grid can: they are not what is tested here.
  const dim3 grid(out.luma.width / 128 + 1, out.luma.height > 65535 ? 65535 : out.luma.height);
  return launch(kernel, grid, dim3(128), static_cast<cudaStream_t>(queue.stream()), packed.data,
                packed.pitch, out.luma.data, out.luma.pitch, out.luma.width, out.luma.height,
                luma_offset(params.layout));
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
