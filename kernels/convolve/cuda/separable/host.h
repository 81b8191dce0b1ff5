// SPDX-License-Identifier: LGPL-2.1-or-later
// What the hosts of bytes.cuh and separable.cuh have in common: taps, shapes, ways to sum, steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "../../../core/status.h"
#include "numbers.h"

namespace coalesce {

// Byte `digit` of tap i, 0 where there is none.
inline std::uint32_t tap_byte(const std::vector<std::int32_t> &row, int i, int scale, int digit) {
  if (i < 0 || i >= static_cast<int>(row.size())) return 0;
  const int tap = row[static_cast<std::size_t>(i)] * (1 << scale);
  return static_cast<std::uint32_t>(tap) >> (8 * digit) & 0xff;
}

// Words of taps as the kernels' arguments have them; byte: that of tap i.
template <class Byte, int kWords>
void fill_down(const Byte &byte, std::uint32_t (&words)[kWords]) {
  for (int j = 0; j < kWords; ++j) {
    const int i = j - 15;
    words[j] = byte(i) | byte(i + 1) << 8 | byte(i + 8) << 16 | byte(i + 9) << 24;
  }
}
template <class Byte, int kWords>
void fill_across(const Byte &byte, std::uint32_t (&words)[kWords]) {
  for (int j = 0; j < kWords; ++j) {
    const int i = j - 15;
    words[j] = byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
  }
}

// From small to large.
template <class... Shapes>
struct ShapeList {
  static constexpr int kCount = sizeof...(Shapes);
  // The first that is large enough, or their number.
  template <class Job>
  static int first(const Job &job) {
    int count = 0;
    (void)((!job.template fits<Shapes>() && ++count) && ...);
    return count;
  }
  template <class Run>
  static Status run(int shape, const Run &run) {
    Status status;
    int i = 0;
    (void)((i++ == shape && (status = run(Shapes()), true)) || ...);
    return status;
  }
};

// Calls run() with a way to sum samples of 8 bits, as a constant.
template <SeparableSums kSums>
using SumsOf = std::integral_constant<SeparableSums, kSums>;
template <class Shape, class Run>
Status run_sums(SeparableSums sums, const Run &run) {
  if constexpr (Shape::kAcrossUnits <= kMostWideUnits) {
    if (sums == SeparableSums::wide) return run(SumsOf<SeparableSums::wide>());
    if (sums == SeparableSums::wide_across) return run(SumsOf<SeparableSums::wide_across>());
    if (sums == SeparableSums::wide_down) return run(SumsOf<SeparableSums::wide_down>());
  }
  if (sums == SeparableSums::packed) return run(SumsOf<SeparableSums::packed>());
  if (sums == SeparableSums::divided) return run(SumsOf<SeparableSums::divided>());
  return run(SumsOf<SeparableSums::shifted>());
}

// Of a block. Blocks that do more load less, and start less often; but the longer they walk, the
// further apart are the rows that are under way, which the memory does not like.
// slots: blocks at a time.
inline int steps_of_block(int strips, int tiles, int planes, std::int64_t slots) {
  const std::int64_t blocks = std::int64_t{strips} * tiles * planes;
  const auto steps = static_cast<int>(std::clamp<std::int64_t>(blocks / (4 * slots), 1, 4));
  return std::max(steps, tiles / 65535 + 1);
}

}  // namespace coalesce
