// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny_hysteresis.h"

#include <cstring>

namespace coalesce {
namespace {

// What becomes an edge of the open pixels of a word: runs of them beside edges, from lower bits to
// higher ones by the carry of a sum.
std::uint64_t grown(std::uint64_t edge, std::uint64_t open) {
  const std::uint64_t mask = edge | open;
  std::uint64_t found = (((mask + edge) ^ mask) | edge) & mask;
  while (const std::uint64_t lower = mask & ~found & (found >> 1))
    found |= lower;
  return found & open;
}

// Words whose edges have become more are on a stack, each once.
class Spreading {
 public:
  // Rows first to last - 1. stack: a part of it that nobody else uses, a word for each of theirs.
  Spreading(const CannyCpuScratch &maps, int first, int last, std::uint32_t *stack)
      : maps_(maps),
        words_(maps.words),
        first_(static_cast<std::size_t>(first)),
        last_(static_cast<std::size_t>(last)),
        stack_(stack) {}

  void from(std::size_t row) {
    for (std::size_t k = 0; k < words_; ++k) {
      if (maps_.edge[row * words_ + k] == 0) continue;
      look_around(row, k);
      drain();
    }
  }

 private:
  void take(std::size_t at, std::uint64_t bits) {
    const std::uint64_t gain = bits & maps_.open[at];
    if (gain == 0) return;
    maps_.edge[at] |= gain;
    maps_.open[at] &= ~gain;
    if (maps_.queued[at] != 0) return;
    maps_.queued[at] = 1;
    stack_[top_++] = static_cast<std::uint32_t>(at);
  }

  void look_at_row(std::size_t row, std::size_t k, std::uint64_t edge) {
    const std::size_t at = row * words_ + k;
    take(at, edge | edge << 1 | edge >> 1);
    if (k > 0) take(at - 1, edge << 63);
    if (k + 1 < words_) take(at + 1, edge >> 63);
  }

  void look_around(std::size_t row, std::size_t k) {
    const std::size_t at = row * words_ + k;
    std::uint64_t edge = maps_.edge[at];
    if (maps_.open[at] != 0) {
      const std::uint64_t gain = grown(edge, maps_.open[at]);
      maps_.open[at] &= ~gain;
      edge = maps_.edge[at] |= gain;
    }
    if (k > 0) take(at - 1, edge << 63);
    if (k + 1 < words_) take(at + 1, edge >> 63);
    if (row > first_) look_at_row(row - 1, k, edge);
    if (row + 1 < last_) look_at_row(row + 1, k, edge);
  }

  void drain() {
    while (top_ > 0) {
      const std::uint32_t at = stack_[--top_];
      maps_.queued[at] = 0;
      const std::uint32_t row = at / static_cast<std::uint32_t>(words_);
      look_around(row, at - row * words_);
    }
  }

  const CannyCpuScratch &maps_;
  const std::size_t words_, first_, last_;
  std::uint32_t *stack_;
  std::size_t top_ = 0;
};

}  // namespace

void canny_spread(const CannyCpuScratch &maps, int first, int last) {
  const std::size_t begin = static_cast<std::size_t>(first) * maps.words;
  const std::size_t count = static_cast<std::size_t>(last - first) * maps.words;
  std::memset(maps.queued + begin, 0, count);
  Spreading spreading(maps, first, last, maps.stack + begin);
  for (int y = first; y < last; ++y)
    spreading.from(static_cast<std::size_t>(y));
}

void canny_join_ranges(const CannyCpuScratch &maps) {
  Spreading spreading(maps, 0, maps.height, maps.stack);
  for (int y = 1; y < maps.height; ++y) {
    if (maps.starts[y] == 0) continue;
    spreading.from(static_cast<std::size_t>(y - 1));
    spreading.from(static_cast<std::size_t>(y));
  }
}

}  // namespace coalesce
