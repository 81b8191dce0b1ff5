// SPDX-License-Identifier: LGPL-2.1-or-later
// Tier-1: the coefficients of one code-block become bytes that can be cut behind every coding pass
// (ITU-T T.800 Annexes C and D). See docs/jpeg2000.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "../../core/status.h"
#include "../canvas/code_block.h"

namespace coalesce::j2k {

// As many bytes are enough for so many samples, whatever they are. planes: of the largest magnitude
// that is coded, so at most max_planes.
std::size_t tier1_bytes_bound(int samples, int planes, unsigned style);
// And no more decisions are made of them.
std::size_t tier1_symbols_bound(int samples, int planes);

// Codes blocks, one after the other. What a block becomes depends on nothing else. It keeps the
// memory that it works in, about 250 KB: one for each thread, made once.
class Tier1Coder {
 public:
  Tier1Coder();  // allocates
  ~Tier1Coder();
  Tier1Coder(Tier1Coder &&) noexcept;
  Tier1Coder &operator=(Tier1Coder &&) noexcept;

  // passes: room for 3 * planes - 2; bytes: room for tier1_bytes_bound(). planes are the block's,
  // or what they can be at most: max_planes and kMaxPlanes. Errors: invalid_argument for a block
  // that is not as CodeBlock says, magnitudes that max_planes planes do not hold, or too little
  // room. Allocates nothing.
  Status encode(const CodeBlock &block, Pass *passes, std::uint8_t *bytes, std::size_t room,
                CodedBlock *coded);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace coalesce::j2k
