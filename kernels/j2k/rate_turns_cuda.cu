// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../core/cuda_status.h"
#include "../core/trace.h"
#include "block_scan.cuh"
#include "rate_cuda.h"
#include "rate_fill.cuh"

namespace coalesce::j2k {
namespace {

__device__ AllocationInput input_of(const RateJob &job) {
  const RateProgress &p = *job.scratch.progress;
  return {job.format.targets,
          job.format.shares,
          job.format.layers,
          {job.scratch.ranks, p.ranks},
          p.more != 0,
          p.all_bytes,
          static_cast<std::int64_t>(p.error)};
}

// What comes behind the turns before this one.
__device__ AllocationState next_state(const RateJob &job, int turn) {
  const RateProgress &p = *job.scratch.progress;
  AllocationState state = p.state[turn % 2];
  if (turn == 0)
    state.start(input_of(job));
  else if (!state.step().is_end())
    state.advance(input_of(job), p.cost[(turn + 2) % 3]);
  return state;
}

// By one thread: for all blocks of threads to see in the next turn.
__device__ void keep_state(const RateJob &job, const AllocationState &state, int turn) {
  RateProgress &p = *job.scratch.progress;
  p.state[(turn + 1) % 2] = state;
  p.cost[(turn + 1) % 3] = {0, 0, 0};
  const AllocationStep::Kind kind = state.step().kind;
  p.counted = kind <= AllocationStep::Kind::refill ? state.step().layer : -1;
  job.packets.scratch.result->pool = 0;
}

__device__ void take(const RateJob &job, const AllocationStep &step, StepCost *cost) {
  const auto i = blockIdx.x * kTurnThreads + threadIdx.x;
  std::uint64_t bytes = 0;
  if (i < static_cast<unsigned>(job.frame.blocks)) {
    const HulledBlock block = hulled(job, i);
    const LayerRows rows(job, step.layer);
    const int passes = max(block.passes_at(step.slope), rows.before(i));
    rows.now[i] = static_cast<std::uint8_t>(passes);
    bytes = block.length(passes);
  }
  bytes = warp_sum(bytes);
  if (threadIdx.x % 32 == 0) add_atomically(&cost->body, bytes);
}

// Every block of threads decides for itself, and all come to the same.
__global__ void __launch_bounds__(kTurnThreads) take_turn(const RateJob job, int turn) {
  __shared__ AllocationStep step;
  if (threadIdx.x == 0) {
    const AllocationState state = next_state(job, turn);
    step = state.step();
    if (blockIdx.x == 0) keep_state(job, state, turn);
  }
  __syncthreads();
  StepCost *cost = &job.scratch.progress->cost[turn % 3];
  if (step.kind == AllocationStep::Kind::take)
    take(job, step, cost);
  else if (!step.is_end() && blockIdx.x == 0)
    fill(job, step, cost);
}

// The next turn will come to the same state, if there is one.
__global__ void __launch_bounds__(kTurnThreads) report_turns(const RateJob job, int turn) {
  __shared__ bool done;
  if (threadIdx.x == 0) {
    const AllocationState state = next_state(job, turn);
    done = state.step().kind == AllocationStep::Kind::done;
    if (blockIdx.x == 0) job.scratch.progress->report = {state.step().kind, state.steps()};
  }
  __syncthreads();
  const auto i = blockIdx.x * kTurnThreads + threadIdx.x;
  if (done || i >= static_cast<unsigned>(job.frame.blocks)) return;
  const int known = job.scratch.progress->state[turn % 2].step().layer;
  const std::uint8_t passes = LayerRows(job, known).now[i];
  for (int layer = known + 1; layer < job.format.layers; ++layer)
    LayerRows(job, layer).now[i] = passes;
}

}  // namespace

Status allocate_cuda(const RateJob &job, int first, int end, void *to_stream) {
  const TraceRange range("j2k rate allocation");
  const auto stream = static_cast<cudaStream_t>(to_stream);
  const dim3 grid((static_cast<unsigned>(job.frame.blocks) + kTurnThreads - 1) / kTurnThreads);
  RateProgress *progress = job.scratch.progress;
  for (int turn = first; turn < end; ++turn) {
    if (Status s = launch(take_turn, grid, dim3(kTurnThreads), stream, job, turn); !s.ok())
      return s;
    if (!job.format.wants_bytes) continue;
    if (Status s = count_asked_headers_cuda(job.packets, &progress->counted,
                                            &progress->cost[turn % 3].headers, stream);
        !s.ok())
      return s;
  }
  return launch(report_turns, grid, dim3(kTurnThreads), stream, job, end);
}

}  // namespace coalesce::j2k
