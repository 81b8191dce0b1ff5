// SPDX-License-Identifier: LGPL-2.1-or-later
// One step of a transform on the CPU: down all columns at once, a pair of rows at a time, and along
// a row.
//
// Down: step n takes rows 2n, 2n + 1 and 2n + 2 and carries every lifting step as far as these
// allow, so a row is read once. What the next step needs of the lifted rows stays in kStateRows
// rows. Step n gives low-pass and high-pass row number n - kDelay; the first kWarmUp + kDelay steps
// of a range give none.
//
// Along: `line` has kMargin samples before x0 and behind the last that mirror the row. Low-pass and
// high-pass samples go to rows of their own.
#pragma once

#include <cstdint>

namespace coalesce::j2k {

constexpr int kMargin = 8;  // both wavelets need at most 5

struct Wavelet53 {
  using Sample = std::int32_t;
  static constexpr int kStateRows = 1, kDelay = 0, kWarmUp = 1;

  static void down(const Sample *even, const Sample *odd, const Sample *next, Sample *const *state,
                   Sample *low, Sample *high, int width);
  // halves: room for width + 2 * kMargin samples.
  static void along(const Sample *line, int x0, int width, Sample *halves, Sample *low,
                    Sample *high);
};

struct Wavelet97 {
  using Sample = float;
  static constexpr int kStateRows = 3, kDelay = 1, kWarmUp = 2;

  static void down(const Sample *even, const Sample *odd, const Sample *next, Sample *const *state,
                   Sample *low, Sample *high, int width);
  static void along(const Sample *line, int x0, int width, Sample *halves, Sample *low,
                    Sample *high);
};

}  // namespace coalesce::j2k
