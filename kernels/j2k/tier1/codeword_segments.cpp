// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codeword_segments.h"

#include "mq/mq_lengths.h"

namespace coalesce::j2k {

void PassCoder::start(unsigned style, int planes, Pass *passes, std::uint8_t *bytes) {
  style_ = style;
  planes_ = planes;
  passes_ = passes;
  bytes_ = bytes;
  length_ = 0;
  count_ = first_ = 0;
  mq_.reset_contexts();
}

void PassCoder::code(PassType type, int plane, const std::uint8_t *symbols,
                     const PassSymbols &made) {
  Pass &pass = passes_[count_];
  pass.distortion = made.distortion;
  pass.type = type;
  pass.plane = static_cast<std::uint8_t>(plane);
  pass.terminated = pass_is_terminated(style_, planes_, plane, type);
  pass.raw = pass_is_raw(style_, planes_, plane, type);

  const bool new_segment = first_ == count_;
  if (pass.raw) {
    if (new_segment) raw_.start(bytes_ + length_);
    raw_.encode(symbols, made.count);
    marks_[count_] = raw_.mark();
  } else {
    if (new_segment) mq_.start(bytes_ + length_);
    mq_.encode(symbols, made.count);
    marks_[count_] = mq_.mark();
  }
  ++count_;
  if (pass.terminated) end_segment(pass.raw);
  if ((style_ & kReset) != 0) mq_.reset_contexts();
}

// Every pass of the segment gets its length; the last one's is the segment's.
void PassCoder::end_segment(bool raw) {
  const bool predictable = (style_ & kPredictable) != 0;
  const std::uint8_t *segment = bytes_ + length_;
  int length = 0;
  if (raw)
    length = predictable ? raw_.flush_predictably() : raw_.flush();
  else
    length = predictable ? mq_.flush_predictably() : mq_.flush();
  const auto truncated = raw ? least_raw_length : least_length;
  for (int i = first_; i < count_; ++i) {
    int needed = length;
    if (i + 1 < count_ || !predictable) needed = truncated(marks_[i], segment, length);
    passes_[i].length = length_ + static_cast<std::uint32_t>(needed);
  }
  length_ = passes_[count_ - 1].length;
  first_ = count_;
}

}  // namespace coalesce::j2k
