// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU's search for motion.
#pragma once

#include "deinterlace_motion.h"

namespace coalesce {

// The upper eight bits of the samples around a row of blocks: rows of fields, beginning above the
// blocks' first one, with kSide columns beside the first block.
struct MotionRows {
  static constexpr int kColumns = 384;  // of blocks
  static constexpr int kSide = 32;      // 24 are used; vectors load more behind the last block
  static constexpr int kAbove = 3;      // rows of `current` above the blocks, and below
  static constexpr int kRows = kMotionBlock / 2;
  using Row = std::uint8_t[kSide + kColumns + kSide];

  Row current[kRows + 2 * kAbove];                                       // the kept field
  Row before[kRows + kMotionRows], after[kRows + kMotionRows];           // those beside it
  Row earlier[kRows + 2 * kMotionRows], later[kRows + 2 * kMotionRows];  // a frame away
};

// Of blocks that follow each other.
void find_motion(const MotionRows &rows, int blocks, Motion *motion);

}  // namespace coalesce
