// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/cuda_status.h"
#include "../../core/trace.h"
#include "../device/block_scan.cuh"
#include "rate_fill.cuh"

namespace coalesce::j2k {
namespace {

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
