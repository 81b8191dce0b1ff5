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

// The bytes of a scan are cut into groups, each a block of threads'. A group has no stuffed zeros
// and of markers their second byte alone when it is in shared memory. There it is cut into
// subsequences of so many bytes: each is a thread's, which decodes the codes that begin there.
constexpr std::uint32_t kSubsequenceBytes = 132;  // 33 words: no two of a warp share a bank
constexpr std::uint32_t kGroup = 112;             // subsequences
constexpr std::uint32_t kLead = 16;  // subsequences before a group, decoded for its first state
constexpr std::uint32_t kSyncThreads = 384;
// A subsequence's parts: each is a thread's in the last pass, which need not find its entry.
constexpr std::uint32_t kParts = 3;
constexpr std::uint32_t kPartBytes = kSubsequenceBytes / kParts;  // 11 words
constexpr std::uint32_t kWriters = kGroup * kParts;
constexpr std::uint32_t kGroupBytes = kGroup * kSubsequenceBytes;
constexpr int kSyncPasses = 3;            // over groups, the first one included
constexpr std::uint32_t kTileMcus = 256;  // whose DC differences a block of threads adds up
constexpr std::uint32_t kMostScanBytes = 1u << 28;
constexpr std::size_t kReadBehind = 16;  // bytes behind the data: EOI and zeros

// What a thread looks up in a Huffman table. An entry is 0, or the bits of a code and of the number
// behind it, the size of that number << 5, and the step of k << 9: from 1 to 16, or kBlockEnds.
constexpr std::uint32_t kBlockEnds = 64;
constexpr std::uint32_t kFirst = 1u << kLookupBits;  // that are looked up by their first bits
constexpr std::uint32_t kTail = 768;  // and by all of 16, the last ones: usual tables' long codes
constexpr std::uint32_t kTailStart = (1u << kMostCodeBits) - kTail;
struct alignas(16) BitTable {
  std::uint16_t entries[kFirst + kTail];  // 0: the code is longer than kLookupBits
};
// bits: the next 16.
COALESCE_HOST_DEVICE std::uint32_t entry_number(std::uint32_t bits) {
  return bits < kTailStart ? bits >> (kMostCodeBits - kLookupBits) : bits - kTailStart + kFirst;
}
BitTable bit_table(const DecodeTable &table, bool is_dc);

// The entry of a symbol whose code has `length` bits. (Symbol 0 of 17 bits is no code.)
COALESCE_HOST_DEVICE std::uint32_t entry_of(std::uint32_t symbol, std::uint32_t length,
                                            bool is_dc) {
  const std::uint32_t size = symbol & 15, run = symbol >> 4 & 15;
  std::uint32_t step = run + 1;
  if (size == 0 && run != 15) step = kBlockEnds;
  if (is_dc) step = 1;
  return (length + size) | size << 5 | step << 9;
}

struct ScanPlan {
  std::uint32_t bytes;  // up to the end of the file, if need be
  std::uint32_t groups;
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
  BitTable *tables;   // [2 * kMostComponents]: DC and AC of each component of the scan
  DecodeTable *rest;  // the same, for codes behind the tail
  // Of each part of a subsequence: the state in which it is left, and how many blocks end in it.
  // States count from the beginning of the group.
  std::uint32_t *exits, *counts;
  std::uint32_t *last[2];  // the states in which groups are left, by pass, as the next group's
  std::uint32_t *first;    // the states with which groups begin
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

// Coefficients of a scan, which are zeros before, as the result is; DC is still a difference.
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
