// SPDX-License-Identifier: LGPL-2.1-or-later
// MQ coding as a pipeline of three stages, for GPUs: what is between the stages.
//
// A codeword is a chain of symbols, and no two of them can be coded at once. So the work on one
// symbol is divided: SymbolFeed reads symbols and passes, MqARegister has the chain (the interval A
// and the states of the contexts) and nothing else, MqCRegister adds up the code register C and
// makes bytes. Each stage is a thread (a lane of a warp of its own), a group of symbols apart from
// the one before.
//
// Raw bits take the same way: they are what a state would code that halves the interval and never
// changes. A pass ends with a group: what the group has left is filled with symbols of a state
// whose less probable decision has no interval at all.
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "mq_coder.h"
#include "mq_table.h"

namespace coalesce::j2k {

constexpr int kLanes = 32;

// What can be chosen; the benchmark has others than the library.
//
// pipelines: in a block of threads. blocks: a multiprocessor's registers are to do for so many; 0:
// the compiler says. copies: of the states, for the lanes by turns.
template <int pipelines, int blocks = 1, int copies = kLanes>
struct MqShape {
  static constexpr int kPipelines = pipelines, kBlocks = blocks, kCopies = copies;
};

// Symbols that go from stage to stage at once. (Measured beside 8, which are slower, and 32, which
// differ little and need twice the memory: docs/lab/jpeg2000.md.)
constexpr int kGroup = 16;

struct alignas(8) Word2 {
  std::uint32_t x, y;
};
struct alignas(16) Word4 {
  std::uint32_t x, y, z, w;
};

constexpr int kContextNothing = 20;
constexpr int kPipelineContexts = 21;
constexpr int kRawState = 2 * kMqStates;
constexpr int kNothingState = kRawState + 1;
constexpr int kPipelineStates = kNothingState + 1;

// Places are addresses in shared memory, of 16 bits.
//
// A state of a context (MqRow).
struct StateRow {
  std::uint32_t qe;  // << 16, as the interval
  // If the decision takes the part of the size qe: that, renormalised, << 16, and 2 to the power of
  // the shift.
  std::uint32_t taken;
  std::uint32_t next;   // states after a renormalisation: << 16 for decision 1
  std::uint32_t flags;  // bit 31: the more probable decision
};
static_assert(sizeof(StateRow) == sizeof(Word4));

// What a thread block has once. If each lane has its own copy of the states, lanes never want the
// same bank of the memory.
template <int kCopies>
struct PipelineTables {
  Word4 states[kPipelineStates][kCopies];  // StateRow
};
template <int kCopies>
COALESCE_HOST_DEVICE constexpr std::uint32_t state_place(int state, int lane) {
  return static_cast<std::uint32_t>((state * kCopies + lane % kCopies) *
                                    static_cast<int>(sizeof(Word4)));
}

// The places of the contexts' states.
struct PipelineContexts {
  std::uint32_t state[kPipelineContexts][kLanes];
};
COALESCE_HOST_DEVICE constexpr std::uint32_t context_place(std::uint32_t first, int context) {
  return first + static_cast<std::uint32_t>(context * kLanes * static_cast<int>(sizeof first));
}

// How a group ends. The numbers are bits.
enum GroupEnd : std::uint32_t {
  kEndsPass = 1,
  kEndsSegment = 2,
  kResetsContexts = 4,
  kEndsRaw = 8,  // the pass is of raw bits
  kEndsPredictably = 16,
  kBusy = 32,  // of a summary
};

// What a warp of each stage shares: rings of groups. FedSymbol and CodedSymbol come in pairs.
constexpr int kFedGroups = 3, kCodedGroups = 2, kGroupEnds = 4;
struct PipelineRings {
  Word4 fed[kFedGroups][kGroup / 2][kLanes];
  Word4 coded[kCodedGroups][kGroup / 2][kLanes];
  std::uint32_t ends[kGroupEnds][kLanes];  // GroupEnd
  // Of all lanes: do some have symbols, do some reset their contexts?
  std::uint32_t summary[kGroupEnds];  // kBusy, kResetsContexts
};

// A group of a lane: pairs, kLanes apart.
using LaneGroup = Word4 (*)[kLanes];

// A symbol for MqARegister. `how` is the decision (bit 31), whether the next symbol has another
// context (bit 30), and a selector of bytes for select_bytes(state.next, place of the other
// context's state): where the next symbol's state is, if this one renormalises. `where` is the
// place of the context << 16, and a selector of its own next state.
struct FedSymbol {
  std::uint32_t how, where;
};
constexpr std::uint32_t kOtherContext = 1u << 30;
constexpr std::uint32_t kSelectLow = 0x7710, kSelectHigh = 0x7732, kSelectOther = 0x7754;

// A symbol for MqCRegister: C = (C + (add >> 16)) * factor. The factor, a power of two, is the low
// half of a word whose upper half is the interval that it leaves.
struct CodedSymbol {
  std::uint32_t interval, add;
};

// Bytes 0 to 3 of a and 4 to 7 of b: four of them, by the low four nibbles of selector.
COALESCE_HOST_DEVICE std::uint32_t select_bytes(std::uint32_t a, std::uint32_t b,
                                                std::uint32_t selector) {
#if defined(__CUDA_ARCH__) && !defined(COALESCE_EMULATED)
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selector));
  return bytes;
#else
  const std::uint64_t all = std::uint64_t{b} << 32 | a;
  std::uint32_t bytes = 0;
  for (int i = 0; i < 4; ++i)
    bytes |= static_cast<std::uint32_t>(all >> (8 * (selector >> (4 * i) & 7)) & 0xFF) << (8 * i);
  return bytes;
#endif
}

// One lane's copy of a state, of tables at that place.
template <int kCopies>
COALESCE_HOST_DEVICE StateRow state_row(const MqRow &row, std::uint32_t tables, int state,
                                        int lane) {
  const auto places = [tables, lane](int of_0, int of_1) {
    return (tables + state_place<kCopies>(of_0, lane)) | (tables + state_place<kCopies>(of_1, lane))
                                                             << 16;
  };
  if (state == kRawState)
    return {0x40000000, 0x80000000 | 2, places(kRawState, kRawState), 1u << 31};
  if (state == kNothingState) return {0, 0, places(kNothingState, kNothingState), 0};
  std::uint32_t taken = std::uint32_t{row.qe} << 16, factor = 1;
  for (; taken < 0x80000000; taken *= 2)
    factor *= 2;
  const std::uint32_t next =
      (state & 1) != 0 ? places(row.next_lps, row.next_mps) : places(row.next_mps, row.next_lps);
  return {std::uint32_t{row.qe} << 16, taken | factor, next,
          static_cast<std::uint32_t>(state & 1) << 31};
}

// Table D.7.
COALESCE_HOST_DEVICE constexpr int first_state(int context) {
  if (context == kContextNothing) return kNothingState;
  if (context == kContextRaw) return kRawState;
  return context == kContextZero      ? 2 * 4
         : context == kContextRun     ? 2 * 3
         : context == kContextUniform ? 2 * 46
                                      : 0;
}

}  // namespace coalesce::j2k
