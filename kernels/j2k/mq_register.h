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
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int i = 0; i < kGroup / 2; i += 2)
      four(*coded[i], *coded[i + 1]);
    range_ = coded[kGroup / 2 - 1]->z >> 16;
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

  // Makes the numbers of MqCoder::byte_out(), of a register that was shifted on by so many bits.
  COALESCE_HOST_DEVICE std::uint64_t byte_out(std::uint64_t low, int further) {
    const int carry = kCarryShift + further;
    if (pending_ != 0xFF) {
      pending_ += static_cast<std::uint32_t>(low >> carry);
      low &= (std::uint64_t{1} << carry) - 1;
    }
    if (count_ >= 0) bytes_[count_] = static_cast<std::uint8_t>(pending_);
    ++count_;
    const int stuffed = pending_ == 0xFF ? 1 : 0;
    const int shift = kByteShift + stuffed + further;
    pending_ = static_cast<std::uint32_t>(low >> shift);
    shifts_ = 8 - stuffed;
    return low & ((std::uint64_t{1} << shift) - 1);
  }

  // Four symbols are added up and shifted by themselves; then bytes are taken. That is too late,
  // for a carry of a later symbol has gone into them: which makes no difference unless it has gone
  // through a byte of ones into the byte before. What may be such a case is coded again.
  COALESCE_HOST_DEVICE void four(const Word4 &a, const Word4 &b) {
    const std::uint32_t f0 = a.x & 0xFFFF, f1 = a.z & 0xFFFF, f2 = b.x & 0xFFFF, f3 = b.z & 0xFFFF;
    const std::uint32_t factor = f0 * f1 * f2 * f3;
    // More than 2^32 are 0.
    if (factor - 1 >= 1u << 16) return one_by_one(a, b);
    std::uint32_t sum = (a.y >> 16) * f0;
    sum = (sum + (a.w >> 16)) * f1;
    sum = (sum + (b.y >> 16)) * f2;
    sum = (sum + (b.w >> 16)) * f3;
    std::uint64_t low = std::uint64_t{low_} * factor + sum;
    int further = log2_of(factor) - shifts_;
    if (further >= 0) {
      const std::uint32_t pending = pending_;
      const int shifts = shifts_, count = count_;
      do {
        const auto top = static_cast<std::uint32_t>(low >> (kByteShift + further));
        if (top >= 0x100 && (top & 0xFF) == 0) {
          pending_ = pending;
          shifts_ = shifts;
          count_ = count;
          return one_by_one(a, b);
        }
        low = byte_out(low, further);
        further -= shifts_;
      } while (further >= 0);
    }
    shifts_ = -further;
    low_ = static_cast<std::uint32_t>(low);
  }

  COALESCE_HOST_DEVICE void one_by_one(const Word4 &a, const Word4 &b) {
    one(a.x, a.y);
    one(a.z, a.w);
    one(b.x, b.y);
    one(b.z, b.w);
  }
  COALESCE_HOST_DEVICE void one(std::uint32_t interval, std::uint32_t add) {
    low_ += add >> 16;
    shift(log2_of(interval & 0xFFFF));
  }
  COALESCE_HOST_DEVICE void shift(int bits) {
    while (bits >= shifts_) {
      bits -= shifts_;
      low_ = static_cast<std::uint32_t>(byte_out(std::uint64_t{low_} << shifts_, 0));
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
