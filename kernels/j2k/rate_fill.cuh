// SPDX-License-Identifier: LGPL-2.1-or-later
// What the steps of an allocation do to the passes of the blocks.
#pragma once

#include "allocation_block.h"
#include "block_scan.cuh"
#include "rate_cuda.h"

namespace coalesce::j2k {

constexpr unsigned kTurnThreads = 512;

__device__ __forceinline__ HulledBlock hulled(const RateJob &job, std::size_t i) {
  const RateScratch &s = job.scratch;
  return {s.blocks[i], s.steps + job.frame.plan[i].first_pass, s.num_steps[i]};
}

// Passes of each block.
struct LayerRows {
  __device__ LayerRows(const RateJob &job, int layer)
      : now(job.layers + static_cast<std::size_t>(layer) * job.frame.blocks),
        before_(layer > 0 ? now - job.frame.blocks : nullptr) {}
  __device__ int before(std::size_t i) const { return before_ != nullptr ? before_[i] : 0; }

  std::uint8_t *now;

 private:
  const std::uint8_t *before_;
};

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

// One thread's blocks: every kTurnThreads-th.
class FilledBlocks {
 public:
  __device__ FilledBlocks(const RateJob &job, int layer) : job_(job), rows_(job, layer) {}

  __device__ void start(AllocationStep::Kind kind) {
    std::uint8_t *saved = job_.scratch.saved;
    for (std::size_t i = threadIdx.x; i < blocks(); i += kTurnThreads)
      if (kind == AllocationStep::Kind::fill)
        saved[i] = rows_.now[i];
      else
        rows_.now[i] = saved[i];
  }
  __device__ std::uint64_t first_best() {
    for (std::size_t i = threadIdx.x; i < blocks(); i += kTurnThreads)
      job_.scratch.keys[i] = hulled(job_, i).next_key(rows_.now[i], i);
    return best();
  }
  __device__ bool has(std::size_t block) const { return block % kTurnThreads == threadIdx.x; }
  __device__ FilledBlock fill(std::size_t i, std::uint64_t room) {
    const HulledBlock block = hulled(job_, i);
    const FilledBlock filled = block.fill(rows_.now[i], rows_.before(i), room);
    rows_.now[i] = static_cast<std::uint8_t>(filled.passes);
    job_.scratch.keys[i] = filled.may_go_on ? block.next_key(filled.passes, i) : 0;
    return filled;
  }
  // The key of the step that comes first.
  __device__ std::uint64_t best() const {
    std::uint64_t key = 0;
    for (std::size_t i = threadIdx.x; i < blocks(); i += kTurnThreads)
      key = max(static_cast<unsigned long long>(key),
                static_cast<unsigned long long>(job_.scratch.keys[i]));
    return key;
  }

 private:
  __device__ std::size_t blocks() const { return static_cast<std::size_t>(job_.frame.blocks); }

  const RateJob &job_;
  LayerRows rows_;
};

// By one block of threads: RateAllocator::Memory::fill() with a maximum over all blocks in place of
// the heap.
__device__ __forceinline__ void fill(const RateJob &job, const AllocationStep &step,
                                     StepCost *cost) {
  __shared__ FillShared shared;
  FilledBlocks mine(job, step.layer);
  mine.start(step.kind);
  if (step.kind == AllocationStep::Kind::put_back) return;
  std::uint64_t best = mine.first_best(), bytes = 0, spent = 0;
  while (step.room - spent > kMoreOfBlock) {
    const std::uint64_t key = block_max(best, shared);
    if (key == 0) break;
    const std::size_t block = block_of_key(key);
    if (mine.has(block)) {
      const FilledBlock filled = mine.fill(block, step.room - spent);
      bytes += filled.bytes;
      shared.spent = spent + filled.spent;
      best = mine.best();
    }
    __syncthreads();
    spent = shared.spent;
  }
  if (bytes != 0) add_atomically(&cost->body, bytes);
  if (threadIdx.x == 0) cost->spent = spent;
}

}  // namespace coalesce::j2k
