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

struct BrokenConvolveArgs {
  std::int64_t weights[kPlantedMaskSize * kPlantedMaskSize];
  std::int64_t divisor, before, after;
  int columns, rows, left, above;
  bool absolute;
};

template <Planted kBug>
__global__ void broken_convolve(const std::uint8_t *in, std::size_t in_pitch, std::uint8_t *out,
                                std::size_t out_pitch, int width, int height,
                                BrokenConvolveArgs a) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x >= width + (kBug == Planted::past_row ? 1 : 0) || y >= height) return;
  const std::size_t pitch =
      kBug == Planted::ignores_pitch ? static_cast<std::size_t>(width) : in_pitch;
  const int last = kBug == Planted::wrong_border && width > 1 ? width - 2 : width - 1;
  std::int64_t sum = a.before;
  for (int r = 0; r < a.rows; ++r)
    for (int c = 0; c < a.columns; ++c) {
      const int from_y = min(max(y + r - a.above, 0), height - 1);
      const int column = x + c - a.left;
      const int from_x = column >= width ? last : max(column, 0);
      sum += a.weights[r * a.columns + c] * in[from_y * pitch + from_x];
    }
  if (a.absolute && sum < 0) sum = -sum;
  sum += a.after - (kBug == Planted::truncates ? a.divisor / 2 : 0);
  const std::int64_t quotient = sum < 0 ? 0 : sum / a.divisor;
  const std::uint8_t right = quotient > 255 ? 255 : static_cast<std::uint8_t>(quotient);
  out[y * out_pitch + x] = kBug == Planted::last_column && x == width - 1 ? right ^ 1 : right;
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

Status planted_uyvy2y_cuda(Planted bug, const ConstImage &in, const Image &out,
                           const Queue &queue) {
  auto *kernel = bug == Planted::last_column ? broken_uyvy2y<Planted::last_column>
                 : bug == Planted::past_row  ? broken_uyvy2y<Planted::past_row>
                                             : broken_uyvy2y<Planted::ignores_pitch>;
  const Plane<std::uint8_t> &luma = out.plane[0];
  return launch(kernel, grid_of(luma), dim3(128), static_cast<cudaStream_t>(queue.stream()),
                in.plane[0].data, in.plane[0].pitch, luma.data, luma.pitch, luma.width, luma.height,
                luma_offset(in.format));
}

Status planted_rgb2yuv_cuda(Planted bug, const Rgb2yuvParams &params, const ConstImage &in,
                            const Image &out, const Queue &queue) {
  auto *kernel = bug == Planted::last_column     ? broken_rgb2yuv<Planted::last_column>
                 : bug == Planted::past_row      ? broken_rgb2yuv<Planted::past_row>
                 : bug == Planted::ignores_pitch ? broken_rgb2yuv<Planted::ignores_pitch>
                                                 : broken_rgb2yuv<Planted::truncates>;
  const Plane<std::uint8_t> &luma = out.plane[0];
  return launch(kernel, grid_of(luma), dim3(128), static_cast<cudaStream_t>(queue.stream()),
                in.plane[0].data, in.plane[0].pitch, luma.data, luma.pitch, luma.width, luma.height,
                yuv_weights(params).y);
}

Status planted_convolve_cuda(Planted bug, const ConvolveParams &params, const ConvolvePlanes &image,
                             const Queue &queue) {
  auto *kernel = bug == Planted::last_column     ? broken_convolve<Planted::last_column>
                 : bug == Planted::past_row      ? broken_convolve<Planted::past_row>
                 : bug == Planted::ignores_pitch ? broken_convolve<Planted::ignores_pitch>
                 : bug == Planted::truncates     ? broken_convolve<Planted::truncates>
                                                 : broken_convolve<Planted::wrong_border>;
  const Filter &f = *params.filter;
  BrokenConvolveArgs a = {{},       f.divisor, f.level.before, f.level.after, f.width,
                          f.height, f.left,    f.above,        f.absolute};
  for (int i = 0; i < f.width * f.height; ++i)
    a.weights[i] =
        f.separable ? std::int64_t{f.down[i / f.width]} * f.across[i % f.width] : f.weights[i];
  const ConvolvePlane &plane = image.plane[0];
  return launch(kernel, grid_of(plane.out), dim3(128), static_cast<cudaStream_t>(queue.stream()),
                plane.in.data, plane.in.pitch, plane.out.data, plane.out.pitch, plane.out.width,
                plane.out.height, a);
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
