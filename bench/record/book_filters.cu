// SPDX-License-Identifier: LGPL-2.1-or-later
#include "book_filters.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/cuda_status.h"

namespace coalesce {
namespace {

constexpr int kPixels = 8;  // of a thread, in most
constexpr int kThreadsX = 16, kThreadsY = 8;
constexpr int kTileX = kPixels * kThreadsX;
constexpr int kMaxSide = 2 * kBookMaxRadius + 1;

// Arguments of a kernel are in constant memory, where the book has the mask.
struct BookArgs {
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  std::int16_t weights[kMaxSide * kMaxSide];  // rows of 2 * radius + 1; of one pass one row
  int radius;
  float bias, scale;
};

__host__ __device__ constexpr int pyramid(int radius, int distance) {
  return radius + 1 - (distance < 0 ? -distance : distance);
}
constexpr int row_sum(int radius) {
  return (radius + 1) * (radius + 1);
}

// floor(sum / divisor + 1/2). Both are below 2^21, so the numerator is exact, and half of its unit
// is more than the product's error.
__device__ __forceinline__ std::uint8_t divided(const BookArgs &a, int sum) {
  return static_cast<std::uint8_t>((static_cast<float>(2 * sum) + a.bias) * a.scale);
}

__device__ __forceinline__ int clamped(int at, int size) {
  return min(max(at, 0), size - 1);
}

// A thread has a pixel, and the compiler the weights.
template <int kRadius>
__global__ void one_pixel(BookArgs a) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.out.width || y >= a.out.height) return;
  int sum = 0;
#pragma unroll
  for (int down = -kRadius; down <= kRadius; ++down) {
    const std::uint8_t *row = a.in.row(clamped(y + down, a.in.height));
#pragma unroll
    for (int right = -kRadius; right <= kRadius; ++right)
      sum += pyramid(kRadius, down) * pyramid(kRadius, right) * row[clamped(x + right, a.in.width)];
  }
  a.out.row(y)[x] = divided(a, sum);
}

// A thread has a pixel; mask and radius are arguments.
__global__ void any_mask(BookArgs a) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.out.width || y >= a.out.height) return;
  int sum = 0, at = 0;
  for (int down = -a.radius; down <= a.radius; ++down) {
    const std::uint8_t *row = a.in.row(clamped(y + down, a.in.height));
    for (int right = -a.radius; right <= a.radius; ++right)
      sum += a.weights[at++] * row[clamped(x + right, a.in.width)];
  }
  a.out.row(y)[x] = divided(a, sum);
}

__device__ __forceinline__ void store(const BookArgs &a, int x, int y, const int (&sum)[kPixels]) {
  std::uint32_t word[2] = {0, 0};
#pragma unroll
  for (int i = 0; i < kPixels; ++i)
    word[i / 4] |= std::uint32_t{divided(a, sum[i])} << (8 * (i % 4));
  *reinterpret_cast<uint2 *>(a.out.row(y) + x) = make_uint2(word[0], word[1]);
}

// A row of a mask on eight pixels side by side. at(i): the sample i columns to the right of the
// first pixel.
template <int kRadius, class At>
__device__ __forceinline__ void add_row(const std::int16_t *weights, const At &at,
                                        int (&sum)[kPixels]) {
#pragma unroll
  for (int i = -kRadius; i < kPixels + kRadius; ++i) {
    const int sample = at(i);
#pragma unroll
    for (int pixel = 0; pixel < kPixels; ++pixel)
      if (i - pixel >= -kRadius && i - pixel <= kRadius)
        sum[pixel] += weights[i - pixel + kRadius] * sample;
  }
}

// A thread has eight pixels; each sample is loaded once for all of them.
template <int kRadius>
__global__ void eight_pixels(BookArgs a) {
  const int x = kPixels * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= a.out.width || y >= a.out.height) return;
  int sum[kPixels] = {};
  // A row at a time: with all rows' loads at once there are up to 255 registers.
#pragma unroll 1
  for (int down = -kRadius; down <= kRadius; ++down) {
    const std::uint8_t *row = a.in.row(clamped(y + down, a.in.height));
    add_row<kRadius>(
        a.weights + (down + kRadius) * (2 * kRadius + 1),
        [&](int i) -> int { return row[clamped(x + i, a.in.width)]; }, sum);
  }
  store(a, x, y, sum);
}

// What a block needs of the picture, in shared memory: its own pixels, and so many around them.
template <int kAcross, int kDown>
struct Tile {
  static constexpr int kWidth = kTileX + 2 * kAcross, kHeight = kThreadsY + 2 * kDown;
  std::uint8_t at[kHeight][kWidth];

  __device__ __forceinline__ void fill(const Plane<const std::uint8_t> &in) {
    const int left = kTileX * static_cast<int>(blockIdx.x) - kAcross;
    const int top = kThreadsY * static_cast<int>(blockIdx.y) - kDown;
    for (int i = static_cast<int>(threadIdx.y * kThreadsX + threadIdx.x); i < kWidth * kHeight;
         i += kThreadsX * kThreadsY) {
      const int row = i / kWidth, column = i % kWidth;
      at[row][column] = in.row(clamped(top + row, in.height))[clamped(left + column, in.width)];
    }
    __syncthreads();
  }
};

// kDown: 0 for a pass across. kAcross: 0 for a pass down.
template <int kAcross, int kDown>
__global__ void __launch_bounds__(kThreadsX *kThreadsY) from_tile(BookArgs a) {
  __shared__ Tile<kAcross, kDown> tile;
  tile.fill(a.in);
  const auto column = kPixels * static_cast<int>(threadIdx.x);
  const auto row = static_cast<int>(threadIdx.y);
  const int x = kTileX * static_cast<int>(blockIdx.x) + column;
  const int y = kThreadsY * static_cast<int>(blockIdx.y) + row;
  if (x >= a.out.width || y >= a.out.height) return;
  int sum[kPixels] = {};
#pragma unroll
  for (int down = 0; down <= 2 * kDown; ++down)
    add_row<kAcross>(
        a.weights + down * (2 * kAcross + 1),
        [&](int i) -> int { return tile.at[row + down][column + kAcross + i]; }, sum);
  store(a, x, y, sum);
}

// across, down: radii.
BookArgs args_of(int across, int down, const Plane<const std::uint8_t> &in,
                 const Plane<std::uint8_t> &out) {
  BookArgs a = {};
  a.in = in;
  a.out = out;
  a.radius = across;
  std::int16_t *weight = a.weights;
  for (int y = -down; y <= down; ++y)
    for (int x = -across; x <= across; ++x)
      *weight++ = static_cast<std::int16_t>(pyramid(across, x) * pyramid(down, y));
  const int divisor = row_sum(across) * row_sum(down);
  a.bias = static_cast<float>(divisor) + 0.5f;
  a.scale = 1.0f / static_cast<float>(2 * divisor);
  return a;
}

dim3 grid_of(const Plane<std::uint8_t> &out, int pixels, int rows) {
  return dim3((out.width - 1) / pixels + 1, (out.height - 1) / rows + 1);
}

template <int kRadius>
struct OnePixel {
  static Status run(const BookArgs &a, cudaStream_t stream) {
    return launch(one_pixel<kRadius>, grid_of(a.out, 32, 8), dim3(32, 8), stream, a);
  }
};

template <int kRadius>
struct AnyMask {
  static Status run(const BookArgs &a, cudaStream_t stream) {
    return launch(any_mask, grid_of(a.out, 32, 8), dim3(32, 8), stream, a);
  }
};

template <int kRadius>
struct EightPixels {
  static Status run(const BookArgs &a, cudaStream_t stream) {
    return launch(eight_pixels<kRadius>, grid_of(a.out, kTileX, kThreadsY),
                  dim3(kThreadsX, kThreadsY), stream, a);
  }
};

template <int kAcross, int kDown>
Status run_tiles(const BookArgs &a, cudaStream_t stream) {
  return launch(from_tile<kAcross, kDown>, grid_of(a.out, kTileX, kThreadsY),
                dim3(kThreadsX, kThreadsY), stream, a);
}

template <int kRadius>
struct SharedMemory {
  static Status run(const BookArgs &a, cudaStream_t stream) {
    return run_tiles<kRadius, kRadius>(a, stream);
  }
};

using Run = Status (*)(const BookArgs &, cudaStream_t);

template <template <int> class Kernel>
Status run_generic(int radius, const Plane<const std::uint8_t> &in, const Plane<std::uint8_t> &out,
                   std::uint8_t *, void *stream) {
  constexpr Run kRuns[] = {Kernel<1>::run, Kernel<2>::run, Kernel<3>::run,
                           Kernel<4>::run, Kernel<5>::run, Kernel<6>::run};
  return kRuns[radius - 1](args_of(radius, radius, in, out), static_cast<cudaStream_t>(stream));
}

// Down first, as the book has it.
Status run_separable(int radius, const Plane<const std::uint8_t> &in,
                     const Plane<std::uint8_t> &out, std::uint8_t *between, void *stream) {
  constexpr Run kDown[] = {run_tiles<0, 1>, run_tiles<0, 2>, run_tiles<0, 3>,
                           run_tiles<0, 4>, run_tiles<0, 5>, run_tiles<0, 6>};
  constexpr Run kAcross[] = {run_tiles<1, 0>, run_tiles<2, 0>, run_tiles<3, 0>,
                             run_tiles<4, 0>, run_tiles<5, 0>, run_tiles<6, 0>};
  const auto in_stream = static_cast<cudaStream_t>(stream);
  const Plane<std::uint8_t> middle = {between, out.width, out.height, out.pitch};
  Status s = kDown[radius - 1](args_of(0, radius, in, middle), in_stream);
  if (s.ok()) s = kAcross[radius - 1](args_of(radius, 0, middle, out), in_stream);
  return s;
}

constexpr BookVariant kVariants[] = {
    {"book: a pixel a thread", 3, false, run_generic<OnePixel>},
    {"book: any mask", kBookMaxRadius, false, run_generic<AnyMask>},
    {"book: 8 pixels a thread", kBookMaxRadius, false, run_generic<EightPixels>},
    {"book: shared memory", kBookMaxRadius, false, run_generic<SharedMemory>},
    {"book: separable", kBookMaxRadius, true, run_separable},
};

}  // namespace

BookVariants book_variants() {
  return {kVariants, static_cast<int>(sizeof kVariants / sizeof *kVariants)};
}

Status time_both_ways(std::size_t bytes, double *us) {
  constexpr int kTimes = 21, kWarmUp = 3;
  void *host = nullptr, *device = nullptr;
  Status s = cuda_checked(cudaHostAlloc(&host, bytes, cudaHostAllocDefault));
  if (s.ok()) s = cuda_checked(cudaMalloc(&device, bytes));
  std::vector<double> times;
  for (int i = -kWarmUp; i < kTimes && s.ok(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    s = cuda_checked(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    if (s.ok()) s = cuda_checked(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    if (i >= 0) times.push_back(spent.count());
  }
  (void)cudaFree(device);
  (void)cudaFreeHost(host);
  if (!s.ok()) return s;
  std::nth_element(times.begin(), times.begin() + kTimes / 2, times.end());
  *us = times[kTimes / 2];
  return {};
}

}  // namespace coalesce
