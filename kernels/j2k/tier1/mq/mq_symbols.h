// SPDX-License-Identifier: LGPL-2.1-or-later
// The first stage of the MQ pipeline: one codeword's symbols, in groups that begin with passes.
#pragma once

#include <cstring>

#include "../../../core/load.cuh"
#include "../context/coding_pass.h"
#include "mq_pipeline.h"

namespace coalesce::j2k {

constexpr std::uint32_t kFourNothings = 0x01010101u * (2 * kContextNothing);

struct SymbolGroup {
  std::uint32_t word[kGroup / 4];
  std::uint32_t end;  // GroupEnd
};

// A block's symbols and passes.
struct SymbolSource {
  const std::uint8_t *symbols;
  const PassSymbols *made;
  int planes;
  unsigned style;
};

// GroupEnd
COALESCE_HOST_DEVICE std::uint32_t end_of_pass(unsigned style, int planes, int plane,
                                               PassType type) {
  std::uint32_t end = kEndsPass;
  if (pass_is_terminated(style, planes, plane, type)) end |= kEndsSegment;
  if (pass_is_raw(style, planes, plane, type)) end |= kEndsRaw;
  if ((style & kPredictable) != 0) end |= kEndsPredictably;
  if ((style & kReset) != 0) end |= kResetsContexts;
  return end;
}

class SymbolFeed {
 public:
  // contexts: the place of this lane's first one.
  COALESCE_HOST_DEVICE void start(const SymbolSource &source, std::uint32_t contexts) {
    next_pass_ = source.made + (source.planes > 1 ? 1 : 0);
    style_ = source.style;
    plane_ = source.planes - 1;
    planes_ = source.planes;
    type_ = PassType::cleanup;
    first_context_ = contexts << 16 | kSelectLow;
    busy_ = source.planes > 0;
    left_ = busy_ ? source.made->count : 0;
    const auto address = reinterpret_cast<std::uintptr_t>(source.symbols);
    offset_ = static_cast<unsigned>(address % sizeof(Word4));
    ahead_at_ = source.symbols - offset_;
    if (busy_) {
      now_ = words_at(ahead_at_);
      after_ = words_at(ahead_at_ + sizeof(Word4));
      ahead_at_ += 2 * sizeof(Word4);
      look_ahead();
    }
    group_ = fetch();
  }

  // False if there is nothing more: then the group is of symbols that do nothing.
  COALESCE_HOST_DEVICE bool step(Word4 (*fed)[kLanes], std::uint32_t *end) {
    const bool busy = group_.end != 0 || busy_;
    *end = group_.end;
    const SymbolGroup next = fetch();
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i < kGroup / 4; ++i) {
      const std::uint32_t word = group_.word[i];
      const std::uint32_t behind = i + 1 < kGroup / 4 ? group_.word[i + 1] : next.word[0];
      const std::uint32_t following = word >> 8 | behind << 24;
      const FedSymbol s0 = symbol<0>(word, following), s1 = symbol<1>(word, following),
                      s2 = symbol<2>(word, following), s3 = symbol<3>(word, following);
      *fed[2 * i] = {s0.how, s0.where, s1.how, s1.where};
      *fed[2 * i + 1] = {s2.how, s2.where, s3.how, s3.where};
    }
    group_ = next;
    return busy;
  }

 private:
  template <int kByte>
  COALESCE_HOST_DEVICE FedSymbol symbol(std::uint32_t word, std::uint32_t following) const {
    constexpr std::uint32_t kContextBytes = sizeof(std::uint32_t) * kLanes;
    const std::uint32_t value = word >> (8 * kByte) & 0xFF, decision = value & 1;
    const bool same = ((word ^ following) & 0xFEu << (8 * kByte)) == 0;
    const std::uint32_t where = first_context_ + value * (kContextBytes / 2 << 16) +
                                decision * (kSelectHigh - kSelectLow - (kContextBytes / 2 << 16));
    const std::uint32_t how =
        same ? kSelectLow + decision * (kSelectHigh - kSelectLow) : kSelectOther | kOtherContext;
    return {how | decision << 31, where};
  }

  COALESCE_HOST_DEVICE SymbolGroup fetch() {
    SymbolGroup group = next_symbols();
    if (busy_ && left_ == 0) group.end = end_pass();
    if (busy_) look_ahead();
    return group;
  }

  // What memory is asked for, all of it last: nobody waits for it before the next group.
  COALESCE_HOST_DEVICE void look_ahead() {
    ahead_ = words_at(ahead_at_);
    left_after_ = next_pass_->count;
  }

  COALESCE_HOST_DEVICE SymbolGroup next_symbols() {
    SymbolGroup group = {};
    if (!busy_) {
      for (std::uint32_t &word : group.word)
        word = kFourNothings;
      return group;
    }
    group = window();
    const int count = left_ < kGroup ? left_ : kGroup;
    if (count < kGroup) cut(&group, count);
    left_ -= count;
    offset_ += static_cast<unsigned>(count);
    if (offset_ >= sizeof(Word4)) {
      offset_ -= static_cast<unsigned>(sizeof(Word4));
      now_ = after_;
      after_ = ahead_;
      ahead_at_ += sizeof(Word4);
    }
    return group;
  }

  // The address is a multiple of 16.
  COALESCE_HOST_DEVICE static Word4 words_at(const std::uint8_t *bytes) {
#if defined(__CUDA_ARCH__)
    const uint4 words = load_global(reinterpret_cast<const uint4 *>(bytes));
    return {words.x, words.y, words.z, words.w};
#else
    Word4 words;
    std::memcpy(&words, bytes, sizeof words);
    return words;
#endif
  }

  // The next kGroup bytes.
  COALESCE_HOST_DEVICE SymbolGroup window() const {
    const bool two = (offset_ & 8) != 0, one = (offset_ & 4) != 0;
    const int shift = static_cast<int>(8 * (offset_ & 3));
    const std::uint32_t a = two ? now_.z : now_.x, b = two ? now_.w : now_.y,
                        c = two ? after_.x : now_.z, d = two ? after_.y : now_.w,
                        e = two ? after_.z : after_.x, f = two ? after_.w : after_.y;
    const std::uint32_t from[] = {one ? b : a, one ? c : b, one ? d : c, one ? e : d, one ? f : e};
    SymbolGroup group = {};
    for (int i = 0; i < kGroup / 4; ++i)
      group.word[i] = joined(from[i], from[i + 1], shift);
    return group;
  }
  COALESCE_HOST_DEVICE static std::uint32_t joined(std::uint32_t low, std::uint32_t high,
                                                   int shift) {
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> shift);
  }

  COALESCE_HOST_DEVICE static void cut(SymbolGroup *group, int count) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i < kGroup / 4; ++i) {
      const int valid = count - 4 * i;
      const std::uint32_t mask = valid <= 0   ? 0
                                 : valid >= 4 ? ~std::uint32_t{0}
                                              : (1u << (8 * valid)) - 1;
      group->word[i] = (group->word[i] & mask) | (kFourNothings & ~mask);
    }
  }

  // To the next pass.
  COALESCE_HOST_DEVICE std::uint32_t end_pass() {
    const std::uint32_t end = end_of_pass(style_, planes_, plane_, type_);
    const bool cleanup = type_ == PassType::cleanup;
    type_ = cleanup                           ? PassType::significance
            : type_ == PassType::significance ? PassType::refinement
                                              : PassType::cleanup;
    if (cleanup) --plane_;
    busy_ = plane_ >= 0;
    left_ = left_after_;
    // One more is there, unless this is the last.
    if (plane_ > 0 || (plane_ == 0 && type_ != PassType::cleanup)) ++next_pass_;
    return end;
  }

  Word4 now_ = {}, after_ = {}, ahead_ = {};  // of the symbols, from offset_ in now_ on
  const std::uint8_t *ahead_at_;
  const PassSymbols *next_pass_;  // or this one, if it is the last
  SymbolGroup group_;
  std::uint32_t first_context_;  // FedSymbol::where of context 0 and decision 0
  unsigned offset_, style_;
  int left_, left_after_;  // symbols of this pass and the next
  int plane_, planes_;
  PassType type_;
  bool busy_;
};

}  // namespace coalesce::j2k
