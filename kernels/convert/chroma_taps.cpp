// SPDX-License-Identifier: LGPL-2.1-or-later
#include "chroma_taps.h"

#include <algorithm>

namespace coalesce {
namespace {

constexpr int kOne = 8;  // taps before they are reduced are eighths

// Floor of a / kOne.
int floor_of(int a) {
  return a >= 0 ? a / kOne : -((-a + kOne - 1) / kOne);
}

// Between the samples around `position` (in eighths of their distance).
ChromaTaps::Phase interpolated(int position) {
  const int first = floor_of(position);
  const int beyond = position - kOne * first;
  return {static_cast<std::int8_t>(first),
          {static_cast<std::uint8_t>(kOne - beyond), static_cast<std::uint8_t>(beyond)}};
}

// The mean of `width` samples' area around `position`.
ChromaTaps::Phase averaged(int position, int width) {
  const int begin = position - width * kOne / 2, end = begin + width * kOne;
  const int first = floor_of(begin + kOne / 2);
  ChromaTaps::Phase phase = {static_cast<std::int8_t>(first), {}};
  for (int k = 0; k < ChromaTaps::kMost; ++k) {
    const int middle = kOne * (first + k);
    const int covered = std::min(end, middle + kOne / 2) - std::max(begin, middle - kOne / 2);
    phase.tap[k] = static_cast<std::uint8_t>(std::max(0, covered));
  }
  return phase;
}

// Divides all taps by the largest power of two that divides them; `bits` before: of their sum.
void reduce(ChromaTaps *taps, int bits) {
  const int phases = 1 << taps->up;
  const auto divides = [&](int by) {
    for (int p = 0; p < phases; ++p)
      for (const std::uint8_t tap : taps->phase[p].tap)
        if (tap % by != 0) return false;
    return true;
  };
  int shift = 0;
  while (shift < bits && divides(2 << shift))
    ++shift;
  int count = 1;
  for (int p = 0; p < phases; ++p) {
    for (int k = 0; k < ChromaTaps::kMost; ++k) {
      std::uint8_t &tap = taps->phase[p].tap[k];
      tap = static_cast<std::uint8_t>(tap >> shift);
      if (tap != 0) count = std::max(count, k + 1);
    }
  }
  taps->count = static_cast<std::uint8_t>(count);
  taps->bits = static_cast<std::uint8_t>(bits - shift);
}

}  // namespace

ChromaTaps chroma_taps(ChromaFilter filter, ChromaPlace in, ChromaPlace out) {
  ChromaTaps taps;
  taps.up = static_cast<std::uint8_t>(std::max(0, in.log2 - out.log2));
  taps.down = static_cast<std::uint8_t>(std::max(0, out.log2 - in.log2));
  if (filter == ChromaFilter::nearest) return taps;
  for (int p = 0; p < 1 << taps.up; ++p) {
    // In quarters of luma's distance, then in eighths of the input's.
    const int position = (((4 * p) << out.log2) + out.site - in.site) * 2 / (1 << in.log2);
    taps.phase[p] = taps.down > 0 ? averaged(position, 1 << taps.down) : interpolated(position);
  }
  reduce(&taps, 3 + taps.down);
  return taps;
}

}  // namespace coalesce
