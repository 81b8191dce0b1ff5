// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../../core/divided_up.h"
#include "sweep.h"

namespace coalesce {
namespace {

constexpr int kGrain = 32;  // rows of a range, at least

// Rows of a neighbour, in which each pixel knows those right of it and below.
void make_quads(const MultiviewJob &job, int neighbour, int first, int last, std::uint32_t *quads) {
  const auto width = static_cast<std::size_t>(job.width);
  const auto read = [&](int y, std::uint8_t *to) {
    read_bytes(job.component, job.in[1 + neighbour].row(std::min(y, job.height - 1)), job.width,
               to);
    to[width] = to[width - 1];
  };
  std::uint8_t rows[2][kMaxMultiviewSize + 1];
  read(first, rows[first % 2]);
  for (int y = first; y < last; ++y) {
    const std::uint8_t *const upper = rows[y % 2];
    std::uint8_t *const lower = rows[(y + 1) % 2];
    read(y + 1, lower);
    std::uint32_t *const to = quads + static_cast<std::size_t>(y) * width;
    for (std::size_t x = 0; x < width; ++x)
      to[x] = upper[x] | static_cast<std::uint32_t>(upper[x + 1]) << 8 |
              static_cast<std::uint32_t>(lower[x]) << 16 |
              static_cast<std::uint32_t>(lower[x + 1]) << 24;
  }
}

void prepare(const MultiviewJob &job, const MultiviewScratch &s, ThreadPool *pool) {
  for_ranges(pool, job.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      read_bytes(job.component, job.in[0].row(y), job.width,
                 s.bytes + static_cast<std::size_t>(y) * static_cast<std::size_t>(job.width));
    for (int i = 0; i < job.neighbours; ++i)
      make_quads(job, i, first, last, s.quads_of(i));
  });
}

void store_row(const MultiviewJob &job, const MultiviewScratch &s, int y) {
  std::uint32_t matches[kMaxNeighbours] = {};
  for (int x = 0; x < job.width; ++x) {
    const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(job.width) +
                           static_cast<std::size_t>(x);
    for (int i = 0; i < job.neighbours; ++i)
      matches[i] = s.matches_of(i)[at];
    store_result(job, x, y, matches);
  }
}

}  // namespace

Status find_depths_cpu(const MultiviewJob &job, ThreadPool *pool) {
  const MultiviewScratch s(job.scratch, job.neighbours, job.width, job.height);
  prepare(job, s, pool);
  const int columns = kSweepColumns - job.params.window + 1;
  for_ranges(pool, divided_up(job.height, kTileRows), 1, [&](int first, int last) {
    for (int y = first * kTileRows; y < std::min(last * kTileRows, job.height); y += kTileRows) {
      const int rows = std::min(kTileRows, job.height - y);
      for (int x = 0; x < job.width; x += columns)
        sweep_tile(job, s, {x, y, std::min(columns, job.width - x), rows});
      for (int row = 0; row < rows; ++row)
        store_row(job, s, y + row);
    }
  });
  return {};
}

}  // namespace coalesce
