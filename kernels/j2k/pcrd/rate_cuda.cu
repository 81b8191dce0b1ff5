// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/cuda_status.h"
#include "../../core/trace.h"
#include "../device/block_scan.cuh"
#include "pcrd_step.h"
#include "rate_fill.cuh"

namespace coalesce::j2k {
namespace {

// Few, so that blocks are on all multiprocessors; but whole warps: docs/lab/jpeg2000.md.
constexpr unsigned kHullThreads = 32;
constexpr unsigned kRankThreads = 1024;

// A thread for each block.
__global__ void __launch_bounds__(kHullThreads) find_hulls(const RateJob job) {
  const int i = static_cast<int>(blockIdx.x * kHullThreads + threadIdx.x);
  BlockTotals totals = {0, 0, 0, 0, false};
  if (i < job.frame.blocks)
    totals = find_hull(job, static_cast<std::size_t>(i),
                       [](std::uint64_t *sum, std::uint64_t value) { add_atomically(sum, value); });
  RateProgress &progress = *job.scratch.progress;
  add_by_component(job.format.components, totals.component, totals.bytes, progress.all_bytes);
  const std::uint64_t error = warp_sum(totals.error);
  const std::uint64_t fine_error = warp_sum(totals.fine_error);
  const bool more = __any_sync(kWholeWarp, totals.more) != 0;
  if (threadIdx.x != 0) return;
  add_atomically(&progress.error, error);
  add_atomically(&progress.fine_error, fine_error);
  if (more) atomicOr(&progress.more, 1u);
}

// Of all slopes before this thread's, and its own.
__device__ std::uint64_t sum_up_to(std::uint64_t before, std::uint64_t here, BlockScan &scan) {
  std::uint64_t all_before, unused;
  (void)sum_before(before, scan, &all_before);
  return all_before + here + sum_before(here, scan, &unused);
}

struct SlopeColumns {
  std::uint64_t gain, bytes[kMaxComponents];
  bool has_any;

  __device__ SlopeColumns(const RateScratch &s, int components, int slope) : bytes{} {
    gain = s.sums[slope];
    std::uint64_t any = 0;
#pragma unroll
    for (int c = 0; c < kMaxComponents; ++c)
      if (c < components) any |= bytes[c] = s.sums[(1 + c) * kSlopes + slope];
    has_any = any != 0;
  }
};

// SlopeTable::gather(). A thread for each slope: the steepest is the first one's. What is before
// the threads of a block, each block adds up for itself.
__global__ void __launch_bounds__(kRankThreads) gather_ranks(const RateScratch s, int components) {
  __shared__ BlockScan scan;
  const int first = static_cast<int>(blockIdx.x * kRankThreads);
  const int steepest = kMaxSlope - static_cast<int>(threadIdx.x);
  std::uint64_t gain = 0, bytes[kMaxComponents] = {}, ranks = 0;  // before
  for (int at = 0; at < first; at += kRankThreads) {
    const SlopeColumns sums(s, components, steepest - at);
    gain += sums.gain;
    ranks += sums.has_any;
#pragma unroll
    for (int c = 0; c < kMaxComponents; ++c)
      bytes[c] += sums.bytes[c];
  }
  const SlopeColumns here(s, components, steepest - first);
  SlopeRank mine = {{}, 0, steepest - first};
  mine.gain = static_cast<std::int64_t>(sum_up_to(gain, here.gain, scan));
#pragma unroll
  for (int c = 0; c < kMaxComponents; ++c)
    if (c < components) mine.bytes[c] = sum_up_to(bytes[c], here.bytes[c], scan);
  const auto rank = static_cast<int>(sum_up_to(ranks, here.has_any, scan));
  if (here.has_any) s.ranks[rank] = mine;
  if (mine.slope == kMaxSlope) s.ranks[0] = {{}, 0, kMaxSlope + 1};
  if (mine.slope == 0) s.progress->ranks = rank;
}

__device__ void take(const RateJob &job, const PcrdStep &step, StepCost *cost) {
  const auto i = blockIdx.x * kTurnThreads + threadIdx.x;
  std::uint64_t bytes = 0;
  int component = 0;
  if (i < static_cast<unsigned>(job.frame.blocks)) {
    component = job.format.blocks[i].component;
    if (step.is_for(job.format.blocks[i])) bytes = take_block(job, step, i);
  }
  add_by_component(job.format.components, component, bytes, cost->bytes.body);
}

// Every block of threads decides for itself, and all come to the same.
__global__ void __launch_bounds__(kTurnThreads) take_turn(const RateJob job, int turn) {
  __shared__ PcrdStep step;
  if (threadIdx.x == 0) {
    const PcrdSearch state = next_state(job, turn);
    step = state.step();
    if (blockIdx.x == 0) keep_state(job, state, turn);
  }
  __syncthreads();
  StepCost *cost = &job.scratch.progress->cost[turn % 3];
  if (step.kind == PcrdStep::Kind::take)
    take(job, step, cost);
  else if (step.is_end() || blockIdx.x > 0)
    return;
  else if (step.is_of_one_pass())
    add_pass(job, step, cost);
  else
    fill(job, step, cost);
}

// The next turn will come to the same state, if there is one.
__global__ void __launch_bounds__(kTurnThreads) report_turns(const RateJob job, int turn) {
  __shared__ bool done;
  if (threadIdx.x == 0) {
    const PcrdSearch state = next_state(job, turn);
    done = state.step().kind == PcrdStep::Kind::done;
    if (blockIdx.x == 0) job.scratch.progress->report = {state.step().kind, state.steps()};
  }
  __syncthreads();
  const auto i = blockIdx.x * kTurnThreads + threadIdx.x;
  if (!done && i < static_cast<unsigned>(job.frame.blocks)) complete_block(job, turn, i);
}

}  // namespace

Status find_hulls_cuda(const RateJob &job, void *to_stream) {
  const TraceRange range("j2k hulls");
  static_assert(kSlopes % kRankThreads == 0);
  const auto stream = static_cast<cudaStream_t>(to_stream);
  const RateScratch &s = job.scratch;
  if (Status status = cuda_checked(cudaMemsetAsync(s.progress, 0, sizeof *s.progress, stream));
      !status.ok())
    return status;
  if (Status status = cuda_checked(
          cudaMemsetAsync(s.sums, 0, slope_sums(job.format.components) * sizeof *s.sums, stream));
      !status.ok())
    return status;
  const auto blocks = static_cast<unsigned>(job.frame.blocks);
  if (Status status = launch(find_hulls, dim3((blocks + kHullThreads - 1) / kHullThreads),
                             dim3(kHullThreads), stream, job);
      !status.ok())
    return status;
  return launch(gather_ranks, dim3(kSlopes / kRankThreads), dim3(kRankThreads), stream, s,
                job.format.components);
}

Status allocate_cuda(const RateJob &job, int first, int end, void *to_stream) {
  const TraceRange range("j2k rate allocation");
  const auto stream = static_cast<cudaStream_t>(to_stream);
  const dim3 grid((static_cast<unsigned>(job.frame.blocks) + kTurnThreads - 1) / kTurnThreads);
  RateProgress *progress = job.scratch.progress;
  for (int turn = first; turn < end; ++turn) {
    if (Status s = launch(take_turn, grid, dim3(kTurnThreads), stream, job, turn); !s.ok())
      return s;
    if (!job.format.wants_bytes) continue;
    if (Status s = count_headers_cuda(job.packets, &progress->asked,
                                      progress->cost[turn % 3].bytes.headers, stream);
        !s.ok())
      return s;
  }
  return launch(report_turns, grid, dim3(kTurnThreads), stream, job, end);
}

}  // namespace coalesce::j2k
