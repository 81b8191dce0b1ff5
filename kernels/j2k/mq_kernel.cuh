// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernel of the MQ coder: three warps for 32 codewords.
#pragma once

#include <cuda_runtime.h>

#include "mq_cuda.h"
#include "mq_interval.h"
#include "mq_passes.h"

namespace coalesce::j2k {

struct CodingFrames {
  DeviceFrame frame[kMaxFramesOfCall];
  int count;
  std::size_t passes;  // of each
};

// What a call works in. A codeword is block + frame * blocks.
struct CodingScratch {
  PassMark *marks;         // of each frame's passes
  std::uint32_t *symbols;  // of each codeword
  std::uint32_t *order;    // codewords, the longest first
  std::uint32_t *bins;     // of lengths
};

__device__ inline Codeword codeword_at(const CodingFrames &frames, const CodingScratch &scratch,
                                       std::uint32_t index) {
  const std::uint32_t blocks = static_cast<std::uint32_t>(frames.frame[0].blocks);
  const std::uint32_t f = index / blocks, b = index % blocks;
  const DeviceFrame &frame = frames.frame[f];
  const BlockPlan &plan = frame.plan[b];
  return {{frame.symbols + plan.first_symbol, frame.made + plan.first_pass, frame.planes[b],
           frame.style},
          frame.bytes + plan.first_byte,
          frame.passes + plan.first_pass,
          scratch.marks + f * frames.passes + plan.first_pass};
}

// At the beginning of a block's shared memory, for the system.
constexpr std::size_t kReservedShared = 1024;

// Shared memory of a block: the states, the contexts of all its pipelines, their rings.
template <int kPipelines>
struct CoderMemory {
  PipelineTables tables;
  PipelineContexts contexts[kPipelines];
  PipelineRings rings[kPipelines];
};

using LaneGroup = Word4 (*)[kLanes];
__device__ inline void swap(LaneGroup &a, LaneGroup &b) {
  const LaneGroup c = a;
  a = b;
  b = c;
}

// Warps of a block, by three: their pipelines take as many turns at the barrier as the longest of
// their codewords needs. Group g is fed in turn g, goes through the interval two turns later
// (whose last symbols want to see the first ones of group g + 1) and the register another one
// later. Warps of one stage are kPipelines warps apart, which spreads them over the schedulers.
template <int kPipelines>
__global__ void __launch_bounds__(96 * kPipelines)
    code_codewords(CodingFrames frames, CodingScratch scratch, MqRows rows) {
  extern __shared__ __align__(16) std::uint8_t memory[];
  using Memory = CoderMemory<kPipelines>;
  static_assert(offsetof(Memory, rings) + kReservedShared <= 65536, "places have 16 bits");
  const auto tables_at = static_cast<std::uint32_t>(__cvta_generic_to_shared(memory));
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int stage = warp / kPipelines, pipeline = warp % kPipelines;

  auto *tables = reinterpret_cast<PipelineTables *>(memory);
  for (int state = warp; state < kPipelineStates; state += 3 * kPipelines) {
    const StateRow row = state_row(rows.at[state < kRawState ? state : 0], tables_at, state, lane);
    tables->states[state][lane] = {row.qe, row.taken, row.next, row.flags};
  }
  auto *rings = reinterpret_cast<PipelineRings *>(memory + offsetof(Memory, rings)) + pipeline;
  const auto contexts_at =
      tables_at +
      static_cast<std::uint32_t>(offsetof(Memory, contexts) + pipeline * sizeof(PipelineContexts) +
                                 lane * sizeof(std::uint32_t));
  __syncthreads();

  const std::uint32_t all =
      static_cast<std::uint32_t>(frames.count) * static_cast<std::uint32_t>(frames.frame[0].blocks);
  const std::uint32_t place = (blockIdx.x * kPipelines + pipeline) * kLanes + lane;
  Codeword codeword = {};
  if (place < all) codeword = codeword_at(frames, scratch, scratch.order[place]);

  const auto barrier = [pipeline] {
    asm volatile("bar.sync %0, 96;" ::"r"(pipeline + 1) : "memory");
  };
  const auto lanes_of = [lane](Word4(*group)[kLanes]) {
    return reinterpret_cast<LaneGroup>(&group[0][lane]);
  };
  const auto done = [&](int turn) { return turn >= 3 && rings->busy[(turn - 3) % 4] == 0; };

  if (stage == 0) {
    SymbolFeed feed;
    feed.start(codeword.source, contexts_at);
    for (int turn = 0, slot = 0; !done(turn); ++turn) {
      std::uint32_t end;
      const bool busy = feed.step(lanes_of(rings->fed[slot]), &end);
      rings->ends[turn % kGroupEnds][lane] = end;
      const bool any = __any_sync(~0u, busy);
      if (lane == 0) rings->busy[turn % kGroupEnds] = any ? 1 : 0;
      slot = slot == kFedGroups - 1 ? 0 : slot + 1;
      barrier();
    }
  } else if (stage == 1) {
    MqInterval interval;
    interval.start(memory, tables_at, contexts_at, lane);
    auto coded = lanes_of(rings->coded[0]), coded_next = lanes_of(rings->coded[1]);
    for (int turn = 0, slot = 0; !done(turn); ++turn) {
      if (turn >= 2) {
        const int next = slot == kFedGroups - 1 ? 0 : slot + 1;
        if (turn == 2) interval.resume(lanes_of(rings->fed[0]));
        interval.group(lanes_of(rings->fed[slot]), lanes_of(rings->fed[next]), coded);
        const std::uint32_t end = rings->ends[(turn - 2) % kGroupEnds][lane];
        interval.end_group(end);
        if (__any_sync(~0u, (end & kResetsContexts) != 0))
          interval.resume(lanes_of(rings->fed[next]));
        slot = next;
        swap(coded, coded_next);
      }
      barrier();
    }
  } else {
    RegisterStage passes;
    passes.start(codeword);
    auto coded = lanes_of(rings->coded[0]), coded_next = lanes_of(rings->coded[1]);
    for (int turn = 0; !done(turn); ++turn) {
      if (turn >= 3) {
        passes.step(coded, rings->ends[(turn - 3) % kGroupEnds][lane]);
        swap(coded, coded_next);
      }
      barrier();
    }
  }
}

}  // namespace coalesce::j2k
