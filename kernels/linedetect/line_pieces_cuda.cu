// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains are split: a warp has a window of one, and a block joins the windows of a long one. Pieces
// that are long enough become candidates.
#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "line_cuda.h"
#include "line_warp.cuh"

namespace coalesce {
namespace {

constexpr int kThreads = 128;
constexpr unsigned kWarps = kThreads / 32;

struct PieceArgs {
  LineCudaScratch s;
  std::int64_t tolerance;
  int min_length;
};

// The pixel that deviates the most from a chord, of those between both, and the first of several:
// its place. 0: none does too much. pixel(i): that of place i. By a warp.
template <class PixelAt>
__device__ __forceinline__ std::uint32_t farthest(PixelAt pixel, std::uint32_t from,
                                                  std::uint32_t to, std::int64_t tolerance) {
  const Chord chord(pixel(from), pixel(to));
  std::int64_t most = chord.limit(tolerance);
  std::uint32_t at = 0;
  for (std::uint32_t i = from + 1 + threadIdx.x % 32; i < to; i += 32) {
    const std::int64_t deviation = chord.deviation(pixel(i));
    if (deviation <= most) continue;
    most = deviation;
    at = i;
  }
  if (__any_sync(kWholeWarp, at != 0) == 0) return 0;
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const std::int64_t other = __shfl_xor_sync(kWholeWarp, most, distance);
    const std::uint32_t place = __shfl_xor_sync(kWholeWarp, at, distance);
    // (Who has found none has place 0 and the limit, which others exceed.)
    const bool is_better = other > most || (other == most && place < at);
    if (place != 0 && (at == 0 || is_better)) most = other, at = place;
  }
  return at;
}

// ---- Windows ------------------------------------------------------------------------------------

// Cuts in a window, the number of steps in it being the last one: a word in each lane.
struct WindowCuts {
  std::uint32_t word = 0;
  __device__ __forceinline__ void add(std::uint32_t at) {
    if (threadIdx.x % 32 == at / 32) word |= 1u << at % 32;
  }
  // Behind a place. There is one.
  __device__ __forceinline__ std::uint32_t next(std::uint32_t at) const {
    const unsigned lane = threadIdx.x % 32;
    const std::uint32_t behind = lane < at / 32    ? 0
                                 : lane == at / 32 ? word & ~(2u * (1u << at % 32) - 1)
                                                   : word;
    const unsigned lanes = __ballot_sync(kWholeWarp, behind != 0);
    const int first = __ffs(static_cast<int>(lanes)) - 1;
    const std::uint32_t found = __shfl_sync(kWholeWarp, behind, first);
    return 32 * static_cast<std::uint32_t>(first) +
           static_cast<std::uint32_t>(__ffs(static_cast<int>(found)) - 1);
  }
};

__global__ void __launch_bounds__(kThreads) split_kernel(const __grid_constant__ PieceArgs a) {
  wait_for_grid_before();
  __shared__ LinePixel pixels[kWarps][kLineWindow + 1];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  LinePixel *const mine = pixels[warp];
  const std::uint32_t windows = load_global(&a.s.counters->windows);
  for (std::uint32_t i = blockIdx.x * kWarps + warp; i < windows; i += gridDim.x * kWarps) {
    const LineWindow window = load_global(a.s.windows + i);
    for (std::uint32_t k = lane; k <= window.steps; k += 32)
      mine[k] = load_global(a.s.order + window.first + k);
    __syncwarp();
    WindowCuts cuts;
    cuts.add(window.steps);
    for (std::uint32_t from = 0; from < window.steps;) {
      const std::uint32_t to = cuts.next(from);
      const std::uint32_t at =
          farthest([mine](std::uint32_t k) { return mine[k]; }, from, to, a.tolerance);
      if (at == 0) {
        from = to;
        continue;
      }
      cuts.add(at);
      const std::uint32_t place = window.first + at;
      if (lane == 0) atomicOr(a.s.cuts + place / 32, 1u << place % 32);
    }
    __syncwarp();
  }
}

// ---- Long chains --------------------------------------------------------------------------------

// Other warps of the block take cuts away meanwhile, but none of those that are found.
__device__ __forceinline__ std::uint32_t cuts_at(const PieceArgs &a, std::uint32_t word) {
  return *static_cast<const volatile std::uint32_t *>(a.s.cuts + word);
}

// The nearest cut before or behind a place. There is one.
__device__ std::uint32_t cut_before(const PieceArgs &a, std::uint32_t place) {
  const std::uint32_t lane = threadIdx.x % 32;
  for (std::uint32_t top = place / 32;; top -= 32) {
    std::uint32_t word = lane <= top ? cuts_at(a, top - lane) : 0;
    if (top - lane == place / 32) word &= (1u << place % 32) - 1;
    const unsigned lanes = __ballot_sync(kWholeWarp, word != 0);
    if (lanes == 0) continue;
    const int nearest = __ffs(static_cast<int>(lanes)) - 1;
    const std::uint32_t found = __shfl_sync(kWholeWarp, word, nearest);
    return 32 * (top - static_cast<std::uint32_t>(nearest)) + 31u -
           static_cast<std::uint32_t>(__clz(static_cast<int>(found)));
  }
}
__device__ std::uint32_t cut_behind(const PieceArgs &a, std::uint32_t place) {
  const std::uint32_t lane = threadIdx.x % 32;
  const std::uint32_t last = (load_global(&a.s.counters->pixels) - 1) / 32;
  for (std::uint32_t base = place / 32;; base += 32) {
    std::uint32_t word = base + lane <= last ? cuts_at(a, base + lane) : 0;
    if (base + lane == place / 32) word &= ~(2u * (1u << place % 32) - 1);
    const unsigned lanes = __ballot_sync(kWholeWarp, word != 0);
    if (lanes == 0) continue;
    const int nearest = __ffs(static_cast<int>(lanes)) - 1;
    const std::uint32_t found = __shfl_sync(kWholeWarp, word, nearest);
    return 32 * (base + static_cast<std::uint32_t>(nearest)) +
           static_cast<std::uint32_t>(__ffs(static_cast<int>(found)) - 1);
  }
}

__global__ void __launch_bounds__(kThreads) join_kernel(const __grid_constant__ PieceArgs a) {
  wait_for_grid_before();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::uint32_t chains = load_global(&a.s.counters->long_chains);
  for (std::uint32_t i = blockIdx.x; i < chains; i += gridDim.x) {
    const LongChain chain = load_global(a.s.long_chains + i);
    const std::uint32_t begin = load_global(&a.s.windows[chain.window].first);
    for (std::uint32_t step = 1; step < chain.count; step *= 2) {
      for (std::uint32_t k = step + 2 * step * warp; k < chain.count; k += 2 * step * kWarps) {
        const std::uint32_t place = begin + kLineWindow * k;
        const std::uint32_t before = cut_before(a, place), behind = cut_behind(a, place);
        const std::uint32_t at =
            farthest([&a](std::uint32_t j) { return load_global(a.s.order + j); }, before, behind,
                     a.tolerance);
        // (The bit is one: so no other changes.)
        if (at == 0 && lane == 0) atomicAdd(a.s.cuts + place / 32, 0u - (1u << place % 32));
      }
      __syncthreads();
    }
  }
}

// ---- Candidates ---------------------------------------------------------------------------------

// The nearest cut behind a place, by one thread.
__device__ __forceinline__ std::uint32_t next_cut(const PieceArgs &a, std::uint32_t place) {
  std::uint32_t k = place / 32;
  std::uint32_t word = load_global(a.s.cuts + k) & ~(2u * (1u << place % 32) - 1);
  while (word == 0)
    word = load_global(a.s.cuts + ++k);
  return 32 * k + static_cast<std::uint32_t>(__ffs(static_cast<int>(word)) - 1);
}

__global__ void __launch_bounds__(kThreads) collect_kernel(const __grid_constant__ PieceArgs a) {
  wait_for_grid_before();
  const std::uint32_t windows = load_global(&a.s.counters->windows);
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < windows;
       i += gridDim.x * kThreads) {
    const LineWindow window = load_global(a.s.windows + i);
    const std::uint32_t end = window.first + window.steps;
    // The window's own border is none if a piece passes it.
    std::uint32_t from = window.first;
    if ((load_global(a.s.cuts + from / 32) >> from % 32 & 1) == 0) from = next_cut(a, from);
    while (from < end) {
      const std::uint32_t to = next_cut(a, from);
      const LinePixel first = load_global(a.s.order + from);
      const Chord chord(first, load_global(a.s.order + to));
      if (chord.length2 >= squared(a.min_length))
        a.s.candidates[atomicAdd(&a.s.counters->candidates, 1u)] = {line_key(chord.length2, first),
                                                                    from, to};
      from = to;
    }
  }
}

}  // namespace

Status split_chains(const LineJob &job, const LineCudaScratch &s, void *stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  const PieceArgs a = {s, job.tolerance, job.min_length};
  const std::size_t pixels =
      static_cast<std::size_t>(job.width) * static_cast<unsigned>(job.height);
  const std::size_t windows = pixels / kMinChain;
  const dim3 threads(kThreads);
  if (Status status =
          launch_early(split_kernel, dim3(line_blocks(s, windows / kWarps + 1)), threads, 0, on, a);
      !status.ok())
    return status;
  if (Status status =
          launch_early(join_kernel, dim3(line_blocks(s, pixels / kLineWindow)), threads, 0, on, a);
      !status.ok())
    return status;
  return launch_early(collect_kernel, dim3(line_blocks(s, windows / kThreads + 1)), threads, 0, on,
                      a);
}

}  // namespace coalesce
