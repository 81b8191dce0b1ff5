// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstddef>
#include <limits>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "bilateral_job.h"
#include "bilateral_pixel.cuh"

namespace coalesce {
namespace {

// A block's tile, of pixels. A thread has a column of kRows pixels at a time, so that a pixel
// around is loaded once for all of them, and twice so many rows.
constexpr int kAcross = 64, kRows = 4, kTurns = 2, kGroups = 4;
constexpr int kDown = kRows * kTurns * kGroups, kThreads = kAcross * kGroups;

struct GroupArgs {
  const std::uint8_t *in[3];  // the first sample
  std::uint8_t *out[3];
  std::size_t in_pitch[3], out_pitch[3];
  int width, height, step;
  int first;        // of the first component, in the pixels of its plane
  unsigned copied;  // channels of that plane
  int outside[3];
  int tiles_across, end;  // of its blocks, which begin where those of the group before end
};

struct BilateralArgs {
  GroupArgs group[4];
  std::uint32_t space[Bilateral::kColumns][Bilateral::kColumns];
  int half[Bilateral::kColumns];
  std::uint16_t range[Bilateral::kEntries];
  int radius, last, shift, round;
  int sample_shift, max;
  Border border;
};
static_assert(sizeof(BilateralArgs) <= 4096, "what a launch takes");

// Of the circle that has this radius.
__device__ constexpr int half_of(int radius, int column) {
  int half = 0;
  while (column * column + (half + 1) * (half + 1) <= radius * radius)
    ++half;
  return half;
}

template <int kBytes>
using SampleOf = std::conditional_t<kBytes == 1, std::uint8_t, std::uint16_t>;

// The pixel at (x, y), which may lie outside.
template <int kComponents, int kBytes>
__device__ __forceinline__ typename BilateralPixel<kComponents, kBytes>::Word load_pixel(
    const BilateralArgs &a, const GroupArgs &g, int x, int y) {
  x = border_position(a.border, x, g.width);
  y = border_position(a.border, y, g.height);
  std::uint32_t sample[3] = {};
#pragma unroll
  for (int c = 0; c < kComponents; ++c) {
    if (x < 0 || y < 0) {
      sample[c] = static_cast<std::uint32_t>(g.outside[c]);
      continue;
    }
    const std::uint8_t *row = g.in[c] + static_cast<std::size_t>(y) * g.in_pitch[c];
    sample[c] = load_global(reinterpret_cast<const SampleOf<kBytes> *>(row) +
                            static_cast<std::ptrdiff_t>(x) * g.step);
    if (kBytes > 1) sample[c] = sample[c] >> a.sample_shift & static_cast<std::uint32_t>(a.max);
  }
  return BilateralPixel<kComponents, kBytes>::word_of(sample);
}

template <int kComponents, int kBytes>
__device__ __forceinline__ void store_pixel(const BilateralArgs &a, const GroupArgs &g, int x,
                                            int y, const int (&result)[kComponents]) {
  using Sample = SampleOf<kBytes>;
  const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(x) * g.step;
  const auto row = static_cast<std::size_t>(y);
#pragma unroll
  for (int c = 0; c < kComponents; ++c)
    reinterpret_cast<Sample *>(g.out[c] + row * g.out_pitch[c])[at] =
        static_cast<Sample>(result[c] << a.sample_shift);
  if (g.copied == 0) return;
  const auto *from = reinterpret_cast<const Sample *>(g.in[0] + row * g.in_pitch[0]) + at - g.first;
  auto *to = reinterpret_cast<Sample *>(g.out[0] + row * g.out_pitch[0]) + at - g.first;
  for (int channel = 0; channel < g.step; ++channel)
    if (g.copied >> channel & 1) to[channel] = load_global(from + channel);
}

// kRadius: 0, or a radius whose pixels are gone through without a loop.
template <int kComponents, int kBytes, int kRadius>
__global__ void __launch_bounds__(kThreads)
    bilateral_kernel(const __grid_constant__ BilateralArgs a) {
  wait_for_grid_before();
  using Pixel = BilateralPixel<kComponents, kBytes>;
  using Word = typename Pixel::Word;
  constexpr int kMost = kRadius > 0 ? kRadius : kMaxBilateralRadius;
  constexpr int kPitch = kAcross + 2 * kMost, kTileRows = kDown + 2 * kMost;
  // (A row more, which is read with a weight of 0.)
  __shared__ Word tile[(kTileRows + 1) * kPitch];
  __shared__ std::uint16_t range[Bilateral::kEntries];

  int block = static_cast<int>(blockIdx.x), number = 0;
  while (block >= a.group[number].end)
    ++number;
  const GroupArgs &g = a.group[number];
  if (number > 0) block -= a.group[number - 1].end;
  const int band = block / g.tiles_across;
  const int x0 = (block - band * g.tiles_across) * kAcross, y0 = band * kDown;
  const int radius = kRadius > 0 ? kRadius : a.radius;
  const int thread = static_cast<int>(threadIdx.x);

  for (int i = thread; i <= a.last; i += kThreads)
    range[i] = a.range[i];
  const int rows = min(kDown, g.height - y0) + 2 * radius;
  const int columns = min(kAcross, g.width - x0) + 2 * radius;
  for (int row = thread / 32; row < rows; row += kThreads / 32)
    for (int column = thread % 32; column < columns; column += 32)
      tile[row * kPitch + column] =
          load_pixel<kComponents, kBytes>(a, g, x0 - radius + column, y0 - radius + row);
  __syncthreads();

  const int column = thread % kAcross, x = x0 + column;
  if (x >= g.width) return;
#pragma unroll 1
  for (int turn = 0; turn < kTurns; ++turn) {
    const int row = (thread / kAcross * kTurns + turn) * kRows;
    if (y0 + row >= g.height) return;
    const Word *centre = &tile[(row + radius) * kPitch + column + radius];
    Word own[kRows];
#pragma unroll
    for (int i = 0; i < kRows; ++i)
      own[i] = centre[i * kPitch];
    typename Pixel::Sums sums[kRows];
    // A weight in the upper half of a word.
    const auto weight = [&](Word pixel, Word other, std::uint32_t space) {
      std::uint32_t entry = Pixel::distance(pixel, other, kBytes > 1 ? a.round : 0);
      if (kBytes > 1) entry >>= a.shift;
      return space * range[min(entry, static_cast<std::uint32_t>(a.last))] + 0x8000;
    };
#pragma unroll(kRadius > 0 ? 2 * kMost + 1 : 1)
    for (int i = -radius; i <= radius; ++i) {
      const int half = kRadius > 0 ? half_of(kRadius, abs(i)) : a.half[abs(i)];
      const Word *from = centre + i - half * kPitch;
      Word around[kRows + 1];
#pragma unroll
      for (int k = 0; k < kRows - 1; ++k)
        around[k] = from[k * kPitch];
#pragma unroll(kRadius > 0 ? kMost + 1 : 1)
      for (int j = -half; j <= half; j += 2) {
        around[kRows - 1] = from[(kRows - 1) * kPitch];
        around[kRows] = from[kRows * kPitch];
        from += 2 * kPitch;
        const std::uint32_t space = a.space[abs(i)][abs(j)];
        const std::uint32_t next = j < half ? a.space[abs(i)][abs(j + 1)] : 0;
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
          const std::uint32_t weights = __byte_perm(weight(own[k], around[k], space),
                                                    weight(own[k], around[k + 1], next), 0x7632);
          Pixel::add(weights, around[k], around[k + 1], &sums[k]);
        }
#pragma unroll
        for (int k = 0; k < kRows - 1; ++k)
          around[k] = around[k + 2];
      }
    }
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
      if (y0 + row + k >= g.height) break;
      int result[kComponents];
      Pixel::results(sums[k], result);
      store_pixel<kComponents, kBytes>(a, g, x, y0 + row + k, result);
    }
  }
}

// ---- Planes that are copied ---------------------------------------------------------------------

constexpr int kCopyThreads = 256;

struct CopyArgs {
  const std::uint8_t *in;
  std::uint8_t *out;
  std::size_t in_pitch, out_pitch;
  int width;  // bytes
};

// A block has a row.
template <class T>
__global__ void __launch_bounds__(kCopyThreads) copy_kernel(const __grid_constant__ CopyArgs a) {
  wait_for_grid_before();
  const std::uint8_t *in = a.in + static_cast<std::size_t>(blockIdx.x) * a.in_pitch;
  std::uint8_t *out = a.out + static_cast<std::size_t>(blockIdx.x) * a.out_pitch;
  const int thread = static_cast<int>(threadIdx.x), whole = a.width / static_cast<int>(sizeof(T));
  for (int i = thread; i < whole; i += kCopyThreads)
    reinterpret_cast<T *>(out)[i] = load_global(reinterpret_cast<const T *>(in) + i);
  for (int i = whole * static_cast<int>(sizeof(T)) + thread; i < a.width; i += kCopyThreads)
    out[i] = load_global(in + i);
}

Status copy_plane(const ChannelPlane &plane, cudaStream_t stream) {
  const CopyArgs a = {plane.in.data, plane.out.data, plane.in.pitch, plane.out.pitch,
                      plane.in.width};
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(a.in) |
                              reinterpret_cast<std::uintptr_t>(a.out) | a.in_pitch | a.out_pitch;
  auto *const kernel = bits % 16 == 0  ? copy_kernel<uint4>
                       : bits % 4 == 0 ? copy_kernel<unsigned>
                                       : copy_kernel<std::uint8_t>;
  return launch_early(kernel, dim3(static_cast<unsigned>(plane.in.height)), dim3(kCopyThreads), 0,
                      stream, a);
}

// ---- Launches -----------------------------------------------------------------------------------

using Kernel = void (*)(BilateralArgs);

template <int kComponents>
Kernel kernel_of(const Bilateral &weights) {
  if (weights.depth.bytes() == 2) return bilateral_kernel<kComponents, 2, 0>;
  return weights.radius == 1   ? bilateral_kernel<kComponents, 1, 1>
         : weights.radius == 2 ? bilateral_kernel<kComponents, 1, 2>
         : weights.radius == 3 ? bilateral_kernel<kComponents, 1, 3>
                               : bilateral_kernel<kComponents, 1, 0>;
}

int divided_up(int a, int b) {
  return (a - 1) / b + 1;
}

GroupArgs make_group(const BilateralJob &job, const BilateralGroup &group) {
  GroupArgs g = {};
  for (int c = 0; c < group.components; ++c) {
    const BilateralComponent &component = group.component[c];
    const int first = component.first * job.weights.depth.bytes();
    g.in[c] = component.in.data + first;
    g.out[c] = component.out.data + first;
    g.in_pitch[c] = component.in.pitch;
    g.out_pitch[c] = component.out.pitch;
    g.outside[c] = component.outside;
  }
  g.width = group.width, g.height = group.height;
  g.step = group.component[0].step, g.first = group.component[0].first;
  g.copied = group.copied;
  g.tiles_across = divided_up(g.width, kAcross);
  return g;
}

// The groups of so many components.
Status launch_groups(const BilateralJob &job, int components, cudaStream_t stream) {
  const Bilateral &weights = job.weights;
  BilateralArgs a = {};
  std::int64_t blocks = 0;
  for (int i = 0, n = 0; i < job.groups; ++i) {
    if (job.group[i].components != components) continue;
    GroupArgs &g = a.group[n++] = make_group(job, job.group[i]);
    blocks += std::int64_t{g.tiles_across} * divided_up(g.height, kDown);
    if (blocks > std::numeric_limits<int>::max())
      return {StatusCode::unsupported, "bilateral: the picture is too large"};
    g.end = static_cast<int>(blocks);
  }
  if (blocks == 0) return {};
  for (int i = 0; i < Bilateral::kColumns; ++i)
    std::copy_n(weights.space[i], Bilateral::kColumns, a.space[i]);
  std::copy_n(weights.half, Bilateral::kColumns, a.half);
  std::copy_n(weights.range, Bilateral::kEntries, a.range);
  a.radius = weights.radius, a.last = weights.last, a.shift = weights.shift;
  a.round = 1 << weights.shift >> 1;
  a.sample_shift = weights.depth.shift, a.max = weights.depth.max();
  a.border = job.border;
  return launch_early(components == 3 ? kernel_of<3>(weights) : kernel_of<1>(weights),
                      dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream, a);
}

}  // namespace

Status bilateral_cuda(const BilateralJob &job, void *stream) {
  const TraceRange range("bilateral");
  auto *const on = static_cast<cudaStream_t>(stream);
  for (const int components : {3, 1})
    if (Status s = launch_groups(job, components, on); !s.ok()) return s;
  for (int p = 0; p < job.copies; ++p)
    if (Status s = copy_plane(job.copy[p], on); !s.ok()) return s;
  return {};
}

}  // namespace coalesce
