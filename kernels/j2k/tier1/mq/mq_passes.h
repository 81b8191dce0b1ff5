// SPDX-License-Identifier: LGPL-2.1-or-later
// A codeword of the MQ pipeline, and what its marks say when it is complete.
#pragma once

#include "mq_c_register.h"
#include "mq_symbols.h"

namespace coalesce::j2k {

// A block's places.
struct Codeword {
  SymbolSource source;
  std::uint8_t *bytes;
  Pass *passes;
  PassMark *marks;
};

// The last stage of the pipeline, and where its passes go.
class RegisterStage {
 public:
  COALESCE_HOST_DEVICE void start(const Codeword &codeword) {
    passes_ = codeword.passes;
    marks_ = codeword.marks;
    coder_.start(codeword.bytes);
  }
  // end: GroupEnd
  COALESCE_HOST_DEVICE void step(const Word4 (*coded)[kLanes], std::uint32_t end) {
    coder_.group(coded);
    if ((end & kEndsPass) != 0) end_pass(end);
  }
  COALESCE_HOST_DEVICE void symbol(std::uint32_t add, int shift, std::uint32_t range) {
    coder_.symbol(add, shift, range);
  }
  COALESCE_HOST_DEVICE void end_pass(std::uint32_t end) {
    *marks_++ = coder_.mark(end);
    // For least_length_of().
    if ((end & kEndsSegment) != 0)
      passes_->length = static_cast<std::uint32_t>(coder_.end_segment(end));
    ++passes_;
  }

 private:
  MqCRegister coder_;
  Pass *passes_;
  PassMark *marks_;
};

struct PassPlace {
  PassType type;
  int plane;
};
COALESCE_HOST_DEVICE PassPlace pass_place(int planes, int pass) {
  return {static_cast<PassType>((pass + 2) % 3), planes - 1 - (pass + 2) / 3};
}

// Bytes that a decoder needs of the pass's segment. The segment's last pass has its length, still.
COALESCE_HOST_DEVICE int least_length_of(const Codeword &codeword, int pass, bool raw, bool last) {
  const int planes = codeword.source.planes;
  int end = pass;
  for (;; ++end) {
    const PassPlace p = pass_place(planes, end);
    if (pass_is_terminated(codeword.source.style, planes, p.plane, p.type)) break;
  }
  const PassMark m = codeword.marks[pass];
  const std::uint8_t *bytes = codeword.bytes + m.segment;
  const bool predictable = (codeword.source.style & kPredictable) != 0;
  int length = static_cast<int>(codeword.passes[end].length);
  if (raw && !predictable) length = without_ones(bytes, length);
  if (last && predictable) return length;
  const CoderMark mark = {m.low, m.range, m.count, m.shifts, m.pending};
  return raw ? least_raw_length(mark, bytes, length) : least_length(mark, bytes, length);
}

}  // namespace coalesce::j2k
