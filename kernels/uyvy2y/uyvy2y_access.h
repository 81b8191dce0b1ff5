// SPDX-License-Identifier: LGPL-2.1-or-later
// How the CUDA back end of uyvy2y reaches memory. Plain arithmetic, so that a test on any machine
// can tell which path a picture takes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coalesce {

enum class LumaAccess : std::uint8_t {
  aligned,  // every row of both planes starts on 16 bytes: 16-byte loads, 8-byte stores
  shifted,  // anything else: 4-byte loads shifted into place, 8-byte stores, bytes at the ends of
            // rows
};

constexpr LumaAccess choose_access(std::uintptr_t packed, std::size_t packed_pitch,
                                   std::uintptr_t luma, std::size_t luma_pitch) {
  return (packed | packed_pitch | luma | luma_pitch) % 16 == 0 ? LumaAccess::aligned
                                                               : LumaAccess::shifted;
}

// A thread handles one chunk of each of a band's rows.
constexpr int kLumaChunk = 8;  // pixels
// Rows of a band: what the benchmark found best over all sizes.
constexpr int luma_band(LumaAccess access) {
  return access == LumaAccess::aligned ? 4 : 2;
}

// Chunks that cover a row: the shifted path has one more, for the pixels before the first aligned
// store.
constexpr int luma_chunks(LumaAccess access, int width) {
  return (width - 1) / kLumaChunk + (access == LumaAccess::aligned ? 1 : 2);
}

}  // namespace coalesce
