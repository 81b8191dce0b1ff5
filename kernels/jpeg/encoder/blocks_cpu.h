// SPDX-License-Identifier: LGPL-2.1-or-later
// CPU: blocks of samples to coefficients of the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../tables/quantisation.h"

namespace coalesce::jpeg {

// Division by steps in numbers of 16 bits: the quotient of n is
// ((n + add) * factor >> 16) * scale >> 16 for 0 <= n < 2^14 (Fog, Optimizing subroutines in
// assembly language, 16.8). Each row is there twice, for two blocks at once.
struct QuantFactors {
  alignas(32) std::uint16_t add[8][16], factor[8][16], scale[8][16];
};
QuantFactors quant_factors(const QuantTable &steps);

// Where coefficients of blocks beside each other go: 2^log2_group follow each other, the next ones
// are `step` numbers after the first of these.
struct BlockPlaces {
  std::int16_t *first;
  int log2_group;
  std::size_t step;

  std::int16_t *at(int block) const {
    return first + step * static_cast<std::size_t>(block >> log2_group) +
           kCoefficients * static_cast<std::size_t>(block & ((1 << log2_group) - 1));
  }
};

// rows: the eight rows of samples of all blocks. Each block gives 64 numbers, in the order of the
// file.
void code_blocks(const std::uint8_t *const (&rows)[8], int blocks, const QuantFactors &quant,
                 const BlockPlaces &places);

}  // namespace coalesce::jpeg
