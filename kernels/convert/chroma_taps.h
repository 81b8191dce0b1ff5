// SPDX-License-Identifier: LGPL-2.1-or-later
// From one number of chroma samples to another, in one direction: small integer weights.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "convert.h"

namespace coalesce {

// Sample i of the output is the sum of tap[k] times sample ((i >> up) << down) + first + k of the
// input, k < count, divided by 2^bits; first and tap are those of phase i & (2^up - 1). Samples
// outside are the nearest inside.
struct ChromaTaps {
  static constexpr int kMost = 5;
  struct Phase {
    std::int8_t first;
    std::uint8_t tap[kMost];
  };

  std::uint8_t up = 0, down = 0;  // at most 2; one of them is 0
  std::uint8_t bits = 0;          // at most 3
  std::uint8_t count = 1;         // of up: at most 2
  Phase phase[4] = {{0, {1}}, {0, {1}}, {0, {1}}, {0, {1}}};

  constexpr bool is_identity() const { return up == 0 && down == 0 && bits == 0; }
};

// One direction of a picture's chroma: log2 of the luma samples that share one, and where it is
// among them, in quarters of their distance from the first.
struct ChromaPlace {
  int log2, site;
};

// Site of samples that are cosited or in the middle of 2^log2.
constexpr int chroma_site(int log2, bool cosited) {
  return cosited ? 0 : ((1 << log2) - 1) * 2;
}

ChromaTaps chroma_taps(ChromaFilter filter, ChromaPlace in, ChromaPlace out);

}  // namespace coalesce
