// SPDX-License-Identifier: LGPL-2.1-or-later
// What is left of a limit, spent by one block of threads.
#pragma once

#include "../device/block_scan.cuh"
#include "pcrd_step.h"

namespace coalesce::j2k {

constexpr unsigned kTurnThreads = 512;

struct FillShared {
  unsigned long long best[kTurnThreads / 32];
  std::uint64_t spent;
};

// Of all threads of a block.
__device__ __forceinline__ std::uint64_t block_max(unsigned long long value, FillShared &shared) {
#pragma unroll
  for (int half = 16; half > 0; half /= 2)
    value = max(value, __shfl_xor_sync(kWholeWarp, value, half));
  if (threadIdx.x % 32 == 0) shared.best[threadIdx.x / 32] = value;
  __syncthreads();
  value = shared.best[threadIdx.x % (kTurnThreads / 32)];
#pragma unroll
  for (int half = kTurnThreads / 64; half > 0; half /= 2)
    value = max(value, __shfl_xor_sync(kWholeWarp, value, half));
  return value;
}

// The key of the step that comes first in one thread's blocks: every kTurnThreads-th.
__device__ __forceinline__ std::uint64_t best_key(const RateJob &job) {
  unsigned long long key = 0;
  for (auto i = static_cast<int>(threadIdx.x); i < job.frame.blocks; i += kTurnThreads)
    key = max(key, static_cast<unsigned long long>(job.scratch.keys[i]));
  return key;
}

// By one block of threads: RateAllocator::Memory::fill() with a maximum over all blocks in place of
// the heap.
__device__ __forceinline__ void fill(const RateJob &job, const PcrdStep &step, StepCost *cost) {
  __shared__ FillShared shared;
  for (auto i = static_cast<int>(threadIdx.x); i < job.frame.blocks; i += kTurnThreads)
    save_block(job, step, static_cast<std::size_t>(i));
  if (step.kind == PcrdStep::Kind::put_back) return;
  std::uint64_t best = best_key(job), spent = 0;
  while (step.room - spent > kMoreOfBlock) {
    const std::uint64_t key = block_max(best, shared);
    if (key == 0) break;
    const std::size_t block = block_of_key(key);
    if (block % kTurnThreads == threadIdx.x) {
      const FilledBlock filled = fill_block(job, step, block, step.room - spent);
      add_atomically(cost->bytes.body + job.format.blocks[block].component, filled.bytes);
      shared.spent = spent + filled.spent;
      best = best_key(job);
    }
    __syncthreads();
    spent = shared.spent;
  }
  if (threadIdx.x == 0) cost->spent = spent;
}

// By one block of threads: RateAllocator::Memory::add_pass().
__device__ __forceinline__ void add_pass(const RateJob &job, const PcrdStep &step, StepCost *cost) {
  __shared__ FillShared shared;
  unsigned long long key = 0;
  for (auto i = static_cast<int>(threadIdx.x); i < job.frame.blocks; i += kTurnThreads)
    key =
        max(key, static_cast<unsigned long long>(pass_key(job, step, static_cast<std::size_t>(i))));
  key = block_max(key, shared);
  if (key != 0 && threadIdx.x == 0) add_pass(job, step, key, cost);
}

}  // namespace coalesce::j2k
