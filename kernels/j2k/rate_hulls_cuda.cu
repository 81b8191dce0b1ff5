// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../core/cuda_status.h"
#include "../core/trace.h"
#include "block_scan.cuh"
#include "rate_turn.h"

namespace coalesce::j2k {
namespace {

// Few, so that blocks are on all multiprocessors; but whole warps: docs/jpeg2000-performance.md.
constexpr unsigned kHullThreads = 32;
constexpr unsigned kRankThreads = 1024;

// A thread for each block.
__global__ void __launch_bounds__(kHullThreads) find_hulls(const RateJob job) {
  const int i = static_cast<int>(blockIdx.x * kHullThreads + threadIdx.x);
  BlockTotals totals = {0, 0, false};
  if (i < job.frame.blocks)
    totals = find_hull(job, static_cast<std::size_t>(i),
                       [](std::uint64_t *sum, std::uint64_t value) { add_atomically(sum, value); });
  const std::uint64_t bytes = warp_sum(totals.bytes), error = warp_sum(totals.error);
  const bool more = __any_sync(kWholeWarp, totals.more) != 0;
  if (threadIdx.x != 0) return;
  RateProgress &progress = *job.scratch.progress;
  add_atomically(&progress.all_bytes, bytes);
  add_atomically(&progress.error, error);
  if (more) atomicOr(&progress.more, 1u);
}

// Thresholds::gather(). A thread for each slope: the steepest is the first one's. What is before
// the threads of a block, each block adds up for itself.
__global__ void __launch_bounds__(kRankThreads) gather_ranks(const RateScratch s) {
  __shared__ BlockScan scan;
  const int first = static_cast<int>(blockIdx.x * kRankThreads);
  const SlopeSums *steepest = s.sums + kMaxSlope - threadIdx.x;
  SlopeSums before = {0, 0};
  std::uint64_t ranks_before = 0;
  for (int at = 0; at < first; at += kRankThreads) {
    const SlopeSums sums = steepest[-at];
    before.bytes += sums.bytes;
    before.gain += sums.gain;
    ranks_before += sums.bytes != 0;
  }
  (void)sum_before(before.bytes, scan, &before.bytes);
  (void)sum_before(before.gain, scan, &before.gain);
  (void)sum_before(ranks_before, scan, &ranks_before);
  const SlopeSums here = steepest[-first];
  std::uint64_t unused, ranks;
  const std::uint64_t bytes = before.bytes + here.bytes + sum_before(here.bytes, scan, &unused);
  const std::uint64_t gain = before.gain + here.gain + sum_before(here.gain, scan, &unused);
  const std::uint64_t rank = ranks_before + 1 + sum_before(here.bytes != 0, scan, &ranks);
  if (here.bytes != 0)
    s.ranks[rank] = {bytes, static_cast<std::int64_t>(gain),
                     kMaxSlope - first - static_cast<int>(threadIdx.x)};
  if (threadIdx.x != 0) return;
  if (first == 0) s.ranks[0] = {0, 0, kMaxSlope + 1};
  if (blockIdx.x + 1 == gridDim.x) s.progress->ranks = static_cast<int>(ranks_before + ranks);
}

}  // namespace

Status find_hulls_cuda(const RateJob &job, void *to_stream) {
  const TraceRange range("j2k hulls");
  static_assert((kMaxSlope + 1) % kRankThreads == 0);
  const auto stream = static_cast<cudaStream_t>(to_stream);
  const RateScratch &s = job.scratch;
  if (Status status = cuda_checked(cudaMemsetAsync(s.progress, 0, sizeof *s.progress, stream));
      !status.ok())
    return status;
  if (Status status =
          cuda_checked(cudaMemsetAsync(s.sums, 0, sizeof(SlopeSums) * (kMaxSlope + 1), stream));
      !status.ok())
    return status;
  const auto blocks = static_cast<unsigned>(job.frame.blocks);
  if (Status status = launch(find_hulls, dim3((blocks + kHullThreads - 1) / kHullThreads),
                             dim3(kHullThreads), stream, job);
      !status.ok())
    return status;
  return launch(gather_ranks, dim3((kMaxSlope + 1) / kRankThreads), dim3(kRankThreads), stream, s);
}

}  // namespace coalesce::j2k
