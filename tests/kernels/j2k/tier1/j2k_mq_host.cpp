// SPDX-License-Identifier: LGPL-2.1-or-later
// The stages of the MQ pipeline on the host, in the order and with the memory of the kernel.
#include <algorithm>
#include <memory>
#include <vector>

#include "j2k/canvas/block_plan.h"
#include "j2k/tier1/context/coding_pass.h"
#include "j2k/tier1/mq/mq_a_register.h"
#include "j2k/tier1/mq/mq_passes.h"
#include "j2k_mq_frame.h"

namespace coalesce::test {
namespace {

using namespace j2k;

struct Memory {
  PipelineTables<kLanes> tables;
  PipelineContexts contexts;
  PipelineRings rings;
};
constexpr std::uint32_t kTables = 1024;  // a place

LaneGroup lane_of(Word4 (*group)[kLanes], int lane) {
  return reinterpret_cast<LaneGroup>(&group[0][lane]);
}

class Pipeline {
 public:
  Pipeline() : memory_(std::make_unique<Memory>()) {
    constexpr MqRows kRows = make_mq_rows();
    for (int state = 0; state < kPipelineStates; ++state)
      for (int lane = 0; lane < kLanes; ++lane) {
        const StateRow row =
            state_row<kLanes>(kRows.at[state < kRawState ? state : 0], kTables, state, lane);
        memory_->tables.states[state][lane] = {row.qe, row.taken, row.next, row.flags};
      }
  }

  // Up to kLanes codewords.
  void run(const Codeword *codewords, int count) {
    PipelineRings &rings = memory_->rings;
    for (int lane = 0; lane < kLanes; ++lane)
      start(lane, lane < count ? codewords[lane] : Codeword{});
    for (int turn = 0; turn < 3 || (rings.summary[(turn - 3) % kGroupEnds] & kBusy) != 0; ++turn) {
      for (int lane = 0; turn >= 3 && lane < kLanes; ++lane)
        passes_[lane].step(lane_of(rings.coded[(turn - 1) % kCodedGroups], lane),
                           rings.ends[(turn - 3) % kGroupEnds][lane]);
      for (int lane = 0; turn >= 2 && lane < kLanes; ++lane)
        code(turn, lane);
      rings.summary[turn % kGroupEnds] = 0;
      for (int lane = 0; lane < kLanes; ++lane)
        if (feed_[lane].step(lane_of(rings.fed[turn % kFedGroups], lane),
                             &rings.ends[turn % kGroupEnds][lane]))
          rings.summary[turn % kGroupEnds] = kBusy;
    }
  }

 private:
  void start(int lane, const Codeword &codeword) {
    const auto contexts =
        static_cast<std::uint32_t>(kTables + sizeof(PipelineTables<kLanes>) +
                                   static_cast<std::size_t>(lane) * sizeof(std::uint32_t));
    feed_[lane].start(codeword.source, contexts);
    interval_[lane].start(reinterpret_cast<std::uint8_t *>(memory_.get()), kTables, contexts, lane);
    passes_[lane].start(codeword);
  }

  void code(int turn, int lane) {
    PipelineRings &rings = memory_->rings;
    const LaneGroup fed = lane_of(rings.fed[(turn - 2) % kFedGroups], lane),
                    next = lane_of(rings.fed[(turn - 1) % kFedGroups], lane);
    if (turn == 2) interval_[lane].resume(fed);
    interval_[lane].group(fed, next, lane_of(rings.coded[turn % kCodedGroups], lane));
    const std::uint32_t end = rings.ends[(turn - 2) % kGroupEnds][lane];
    interval_[lane].end_group(end);
    if ((end & kResetsContexts) != 0) interval_[lane].resume(next);
  }

  std::unique_ptr<Memory> memory_;
  SymbolFeed feed_[kLanes];
  MqARegister<kLanes> interval_[kLanes];
  RegisterStage passes_[kLanes];
};

// What finish_passes() does with a warp.
CodedBlock finish(const Codeword &codeword, int max_planes) {
  const int planes = codeword.source.planes, passes = planes == 0 ? 0 : 3 * planes - 2;
  std::vector<Pass> made;
  for (int i = 0; i < passes; ++i) {
    const PassPlace p = pass_place(planes, i);
    const bool raw = pass_is_raw(codeword.source.style, planes, p.plane, p.type);
    const bool last = pass_is_terminated(codeword.source.style, planes, p.plane, p.type);
    made.push_back({static_cast<std::uint32_t>(least_length_of(codeword, i, raw, last)),
                    codeword.source.made[i].distortion, p.type, static_cast<std::uint8_t>(p.plane),
                    last, raw});
  }
  std::uint32_t begin = 0;
  for (int i = 0; i < passes; ++i) {
    const std::uint32_t length = made[static_cast<std::size_t>(i)].length;
    codeword.passes[i] = made[static_cast<std::size_t>(i)];
    codeword.passes[i].length += begin;
    if (!codeword.passes[i].terminated) continue;
    std::copy_n(codeword.bytes + codeword.marks[i].segment, length, codeword.bytes + begin);
    begin += length;
  }
  return {max_planes - planes, passes, begin};
}

Status code_on_host(const DeviceFrame &f, std::size_t passes, void *, void *) {
  Pipeline pipeline;
  std::vector<PassMark> marks(passes);
  for (int first = 0; first < f.blocks; first += kLanes) {
    std::vector<Codeword> codewords;
    for (int b = first; b < std::min(f.blocks, first + kLanes); ++b) {
      const BlockPlan &plan = f.plan[b];
      codewords.push_back(
          {{f.symbols + plan.first_symbol, f.made + plan.first_pass, f.planes[b], f.style},
           f.bytes + plan.first_byte,
           f.passes + plan.first_pass,
           marks.data() + plan.first_pass});
    }
    pipeline.run(codewords.data(), static_cast<int>(codewords.size()));
    for (std::size_t i = 0; i < codewords.size(); ++i) {
      const std::size_t b = static_cast<std::size_t>(first) + i;
      f.coded[b] = finish(codewords[i], f.plan[b].max_planes);
    }
  }
  return {};
}

}  // namespace

std::vector<MqCoder> mq_host_coders() {
  return {{"stages on the host", code_on_host}};
}

}  // namespace coalesce::test
