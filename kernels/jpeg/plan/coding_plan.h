// SPDX-License-Identifier: LGPL-2.1-or-later
// Blocks, MCUs and tables of a file: what parameters make of a format and a size. The same numbers
// serve the CPU and the kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/host_device.h"
#include "encoder_params.h"

namespace coalesce::jpeg {

constexpr int kMostComponents = 3;
constexpr int kMostBlocksOfMcu = 6;
// Of a block's code: 20 bits of DC, and 63 times 16 bits and 10.
constexpr int kMostBlockBits = 20 + 63 * 26;

// A block of the file that is a block of the picture, or repeats the DC of one (has_ac: false).
struct BlockSource {
  int x, y;  // in blocks
  bool has_ac;
};

struct CodedComponent {
  std::uint8_t id;            // in the file
  std::uint8_t h, v;          // blocks of an MCU in a row, and rows of them
  std::uint8_t first_in_mcu;  // number of its first block in an MCU
  std::uint8_t table;         // 0: luma's tables, 1: chroma's
  int width, height;          // samples
  int blocks_x, blocks_y;     // that have samples

  // Of block (x, y) of an MCU. Blocks beyond the picture repeat the DC of the one coded before.
  COALESCE_HOST_DEVICE BlockSource source(int mcu_x, int mcu_y, int x, int y) const {
    const int x0 = mcu_x * h, y0 = mcu_y * v;
    const int columns = blocks_x - x0 < h ? blocks_x - x0 : h;
    const int rows = blocks_y - y0 < v ? blocks_y - y0 : v;
    if (y >= rows) return {x0 + columns - 1, y0 + rows - 1, false};
    if (x >= columns) return {x0 + columns - 1, y0 + y, false};
    return {x0 + x, y0 + y, true};
  }
};

struct CodingPlan {
  int width, height;
  int components;
  CodedComponent component[kMostComponents];
  bool converts;           // RGB to YCbCr
  int shrink_x, shrink_y;  // pixels of RGB to a sample of chroma
  int blocks_of_mcu;
  int mcus_x, mcus_y;
  int restart_interval;  // MCUs; of all where there are no markers

  COALESCE_HOST_DEVICE std::int64_t mcus() const { return std::int64_t{mcus_x} * mcus_y; }
  COALESCE_HOST_DEVICE std::int64_t blocks() const { return mcus() * blocks_of_mcu; }
  bool has_restarts() const { return restart_interval < mcus(); }
  // Of the scan, at most: each byte stuffed, and padding and marker for each interval.
  std::size_t most_scan_bytes() const;
};

// The parameters have passed check_params().
CodingPlan make_plan(const EncoderParams &params);

// The tables of a quality: luma's and chroma's.
struct QuantTables {
  QuantTable table[2];
};
QuantTables quant_tables(const EncoderParams &params, int quality);

}  // namespace coalesce::jpeg
