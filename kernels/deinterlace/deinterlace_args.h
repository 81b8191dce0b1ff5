// SPDX-License-Identifier: LGPL-2.1-or-later
// A call as the back ends see it: rows cut into runs of bytes.
#pragma once

#include <cstdint>

#include "deinterlace_job.h"

namespace coalesce {

constexpr int kRunBytes = 16;

// What is side by side in the words of a plane, and moves as samples do if the plane is treated as
// one row of them.
enum class Lanes : std::uint8_t {
  bytes,
  halves,    // of 16 bits
  fields10,  // three of ten bits, the lowest first, and one of two
  v210,      // three of ten bits; two are spare
  none,      // sample by sample: be10, whose runs are pairs of pixels
};

// Containers from one sample of a component to the next, where the work looks at other columns.
// Packed 4:2:2 has two steps: 2 of luma, 4 of chroma.
enum class Steps : std::uint8_t { one, two, three, four, luma_first, chroma_first, any };

struct PlaneRuns {
  Lanes lanes = Lanes::none;
  Steps steps = Steps::any;
  std::uint8_t shift = 0;      // of samples in halves
  std::uint8_t alignment = 1;  // of all rows of all pictures, at most 16
  int maximum = 0;
  int rows = 0, row_bytes = 0;
  int columns = 0;          // of the component that has most
  int least_log2 = 0;       // its log2_width
  int tile_bytes = 0;       // of kTileColumns columns
  int whole = 0;            // bytes of a row that are samples of the picture, and cut into runs
  int container_bytes = 1;  // of which the rest is made one at a time
  int end = 0;              // lanes of a row up to the last column,
  int luma_end = 0;         // and of packed 4:2:2 up to the last one of luma
  // The last one may overlap the one before.
  COALESCE_HOST_DEVICE int whole_runs() const {
    return whole / kRunBytes + (whole % kRunBytes != 0 ? 1 : 0);
  }

  // What is left of a row, in containers.
  COALESCE_HOST_DEVICE int rest() const { return (row_bytes - whole) / container_bytes; }

  std::uint32_t ones = 0;   // bits of a word that are ones in the output,
  std::uint32_t zeros = 0;  // and that are zeros
};

struct DeinterlaceArgs {
  DeinterlaceJob job;
  PlaneRuns plane[4];
};

DeinterlaceArgs make_args(const DeinterlaceJob &job);

}  // namespace coalesce
