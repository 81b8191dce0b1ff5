// SPDX-License-Identifier: LGPL-2.1-or-later
// Three kernels: lists of taps, the tensors' codes, and the means of the sectors.
#include <limits>

#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/ptx.cuh"
#include "../core/trace.h"
#include "kuwahara.h"

namespace coalesce {
namespace {

constexpr unsigned kAll = ~0u;

__device__ __forceinline__ std::uint32_t load_clamped(const OilWords &in, int x, int y) {
  return load_global(in.row(min(max(y, 0), in.height - 1)) + min(max(x, 0), in.width - 1));
}

// ---- Lists --------------------------------------------------------------------------------------

// Of this lane and all lower ones.
__device__ __forceinline__ std::uint32_t sum_so_far(std::uint32_t value, int lane) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t lower = __shfl_up_sync(kAll, value, distance);
    if (lane >= distance) value += lower;
  }
  return value;
}

// A warp makes a list. It goes through all pixels that any ellipse may have, 32 at a time.
__global__ void __launch_bounds__(kOilLists * 32) list_kernel(OilKuwahara k) {
  wait_for_grid_before();
  const int lane = static_cast<int>(threadIdx.x) % 32, sector = static_cast<int>(threadIdx.x) / 32;
  const int code = static_cast<int>(blockIdx.x), reach = k.reach(), side = 2 * reach + 1;
  const auto weight_of = [&](int number) {
    int u, v;
    const int row = number / side, column = number - row * side;
    return row < side && oil_is_in_ellipse(k.radius, code, column - reach, row - reach, &u, &v)
               ? oil_sector_weight(k.radius, sector, u, v)
               : 0;
  };
  std::uint32_t all = 0;
  for (int number = lane; number - lane < side * side; number += 32)
    all += weight_of(number);
#pragma unroll
  for (int bits = 1; bits < 32; bits *= 2)
    all += __shfl_xor_sync(kAll, all, bits);
  std::uint32_t *const list = k.list(code, sector);
  std::uint32_t sum = 0, count = 0;
  for (int number = lane; number - lane < side * side; number += 32) {
    const std::uint32_t weight = weight_of(number), upper = sum + sum_so_far(weight, lane);
    const std::uint32_t part =
        oil_kuwahara_part(upper, all) - oil_kuwahara_part(upper - weight, all);
    const unsigned used = __ballot_sync(kAll, part > 0);
    if (part > 0)
      list[1 + count + static_cast<std::uint32_t>(__popc(used & ((1u << lane) - 1)))] =
          oil_kuwahara_tap(number % side - reach, number / side - reach, part);
    count += static_cast<std::uint32_t>(__popc(used));
    sum = __shfl_sync(kAll, upper, 31);
  }
  if (lane == 0) list[0] = count;
}

// ---- Codes --------------------------------------------------------------------------------------

constexpr int kThreads = 256;
constexpr int kColumns = 32, kRows = 16;  // of a tile
constexpr int kWide = kColumns + 2 * kOilTensorReach, kHigh = kRows + 2 * kOilTensorReach;

__device__ __forceinline__ OilTensor smoothed(const OilTensor *from, int step) {
  OilTensor sum = {};
#pragma unroll
  for (int i = -kOilTensorReach; i <= kOilTensorReach; ++i) {
    const OilTensor &t = from[(i + kOilTensorReach) * step];
    const int tap = oil_tensor_tap(i);
    sum.e += tap * t.e, sum.f += tap * t.f, sum.g += tap * t.g;
  }
  return {oil_tensor_rounded(sum.e), oil_tensor_rounded(sum.f), oil_tensor_rounded(sum.g)};
}

__global__ void __launch_bounds__(kThreads)
    code_kernel(OilWords in, OilWords codes, int tiles_across) {
  wait_for_grid_before();
  // With a pixel more on all sides, for gradients.
  __shared__ std::uint32_t words[kHigh + 2][kWide + 2];
  __shared__ OilTensor raw[kHigh][kWide], across[kHigh][kColumns];
  const int tile = static_cast<int>(blockIdx.x), band = tile / tiles_across;
  const int x0 = (tile - band * tiles_across) * kColumns, y0 = band * kRows;
  const int thread = static_cast<int>(threadIdx.x);
  for (int n = thread; n < (kHigh + 2) * (kWide + 2); n += kThreads) {
    const int row = n / (kWide + 2), column = n - row * (kWide + 2);
    words[row][column] =
        load_clamped(in, x0 + column - kOilTensorReach - 1, y0 + row - kOilTensorReach - 1);
  }
  __syncthreads();
  for (int n = thread; n < kHigh * kWide; n += kThreads) {
    const int row = n / kWide, column = n - row * kWide;
    // Tensors outside are those of the nearest pixels.
    const int x = min(max(x0 + column - kOilTensorReach, 0), in.width - 1) - x0 + kOilTensorReach;
    const int y = min(max(y0 + row - kOilTensorReach, 0), in.height - 1) - y0 + kOilTensorReach;
    OilTensor t = {};
    for (int c = 0; c < 3; ++c) {
      int around[9];
#pragma unroll
      for (int i = 0; i < 9; ++i)
        around[i] = static_cast<int>(oil_byte(words[y + i / 3][x + i % 3], c));
      oil_add_gradient(around, &t);
    }
    raw[row][column] = t;
  }
  __syncthreads();
  for (int n = thread; n < kHigh * kColumns; n += kThreads)
    across[n / kColumns][n % kColumns] = smoothed(&raw[n / kColumns][n % kColumns], 1);
  __syncthreads();
  for (int n = thread; n < kRows * kColumns; n += kThreads) {
    const int row = n / kColumns, column = n % kColumns;
    if (x0 + column < in.width && y0 + row < in.height)
      codes.row(y0 + row)[x0 + column] = oil_code(smoothed(&across[row][column], kColumns));
  }
}

// ---- Paint --------------------------------------------------------------------------------------

__device__ __forceinline__ void add_word(std::uint32_t word, std::uint32_t weight, OilSector *s) {
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const std::uint32_t product = weight * oil_byte(word, c);
    s->sum[c] += product;
    s->squares += product * oil_byte(word, c);
  }
}

__global__ void __launch_bounds__(kThreads)
    paint_kernel(OilKuwahara k, OilWords in, OilWords out, int tiles_across) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, paint_words);
  const int reach = k.reach(), pitch = kColumns + 2 * reach;
  const int tile = static_cast<int>(blockIdx.x), band = tile / tiles_across;
  const int x0 = (tile - band * tiles_across) * kColumns, y0 = band * kRows;
  const int thread = static_cast<int>(threadIdx.x);
  for (int n = thread; n < pitch * (kRows + 2 * reach); n += kThreads) {
    const int row = n / pitch, column = n - row * pitch;
    paint_words[n] = load_clamped(in, x0 + column - reach, y0 + row - reach);
  }
  __syncthreads();
  const int x = thread % kColumns;
  for (int y = thread / kColumns; y < kRows; y += kThreads / kColumns) {
    if (x0 + x >= in.width || y0 + y >= in.height) return;
    std::uint32_t *const to = out.row(y0 + y) + (x0 + x);
    const auto code = static_cast<int>(*to);
    const std::uint32_t *const here = paint_words + (y + reach) * pitch + x + reach;
    OilMean mean[2 * kOilLists];
#pragma unroll
    for (int sector = 0; sector < kOilLists; ++sector) {
      OilSector ahead = {}, behind = {};
      const std::uint32_t *list = k.list(code, sector);
      const auto count = static_cast<int>(load_global(list));
      for (int i = 1; i <= count; ++i) {
        const std::uint32_t tap = load_global(list + i);
        const int place =
            static_cast<std::int8_t>(tap >> 8) * pitch + static_cast<std::int8_t>(tap);
        add_word(here[place], tap >> 16, &ahead);
        add_word(here[-place], tap >> 16, &behind);
      }
      mean[sector] = oil_mean(ahead);
      mean[kOilLists + sector] = oil_mean(behind);
    }
    *to = oil_kuwahara_pixel(mean);
  }
}

}  // namespace

Status oil_kuwahara_cuda(const OilKuwahara &kuwahara, const OilWords &in, const OilWords &out,
                         void *stream) {
  const TraceRange range("oilpaint kuwahara");
  const auto queue = static_cast<cudaStream_t>(stream);
  const int across = divided_up(in.width, kColumns);
  const std::int64_t tiles = std::int64_t{across} * divided_up(in.height, kRows);
  if (tiles > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "oilpaint: the picture is too large"};
  const dim3 grid(static_cast<unsigned>(tiles));
  if (Status s =
          launch_early(list_kernel, dim3(kOilCodes), dim3(kOilLists * 32), 0, queue, kuwahara);
      !s.ok())
    return s;
  if (Status s = launch_early(code_kernel, grid, dim3(kThreads), 0, queue, in, out, across);
      !s.ok())
    return s;
  const int reach = kuwahara.reach();
  const std::size_t words =
      static_cast<std::size_t>(kColumns + 2 * reach) * static_cast<std::size_t>(kRows + 2 * reach);
  return launch_early(paint_kernel, grid, dim3(kThreads), words * sizeof(std::uint32_t), queue,
                      kuwahara, in, out, across);
}

}  // namespace coalesce
