// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread goes down a column: a row of its window enters, another one leaves. A word of shared
// memory has the counts of two bins, and a thread its own bank of them.
#include <limits>

#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/ptx.cuh"
#include "../core/trace.h"
#include "oilpaint_job.h"

namespace coalesce {
namespace {

constexpr int kThreads = 64;  // columns of a tile
constexpr int kRows = 16;

struct ModeArgs {
  OilMode mode;
  OilWords in, out;
  int tiles_across;
};

// Dynamic memory: bins of intensities, the tile, counts. (None is static, for both together may be
// more than a kernel has without asking.)
constexpr int kBinWords = 256 / 4;
int tile_words(int radius) {
  return (kThreads + 2 * radius) * (kRows + 2 * radius);
}
int count_words(int bins) {
  return (bins + 1) / 2 * kThreads;
}

// The tile's pixels with bins in place of intensities. Those outside the picture stay as they were.
__device__ __forceinline__ void load_bins(const ModeArgs &a, const std::uint8_t *bin, int x0,
                                          int y0, std::uint32_t *tile) {
  const int pitch = kThreads + 2 * a.mode.radius, rows = kRows + 2 * a.mode.radius;
  for (int row = 0; row < rows; ++row) {
    const int y = y0 + row;
    if (y < 0 || y >= a.in.height) continue;
    const std::uint32_t *from = a.in.row(y);
    for (int column = static_cast<int>(threadIdx.x); column < pitch; column += kThreads) {
      const int x = x0 + column;
      if (x < 0 || x >= a.in.width) continue;
      const std::uint32_t word = load_global(from + x);
      tile[row * pitch + column] = (word & 0xffffff) | static_cast<std::uint32_t>(bin[word >> 24])
                                                           << 24;
    }
  }
}

// The fullest bin, the first one of several. (The upper half of a key is a count.)
__device__ __forceinline__ std::uint32_t fullest(const std::uint32_t *counts, int bins) {
  std::uint32_t best = 0;
  for (int i = 0; 2 * i < bins; ++i) {
    const std::uint32_t word = counts[i * kThreads];
    const auto rest = static_cast<std::uint32_t>(255 - 2 * i);
    best = max(best, word << 16 | rest);
    best = max(best, (word & 0xffff0000) | (rest - 1));
  }
  return 255 - (best & 0xffff);
}

// The mean of the pixels of a bin, in rows of the tile.
__device__ __forceinline__ std::uint32_t mean_of_bin(const std::uint32_t *from, int pitch, int rows,
                                                     int columns, std::uint32_t bin) {
  std::uint32_t sums[3] = {}, count = 0;
  for (int row = 0; row < rows; ++row, from += pitch) {
    std::uint32_t even = 0, odd = 0;  // 31 pixels fit half a word
    for (int i = 0; i < columns; ++i) {
      const std::uint32_t word = from[i] >> 24 == bin ? (from[i] & 0xffffff) | 1u << 24 : 0;
      even += word & 0xff00ff;
      odd += word >> 8 & 0xff00ff;
    }
    sums[0] += even & 0xffff, sums[2] += even >> 16;
    sums[1] += odd & 0xffff, count += odd >> 16;
  }
  return oil_half_even(sums[0], count) | oil_half_even(sums[1], count) << 8 |
         oil_half_even(sums[2], count) << 16;
}

__global__ void __launch_bounds__(kThreads) mode_kernel(const __grid_constant__ ModeArgs a) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, mode_memory);
  const int thread = static_cast<int>(threadIdx.x), radius = a.mode.radius;
  const int pitch = kThreads + 2 * radius;
  auto *const bin = reinterpret_cast<std::uint8_t *>(mode_memory);
  std::uint32_t *const tile = mode_memory + kBinWords;
  std::uint32_t *const counts = tile + pitch * (kRows + 2 * radius) + thread;
  for (int i = thread; i < 256; i += kThreads)
    bin[i] = a.mode.bin[i];
  for (int i = 0; 2 * i < a.mode.bins; ++i)
    counts[i * kThreads] = 0;
  __syncthreads();
  const int number = static_cast<int>(blockIdx.x), band = number / a.tiles_across;
  const int left = (number - band * a.tiles_across) * kThreads, top = band * kRows;
  load_bins(a, bin, left - radius, top - radius, tile);
  __syncthreads();
  const int x = left + thread;
  if (x >= a.in.width) return;
  // The window's columns, in the tile.
  const int first = max(x - radius, 0) - left + radius;
  const int columns = min(x + radius, a.in.width - 1) - left + radius - first + 1;
  const auto change = [&](int y, std::uint32_t by) {
    const std::uint32_t *from = tile + (y - top + radius) * pitch + first;
    for (int i = 0; i < columns; ++i) {
      const std::uint32_t b = from[i] >> 24;
      counts[b / 2 * kThreads] += by << 16 * (b % 2);
    }
  };
  for (int y = max(top - radius, 0); y < min(top + radius, a.in.height); ++y)
    change(y, 1);
  for (int y = top; y < min(top + kRows, a.in.height); ++y) {
    if (y + radius < a.in.height) change(y + radius, 1);
    if (y > top && y - radius > 0) change(y - radius - 1, ~0u);
    const int upper = max(y - radius, 0), rows = min(y + radius, a.in.height - 1) - upper + 1;
    a.out.row(y)[x] = mean_of_bin(tile + (upper - top + radius) * pitch + first, pitch, rows,
                                  columns, fullest(counts, a.mode.bins));
  }
}

}  // namespace

Status oil_mode_cuda(const OilMode &mode, const OilWords &in, const OilWords &out, void *stream) {
  const TraceRange range("oilpaint mode");
  ModeArgs a = {mode, in, out, divided_up(in.width, kThreads)};
  const std::int64_t tiles = std::int64_t{a.tiles_across} * divided_up(in.height, kRows);
  if (tiles > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "oilpaint: the picture is too large"};
  const int words = kBinWords + tile_words(mode.radius) + count_words(mode.bins);
  return launch_early(mode_kernel, dim3(static_cast<unsigned>(tiles)), dim3(kThreads),
                      static_cast<std::size_t>(words) * sizeof(std::uint32_t),
                      static_cast<cudaStream_t>(stream), a);
}

}  // namespace coalesce
