// SPDX-License-Identifier: LGPL-2.1-or-later
// What is demanded of a coded block, as the decoder sees it.
#pragma once

#include <string>
#include <vector>

#include "../tier1/j2k_blocks.h"
#include "j2k/tier1/tier1.h"

namespace coalesce::test {

struct Encoded {
  int planes = 0;
  std::vector<j2k::Pass> passes;
  std::vector<std::uint8_t> bytes;
  std::vector<std::vector<std::uint8_t>> symbols;  // of each pass
};

// With the serial reference of context modelling.
Encoded encode_serially(const j2k::CodeBlock &block);
// With that of the library, the symbols too.
Encoded encode_in_parallel(const j2k::CodeBlock &block);

// Empty, or what is wrong. Behind every pass (of large blocks: behind some), a decoder that is
// given the bytes of the pass's length finds the samples as they are, apart from planes that come
// later; with one byte less it does not. The squared error went down by the distortion, to the
// accuracy docs/numerics.md promises. The bytes are codeword segments as T.800 wants them.
std::string judge(const TestBlock &test, const Encoded &encoded);

// Empty, or the first difference.
std::string difference(const Encoded &a, const Encoded &b);

}  // namespace coalesce::test
