// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the MQ coder: three warps for 32 codewords.
#pragma once

#include <cuda_runtime.h>

#include "../../../core/ptx.cuh"
#include "../../canvas/block_plan.h"
#include "mq_a_register.h"
#include "mq_cuda.h"
#include "mq_passes.h"

namespace coalesce::j2k {

// What a call works in. A codeword is that of a block.
struct CodingScratch {
  PassMark *marks;         // of the frame's passes
  std::uint32_t *symbols;  // of each codeword
  std::uint32_t *order;    // codewords, the longest first
  std::uint32_t *bins;     // of lengths
};

__device__ inline Codeword codeword_at(const DeviceFrame &frame, const CodingScratch &scratch,
                                       std::uint32_t block) {
  const BlockPlan &plan = frame.plan[block];
  return {{frame.symbols + plan.first_symbol, frame.made + plan.first_pass, frame.planes[block],
           frame.style},
          frame.bytes + plan.first_byte,
          frame.passes + plan.first_pass,
          scratch.marks + plan.first_pass};
}

// At the beginning of a block's shared memory, for the system.
constexpr std::size_t kReservedShared = 1024;

// Shared memory of a block: the states, the contexts of all its pipelines, their rings.
template <class Shape>
struct CoderMemory {
  PipelineTables<Shape::kCopies> tables;
  PipelineContexts contexts[Shape::kPipelines];
  PipelineRings rings[Shape::kPipelines];
};

// A lane's view of its pipeline.
struct PipelineLane {
  PipelineRings *rings;
  int lane, barrier;

  __device__ __forceinline__ LaneGroup fed(unsigned slot) const {
    return reinterpret_cast<LaneGroup>(&rings->fed[slot][0][lane]);
  }
  __device__ __forceinline__ LaneGroup coded(unsigned slot) const {
    return reinterpret_cast<LaneGroup>(&rings->coded[slot][0][lane]);
  }
  // Of the group that was fed so many turns ago.
  __device__ __forceinline__ std::uint32_t end(unsigned turn, unsigned ago) const {
    return rings->ends[(turn - ago) % kGroupEnds][lane];
  }
  // Of the group that was fed two turns ago. When that is nothing, the turn is the last.
  __device__ __forceinline__ std::uint32_t summary(unsigned turn) const {
    return rings->summary[(turn - 2) % kGroupEnds];
  }
  __device__ __forceinline__ void end_turn() const {
    // (bar.sync would want a warp's lanes to come together.)
    ptx::barrier_sync<96>(barrier);
  }
};

__device__ inline void feed_symbols(const PipelineLane &p, const SymbolSource &source,
                                    std::uint32_t contexts_at) {
  SymbolFeed feed;
  feed.start(source, contexts_at);
  // For the first two turns.
  if (p.lane < static_cast<int>(kGroupEnds)) p.rings->summary[p.lane] = kBusy;
  __syncwarp();
  std::uint32_t summary = kBusy;
  for (unsigned turn = 0, slot = 0; (summary & kBusy) != 0; ++turn) {
    summary = p.summary(turn);
    std::uint32_t end;
    const bool busy = __any_sync(~0u, feed.step(p.fed(slot), &end));
    const bool resets = __any_sync(~0u, (end & kResetsContexts) != 0);
    p.rings->ends[turn % kGroupEnds][p.lane] = end;
    if (p.lane == 0)
      p.rings->summary[turn % kGroupEnds] = (busy ? +kBusy : 0u) | (resets ? +kResetsContexts : 0u);
    slot = slot == kFedGroups - 1 ? 0 : slot + 1;
    p.end_turn();
  }
}

// What is read at the beginning of a turn is there at its end, without waiting.
template <int kCopies>
__device__ inline void code_symbols(const PipelineLane &p, std::uint8_t *memory,
                                    std::uint32_t tables_at, std::uint32_t contexts_at) {
  MqARegister<kCopies> interval;
  interval.start(memory, tables_at, contexts_at, p.lane);
  p.end_turn();
  p.end_turn();
  interval.resume(p.fed(0));
  LaneGroup coded = p.coded(0), coded_next = p.coded(1);
  std::uint32_t summary = kBusy;
  for (unsigned turn = 2, slot = 0; (summary & kBusy) != 0; ++turn) {
    summary = p.summary(turn);
    const std::uint32_t end = p.end(turn, 2);
    const unsigned next = slot == kFedGroups - 1 ? 0 : slot + 1;
    interval.group(p.fed(slot), p.fed(next), coded);
    interval.end_group(end);
    if ((summary & kResetsContexts) != 0) interval.resume(p.fed(next));
    slot = next;
    const LaneGroup last = coded;
    coded = coded_next;
    coded_next = last;
    p.end_turn();
  }
}

__device__ inline void make_bytes(const PipelineLane &p, const Codeword &codeword) {
  RegisterStage passes;
  passes.start(codeword);
  p.end_turn();
  p.end_turn();
  LaneGroup coded = p.coded(1), coded_next = p.coded(0);
  std::uint32_t summary = kBusy;
  for (unsigned turn = 2; (summary & kBusy) != 0; ++turn) {
    summary = p.summary(turn);
    if (turn > 2) passes.step(coded, p.end(turn, 3));
    const LaneGroup last = coded;
    coded = coded_next;
    coded_next = last;
    p.end_turn();
  }
}

// Warps of a block, by three: their pipelines take as many turns at the barrier as the longest of
// their codewords needs. Group g is fed in turn g, goes through the interval two turns later
// (whose last symbols want to see the first ones of group g + 1) and the register another one
// later. Warps of one stage are kPipelines warps apart, which spreads them over the schedulers.
template <class Shape>
__global__ void __launch_bounds__(96 * Shape::kPipelines, Shape::kBlocks)
    code_codewords(DeviceFrame frame, CodingScratch scratch, MqRows rows) {
  COALESCE_DYNAMIC_SHARED(16, std::uint8_t, memory);
  using Memory = CoderMemory<Shape>;
  constexpr int kPipelines = Shape::kPipelines;
  static_assert(offsetof(Memory, rings) + kReservedShared <= 65536, "places have 16 bits");
  const auto tables_at = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int stage = warp / kPipelines, pipeline = warp % kPipelines;

  constexpr int kCopies = Shape::kCopies;
  auto *tables = reinterpret_cast<PipelineTables<kCopies> *>(memory);
  for (int state = warp; state < kPipelineStates; state += 3 * kPipelines) {
    const StateRow row =
        state_row<kCopies>(rows.at[state < kRawState ? state : 0], tables_at, state, lane);
    if (lane < kCopies) tables->states[state][lane] = {row.qe, row.taken, row.next, row.flags};
  }
  __syncthreads();

  const PipelineLane p = {
      reinterpret_cast<PipelineRings *>(memory + offsetof(Memory, rings)) + pipeline, lane,
      pipeline + 1};
  const auto contexts_at =
      tables_at +
      static_cast<std::uint32_t>(offsetof(Memory, contexts) + pipeline * sizeof(PipelineContexts) +
                                 lane * sizeof(std::uint32_t));
  const std::uint32_t place = (blockIdx.x * kPipelines + pipeline) * kLanes + lane;
  Codeword codeword = {};
  if (place < static_cast<std::uint32_t>(frame.blocks))
    codeword = codeword_at(frame, scratch, scratch.order[place]);
  if (stage == 0)
    feed_symbols(p, codeword.source, contexts_at);
  else if (stage == 1)
    code_symbols<kCopies>(p, memory, tables_at, contexts_at);
  else
    make_bytes(p, codeword);
}

}  // namespace coalesce::j2k
