// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CPU back end has in the caller's scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../core/layout.h"
#include "line_job.h"

namespace coalesce {

// Pixels of a chain, in the order of the chain.
struct LineChain {
  std::uint32_t first, count;  // of `order`
};

// A piece that is long enough.
struct LineCandidate {
  std::uint64_t key;
  std::uint32_t first, last;  // of `order`
};

struct LineCpuScratch {
  LineCpuScratch(void *memory, int width, int height)
      : pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
        words((static_cast<std::size_t>(width) + 63) / 64 + 2) {
    Layout parts(16, memory);
    const std::size_t all = words * (static_cast<std::size_t>(height) + 2);
    bits = parts.at<std::uint64_t>(all);
    other = parts.at<std::uint64_t>(all);
    picks = parts.at<std::uint8_t>(pixels);
    order = parts.at<LinePixel>(pixels);
    chains = parts.at<LineChain>(pixels / kMinChain + 1);
    candidates = parts.at<LineCandidate>(pixels / (kMinChain - 1) + 1);
    bytes = parts.end();
  }
  // The words of a row's pixels, the leftmost the lowest bit. A word of zeros is on either side,
  // and so is a row of them.
  std::uint64_t *row(std::uint64_t *map, int y) const {
    return map + static_cast<std::size_t>(y + 1) * words + 1;
  }
  std::size_t pixels, words;  // words: of a row
  std::size_t bytes = 0;
  std::uint64_t *bits = nullptr, *other = nullptr;
  std::uint8_t *picks = nullptr;  // by pixel: the neighbours that a pixel picks
  LinePixel *order = nullptr;
  LineChain *chains = nullptr;
  LineCandidate *candidates = nullptr;
  // Where pieces begin, by place in `order`: when chains are known, picks are needed no more.
  std::uint8_t *cuts() const { return picks; }
};

// Thins the edges into `bits`, and finds chains that may have a line. Returns their number.
std::uint32_t find_chains(const LineJob &job, const LineCpuScratch &s, ThreadPool *pool);

}  // namespace coalesce
