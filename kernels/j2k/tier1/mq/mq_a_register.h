// SPDX-License-Identifier: LGPL-2.1-or-later
// The second stage of the MQ pipeline: the interval and the states of the contexts.
#pragma once

#include "mq_pipeline.h"

namespace coalesce::j2k {

// There are two chains from one symbol to the next: the state, from which comes where the next one
// is if the context is renormalised, or where the other context's is; and what remains of the
// interval. They meet in the state's qe, and in whether the state moves at all: which is known
// after the next one was read. Everything else stands beside them.
//
// kCopies: of the states.
template <int kCopies>
class MqARegister {
 public:
  // memory: PipelineTables at the place `tables`; `contexts` is the place of this lane's first one.
  COALESCE_HOST_DEVICE void start(std::uint8_t *memory, std::uint32_t tables,
                                  std::uint32_t contexts, int lane) {
    memory_ = memory;
    tables_ = tables;
    contexts_ = contexts;
    lane_ = lane;
    reset(kPipelineContexts);
    begin_segment();
  }
  // Before the first group, and behind a group that has reset the contexts.
  COALESCE_HOST_DEVICE void resume(const Word4 (*fed)[kLanes]) {
    state_ = state_at(word_at(fed[0]->y >> 16));
    other_ = word_at(fed[0]->w >> 16);
    pair_ = *fed[0];
  }

  // next: the group behind it, of which two symbols must be there.
  COALESCE_HOST_DEVICE void group(const Word4 (*fed)[kLanes], const Word4 (*next)[kLanes],
                                  Word4 (*coded)[kLanes]) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i < kGroup / 2; ++i) {
      const Word4 after = i + 1 < kGroup / 2 ? *fed[i + 1] : *next[0];
      const CodedSymbol a = code({pair_.x, pair_.y}, after.y >> 16);
      const CodedSymbol b = code({pair_.z, pair_.w}, after.w >> 16);
      *coded[i] = {a.interval, a.add, b.interval, b.add};
      pair_ = after;
    }
  }
  COALESCE_HOST_DEVICE void end_group(std::uint32_t end) {
    if ((end & kEndsSegment) != 0) begin_segment();
    if ((end & kResetsContexts) != 0) reset(kMqContexts);
  }

 private:
  COALESCE_HOST_DEVICE void begin_segment() {
    interval_ = 0x8000u << 16;
  }

  COALESCE_HOST_DEVICE void reset(int contexts) {
    for (int i = 0; i < contexts; ++i)
      word_at(context_place(contexts_, i)) = tables_ + state_place<kCopies>(first_state(i), lane_);
  }

#if defined(__CUDA_ARCH__) && !defined(COALESCE_EMULATED)
  // The same as below, in instructions: compilers make numbers of the predicates.
  COALESCE_HOST_DEVICE CodedSymbol code(const FedSymbol &symbol, std::uint32_t prefetch) {
    std::uint32_t add = 0;  // read as well as written: nvcc 12.0 knows no "=&r"
    asm volatile(
        "{\n"
        ".reg .pred less_probable, less_or_other, renormalised, moves, takes;\n"
        ".reg .b32 rest, more, differ, masked, place, own, qe, taken, next, flags;\n"
        "prmt.b32 place, %4, %1, %7;\n"
        "ld.shared.v4.u32 {qe, taken, next, flags}, [place];\n"
        "and.b32 rest, %0, 0xFFFF0000;\n"
        "sub.u32 rest, rest, %2;\n"
        "add.u32 rest, rest, 1;\n"
        "prmt.b32 own, %4, %1, %8;\n"
        "xor.b32 differ, %5, %7;\n"
        "and.b32 masked, differ, 0x80000000;\n"
        "setp.ne.u32 less_probable, masked, 0;\n"
        "and.b32 masked, differ, 0xC0000000;\n"
        "setp.ne.u32 less_or_other, masked, 0;\n"
        "setp.lt.xor.u32 takes, rest, %2, less_probable;\n"
        "setp.ge.or.s32 renormalised, rest, 0, less_probable;\n"
        "setp.ge.or.s32 moves, rest, 0, less_or_other;\n"
        "selp.u32 %6, 0, %2, takes;\n"
        "shl.b32 more, rest, 1;\n"
        "max.u32 rest, rest, more;\n"
        "shl.b32 more, rest, 1;\n"
        "max.u32 rest, rest, more;\n"
        "selp.u32 %0, %3, rest, takes;\n"
        "shr.u32 place, %8, 16;\n"
        "@renormalised st.shared.u32 [place], own;\n"
        "ld.shared.u32 %1, [%9];\n"
        "selp.u32 %4, next, %4, moves;\n"
        "selp.u32 %2, qe, %2, moves;\n"
        "selp.u32 %5, flags, %5, moves;\n"
        "selp.u32 %3, taken, %3, moves;\n"
        "}\n"
        : "+r"(interval_), "+r"(other_), "+r"(state_.qe), "+r"(state_.taken), "+r"(state_.next),
          "+r"(state_.flags), "+r"(add)
        : "r"(symbol.how), "r"(symbol.where), "r"(prefetch)
        : "memory");
    return {interval_, add};
  }
#else
  COALESCE_HOST_DEVICE CodedSymbol code(const FedSymbol &symbol, std::uint32_t prefetch) {
    const StateRow s = state_;
    // Where the state is that follows, if this is renormalised or the next context is another: it
    // is read before that is known.
    const StateRow after = state_at(select_bytes(s.next, other_, symbol.how));
    // Bit 0 is shifted along with the interval, so that the shift can be told.
    std::uint32_t rest = (interval_ & 0xFFFF0000u) - s.qe + 1;
    const bool less_probable = ((s.flags ^ symbol.how) >> 31) != 0;
    const bool renormalised = less_probable || rest < 0x80000000u;
    const bool takes_qe = less_probable != (rest < s.qe);  // conditional exchange
    if (renormalised) word_at(symbol.where >> 16) = select_bytes(s.next, other_, symbol.where);
    other_ = word_at(prefetch);
    // What is not renormalised and has the same context keeps its state.
    if (renormalised || (symbol.how & kOtherContext) != 0) state_ = after;
    // What is too small is less than its double, and all else is not: that loses its upper bit.
    for (int i = 0; i < 2; ++i)
      rest = rest < 2 * rest ? 2 * rest : rest;
    interval_ = takes_qe ? s.taken : rest;
    return {interval_, takes_qe ? 0 : s.qe};
  }
#endif

  COALESCE_HOST_DEVICE std::uint32_t &word_at(std::uint32_t place) const {
    return *reinterpret_cast<std::uint32_t *>(memory_ + (place - tables_));
  }
  COALESCE_HOST_DEVICE StateRow state_at(std::uint32_t place) const {
    const Word4 w = *reinterpret_cast<const Word4 *>(memory_ + (place - tables_));
    return {w.x, w.y, w.z, w.w};
  }

  std::uint8_t *memory_;
  Word4 pair_;              // that is next
  StateRow state_;          // of the symbol that is next
  std::uint32_t other_;     // where the state of the one behind it is, if its context is another
  std::uint32_t interval_;  // A << 16, and the last factor
  std::uint32_t tables_, contexts_;  // places
  int lane_;
};

}  // namespace coalesce::j2k
