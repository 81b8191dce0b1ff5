// SPDX-License-Identifier: LGPL-2.1-or-later
// Context modelling as ITU-T T.800 Annex D tells it, sample by sample: the reference.
#pragma once

#include <vector>

#include "j2k/tier1/context/coding_pass.h"

namespace coalesce::j2k {

class SerialModel {
 public:
  // Returns the number of planes to code.
  int begin(const CodeBlock &block);
  PassSymbols significance(int plane, bool raw, std::uint8_t *symbols);
  PassSymbols refinement(int plane, bool raw, std::uint8_t *symbols);
  PassSymbols cleanup(int plane, std::uint8_t *symbols);

 private:
  struct Sample {
    std::uint32_t magnitude = 0;
    bool negative = false;
    bool significant = false;
    bool refined = false;  // at least once
    bool visited = false;  // coded in this plane's significance pass
  };
  struct Neighbours {
    int horizontal, vertical, diagonal;  // how many are significant
    int horizontal_sign, vertical_sign;  // Table D.2
  };

  Sample &at(int x, int y) { return samples_[static_cast<std::size_t>(y * block_.width + x)]; }
  int sign(int x, int y, int stripe_end);
  Neighbours neighbours(int x, int y);
  int zero_context_of(int x, int y);
  int bit(int x, int y, int plane);
  int fraction(int x, int y, int plane);
  bool exact(int plane) const { return block_.fraction_bits == 0 && plane == 0; }
  bool run(int x, int y);

  void put(int context, int decision);
  void code_significance(int x, int y, int plane, bool raw);
  void code_sign(int x, int y, int plane, bool raw);
  PassSymbols take(std::uint8_t *symbols);

  CodeBlock block_ = {};
  std::vector<Sample> samples_;
  std::vector<std::uint8_t> symbols_;
  int distortion_ = 0;
};

}  // namespace coalesce::j2k
