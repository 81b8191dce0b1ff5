// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: coefficients to samples, and samples to RGB.
#include <cstdint>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "../../core/warp_sum.cuh"
#include "cuda_decode_job.h"
#include "inverse_dct.h"

namespace coalesce::jpeg {
namespace {

// DC differences of a tile's MCUs: for each the sums of those before it, and the tile's.
__global__ void __launch_bounds__(kTileMcus)
    add_up_kernel(const __grid_constant__ ScanPlan plan, const std::int16_t *coefficients,
                  std::uint32_t *dc, std::uint32_t *dc_tiles) {
  wait_for_grid_before();
  __shared__ std::uint32_t sums[kMostComponents][kTileMcus];
  const std::uint32_t t = threadIdx.x, mcu = blockIdx.x * kTileMcus + t;
  const auto blocks = static_cast<unsigned>(plan.blocks_of_mcu);
  const std::int16_t *const from = coefficients + std::size_t{mcu} * blocks * kCoefficients;
  // All loads first: they do not wait for each other.
  std::uint32_t differences[kMostBlocksOfMcu], own[kMostComponents] = {};
#pragma unroll
  for (unsigned b = 0; b < kMostBlocksOfMcu; ++b)
    differences[b] = mcu < plan.mcus && b < blocks
                         ? static_cast<std::uint32_t>(from[std::size_t{b} * kCoefficients])
                         : 0;
#pragma unroll
  for (int b = 0; b < kMostBlocksOfMcu; ++b)
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c)
      if (plan.component[b] == c) own[c] += differences[b];
#pragma unroll
  for (int c = 0; c < kMostComponents; ++c)
    sums[c][t] = own[c];
  __syncthreads();
  for (std::uint32_t distance = 1; distance < kTileMcus; distance *= 2) {
    std::uint32_t other[kMostComponents];
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c)
      other[c] = t >= distance ? sums[c][t - distance] : 0;
    __syncthreads();
#pragma unroll
    for (int c = 0; c < kMostComponents; ++c)
      sums[c][t] += other[c];
    __syncthreads();
  }
  for (int c = 0; c < plan.components; ++c) {
    if (mcu < plan.mcus)
      dc[static_cast<std::size_t>(c) * plan.mcus + mcu] = (t == 0 ? 0 : sums[c][t - 1]);
    if (t == kTileMcus - 1)
      dc_tiles[static_cast<unsigned>(c) * plan.tiles + blockIdx.x] = sums[c][t];
  }
}

// Sums of the tiles before each: a block of threads for each component.
__global__ void __launch_bounds__(kTileMcus)
    add_up_tiles_kernel(std::uint32_t tiles, std::uint32_t *dc_tiles) {
  wait_for_grid_before();
  __shared__ std::uint32_t sums[kTileMcus];
  std::uint32_t *const of = dc_tiles + blockIdx.x * tiles;
  const std::uint32_t t = threadIdx.x;
  std::uint32_t before = 0;
  for (std::uint32_t first = 0; first < tiles; first += kTileMcus) {
    const std::uint32_t own = first + t < tiles ? of[first + t] : 0;
    sums[t] = own;
    __syncthreads();
    for (std::uint32_t distance = 1; distance < kTileMcus; distance *= 2) {
      const std::uint32_t other = t >= distance ? sums[t - distance] : 0;
      __syncthreads();
      sums[t] += other;
      __syncthreads();
    }
    if (first + t < tiles) of[first + t] = before + sums[t] - own;
    before += sums[kTileMcus - 1];
    __syncthreads();
  }
}

constexpr int kThreads = 256, kBlocks = kThreads / 8;
constexpr int kPitch = kCoefficients + 8;  // of a block in shared memory

struct TransformComponent {
  int wide, high;   // blocks of the picture
  int h, v, first;  // in an MCU
  int padded_wide;
  std::uint32_t plane;  // blocks of components before it
  int groups_of_row;
  SampleTarget target;
  std::int16_t step[kCoefficients];
};

struct TransformJob {
  ScanPlan plan;
  bool in_scan_order;
  int mcus_wide, components;
  std::uint32_t first_group[kMostComponents + 1];
  TransformComponent component[3];
  const std::int16_t *coefficients;
  const std::uint32_t *dc, *dc_tiles;
};

template <class Word>
__device__ __forceinline__ void transform(std::int32_t *block, int lane, std::uint8_t (&out)[8]) {
  Word x[8];
  const auto word_of = [](std::int32_t value) {
    return static_cast<Word>(static_cast<typename SignedOf<Word>::Type>(value));
  };
#pragma unroll
  for (int i = 0; i < 8; ++i)
    x[i] = word_of(block[8 * i + lane]);
  inverse_dct_8(x, kColumnShift);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    block[8 * i + lane] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[i]));
  __syncwarp(kWholeWarp);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    x[i] = word_of(block[8 * lane + i]);
  inverse_dct_8(x, kRowShift);
#pragma unroll
  for (int i = 0; i < 8; ++i)
    out[i] = idct_sample(x[i]);
}

// Differences up to this block, in its restart interval.
__device__ __forceinline__ std::uint32_t sum_dc(const TransformJob &job, int component,
                                                std::uint32_t mcu, int number) {
  const ScanPlan &plan = job.plan;
  const std::uint32_t *of = job.dc + std::size_t{plan.mcus} * static_cast<unsigned>(component);
  const std::uint32_t *tiles = job.dc_tiles + plan.tiles * static_cast<unsigned>(component);
  std::uint32_t sum = of[mcu] + tiles[mcu / kTileMcus];
  if (plan.interval != 0) {
    const std::uint32_t first = mcu / plan.interval * plan.interval;
    sum -= of[first] + tiles[first / kTileMcus];
  }
  const std::int16_t *blocks = job.coefficients + std::size_t{mcu} *
                                                      static_cast<unsigned>(plan.blocks_of_mcu) *
                                                      kCoefficients;
  for (int b = job.component[component].first; b <= number; ++b)
    sum += static_cast<std::uint32_t>(blocks[b * kCoefficients]);
  return sum;
}

// Eight threads have a block: each a row, a column, and a row again.
__global__ void __launch_bounds__(kThreads)
    transform_kernel(const __grid_constant__ TransformJob job) {
  wait_for_grid_before();
  __shared__ std::int32_t shared[kBlocks * kPitch];
  int c = 0;
  while (c + 1 < job.components && blockIdx.x >= job.first_group[c + 1])
    ++c;
  const TransformComponent &k = job.component[c];
  const int group = static_cast<int>(blockIdx.x - job.first_group[c]);
  const int y = group / k.groups_of_row;
  const int x = group % k.groups_of_row * kBlocks + static_cast<int>(threadIdx.x) / 8;
  const int lane = static_cast<int>(threadIdx.x) % 8;
  const bool is_there = x < k.wide;
  std::int32_t *block = shared + static_cast<int>(threadIdx.x) / 8 * kPitch;
  std::int32_t sum = 0;
  if (is_there) {
    std::size_t number;
    std::uint32_t mcu = 0;
    int in_mcu = 0;
    if (job.in_scan_order) {
      mcu = static_cast<std::uint32_t>(y / k.v * job.mcus_wide + x / k.h);
      in_mcu = k.first + y % k.v * k.h + x % k.h;
      number = std::size_t{mcu} * static_cast<unsigned>(job.plan.blocks_of_mcu) +
               static_cast<unsigned>(in_mcu);
    } else {
      number = std::size_t{k.plane} +
               static_cast<std::size_t>(y) * static_cast<unsigned>(k.padded_wide) +
               static_cast<unsigned>(x);
    }
    const uint4 row =
        *reinterpret_cast<const uint4 *>(job.coefficients + number * kCoefficients + 8 * lane);
    const std::uint32_t words[4] = {row.x, row.y, row.z, row.w};
    std::int16_t numbers[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      numbers[i] = static_cast<std::int16_t>(words[i / 2] >> (i % 2 * 16));
    if (lane == 0 && job.in_scan_order)
      numbers[0] = static_cast<std::int16_t>(sum_dc(job, c, mcu, in_mcu));
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const std::int32_t value = numbers[i] * k.step[8 * lane + i];
      block[8 * lane + i] = value;
      sum += min(abs(value), kMostIn32Bits + 1);
    }
  } else {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      block[8 * lane + i] = 0;
  }
#pragma unroll
  for (int distance = 1; distance < 8; distance *= 2)
    sum += __shfl_xor_sync(kWholeWarp, sum, distance);
  __syncwarp(kWholeWarp);
  std::uint8_t out[8];
  if (__any_sync(kWholeWarp, sum > kMostIn32Bits ? 1 : 0) != 0)
    transform<std::uint64_t>(block, lane, out);
  else
    transform<std::uint32_t>(block, lane, out);
  const SampleTarget &to = k.target;
  const int row = 8 * y + lane, column = 8 * x;
  if (!is_there || row >= to.height) return;
  std::uint8_t *at = to.data + to.pitch * static_cast<std::size_t>(row) + column * to.step;
  const int count = min(8, to.width - column);
  if (count == 8 && to.step == 1 && reinterpret_cast<std::uintptr_t>(at) % 8 == 0) {
    std::uint32_t words[2] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i)
      words[i / 4] |= std::uint32_t{out[i]} << (8 * (i % 4));
    *reinterpret_cast<uint2 *>(at) = make_uint2(words[0], words[1]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (i < count) at[i * to.step] = out[i];
}

struct RgbJob {
  SamplePlane plane[3];
  int width, height;
  Colour colour;
  int components;  // of the picture
  SampleTarget to[4];
};

constexpr int kRgbWidth = 32, kRgbHeight = 8;

__global__ void __launch_bounds__(kRgbWidth *kRgbHeight)
    rgb_kernel(const __grid_constant__ RgbJob job) {
  wait_for_grid_before();
  const int x = static_cast<int>(blockIdx.x) * kRgbWidth + static_cast<int>(threadIdx.x);
  const int y = static_cast<int>(blockIdx.y) * kRgbHeight + static_cast<int>(threadIdx.y);
  if (x >= job.width || y >= job.height) return;
  const int first = upsampled(job.plane[0], x, y);
  Rgb8 rgb = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(first),
              static_cast<std::uint8_t>(first)};
  if (job.colour != Colour::grey) {
    const int second = upsampled(job.plane[1], x, y), third = upsampled(job.plane[2], x, y);
    rgb.g = static_cast<std::uint8_t>(second);
    rgb.b = static_cast<std::uint8_t>(third);
    if (job.colour == Colour::ycc) rgb = rgb_of(first, second, third);
  }
  const std::uint8_t samples[4] = {rgb.r, rgb.g, rgb.b, 255};
#pragma unroll
  for (int c = 0; c < 4; ++c)
    if (c < job.components)
      job.to[c].data[job.to[c].pitch * static_cast<std::size_t>(y) + x * job.to[c].step] =
          samples[c];
}

}  // namespace

Status transform_blocks_cuda(const Frame &frame, const ScanPlan *plan, const DecodeArrays &arrays,
                             const QuantTable *const *quant, const SampleTarget *targets,
                             void *stream) {
  auto *const to = static_cast<cudaStream_t>(stream);
  TransformJob job = {};
  job.in_scan_order = plan != nullptr;
  if (plan != nullptr) {
    job.plan = *plan;
    if (Status s = launch_early(add_up_kernel, dim3(plan->tiles), dim3(kTileMcus), 0, to, *plan,
                                static_cast<const std::int16_t *>(arrays.coefficients), arrays.dc,
                                arrays.dc_tiles);
        !s.ok())
      return s;
    if (Status s = launch_early(add_up_tiles_kernel, dim3(static_cast<unsigned>(plan->components)),
                                dim3(kTileMcus), 0, to, plan->tiles, arrays.dc_tiles);
        !s.ok())
      return s;
  }
  const bool alone = frame.components == 1;
  job.components = frame.components;
  job.mcus_wide = alone ? frame.component[0].blocks_wide : frame.mcus_wide;
  std::uint32_t plane = 0;
  int first = 0;
  for (int c = 0; c < frame.components; ++c) {
    const FrameComponent &f = frame.component[c];
    TransformComponent &k = job.component[c];
    k.wide = f.blocks_wide;
    k.high = f.blocks_high;
    k.h = alone ? 1 : f.h;
    k.v = alone ? 1 : f.v;
    k.first = first;
    first += k.h * k.v;
    k.padded_wide = f.padded_wide;
    k.plane = plane;
    plane += static_cast<std::uint32_t>(f.blocks());
    k.groups_of_row = (k.wide + kBlocks - 1) / kBlocks;
    k.target = targets[c];
    for (std::size_t i = 0; i < kCoefficients; ++i)
      k.step[i] = static_cast<std::int16_t>((*quant[c])[i]);
    job.first_group[c + 1] =
        job.first_group[c] + static_cast<std::uint32_t>(k.groups_of_row * k.high);
  }
  job.coefficients = arrays.coefficients;
  job.dc = arrays.dc;
  job.dc_tiles = arrays.dc_tiles;
  const dim3 grid(job.first_group[frame.components]), block(kThreads);
  return plan != nullptr ? launch_early(transform_kernel, grid, block, 0, to, job)
                         : launch(transform_kernel, grid, block, to, job);
}

Status write_rgb_cuda(const Frame &frame, const SamplePlane *planes, const Image &out,
                      void *stream) {
  RgbJob job = {};
  for (int c = 0; c < frame.components; ++c)
    job.plane[c] = planes[c];
  job.width = frame.width;
  job.height = frame.height;
  job.colour = frame.colour;
  job.components = out.format.components;
  for (int c = 0; c < job.components; ++c) {
    const PixelComponent &k = out.format.component[c];
    job.to[c] = {out.of(k).data + k.first, out.of(k).pitch, k.step, frame.width, frame.height};
  }
  const dim3 grid(static_cast<unsigned>((frame.width + kRgbWidth - 1) / kRgbWidth),
                  static_cast<unsigned>((frame.height + kRgbHeight - 1) / kRgbHeight));
  return launch_early(rgb_kernel, grid, dim3(kRgbWidth, kRgbHeight), 0,
                      static_cast<cudaStream_t>(stream), job);
}

}  // namespace coalesce::jpeg
