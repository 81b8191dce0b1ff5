// SPDX-License-Identifier: LGPL-2.1-or-later
// What the encoder's kernels work on, and how they are launched. Blocks are in the order of the
// scan, their 64 coefficients in the order of the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/layout.h"
#include "../../core/status.h"
#include "../../picture/image.h"
#include "../plan/coding_plan.h"
#include "entropy.h"

namespace coalesce::jpeg {

// A tile is what a block of threads codes: up to so many blocks. It ends where a restart interval
// ends, if that is longer; else it has whole intervals.
constexpr int kTileBlocks = 64;

struct Tiling {
  int interval_blocks;
  int intervals_of_tile;  // 0: an interval has several tiles
  int tiles_of_interval;
  int tiles;
};
Tiling make_tiling(const CodingPlan &plan);

// What tiles tell those after them. A word has a state in its two highest bits (0: nothing yet).
struct TileWords {
  std::uint64_t bits;   // of the tile, or of all since the interval's first one
  std::uint64_t bytes;  // of the tile, or of all since the first one
  std::uint64_t tail;   // its last seven bits
};

struct TableBytes {
  std::uint8_t counts[kMostCodeBits], symbols[kSymbols];
};
struct ScanResult {
  std::uint64_t bytes;      // with EOI
  TableBytes dc[2], ac[2];  // the best tables
};

// Device memory of a slot, but for `result`, which is page-locked host memory.
struct SlotArrays {
  std::int16_t *coefficients;
  std::int16_t *unquantised;  // with EncoderParams::max_bytes
  std::uint8_t *scan;
  std::uint32_t *ticket;   // the next tile
  TileWords *words;        // of each tile; behind the ticket, cleared with it
  Statistics *statistics;  // [2]; behind them
  CodeTable *codes;        // [2]
  ScanResult *result;
};
SlotArrays place_arrays(const EncoderParams &params, const CodingPlan &plan, Layout *layout);

// Components of the format in device memory, quantised, or not yet. Clears ticket, words and
// statistics.
Status transform_cuda(const ConstImage &image, const CodingPlan &plan, const QuantTables &quant,
                      bool quantise, const SlotArrays &arrays, void *stream);
// Quantises what was transformed; the same clearing.
Status quantise_cuda(const CodingPlan &plan, const QuantTables &quant, const SlotArrays &arrays,
                     void *stream);
// Statistics of the coefficients, the best tables for the result, and their codes.
Status best_codes_cuda(const CodingPlan &plan, const SlotArrays &arrays, void *stream);
// The scan with EOI, and its length.
Status scan_cuda(const CodingPlan &plan, const SlotArrays &arrays, void *stream);

}  // namespace coalesce::jpeg
