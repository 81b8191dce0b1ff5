// SPDX-License-Identifier: LGPL-2.1-or-later
// From the symbols of the passes to codeword segments and lengths: T.800 D.4 to D.6.
#pragma once

#include <cstdint>

#include "../canvas/code_block.h"
#include "context/coding_pass.h"
#include "mq/mq_coder.h"

namespace coalesce::j2k {

// Takes the passes of one block in order. Nothing is checked: bytes has room for
// tier1_bytes_bound(), passes for all that will come.
class PassCoder {
 public:
  void start(unsigned style, int planes, Pass *passes, std::uint8_t *bytes);
  void code(PassType type, int plane, const std::uint8_t *symbols, const PassSymbols &made);
  int passes() const { return count_; }
  std::uint32_t length() const { return length_; }

 private:
  void end_segment(bool raw);

  MqCoder mq_;
  RawCoder raw_;
  CoderMark marks_[kMaxPasses];
  Pass *passes_;
  std::uint8_t *bytes_;
  std::uint32_t length_;  // of complete segments
  int count_, first_;     // passes; the first one of the segment that is open
  int planes_;
  unsigned style_;
};

// All passes of a block. Model has, for a block of which begin() said how many planes it has,
// significance(plane, raw, symbols), refinement(plane, raw, symbols) and cleanup(plane, symbols),
// to be called from the top plane's cleanup on, and each filling symbols[kMaxPassSymbols].
template <class Model>
void code_passes(Model &model, int planes, unsigned style, std::uint8_t *symbols,
                 PassCoder &coder) {
  for (int plane = planes - 1; plane >= 0; --plane) {
    if (plane < planes - 1) {
      const bool raw = pass_is_raw(style, planes, plane, PassType::significance);
      const PassSymbols significance = model.significance(plane, raw, symbols);
      coder.code(PassType::significance, plane, symbols, significance);
      const PassSymbols refinement = model.refinement(plane, raw, symbols);
      coder.code(PassType::refinement, plane, symbols, refinement);
    }
    const PassSymbols cleanup = model.cleanup(plane, symbols);
    coder.code(PassType::cleanup, plane, symbols, cleanup);
  }
}

}  // namespace coalesce::j2k
