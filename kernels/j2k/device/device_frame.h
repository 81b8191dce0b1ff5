// SPDX-License-Identifier: LGPL-2.1-or-later
// A frame in device memory: what the CUDA stages of the encoder hand to each other.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coalesce::j2k {

struct BlockPlan;    // canvas/block_plan.h
struct PassSymbols;  // tier1/context/coding_pass.h
struct Pass;         // this and the next: canvas/code_block.h
struct CodedBlock;

// Everything lies as it does on the host, and is the same type: a stage's result can be copied from
// or to the CPU back end, which is how each stage is checked by itself. All pointers are to device
// memory; sizes are EncoderPlan's.
struct DeviceFrame {
  // Of the format: the same for every frame.
  const BlockPlan *plan;  // of each block
  int blocks;
  int fraction_bits;
  unsigned style;  // of BlockStyle

  std::int32_t *coefficients;  // the transform's result
  // Context modelling's: how many planes each block has (0: nothing but zeros), its symbols from
  // BlockPlan::first_symbol on, pass behind pass without gaps, and how many each pass has, from
  // BlockPlan::first_pass on.
  std::uint8_t *planes;
  std::uint8_t *symbols;
  PassSymbols *made;
  // The coders': passes from BlockPlan::first_pass on, bytes from BlockPlan::first_byte on.
  Pass *passes;
  std::uint8_t *bytes;
  CodedBlock *coded;
};

}  // namespace coalesce::j2k
