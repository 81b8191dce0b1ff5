// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mq_coder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "mq_lengths.h"
#include "mq_table.h"

namespace coalesce::j2k {
namespace {

constexpr MqRows kRows = make_mq_rows();

constexpr std::uint32_t kBelowCarry = (1u << kCarryShift) - 1;

}  // namespace

void MqCoder::reset_contexts() {
  std::memset(contexts_, 0, sizeof contexts_);
  contexts_[kContextZero] = 2 * 4;  // the state's number; 0 is the more probable decision
  contexts_[kContextRun] = 2 * 3;
  contexts_[kContextUniform] = 2 * 46;
}

void MqCoder::start(std::uint8_t *bytes) {
  bytes_ = bytes;
  low_ = 0;
  range_ = 0x8000;
  shifts_ = 12;
  // In place of the byte in front of the first, which no carry reaches.
  pending_ = 0;
  count_ = -1;
}

// BYTEOUT. After FF the next byte has 7 bits and room for a carry, so that this goes no further.
void MqCoder::byte_out() {
  if (pending_ != 0xFF) {
    pending_ = static_cast<std::uint8_t>(pending_ + (low_ >> kCarryShift));
    low_ &= kBelowCarry;
  }
  if (count_ >= 0) bytes_[count_] = pending_;
  ++count_;
  const int stuffed = pending_ == 0xFF ? 1 : 0;
  const int shift = kByteShift + stuffed;
  pending_ = static_cast<std::uint8_t>(low_ >> shift);
  low_ &= (1u << shift) - 1;
  shifts_ = static_cast<std::uint8_t>(8 - stuffed);
}

// CODE1, CODE0 and RENORME. What happens in them depends on the decisions, which are as hard to
// foretell as the models could make them: so there is no branch but for whole bytes.
void MqCoder::encode(const std::uint8_t *symbols, int count) {
  std::uint8_t contexts[kMqContexts];
  std::memcpy(contexts, contexts_, sizeof contexts);
  std::uint32_t range = range_, low = low_;
  int shifts = shifts_;
  for (const std::uint8_t *end = symbols + count; symbols != end; ++symbols) {
    const unsigned symbol = *symbols;
    const unsigned context = contexts[symbol >> 1];
    const MqRow row = kRows.at[context];
    const std::uint32_t qe = row.qe;
    const std::uint32_t rest = range - qe;
    const std::uint32_t less_probable = (context ^ symbol) & 1;
    // All ones if the decision gets the upper part of the interval, the rest: the more probable one
    // does, unless qe is the larger part (conditional exchange).
    const std::uint32_t upper = (less_probable - 1) ^ (0u - (rest < qe ? 1u : 0u));
    low += qe & upper;
    range = qe ^ ((qe ^ rest) & upper);
    const unsigned if_more = rest >= 0x8000 ? context : row.next_mps;
    contexts[symbol >> 1] = static_cast<std::uint8_t>(less_probable != 0 ? row.next_lps : if_more);

    int shift = std::countl_zero(range | 1) - 16;  // | 1: for the compiler to see that it is not 0
    range <<= shift;
    if (shift >= shifts) {
      low_ = low;
      for (; shift >= shifts; shifts = shifts_) {
        low_ <<= shifts;
        shift -= shifts;
        byte_out();
      }
      low = low_;
    }
    low <<= shift;
    shifts -= shift;
  }
  range_ = range;
  low_ = low;
  shifts_ = static_cast<std::uint8_t>(shifts);
  std::memcpy(contexts_, contexts, sizeof contexts);
}

int MqCoder::finish() {
  if (pending_ != 0xFF && count_ >= 0) bytes_[count_++] = pending_;
  return std::max(count_, 0);
}

int MqCoder::flush() {
  // SETBITS: of the numbers in the interval one that ends in many ones.
  const std::uint32_t end = low_ + range_;
  low_ |= 0xFFFF;
  if (low_ >= end) low_ -= 0x8000;
  low_ <<= shifts_;
  byte_out();
  low_ <<= shifts_;
  byte_out();
  return finish();
}

int MqCoder::flush_predictably() {
  int left = 12 - shifts_;
  while (left > 0) {
    low_ <<= shifts_;
    byte_out();
    left -= shifts_;
  }
  return finish();
}

void RawCoder::start(std::uint8_t *bytes) {
  bytes_ = bytes;
  count_ = 0;
  byte_ = 0;
  free_ = 8;
}

void RawCoder::put(int bit) {
  byte_ = static_cast<std::uint8_t>(2 * byte_ + bit);
  if (--free_ > 0) return;
  bytes_[count_++] = byte_;
  byte_ = 0;
  free_ = room();
}

void RawCoder::encode(const std::uint8_t *symbols, int count) {
  for (int i = 0; i < count; ++i)
    put(symbols[i] & 1);
}

CoderMark RawCoder::mark() const {
  if (free_ == room()) return {0, 0, count_, 0, 0};
  return {0, 0, count_ + 1, static_cast<std::uint8_t>(free_), 0};
}

void RawCoder::fill() {
  const int end = count_ + 1;
  for (int bit = 0; count_ < end; bit = 1 - bit)
    put(bit);
}

int RawCoder::flush() {
  if (free_ < room()) fill();
  return without_ones(bytes_, count_);
}

int RawCoder::flush_predictably() {
  if (free_ < room() || room() == 7) fill();
  return count_;
}

}  // namespace coalesce::j2k
