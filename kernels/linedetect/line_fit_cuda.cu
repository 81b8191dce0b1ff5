// SPDX-License-Identifier: LGPL-2.1-or-later
// The longest candidates are selected by the digits of their keys; a warp fits the line of each,
// and counts the longer ones, which is its place.
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "line_cuda.h"
#include "line_warp.cuh"

namespace coalesce {
namespace {

constexpr int kSelectThreads = 512, kFitThreads = 128;
constexpr int kDigits = 256, kKeyBits = 64;

struct FitArgs {
  LineCudaScratch s;
  Plane<const std::uint8_t> in[3];
  int first[3], step[3];
  int channels;
  int width, height;
  std::uint32_t max_lines;
  Line *lines;
  LineCount *count;
};

// The key that so many have or exceed. By a block; keys differ from each other.
__device__ std::uint64_t key_of_rank(const LineCandidate *candidates, std::uint32_t count,
                                     std::uint32_t rank) {
  __shared__ std::uint32_t histogram[kDigits];
  __shared__ std::uint32_t chosen[2];  // digit, rank among those of this digit
  std::uint64_t prefix = 0;
  for (int shift = kKeyBits - 8; shift >= 0; shift -= 8) {
    for (int i = static_cast<int>(threadIdx.x); i < kDigits; i += kSelectThreads)
      histogram[i] = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kSelectThreads) {
      const std::uint64_t key = load_global(&candidates[i].key);
      if (shift + 8 == kKeyBits || key >> (shift + 8) == prefix)
        atomicAdd(histogram + (key >> shift & (kDigits - 1)), 1u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      std::uint32_t left = rank;
      int digit = kDigits - 1;
      while (histogram[digit] < left)
        left -= histogram[digit--];
      chosen[0] = static_cast<std::uint32_t>(digit), chosen[1] = left;
    }
    __syncthreads();
    prefix = prefix << 8 | chosen[0];
    rank = chosen[1];
    __syncthreads();
  }
  return prefix;
}

__global__ void __launch_bounds__(kSelectThreads) select_kernel(const __grid_constant__ FitArgs a) {
  wait_for_grid_before();
  const std::uint32_t found = load_global(&a.s.counters->candidates);
  const std::uint32_t count = min(found, a.max_lines);
  const std::uint64_t least = count < found ? key_of_rank(a.s.candidates, found, count) : 0;
  for (std::uint32_t i = threadIdx.x; i < found; i += kSelectThreads) {
    const LineCandidate candidate = load_global(a.s.candidates + i);
    if (candidate.key >= least) a.s.survivors[atomicAdd(&a.s.counters->survivors, 1u)] = candidate;
  }
  if (threadIdx.x == 0) *a.count = {count, found};
}

struct Slope {
  int x, y;
};
// By Sobel's filter, at a pixel.
__device__ __forceinline__ Slope slope_at(const FitArgs &a, int channel, LinePixel p) {
  const Plane<const std::uint8_t> &in = a.in[channel];
  const auto column = [&](int x) {
    return a.first[channel] + a.step[channel] * min(max(x, 0), a.width - 1);
  };
  const int x = pixel_x(p), y = pixel_y(p);
  const int left = column(x - 1), here = column(x), right = column(x + 1);
  const std::uint8_t *above = in.row(max(y - 1, 0)), *middle = in.row(y);
  const std::uint8_t *below = in.row(min(y + 1, a.height - 1));
  const auto at = [](const std::uint8_t *row, int i) {
    return static_cast<int>(load_global(row + i));
  };
  const int corner = at(below, right) - at(above, left);
  const int other = at(above, right) - at(below, left);
  return {corner + other + 2 * (at(middle, right) - at(middle, left)),
          corner - other + 2 * (at(below, here) - at(above, here))};
}

template <class Visit>
__device__ __forceinline__ void for_pixels(const FitArgs &a, const LineCandidate &c, Visit visit) {
  for (std::uint32_t i = c.first + threadIdx.x % 32; i <= c.last; i += 32)
    visit(load_global(a.s.order + i));
}

__device__ Line fit(const FitArgs &a, const LineCandidate &c) {
  const LinePixel from = load_global(a.s.order + c.first), to = load_global(a.s.order + c.last);
  const int x = pixel_x(from), y = pixel_y(from);
  LineSums sums;
  for_pixels(a, c, [&](LinePixel p) { sums.add(pixel_x(p) - x, pixel_y(p) - y); });
  sums = {warp_sum(sums.n),  warp_sum(sums.x),  warp_sum(sums.y),
          warp_sum(sums.xx), warp_sum(sums.xy), warp_sum(sums.yy)};
  const FittedLine line = fit_line(sums, pixel_x(to) - x, pixel_y(to) - y);
  int least = 0, most = 0;
  for_pixels(a, c, [&](LinePixel p) {
    const int at = across(line, pixel_x(p) - x, pixel_y(p) - y);
    least = min(least, at), most = max(most, at);
  });
  double slope = 0;
  for (int channel = 0; channel < a.channels; ++channel) {
    std::int64_t gx = 0, gy = 0;
    for_pixels(a, c, [&](LinePixel p) {
      const Slope s = slope_at(a, channel, p);
      gx += s.x, gy += s.y;
    });
    slope = fmax(slope, slope_across(line, warp_sum(gx), warp_sum(gy)));
  }
  return line_of(line, from, to, least_of_lanes(least), most_of_lanes(most), sums.n, slope);
}

__global__ void __launch_bounds__(kFitThreads) fit_kernel(const __grid_constant__ FitArgs a) {
  wait_for_grid_before();
  constexpr unsigned kWarps = kFitThreads / 32;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t count = load_global(&a.s.counters->survivors);
  for (std::uint32_t i = blockIdx.x * kWarps + warp; i < count; i += gridDim.x * kWarps) {
    const LineCandidate candidate = load_global(a.s.survivors + i);
    std::uint32_t longer = 0;
    for (std::uint32_t k = lane; k < count; k += 32)
      longer += static_cast<std::uint32_t>(load_global(&a.s.survivors[k].key) > candidate.key);
    longer = warp_sum(longer);
    const Line line = fit(a, candidate);
    if (lane == 0) a.lines[longer] = line;
  }
}

}  // namespace

Status fit_lines(const LineJob &job, const LineCudaScratch &s, void *stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  FitArgs a = {};
  a.s = s;
  a.channels = job.channels;
  for (int c = 0; c < job.channels; ++c) {
    a.in[c] = job.in[c];
    a.first[c] = job.channel[c].first, a.step[c] = job.channel[c].step;
  }
  a.width = job.width, a.height = job.height;
  a.max_lines = static_cast<std::uint32_t>(job.max_lines);
  a.lines = job.lines;
  a.count = job.count;
  if (Status status = launch_early(select_kernel, dim3(1), dim3(kSelectThreads), 0, on, a);
      !status.ok())
    return status;
  const unsigned blocks =
      line_blocks(s, static_cast<std::size_t>(job.max_lines) * 32 / kFitThreads);
  return launch_early(fit_kernel, dim3(blocks), dim3(kFitThreads), 0, on, a);
}

}  // namespace coalesce
