// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/cuda_status.h"
#include "../../core/trace.h"
#include "../device/block_scan.cuh"
#include "pcrd_step.h"

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

}  // namespace coalesce::j2k
