// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the back ends keep their maps of edges, in memory of the caller.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coalesce {

constexpr std::int64_t kMaxCannyWords = 1 << 26;  // of 32 pixels

// Bits of 64 pixels a word, the leftmost pixel the lowest. An open pixel is an edge if it hangs
// together with one.
struct CannyCpuScratch {
  CannyCpuScratch(void *memory, int width, int height)
      : words((static_cast<std::size_t>(width) + 63) / 64), height(height) {
    const std::size_t all = words * static_cast<std::size_t>(height);
    bytes = all * (8 + 8 + 4 + 1) + static_cast<std::size_t>(height);
    if (memory == nullptr) return;
    open = static_cast<std::uint64_t *>(memory);
    edge = open + all;
    stack = reinterpret_cast<std::uint32_t *>(edge + all);
    queued = reinterpret_cast<std::uint8_t *>(stack + all);
    starts = queued + all;
  }
  std::size_t words;  // of a row
  int height;
  std::size_t bytes;
  std::uint64_t *open = nullptr, *edge = nullptr;
  std::uint32_t *stack = nullptr;  // of words that are to be looked at
  std::uint8_t *queued = nullptr;  // by word: is it on the stack?
  std::uint8_t *starts = nullptr;  // by row: does a range of rows begin here?
};

// Bits of 32 pixels a word. A node for each run of open pixels in a word: at most 16, for runs have
// a gap between them. Node 0 is what edges are.
constexpr unsigned kCannyNodesOfWord = 16;
struct CannyMapWord {
  std::uint32_t edge, open;
};
struct CannyCudaScratch {
  CannyCudaScratch(void *memory, int width, int height)
      : words(static_cast<unsigned>((static_cast<std::int64_t>(width) + 31) / 32)) {
    const std::size_t all = std::size_t{words} * static_cast<std::size_t>(height);
    bytes = all * (sizeof(CannyMapWord) + 4 * kCannyNodesOfWord) + 4;
    if (memory == nullptr) return;
    map = static_cast<CannyMapWord *>(memory);
    parent = reinterpret_cast<std::uint32_t *>(map + all);
  }
  unsigned words;  // of a row
  std::size_t bytes;
  CannyMapWord *map = nullptr;
  std::uint32_t *parent = nullptr;  // by node: a lower node of what hangs together, or itself
};

}  // namespace coalesce
