// SPDX-License-Identifier: LGPL-2.1-or-later
// What the decoder's kernels work on, and how they are launched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../../core/layout.h"
#include "../../core/status.h"
#include "../../picture/image.h"
#include "decode_table.h"
#include "headers.h"
#include "upsample.h"

namespace coalesce::jpeg {

// A scan's data are cut into subsequences of so many bytes, markers and stuffed zeros included.
// Each is a thread's: it decodes the codes that begin there.
constexpr std::uint32_t kSubsequenceBytes = 128;
constexpr std::uint32_t kGroup = 128;     // subsequences of a block of threads
constexpr int kSyncPasses = 3;            // over groups, the first one included
constexpr std::uint32_t kTileMcus = 256;  // whose DC differences a block of threads adds up
constexpr std::uint32_t kMostScanBytes = 1u << 28;  // positions are bits, in 32 bits
constexpr std::size_t kReadBehind = 16;             // zeros behind the data

struct ScanPlan {
  std::uint32_t bytes;  // up to the end of the file, if need be
  std::uint32_t subsequences, groups;
  std::uint32_t blocks, mcus, tiles;
  std::uint32_t interval;  // MCUs; 0: none
  int blocks_of_mcu, components;
  std::uint8_t component[kMostBlocksOfMcu];  // by number in the MCU
};
ScanPlan make_scan_plan(const Frame &frame, const Scan &scan, std::size_t bytes);

// What the kernel that writes says, in bits.
constexpr std::uint32_t kAllBlocks = 1;  // the last block has been decoded
constexpr std::uint32_t kSpoiled = 2;    // the CPU must decode the data

// Device memory of a slot, but for `result_to`, which is page-locked.
struct DecodeArrays {
  std::uint8_t *data;
  DecodeTable *tables;     // [2 * kMostComponents]: DC and AC of each component of the scan
  std::uint64_t *exits;    // where and how each subsequence is left
  std::uint32_t *counts;   // of blocks that end in each
  std::uint64_t *last[2];  // the exits of groups, by pass
  std::uint64_t *first;    // the states with which groups begin
  std::uint32_t *group_counts;
  std::uint32_t *result;         // cleared with the coefficients, which are behind it
  std::int16_t *coefficients;    // of blocks in the order of the scan, or of CoefficientPlanes
  std::uint32_t *dc, *dc_tiles;  // sums of differences before an MCU in its tile, and before tiles
  std::uint8_t *samples;         // of RGB only
};
// bytes: of the scan; 0 if the CPU decodes it.
DecodeArrays place_decode_arrays(const Frame &frame, const ScanPlan *plan, bool needs_samples,
                                 Layout *layout);

// Where a component's samples go: all in planes of their own, or those that the picture has.
struct SampleTarget {
  std::uint8_t *data;
  std::size_t pitch;
  int step, width, height;
};

// Coefficients of a scan; DC is still a difference. Clears the result first.
Status decode_bits_cuda(const ScanPlan &plan, const DecodeArrays &arrays, void *stream);
// Coefficients to samples. plan: of coefficients in the order of the scan with differences; nullptr
// for those of CoefficientPlanes. quant: of each component.
Status transform_blocks_cuda(const Frame &frame, const ScanPlan *plan, const DecodeArrays &arrays,
                             const QuantTable *const *quant, const SampleTarget *targets,
                             void *stream);
// planes: in device memory.
Status write_rgb_cuda(const Frame &frame, const SamplePlane *planes, const Image &out,
                      void *stream);

}  // namespace coalesce::jpeg
