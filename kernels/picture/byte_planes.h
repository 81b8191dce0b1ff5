// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels of several bytes and byte planes, in registers: byte i of every pixel belongs to plane i.
// So packed pixels become channels, samples of 16 bits lower and upper bytes. On the host, too.
#pragma once

#include <cstdint>

#include "byte_words.h"

namespace coalesce {

// Four pixels of kBytes (1 to 4, or 8): kBytes words in memory's order.
template <int kBytes>
struct PixelWords {
  static_assert((kBytes >= 1 && kBytes <= 4) || kBytes == 8, "bytes of a pixel");
  std::uint32_t words[kBytes];
};

// A word for each plane: its bytes of the four pixels. One shuffle a byte of a pixel and less than
// two a word.
template <int kBytes>
COALESCE_HOST_DEVICE PixelWords<kBytes> split_pixels(const PixelWords<kBytes> &pixels) {
  const auto &w = pixels.words;
  if constexpr (kBytes == 1) {
    return pixels;
  } else if constexpr (kBytes == 2) {
    return {{shuffle_bytes(w[0], w[1], 0x6420), shuffle_bytes(w[0], w[1], 0x7531)}};
  } else if constexpr (kBytes == 3) {
    return {{gather_bytes(w, 0, 3), gather_bytes(w, 1, 3), gather_bytes(w, 2, 3)}};
  } else if constexpr (kBytes == 8) {
    const PixelWords<4> lower = split_pixels<4>({{w[0], w[2], w[4], w[6]}});
    const PixelWords<4> upper = split_pixels<4>({{w[1], w[3], w[5], w[7]}});
    return {{lower.words[0], lower.words[1], lower.words[2], lower.words[3], upper.words[0],
             upper.words[1], upper.words[2], upper.words[3]}};
  } else {
    return {{gather_bytes(w, 0, 4), gather_bytes(w, 1, 4), gather_bytes(w, 2, 4),
             gather_bytes(w, 3, 4)}};
  }
}

// The inverse.
template <int kBytes>
COALESCE_HOST_DEVICE PixelWords<kBytes> join_pixels(const PixelWords<kBytes> &planes) {
  const auto &p = planes.words;
  if constexpr (kBytes == 1) {
    return planes;
  } else if constexpr (kBytes == 2) {
    return {{shuffle_bytes(p[0], p[1], 0x5140), shuffle_bytes(p[0], p[1], 0x7362)}};
  } else if constexpr (kBytes == 3) {
    return {{shuffle_bytes(shuffle_bytes(p[0], p[1], 0x1040), p[2], 0x3410),    // a0 b0 c0 a1
             shuffle_bytes(shuffle_bytes(p[0], p[1], 0x6205), p[2], 0x3250),    // b1 c1 a2 b2
             shuffle_bytes(shuffle_bytes(p[0], p[1], 0x0730), p[2], 0x7216)}};  // c2 a3 b3 c3
  } else if constexpr (kBytes == 4) {
    return split_pixels<4>(planes);  // a matrix transposed twice
  } else {
    const PixelWords<4> lower = split_pixels<4>({{p[0], p[1], p[2], p[3]}});
    const PixelWords<4> upper = split_pixels<4>({{p[4], p[5], p[6], p[7]}});
    return {{lower.words[0], upper.words[0], lower.words[1], upper.words[1], lower.words[2],
             upper.words[2], lower.words[3], upper.words[3]}};
  }
}

}  // namespace coalesce
