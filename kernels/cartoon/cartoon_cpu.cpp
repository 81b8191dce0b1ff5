// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines: tiles whose rows are summed across once, then down. Tones: rows are copied, then what
// becomes tones is looked up.
#include <algorithm>
#include <cstring>

#include "../core/clones.h"
#include "../core/thread_pool.h"
#include "cartoon_job.h"

namespace coalesce {
namespace {

constexpr int kColumns = 128, kReach = DogTaps::kMostReach;
constexpr int kRows = 64;  // of a tile, those around it included
constexpr int kGrain = 64;

// Luma of columns x to x + count - 1, the nearest one where there is none.
void luma_row(const CartoonLuma &luma, int x, int y, int count, std::uint16_t *out) {
  y = std::clamp(y, 0, luma.height - 1);
  const std::uint8_t *row[3] = {};
  for (int c = 0; c < luma.components; ++c)
    row[c] = luma.component[c].in.row(y) + luma.component[c].first;
  for (int i = 0; i < count; ++i) {
    const std::ptrdiff_t at = std::clamp(x + i, 0, luma.width - 1);
    const auto sample = [&](int c) { return int{row[c][at * luma.component[c].step]}; };
    out[i] = static_cast<std::uint16_t>(
        luma.components == 1 ? sample(0) : cartoon_luma(sample(0), sample(1), sample(2)));
  }
}

// line: from `reach` before the first column on.
COALESCE_CLONES void sum_across(const DogTaps &taps, const std::uint16_t *line,
                                std::uint16_t *out) {
  std::uint32_t sums[kColumns];
  for (int x = 0; x < kColumns; ++x)
    sums[x] = taps.tap[0] * line[x];
  for (int i = 1; i <= taps.reach; ++i) {
    const std::uint16_t *left = line - i, *right = line + i;
    for (int x = 0; x < kColumns; ++x)
      sums[x] += taps.tap[i] * static_cast<std::uint32_t>(left[x] + right[x]);
  }
  for (int x = 0; x < kColumns; ++x)
    out[x] = dog_across(sums[x]);
}

using Sums = std::uint16_t[kRows][kColumns];

COALESCE_CLONES void sum_down(const DogTaps &taps, const Sums &rows, int row, int *out) {
  std::uint32_t sums[kColumns];
  for (int x = 0; x < kColumns; ++x)
    sums[x] = taps.tap[0] * rows[row][x];
  for (int i = 1; i <= taps.reach; ++i) {
    const std::uint16_t *upper = rows[row - i], *lower = rows[row + i];
    for (int x = 0; x < kColumns; ++x)
      sums[x] += taps.tap[i] * (std::uint32_t{upper[x]} + lower[x]);
  }
  for (int x = 0; x < kColumns; ++x)
    out[x] = dog_down(sums[x]);
}

void dog_rows(const DogJob &job, int first, int last) {
  const int around = job.wide.reach, most = kRows - 2 * around;
  for (int y = first; y < last; y += most) {
    const int rows = std::min(most, last - y);
    for (int x = 0; x < job.luma.width; x += kColumns) {
      Sums narrow, wide;
      for (int r = 0; r < rows + 2 * around; ++r) {
        std::uint16_t line[kColumns + 2 * kReach];
        luma_row(job.luma, x - kReach, y + r - around, kColumns + 2 * kReach, line);
        sum_across(job.narrow, line + kReach, narrow[r]);
        sum_across(job.wide, line + kReach, wide[r]);
      }
      const int columns = std::min(kColumns, job.luma.width - x);
      for (int r = 0; r < rows; ++r) {
        int a[kColumns], b[kColumns];
        sum_down(job.narrow, narrow, r + around, a);
        sum_down(job.wide, wide, r + around, b);
        std::uint8_t *out = job.out.row(y + r) + x;
        for (int i = 0; i < columns; ++i)
          out[i] = line_strength(a[i], b[i], job.threshold);
      }
    }
  }
}

void rgb_tones(const ToneJob &job, int y) {
  const CartoonLuma &luma = job.luma;
  const std::uint8_t *from[3];
  std::uint8_t *to[3];
  for (int c = 0; c < 3; ++c) {
    from[c] = luma.component[c].in.row(y) + luma.component[c].first;
    to[c] = job.plane[job.of_plane[c]].out.row(y) + luma.component[c].first;
  }
  const std::ptrdiff_t step = luma.component[0].step;
  for (std::ptrdiff_t at = 0; at < luma.width * step; at += step) {
    const int level = cartoon_luma(from[0][at], from[1][at], from[2][at]);
    for (int c = 0; c < 3; ++c)
      to[c][at] = moved_sample(from[c][at], job.tone[level] - level);
  }
}

}  // namespace

void dog_cpu(const DogJob &job, ThreadPool *pool) {
  for_ranges(pool, job.luma.height, kGrain,
             [&](int first, int last) { dog_rows(job, first, last); });
}

void tones_cpu(const ToneJob &job, ThreadPool *pool) {
  for (int p = 0; p < job.planes; ++p) {
    const TonePlane &plane = job.plane[p];
    for_ranges(pool, plane.out.height, kGrain, [&](int first, int last) {
      for (int y = first; y < last; ++y)
        std::memcpy(plane.out.row(y), plane.from(y), static_cast<std::size_t>(plane.out.width));
    });
  }
  for_ranges(pool, job.luma.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      if (job.is_rgb()) {
        rgb_tones(job, y);
        continue;
      }
      const int step = job.luma.component[0].step, at = job.luma.component[0].first;
      std::uint8_t *row = job.plane[job.of_plane[0]].out.row(y);
      for (int i = at; i < job.plane[job.of_plane[0]].out.width; i += step)
        row[i] = job.tone[row[i]];
    }
  });
}

}  // namespace coalesce
