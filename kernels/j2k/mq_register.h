// SPDX-License-Identifier: LGPL-2.1-or-later
// The third stage of the MQ pipeline: the code register, and bytes.
#pragma once

#include "mq_lengths.h"
#include "mq_pipeline.h"

namespace coalesce::j2k {

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
class MqRegister {
 public:
  COALESCE_HOST_DEVICE void start(std::uint8_t *bytes) {
    bytes_ = bytes;
    segment_ = 0;
    begin_segment();
  }

  COALESCE_HOST_DEVICE void group(const Word4 (*coded)[kLanes]) {
    Word4 a = *coded[0], b = *coded[1];
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int i = 0; i < kGroup / 2; i += 2) {
      // The next ones, while these are coded; behind the last, once more those.
      const int ahead = i + 2 < kGroup / 2 ? i + 2 : i;
      const Word4 next_a = *coded[ahead], next_b = *coded[ahead + 1];
      if (!four(a, b)) one_by_one(a, b);
      range_ = b.z >> 16;
      a = next_a;
      b = next_b;
    }
  }

  // Behind a group that ends a pass.
  COALESCE_HOST_DEVICE PassMark mark(std::uint32_t end) const {
    PassMark m = {low_,
                  static_cast<std::uint16_t>(range_),
                  static_cast<std::uint8_t>(shifts_),
                  static_cast<std::uint8_t>(pending_),
                  count_,
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
    bytes_ += length;
    segment_ += static_cast<std::uint32_t>(length);
    begin_segment();
    return length;
  }

 private:
  struct RawBits {
    int bytes;       // that are complete
    int free, room;  // bits of the one that was begun
    std::uint32_t last, begun;
  };

  COALESCE_HOST_DEVICE void begin_segment() {
    low_ = 0;
    shifts_ = 12;
    pending_ = 0;
    count_ = -1;
  }

  // What MqCoder::byte_out() does. top: the register above its spacer bits; returns what stays of
  // it, one bit of a byte that has only seven.
  COALESCE_HOST_DEVICE std::uint32_t byte_out(std::uint32_t top) {
    if (pending_ != 0xFF) {
      pending_ += top >> 8;
      top &= 0xFF;
    }
    if (count_ >= 0) bytes_[count_] = static_cast<std::uint8_t>(pending_);
    ++count_;
    const bool stuffed = pending_ == 0xFF;
    pending_ = stuffed ? top >> 1 : top;
    shifts_ = stuffed ? 7 : 8;
    return stuffed ? top & 1 : 0;
  }

  // Four symbols are added up and shifted by themselves; then bytes are taken. That is too late,
  // for a carry of a later symbol has gone into them: which makes no difference unless it has gone
  // through a byte of ones into the byte before. False, and nothing has happened, if that may be
  // so, or if the shift is a long one.
  COALESCE_HOST_DEVICE bool four(const Word4 &a, const Word4 &b) {
    constexpr int kLongest = 31 - kByteShift;
    const std::uint32_t f0 = a.x & 0xFFFF, f1 = a.z & 0xFFFF, f2 = b.x & 0xFFFF, f3 = b.z & 0xFFFF;
    const std::uint32_t factor = f0 * f1 * f2 * f3;
    if (factor - 1 >= 1u << kLongest) return false;  // 2^32 and more are 0
    std::uint32_t sum = (a.y >> 16) * f0;
    sum = (sum + (a.w >> 16)) * f1;
    sum = (sum + (b.y >> 16)) * f2;
    sum = (sum + (b.w >> 16)) * f3;
    const std::uint64_t shifted = std::uint64_t{low_} * factor + sum;
    auto low = static_cast<std::uint32_t>(shifted);
    int further = log2_of(factor) - shifts_;
    if (further >= 0) {
      const std::uint32_t pending = pending_;
      const int shifts = shifts_, count = count_;
      auto top = static_cast<std::uint32_t>(shifted >> (kByteShift + further));
      for (bool again = false;; again = true) {
        // Of a second byte, the carry has gone into the first one.
        if ((top & 0xFF) == 0 && (again || top >= 0x100)) {
          pending_ = pending;
          shifts_ = shifts;
          count_ = count;
          return false;
        }
        const std::uint32_t below = kByteShift + static_cast<std::uint32_t>(further);
        low = (low & ((1u << below) - 1)) | byte_out(top) << below;
        further -= shifts_;
        if (further < 0) break;
        top = low >> (kByteShift + further);
      }
    }
    shifts_ = -further;
    low_ = low;
    return true;
  }

  COALESCE_HOST_DEVICE void one_by_one(Word4 a, Word4 b) {
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (int i = 0; i < 4; ++i) {
      low_ += a.y >> 16;
      shift(log2_of(a.x & 0xFFFF));
      a = {a.z, a.w, b.x, b.y};
      b = {b.z, b.w, 0, 0};
    }
  }
  COALESCE_HOST_DEVICE void shift(int bits) {
    while (bits >= shifts_) {
      bits -= shifts_;
      low_ <<= shifts_;
      const std::uint32_t stays = byte_out(low_ >> kByteShift);
      low_ = (low_ & ((1u << kByteShift) - 1)) | stays << kByteShift;
    }
    low_ <<= bits;
    shifts_ -= bits;
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
      for (int left = 12 - shifts_; left > 0; left -= shifts_)
        shift(shifts_);
    } else {
      const std::uint32_t end = low_ + range_;
      low_ |= 0xFFFF;
      if (low_ >= end) low_ -= 0x8000;
      shift(shifts_);
      shift(shifts_);
    }
    if (pending_ != 0xFF && count_ >= 0) bytes_[count_++] = static_cast<std::uint8_t>(pending_);
    return count_ > 0 ? count_ : 0;
  }

  // Raw bits stand in the pending byte and in the register above bit 14, 12 - shifts_ of them: more
  // than their byte takes, maybe.
  COALESCE_HOST_DEVICE RawBits raw_bits() const {
    int bits = 12 - shifts_;
    std::uint32_t last = pending_, begun = low_ >> 15;
    int bytes = count_ + 1;
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
    if (count_ >= 0) bytes_[count_] = static_cast<std::uint8_t>(pending_);
    if (raw.bytes > count_ + 1) bytes_[raw.bytes - 1] = static_cast<std::uint8_t>(raw.last);
    if (raw.free == raw.room && !(predictably && raw.room == 7)) return raw.bytes;
    // 0, 1, 0, ...
    const std::uint32_t filling = 0x55u >> (8 - raw.free);
    bytes_[raw.bytes] = static_cast<std::uint8_t>(raw.begun << raw.free | filling);
    return raw.bytes + 1;
  }

  std::uint8_t *bytes_;    // of the segment
  std::uint32_t segment_;  // where it begins
  std::uint32_t low_, range_, pending_;
  std::int32_t count_;  // of bytes that are final; -1 as long as pending_ is no byte at all
  int shifts_;
};

}  // namespace coalesce::j2k
