// SPDX-License-Identifier: LGPL-2.1-or-later
// Counts and sums of a window go along a row: a column of pixels enters, another one leaves.
#include <algorithm>

#include "../core/clones.h"
#include "../core/thread_pool.h"
#include "oilpaint_job.h"

namespace coalesce {
namespace {

typedef std::int32_t Sums __attribute__((vector_size(16)));

// Of the pixels of a window, by bin.
struct Histogram {
  alignas(32) std::int16_t count[256] = {};
  Sums sum[256] = {};

  void clear(int bins) {
    std::fill_n(count, bins, std::int16_t{0});
    std::fill_n(sum, bins, Sums{});
  }
  static Sums components(std::uint32_t word) {
    return Sums{static_cast<std::int32_t>(word & 255), static_cast<std::int32_t>(word >> 8 & 255),
                static_cast<std::int32_t>(word >> 16 & 255), 0};
  }
  void add(int bin, std::uint32_t word) {
    ++count[bin];
    sum[bin] += components(word);
  }
  void remove(int bin, std::uint32_t word) {
    --count[bin];
    sum[bin] -= components(word);
  }
  // The fullest bin, the first one of several.
  int fullest(int bins) const {
    std::int16_t most = 0;
    for (int i = 0; i < bins; ++i)
      most = std::max(most, count[i]);
    return static_cast<int>(std::find(count, count + bins, most) - count);
  }
  std::uint32_t mean(int bin) const {
    std::uint32_t word = 0;
    for (int c = 0; c < 3; ++c)
      word |= oil_half_even(static_cast<std::uint32_t>(sum[bin][c]),
                            static_cast<std::uint32_t>(count[bin]))
              << 8 * c;
    return word;
  }
};

COALESCE_CLONES void paint_row(const OilMode &mode, const OilWords &in, int y, Histogram &histogram,
                               std::uint32_t *out) {
  const int first = std::max(y - mode.radius, 0);
  const int rows = std::min(y + mode.radius, in.height - 1) - first + 1;
  const auto width = static_cast<std::size_t>(in.width);
  const std::uint32_t *const from = in.row(first);
  const auto enter = [&](int x) {
    const std::uint32_t *word = from + x;
    for (int i = 0; i < rows; ++i, word += width)
      histogram.add(mode.bin[*word >> 24], *word);
  };
  const auto leave = [&](int x) {
    const std::uint32_t *word = from + x;
    for (int i = 0; i < rows; ++i, word += width)
      histogram.remove(mode.bin[*word >> 24], *word);
  };
  histogram.clear(mode.bins);
  for (int x = 0; x < std::min(mode.radius, in.width); ++x)
    enter(x);
  for (int x = 0; x < in.width; ++x) {
    if (x + mode.radius < in.width) enter(x + mode.radius);
    if (x > mode.radius) leave(x - mode.radius - 1);
    out[x] = histogram.mean(histogram.fullest(mode.bins));
  }
}

}  // namespace

void oil_mode_cpu(const OilMode &mode, const OilWords &in, const OilWords &out, ThreadPool *pool) {
  for_ranges(pool, in.height, 4, [&](int first, int last) {
    Histogram histogram;
    for (int y = first; y < last; ++y)
      paint_row(mode, in, y, histogram, out.row(y));
  });
}

}  // namespace coalesce
