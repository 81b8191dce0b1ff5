// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: pictures of any format to coefficients. Eight threads have a block: each a row, then a
// column, then eight coefficients in the order of the file.
#include <cstdint>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "../../picture/runs.cuh"
#include "colour.h"
#include "cuda_job.h"
#include "forward_dct.h"

namespace coalesce::jpeg {
namespace {

constexpr int kThreads = 256, kBlocks = kThreads / 8;
constexpr int kPitch = kCoefficients + 8;  // of a block in shared memory: no two rows in one bank

struct Source {
  const std::uint8_t *data;
  std::size_t pitch;
  int first, step;
};

struct Quantiser {
  std::uint32_t reciprocal[2][kCoefficients];  // by luma and chroma, in the order of rows
  std::uint8_t step[2][kCoefficients];
};

struct TransformJob {
  CodingPlan plan;
  Source source[kMostComponents];  // of the format: Y, U, V; or R, G, B
  int alignment;                   // of all addresses and pitches
  bool one_run;                    // the components of RGB are in one plane, beside each other
  bool quantise;
  int first_group[kMostComponents + 1];  // groups of kBlocks blocks in a row, by component
  int groups_of_row[kMostComponents];
  std::int16_t *out;
  std::uint32_t *cleared;
  std::uint32_t words_cleared;
};

// Eight pixels of a row: kStep bytes each.
template <int kStep>
struct Run {
  std::uint32_t words[2 * kStep + 1];

  __device__ __forceinline__ void load(const std::uint8_t *from, int alignment) {
    std::uint32_t loaded[2 * kStep];
    load_run<8 * kStep>(from, alignment, loaded);
#pragma unroll
    for (int i = 0; i < 2 * kStep; ++i)
      words[i] = loaded[i];
    words[2 * kStep] = 0;
  }
  // Byte `first` of each.
  __device__ __forceinline__ void take(int first, int (&samples)[8]) const {
    std::uint32_t moved[2 * kStep];
#pragma unroll
    for (int i = 0; i < 2 * kStep; ++i)
      moved[i] = kStep == 1
                     ? words[i]
                     : __funnelshift_r(words[i], words[i + 1], static_cast<unsigned>(8 * first));
#pragma unroll
    for (int i = 0; i < 8; ++i)
      samples[i] = static_cast<int>(moved[i * kStep / 4] >> (8 * (i * kStep % 4)) & 255);
  }
};

template <int kStep>
__device__ __forceinline__ void load_stepped(const Source &s, const std::uint8_t *row, int x,
                                             int alignment, int (&samples)[8]) {
  Run<kStep> run;
  run.load(row + x * kStep, alignment);
  run.take(s.first, samples);
}

// Samples x to x + 7 of a row; the last one of `width` stands for those beyond it.
__device__ __forceinline__ void load_samples(const Source &s, int y, int x, int width,
                                             int alignment, int (&samples)[8]) {
  const std::uint8_t *row = s.data + s.pitch * static_cast<std::size_t>(y);
  if (x + 8 > width) {
#pragma unroll
    for (int i = 0; i < 8; ++i)
      samples[i] = load_global(row + s.first + min(x + i, width - 1) * s.step);
    return;
  }
  switch (s.step) {
    case 1:
      return load_stepped<1>(s, row, x, alignment, samples);
    case 2:
      return load_stepped<2>(s, row, x, alignment, samples);
    case 3:
      return load_stepped<3>(s, row, x, alignment, samples);
    default:
      return load_stepped<4>(s, row, x, alignment, samples);
  }
}

template <int kStep>
__device__ __forceinline__ void load_run_of_pixels(const TransformJob &job, int y, int x,
                                                   int (&r)[8], int (&g)[8], int (&b)[8]) {
  Run<kStep> run;
  run.load(job.source[0].data + job.source[0].pitch * static_cast<std::size_t>(y) + x * kStep,
           job.alignment);
  run.take(job.source[0].first, r);
  run.take(job.source[1].first, g);
  run.take(job.source[2].first, b);
}

__device__ __forceinline__ void load_pixels(const TransformJob &job, int y, int x, int (&r)[8],
                                            int (&g)[8], int (&b)[8]) {
  const int width = job.plan.width;
  if (job.one_run && x + 8 <= width) {
    if (job.source[0].step == 3)
      load_run_of_pixels<3>(job, y, x, r, g, b);
    else
      load_run_of_pixels<4>(job, y, x, r, g, b);
    return;
  }
  load_samples(job.source[0], y, x, width, job.alignment, r);
  load_samples(job.source[1], y, x, width, job.alignment, g);
  load_samples(job.source[2], y, x, width, job.alignment, b);
}

__device__ __forceinline__ int converted(int component, int r, int g, int b) {
  return component == 0 ? luma_of(r, g, b) : component == 1 ? cb_of(r, g, b) : cr_of(r, g, b);
}

// Samples x to x + 7 in row y of a component that is made of RGB.
__device__ __forceinline__ void convert_samples(const TransformJob &job, int component, int y,
                                                int x, int (&samples)[8]) {
  int r[8], g[8], b[8];
  const CodingPlan &plan = job.plan;
  if (component == 0 || plan.shrink_x == 1) {
    load_pixels(job, y, x, r, g, b);
#pragma unroll
    for (int i = 0; i < 8; ++i)
      samples[i] = converted(component, r[i], g[i], b[i]);
    return;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    samples[i] = 0;
  for (int j = 0; j < plan.shrink_y; ++j)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      load_pixels(job, min(y * plan.shrink_y + j, plan.height - 1), 2 * x + 8 * half, r, g, b);
#pragma unroll
      for (int i = 0; i < 8; ++i)
        samples[4 * half + i / 2] += converted(component, r[i], g[i], b[i]);
    }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    samples[i] = plan.shrink_y == 1 ? half_of(samples[i], i) : quarter_of(samples[i], i);
}

// Of a block's numbers in shared memory.
__device__ __forceinline__ uint4 load_eight(const std::int16_t *from) {
  return *reinterpret_cast<const uint4 *>(from);
}
__device__ __forceinline__ void unpack(const uint4 &from, int (&numbers)[8]) {
  const std::uint32_t words[4] = {from.x, from.y, from.z, from.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    numbers[2 * i] = static_cast<std::int16_t>(words[i] & 0xFFFF);
    numbers[2 * i + 1] = static_cast<int>(words[i]) >> 16;
  }
}

__device__ __forceinline__ void clear(std::uint32_t *words, std::uint32_t count) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
       i += gridDim.x * blockDim.x)
    words[i] = 0;
}

template <bool kConverts>
__global__ void __launch_bounds__(kThreads)
    transform_kernel(const __grid_constant__ TransformJob job,
                     const __grid_constant__ Quantiser quantiser) {
  wait_for_grid_before();
  __shared__ __align__(16) std::int16_t shared[kBlocks * kPitch];
  // Reciprocal; four steps, and above them where a coefficient goes.
  __shared__ uint2 divisors[kCoefficients];
  __shared__ std::uint8_t zigzag[kCoefficients];
  clear(job.cleared, job.words_cleared);
  const CodingPlan &plan = job.plan;
  int component = 0;
  while (component + 1 < plan.components &&
         static_cast<int>(blockIdx.x) >= job.first_group[component + 1])
    ++component;
  const CodedComponent &c = plan.component[component];
  if (threadIdx.x < kCoefficients) {
    divisors[threadIdx.x] = make_uint2(quantiser.reciprocal[c.table][threadIdx.x],
                                       4u * quantiser.step[c.table][threadIdx.x]);
    // The inverse of kNaturalOrder, by diagonals.
    const int row = static_cast<int>(threadIdx.x) / 8, column = static_cast<int>(threadIdx.x) % 8;
    const int d = row + column;
    const int before = d < 8 ? d * (d + 1) / 2 : 64 - (15 - d) * (16 - d) / 2;
    const int in_diagonal = (d & 1) == 0 ? column : row;
    zigzag[threadIdx.x] = static_cast<std::uint8_t>(before + in_diagonal - (d < 8 ? 0 : d - 7));
  }
  __syncthreads();

  const int group = static_cast<int>(blockIdx.x) - job.first_group[component];
  const int lane = static_cast<int>(threadIdx.x) % 8;
  const int y = group / job.groups_of_row[component];
  const int x = group % job.groups_of_row[component] * kBlocks + static_cast<int>(threadIdx.x) / 8;
  // (Those behind the row work for nobody.)
  const bool is_there = x < plan.mcus_x * c.h;
  const int mcu_x = is_there ? x / c.h : 0, mcu_y = y / c.v;
  const int in_x = is_there ? x % c.h : 0, in_y = y % c.v;
  const BlockSource source = c.source(mcu_x, mcu_y, in_x, in_y);

  int d[8];
  const int row = min(8 * source.y + lane, c.height - 1);
  if constexpr (kConverts)
    convert_samples(job, component, row, 8 * source.x, d);
  else
    load_samples(job.source[component], row, 8 * source.x, c.width, job.alignment, d);
  forward_dct_1d<true>(d);
  d[0] -= 8 * 128 << kRowBits;  // 128 less for each sample

  std::int16_t *const block = shared + static_cast<int>(threadIdx.x) / 8 * kPitch;
#pragma unroll
  for (int k = 0; k < 8; ++k)
    block[8 * k + lane] = static_cast<std::int16_t>(d[k]);
  __syncwarp();
  unpack(load_eight(block + 8 * lane), d);
  forward_dct_1d<false>(d);
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int at = 8 * k + lane;
    int number = d[k];
    if (job.quantise) {
      const uint2 divisor = divisors[at];
      const auto size = static_cast<std::uint32_t>(abs(number)) + divisor.y;
      const auto quotient = static_cast<int>(__umulhi(size, divisor.x));
      number = number < 0 ? -quotient : quotient;
    }
    if (!source.has_ac && at != 0) number = 0;
    block[zigzag[at]] = static_cast<std::int16_t>(number);
  }
  __syncwarp();
  if (!is_there) return;
  const std::size_t number = (static_cast<std::size_t>(mcu_y) * plan.mcus_x + mcu_x) *
                                 static_cast<std::size_t>(plan.blocks_of_mcu) +
                             c.first_in_mcu + in_y * c.h + in_x;
  *reinterpret_cast<uint4 *>(job.out + kCoefficients * number + 8 * lane) =
      load_eight(block + 8 * lane);
}

struct QuantiseJob {
  const std::int16_t *in;
  std::int16_t *out;
  std::uint32_t blocks;
  int blocks_of_mcu, luma_blocks;  // of an MCU
  std::uint32_t *cleared;
  std::uint32_t words_cleared;
};

// steps: in the order of the file. Eight threads have a block.
__global__ void __launch_bounds__(kThreads)
    quantise_kernel(const __grid_constant__ QuantiseJob job,
                    const __grid_constant__ Quantiser quantiser) {
  wait_for_grid_before();
  __shared__ uint2 divisors[2 * kCoefficients];
  clear(job.cleared, job.words_cleared);
  if (threadIdx.x < 2 * kCoefficients)
    divisors[threadIdx.x] =
        make_uint2(quantiser.reciprocal[threadIdx.x / kCoefficients][threadIdx.x % kCoefficients],
                   4u * quantiser.step[threadIdx.x / kCoefficients][threadIdx.x % kCoefficients]);
  __syncthreads();
  const std::uint32_t block = blockIdx.x * kBlocks + threadIdx.x / 8, lane = threadIdx.x % 8;
  if (block >= job.blocks) return;
  const bool luma =
      static_cast<int>(block % static_cast<unsigned>(job.blocks_of_mcu)) < job.luma_blocks;
  const std::size_t at = std::size_t{block} * kCoefficients + 8 * lane;
  int numbers[8];
  unpack(load_eight(job.in + at), numbers);
  std::uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const uint2 divisor = divisors[(luma ? 0 : kCoefficients) + 8 * lane + i];
    const auto size = static_cast<std::uint32_t>(abs(numbers[i])) + divisor.y;
    const auto quotient = static_cast<int>(__umulhi(size, divisor.x));
    const auto number = static_cast<std::uint32_t>(numbers[i] < 0 ? -quotient : quotient) & 0xFFFF;
    if (i % 2 == 0)
      words[i / 2] = number;
    else
      words[i / 2] |= number << 16;
  }
  *reinterpret_cast<uint4 *>(job.out + at) = make_uint4(words[0], words[1], words[2], words[3]);
}

Quantiser make_quantiser(const QuantTables &quant, bool in_file_order) {
  Quantiser q;
  for (int table = 0; table < 2; ++table)
    for (std::size_t i = 0; i < kCoefficients; ++i) {
      const int step = quant.table[table][in_file_order ? kNaturalOrder[i] : i];
      q.step[table][i] = static_cast<std::uint8_t>(step);
      q.reciprocal[table][i] = quant_reciprocal(step);
    }
  return q;
}

std::uint32_t words_cleared(const CodingPlan &plan) {
  return static_cast<std::uint32_t>(
      (sizeof(std::uint64_t) +
       static_cast<std::size_t>(make_tiling(plan).tiles) * sizeof(TileWords) +
       2 * sizeof(Statistics)) /
      sizeof(std::uint32_t));
}

}  // namespace

Status transform_cuda(const ConstImage &image, const CodingPlan &plan, const QuantTables &quant,
                      bool quantise, const SlotArrays &arrays, void *stream) {
  TransformJob job = {};
  job.plan = plan;
  std::uintptr_t addresses = 16;
  for (int i = 0; i < plan.components; ++i) {
    const PixelComponent &c = image.format.component[i];
    job.source[i] = {image.of(c).data, image.of(c).pitch, c.first, c.step};
    addresses |= reinterpret_cast<std::uintptr_t>(image.of(c).data) | image.of(c).pitch;
  }
  job.alignment = static_cast<int>(addresses & (~addresses + 1));
  job.one_run = plan.components == 3 && job.source[0].step > 2 &&
                job.source[0].data == job.source[1].data &&
                job.source[0].data == job.source[2].data;
  job.quantise = quantise;
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    job.groups_of_row[i] = (plan.mcus_x * c.h + kBlocks - 1) / kBlocks;
    job.first_group[i + 1] = job.first_group[i] + job.groups_of_row[i] * plan.mcus_y * c.v;
  }
  job.out = quantise ? arrays.coefficients : arrays.unquantised;
  job.cleared = arrays.ticket;
  job.words_cleared = words_cleared(plan);
  return launch_early(plan.converts ? transform_kernel<true> : transform_kernel<false>,
                      dim3(static_cast<unsigned>(job.first_group[plan.components])), dim3(kThreads),
                      0, static_cast<cudaStream_t>(stream), job, make_quantiser(quant, false));
}

Status quantise_cuda(const CodingPlan &plan, const QuantTables &quant, const SlotArrays &arrays,
                     void *stream) {
  const CodedComponent &luma = plan.component[0];
  const bool one_table = plan.component[plan.components - 1].table == 0;
  const QuantiseJob job = {arrays.unquantised,
                           arrays.coefficients,
                           static_cast<std::uint32_t>(plan.blocks()),
                           plan.blocks_of_mcu,
                           one_table ? plan.blocks_of_mcu : luma.h * luma.v,
                           arrays.ticket,
                           words_cleared(plan)};
  return launch_early(quantise_kernel, dim3((job.blocks + kBlocks - 1) / kBlocks), dim3(kThreads),
                      0, static_cast<cudaStream_t>(stream), job, make_quantiser(quant, true));
}

}  // namespace coalesce::jpeg
