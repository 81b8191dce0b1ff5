// SPDX-License-Identifier: LGPL-2.1-or-later
// The third stage of the MQ pipeline: the code register, and bytes.
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "mq_lengths.h"
#include "mq_pipeline.h"

// Not worth its place among what runs all the time.
#if defined(__CUDACC__)
#define COALESCE_SELDOM __host__ __device__ __noinline__
#else
#define COALESCE_SELDOM
#endif

namespace coalesce::j2k {

// The code register, symbol by symbol, as the standard has it.
struct MqCRegisterState {
  std::uint8_t *bytes;         // of the segment
  std::uint32_t low, pending;  // CoderMark
  std::int32_t count;          // of bytes that are final; -1 as long as pending is no byte at all
  int shifts;

  COALESCE_HOST_DEVICE void begin() {
    low = 0;
    shifts = 12;
    pending = 0;
    count = -1;
  }

  // What MqCoder::byte_out() does. top: the register above its spacer bits; returns what stays of
  // it, one bit of a byte that has only seven.
  COALESCE_HOST_DEVICE std::uint32_t byte_out(std::uint32_t top) {
    const bool full = pending == 0xFF;
    pending += full ? 0 : top >> 8;
    if (!full) top &= 0xFF;
    if (count >= 0) bytes[count] = static_cast<std::uint8_t>(pending);
    ++count;
    const bool stuffed = pending == 0xFF;
    pending = stuffed ? top >> 1 : top;
    shifts = stuffed ? 7 : 8;
    return stuffed ? top & 1 : 0;
  }
  COALESCE_HOST_DEVICE void shift(int bits) {
    while (bits >= shifts) {
      bits -= shifts;
      low <<= shifts;
      const std::uint32_t stays = byte_out(low >> kByteShift);
      low = (low & ((1u << kByteShift) - 1)) | stays << kByteShift;
    }
    low <<= bits;
    shifts -= bits;
  }
};

// CoderMark, and where its segment begins.
struct PassMark {
  std::uint32_t low;
  std::uint16_t range;
  std::uint8_t shifts, pending;
  std::int32_t count;
  std::uint32_t segment;
};
static_assert(sizeof(PassMark) == sizeof(Word4));

// Segments are written one behind the other, each as long as its flush() makes it.
class MqCRegister {
  using State = MqCRegisterState;

 public:
  COALESCE_HOST_DEVICE void start(std::uint8_t *bytes) {
    state_.bytes = bytes;
    segment_ = 0;
    state_.begin();
  }

  COALESCE_HOST_DEVICE void group(const Word4 (*coded)[kLanes]) {
    if (!at_once(added(coded))) state_ = one_by_one(state_, coded);
    range_ = coded[kGroup / 2 - 1]->z >> 16;
  }

  // One symbol, as the standard has it, and the interval it leaves.
  COALESCE_HOST_DEVICE void symbol(std::uint32_t add, int shift, std::uint32_t range) {
    state_.low += add;
    state_.shift(shift);
    range_ = range;
  }

  // Behind a group that ends a pass.
  COALESCE_HOST_DEVICE PassMark mark(std::uint32_t end) const {
    PassMark m = {state_.low,
                  static_cast<std::uint16_t>(range_),
                  static_cast<std::uint8_t>(state_.shifts),
                  static_cast<std::uint8_t>(state_.pending),
                  state_.count,
                  segment_};
    if ((end & kEndsRaw) == 0) return m;
    const RawBits raw = raw_bits();
    m.count = raw.bytes + (raw.free < raw.room ? 1 : 0);
    m.shifts = static_cast<std::uint8_t>(raw.free < raw.room ? raw.free : 0);
    return m;
  }

  // The segment's length. (Of raw bits it may have ones at its end.)
  COALESCE_HOST_DEVICE int end_segment(std::uint32_t end) {
    const bool predictably = (end & kEndsPredictably) != 0;
    const int length = (end & kEndsRaw) != 0 ? flush_raw(predictably) : flush(predictably);
    state_.bytes += length;
    segment_ += static_cast<std::uint32_t>(length);
    state_.begin();
    return length;
  }

 private:
  struct RawBits {
    int bytes;       // that are complete
    int free, room;  // bits of the one that was begun
    std::uint32_t last, begun;
  };

  // Symbols by themselves: C becomes C * 2^shift + sum.
  struct Sum {
    std::uint64_t sum;
    int shift;
  };
  struct FourSum {
    std::uint32_t sum, factor;
    int shift;
  };
  // As long as the shift is not above kFourShift, the sum is what its 32 bits say: what is added is
  // below the interval, and with it below 2^16 before the shift.
  static constexpr int kFourShift = 16;
  COALESCE_HOST_DEVICE static FourSum four(const Word4 &a, const Word4 &b) {
    const std::uint32_t f0 = a.x & 0xFFFF, f1 = a.z & 0xFFFF, f2 = b.x & 0xFFFF, f3 = b.z & 0xFFFF;
    std::uint32_t sum = (a.y >> 16) * f0;
    sum = (sum + (a.w >> 16)) * f1;
    sum = (sum + (b.y >> 16)) * f2;
    sum = (sum + (b.w >> 16)) * f3;
    const std::uint32_t factor = f0 * f1 * f2 * f3;  // 0 from 2^32 on
    return {sum, factor, log2_of(factor | (factor == 0 ? 1u << 31 : 0))};
  }
  // A shift that is too long for at_once(), if one of the fours' is.
  COALESCE_HOST_DEVICE static Sum added(const Word4 (*coded)[kLanes]) {
    Sum all = {0, 0};
    int longest = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i < kGroup / 8; ++i) {
      const FourSum a = four(*coded[4 * i], *coded[4 * i + 1]),
                    b = four(*coded[4 * i + 2], *coded[4 * i + 3]);
      const int shift = a.shift + b.shift;
      all.sum = (all.sum << shift) + (std::uint64_t{a.sum} * b.factor + b.sum);
      all.shift += shift;
      longest = longest > a.shift ? longest : a.shift;
      longest = longest > b.shift ? longest : b.shift;
    }
    if (longest > kFourShift) all.shift = kLongestShift + 1;
    return all;
  }

  // Shifts the register for all symbols, then takes bytes. That is too late, for a carry of a later
  // symbol has gone into them: which makes no difference unless it has gone through a byte of ones
  // into the byte before. False, and nothing has happened, if that may be so, or if the shift is a
  // long one.
  //
  // Such a carry leaves a byte of zeros; and three more, for what it came from was below 2^16 when
  // the byte was taken.
  //
  // The lanes of a warp go through this together: none waits for another's branches.
  static constexpr int kSpacerBits = kByteShift - 16;
  static constexpr int kLongestShift = 64 - 28;
  static constexpr std::uint32_t kSeen = (1u << (8 + kSpacerBits)) - 1;
  COALESCE_HOST_DEVICE bool at_once(const Sum &sum) {
    Taking t = {state_, (std::uint64_t{state_.low} << (sum.shift & 63)) + sum.sum,
                sum.shift - state_.shifts, sum.shift <= kLongestShift};
    if (!t.fine) t.further = -1;
    const bool any = t.further >= 0;
    // Of the first byte, a carry may go into the one before.
    const auto seen = static_cast<std::uint32_t>(t.shifted >> (16 + t.further));
    const bool full = t.s.pending == 0xFF;
    t.take(full ? seen : seen & kSeen, full ? 0 : seen >> (8 + kSpacerBits), seen == kSeen + 1);
    for (int i = 0; i < 2; ++i)
      t.take_another();
    while (any_lane(t.further >= 0))
      t.take_another();
    if (!t.fine) return false;
    const auto low = static_cast<std::uint32_t>(t.shifted);
    t.s.low = any ? low & ((1u << (kCarryShift + t.further)) - 1) : low;
    t.s.shifts = -t.further;
    state_ = t.s;
    return true;
  }
  struct Taking {
    State s;
    std::uint64_t shifted;
    int further;  // that the register would still have been shifted, behind the next byte
    bool fine;

    // seen: the next byte, and the bits below it. carry: into the byte before.
    COALESCE_HOST_DEVICE void take(std::uint32_t seen, std::uint32_t carry, bool suspect) {
      const bool takes = further >= 0;
      fine = fine && !(takes && suspect);
      const std::uint32_t byte = s.pending + carry;
      if (takes && s.count >= 0) s.bytes[s.count] = static_cast<std::uint8_t>(byte);
      // Behind FF the byte has seven bits, and a carry.
      const int stuffed = byte == 0xFF ? 1 : 0;
      const std::uint32_t next = (seen >> (kSpacerBits + stuffed)) & 0xFF;
      s.count += takes ? 1 : 0;
      s.pending = takes ? next : s.pending;
      further -= takes ? 8 - stuffed : 0;
    }
    // Of a second byte, the carry has gone into the first one.
    COALESCE_HOST_DEVICE void take_another() {
      const auto seen = static_cast<std::uint32_t>(shifted >> (16 + further)) & kSeen;
      take(seen, 0, seen == 0);
    }
  };

  COALESCE_SELDOM static State one_by_one(State s, const Word4 (*coded)[kLanes]) {
    for (int i = 0; i < kGroup / 2; ++i) {
      const Word4 pair = *coded[i];
      s.low += pair.y >> 16;
      s.shift(log2_of(pair.x & 0xFFFF));
      s.low += pair.w >> 16;
      s.shift(log2_of(pair.z & 0xFFFF));
    }
    return s;
  }
  COALESCE_HOST_DEVICE static bool any_lane(bool holds) {
#if defined(__CUDA_ARCH__)
    return __any_sync(~0u, holds) != 0;
#else
    return holds;
#endif
  }
  COALESCE_HOST_DEVICE static int log2_of(std::uint32_t power) {
#if defined(__CUDA_ARCH__)
    return 31 - __clz(static_cast<int>(power));
#else
    return 31 - __builtin_clz(power);
#endif
  }

  // See MqCoder.
  COALESCE_HOST_DEVICE int flush(bool predictably) {
    if (predictably) {
      for (int left = 12 - state_.shifts; left > 0; left -= state_.shifts)
        state_.shift(state_.shifts);
    } else {
      const std::uint32_t end = state_.low + range_;
      state_.low |= 0xFFFF;
      if (state_.low >= end) state_.low -= 0x8000;
      state_.shift(state_.shifts);
      state_.shift(state_.shifts);
    }
    if (state_.pending != 0xFF && state_.count >= 0)
      state_.bytes[state_.count++] = static_cast<std::uint8_t>(state_.pending);
    return state_.count > 0 ? state_.count : 0;
  }

  // Raw bits stand in the pending byte and in the register above bit 14, 12 - state_.shifts of
  // them: more than their byte takes, maybe.
  COALESCE_HOST_DEVICE RawBits raw_bits() const {
    int bits = 12 - state_.shifts;
    std::uint32_t last = state_.pending, begun = state_.low >> 15;
    int bytes = state_.count + 1;
    int room = bytes > 0 && last == 0xFF ? 7 : 8;
    if (bits >= room) {
      bits -= room;
      last = begun >> bits;
      begun &= (1u << bits) - 1;
      ++bytes;
      room = last == 0xFF ? 7 : 8;
    }
    return {bytes, room - bits, room, last, begun};
  }

  COALESCE_HOST_DEVICE int flush_raw(bool predictably) {
    const RawBits raw = raw_bits();
    if (state_.count >= 0) state_.bytes[state_.count] = static_cast<std::uint8_t>(state_.pending);
    if (raw.bytes > state_.count + 1)
      state_.bytes[raw.bytes - 1] = static_cast<std::uint8_t>(raw.last);
    if (raw.free == raw.room && !(predictably && raw.room == 7)) return raw.bytes;
    // 0, 1, 0, ...
    const std::uint32_t filling = 0x55u >> (8 - raw.free);
    state_.bytes[raw.bytes] = static_cast<std::uint8_t>(raw.begun << raw.free | filling);
    return raw.bytes + 1;
  }

  State state_;
  std::uint32_t segment_;  // where it begins
  std::uint32_t range_;
};

}  // namespace coalesce::j2k
