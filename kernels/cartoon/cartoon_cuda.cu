// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines: a block has a tile of luma, sums it across, then down, all in shared memory. Tones: planes
// are copied in chunks of 16 bytes whose luma is looked up; of R, G and B a thread has a pixel.
#include <algorithm>
#include <limits>

#include "../core/border.h"
#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "../picture/runs.cuh"
#include "../picture/tile.cuh"
#include "cartoon_job.h"

namespace coalesce {
namespace {

constexpr int kThreads = 256;

Status too_large() {
  return {StatusCode::unsupported, "cartoon: the picture is too large"};
}

// ---- Lines --------------------------------------------------------------------------------------

constexpr int kAcross = 64, kDown = 32, kReach = DogTaps::kMostReach;

struct DogArgs {
  DogJob job;
  int tiles_across;
};

__device__ __forceinline__ int luma_at(const CartoonLuma &luma, int x, int y) {
  x = border_position(Border::replicate, x, luma.width);
  y = border_position(Border::replicate, y, luma.height);
  int sample[3];
#pragma unroll
  for (int c = 0; c < 3; ++c)
    if (c < luma.components) {
      const CartoonSamples &s = luma.component[c];
      sample[c] = load_global(s.in.row(y) + s.first + static_cast<std::ptrdiff_t>(x) * s.step);
    }
  return luma.components == 1 ? sample[0] : cartoon_luma(sample[0], sample[1], sample[2]);
}

// `from` is the sample in the middle, `pitch` the way to the next one.
template <class T>
__device__ __forceinline__ std::uint32_t sum_of(const DogTaps &taps, const T *from, int pitch) {
  std::uint32_t sum = taps.tap[0] * from[0];
  for (int i = 1; i <= taps.reach; ++i)
    sum += taps.tap[i] * (std::uint32_t{from[-i * pitch]} + from[i * pitch]);
  return sum;
}

__global__ void __launch_bounds__(kThreads) dog_kernel(const __grid_constant__ DogArgs a) {
  wait_for_grid_before();
  constexpr int kPitch = kAcross + 2 * kReach, kTileRows = kDown + 2 * kReach;
  __shared__ std::uint8_t luma[kTileRows * kPitch];
  __shared__ std::uint16_t narrow[kTileRows * kAcross], wide[kTileRows * kAcross];
  const int thread = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  const int band = block / a.tiles_across;
  const int x0 = (block - band * a.tiles_across) * kAcross, y0 = band * kDown;
  const int around = a.job.wide.reach, rows = min(kDown, a.job.luma.height - y0) + 2 * around;
  const int columns = kAcross + 2 * around;

  for (int i = thread; i < rows * columns; i += kThreads) {
    const int row = i / columns, column = i - row * columns;
    luma[row * kPitch + column] =
        static_cast<std::uint8_t>(luma_at(a.job.luma, x0 + column - around, y0 + row - around));
  }
  __syncthreads();
  for (int i = thread; i < rows * kAcross; i += kThreads) {
    const std::uint8_t *from = &luma[i / kAcross * kPitch + i % kAcross + around];
    narrow[i] = dog_across(sum_of(a.job.narrow, from, 1));
    wide[i] = dog_across(sum_of(a.job.wide, from, 1));
  }
  __syncthreads();
  for (int i = thread; i < (rows - 2 * around) * kAcross; i += kThreads) {
    const int x = x0 + i % kAcross, at = i + around * kAcross;
    if (x >= a.job.luma.width) continue;
    a.job.out.row(y0 + i / kAcross)[x] =
        line_strength(dog_down(sum_of(a.job.narrow, narrow + at, kAcross)),
                      dog_down(sum_of(a.job.wide, wide + at, kAcross)), a.job.threshold);
  }
}

// ---- Tones --------------------------------------------------------------------------------------

constexpr int kChunk = 16;  // bytes

struct ToneArgs {
  TonePlane plane[4];
  int alignment[4];    // of both pictures' rows
  unsigned chunks[4];  // of a row
  unsigned luma[4];    // which bytes of a chunk are looked up, one bit each
  std::uint8_t tone[256];
};

__global__ void __launch_bounds__(kThreads) plane_kernel(const __grid_constant__ ToneArgs a) {
  wait_for_grid_before();
  __shared__ std::uint8_t tone[256];
  const unsigned p = blockIdx.y, luma = a.luma[p], chunks = a.chunks[p];
  if (luma != 0) {
    for (unsigned i = threadIdx.x; i < 256; i += kThreads)
      tone[i] = a.tone[i];
    __syncthreads();
  }
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, at = i / chunks;
  const TonePlane &plane = a.plane[p];
  if (at >= static_cast<unsigned>(plane.out.height)) return;
  const int row = static_cast<int>(at), x = static_cast<int>(i - at * chunks) * kChunk;
  const std::uint8_t *from = plane.from(row) + x;
  std::uint8_t *to = plane.out.row(row) + x;
  const int bytes = min(kChunk, plane.out.width - x);
  if (bytes < kChunk) {
    for (int k = 0; k < bytes; ++k)
      to[k] = luma >> k & 1 ? tone[load_global(from + k)] : load_global(from + k);
    return;
  }
  std::uint32_t words[kChunk / 4];
  load_run<kChunk>(from, a.alignment[p], words);
#pragma unroll
  for (int k = 0; k < kChunk; ++k)
    if (luma >> k & 1) {
      const int shift = 8 * (k % 4);
      const std::uint32_t sample = words[k / 4] >> shift & 255;
      words[k / 4] ^= (sample ^ tone[sample]) << shift;
    }
  store_run<kChunk>(to, a.alignment[p], words);
}

struct RgbArgs {
  // R, G and B, and what is copied beside them in pixels of four bytes.
  CartoonSamples from[4];
  Plane<std::uint8_t> to[4];
  int samples;
  int width, height;
  std::uint8_t tone[256];
};

__global__ void __launch_bounds__(kThreads) rgb_kernel(const __grid_constant__ RgbArgs a) {
  wait_for_grid_before();
  __shared__ std::uint8_t tone[256];
  for (unsigned i = threadIdx.x; i < 256; i += kThreads)
    tone[i] = a.tone[i];
  __syncthreads();
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, row = i / static_cast<unsigned>(a.width);
  if (row >= static_cast<unsigned>(a.height)) return;
  const int y = static_cast<int>(row);
  const std::ptrdiff_t x = i - row * static_cast<unsigned>(a.width);
  int sample[4];
#pragma unroll
  for (int c = 0; c < 4; ++c)
    if (c < a.samples)
      sample[c] = load_global(a.from[c].in.row(y) + a.from[c].first + x * a.from[c].step);
  const int level = cartoon_luma(sample[0], sample[1], sample[2]), by = tone[level] - level;
#pragma unroll
  for (int c = 0; c < 4; ++c)
    if (c < a.samples)
      a.to[c].row(y)[a.from[c].first + x * a.from[c].step] =
          moved_sample(sample[c], c < 3 ? by : 0);
}

bool in_one_plane(const ToneJob &job) {
  return job.is_rgb() && job.of_plane[0] == job.of_plane[1] && job.of_plane[0] == job.of_plane[2];
}

Status rgb_tones(const ToneJob &job, cudaStream_t stream) {
  RgbArgs a = {};
  a.width = job.luma.width, a.height = job.luma.height;
  a.samples = 3;
  for (int c = 0; c < 3; ++c) {
    a.from[c] = job.luma.component[c];
    a.to[c] = job.plane[job.of_plane[c]].out;
  }
  if (in_one_plane(job) && a.from[0].step == 4) {
    a.samples = 4;
    a.from[3] = a.from[0], a.to[3] = a.to[0];
    a.from[3].first = 6 - a.from[0].first - a.from[1].first - a.from[2].first;
  }
  std::copy_n(job.tone, 256, a.tone);
  const std::int64_t pixels = std::int64_t{a.width} * a.height;
  if (pixels > std::numeric_limits<std::int32_t>::max()) return too_large();
  return launch_early(rgb_kernel, dim3(static_cast<unsigned>((pixels - 1) / kThreads + 1)),
                      dim3(kThreads), 0, stream, a);
}

// But for those that R, G and B are in.
Status plane_tones(const ToneJob &job, cudaStream_t stream) {
  ToneArgs a = {};
  std::copy_n(job.tone, 256, a.tone);
  unsigned planes = 0;
  std::int64_t most = 0;
  for (int p = 0; p < job.planes; ++p) {
    const bool toned = std::find(job.of_plane, job.of_plane + job.luma.components, p) !=
                       job.of_plane + job.luma.components;
    if (toned && job.is_rgb()) continue;
    const TonePlane &plane = a.plane[planes] = job.plane[p];
    a.alignment[planes] = std::min(alignment_of(plane.in), alignment_of(plane.out));
    a.chunks[planes] = static_cast<unsigned>(divided_up(plane.out.width, kChunk));
    for (int k = job.luma.component[0].first; toned && k < kChunk; k += job.luma.component[0].step)
      a.luma[planes] |= 1u << k;
    most = std::max(most, std::int64_t{a.chunks[planes]} * plane.out.height);
    ++planes;
  }
  if (planes == 0) return {};
  if (most > std::numeric_limits<std::int32_t>::max()) return too_large();
  return launch_early(plane_kernel, dim3(static_cast<unsigned>((most - 1) / kThreads + 1), planes),
                      dim3(kThreads), 0, stream, a);
}

}  // namespace

Status dog_cuda(const DogJob &job, void *stream) {
  const TraceRange range("cartoon_lines");
  const DogArgs a = {job, divided_up(job.luma.width, kAcross)};
  const std::int64_t blocks = std::int64_t{a.tiles_across} * divided_up(job.luma.height, kDown);
  if (blocks > std::numeric_limits<std::int32_t>::max()) return too_large();
  return launch_early(dog_kernel, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0,
                      static_cast<cudaStream_t>(stream), a);
}

Status tones_cuda(const ToneJob &job, void *stream) {
  const TraceRange range("cartoon_tones");
  auto *const on = static_cast<cudaStream_t>(stream);
  if (job.is_rgb())
    if (Status s = rgb_tones(job, on); !s.ok()) return s;
  return plane_tones(job, on);
}

}  // namespace coalesce
