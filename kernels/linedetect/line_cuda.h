// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: what is in the scratch memory, and the steps of the work, each of one launch or a few.
//
// A tile of the bitmap has *fragments*: the parts of chains that are in it. An *exit* is a link
// from a pixel of a tile to one of another tile. Its number follows from its place: two for each
// pixel on the tile's border, by the neighbours that the pixel picks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "line_job.h"
#include "line_scratch.h"

namespace coalesce {

constexpr int kLineTile = 64;  // pixels across and down
constexpr unsigned kTileBorder = 4 * kLineTile - 4, kTileExits = 2 * kTileBorder;
constexpr std::uint32_t kNone = 0xffffffff;
constexpr int kMaxLineRounds = 40;

// A fragment, as who comes in by an exit finds it. If its other end is that of the chain, `pixel`
// is this end. Else it is the fragment's first pixel in the order of rows, with kPassing added.
struct LineFragment {
  std::uint32_t across;  // the exit at its other end, or kNone
  std::uint32_t count;   // pixels
  std::uint32_t pixel;
  std::uint32_t offset;  // steps to that pixel, from the pixel before the fragment on
};
constexpr std::uint32_t kPassing = 1u << 31;  // beyond every LinePixel

// What follows behind an exit: so many fragments as the rounds so far have added up.
struct LineBeyond {
  std::uint32_t next;    // the exit of the last of them; kNone: no more is to be known
  std::uint32_t count;   // their pixels
  std::uint32_t steps;   // to the first one in the order of their LineFragment::pixel
  std::uint32_t holder;  // by which exit that pixel's fragment is entered
};

struct LineWindow {
  std::uint32_t first, steps;  // first: in `order`
};
struct LongChain {
  std::uint32_t window, count;  // its first window
};

struct LineCounters {
  std::uint32_t exits, pixels, windows, long_chains, candidates, survivors;
  std::uint32_t going[kMaxLineRounds + 1];  // by round: are there exits to go on with?
};

struct LineCudaScratch {
  LineCudaScratch() = default;
  LineCudaScratch(void *memory, int width, int height)
      : words(static_cast<unsigned>((width + 31) / 32)),
        tiles_across(static_cast<unsigned>((width - 1) / kLineTile + 1)),
        tiles(tiles_across * static_cast<unsigned>((height - 1) / kLineTile + 1)) {
    const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const std::size_t map = std::size_t{words} * static_cast<std::size_t>(height);
    const std::size_t exits = std::size_t{tiles} * kTileExits;
    Layout parts(16, memory);
    counters = parts.at<LineCounters>(1);
    survivors = parts.at<LineCandidate>(kMaxLines);
    bits = parts.at<std::uint32_t>(map);
    cuts = parts.at<std::uint32_t>(map);
    order = parts.at<LinePixel>(pixels);
    windows = parts.at<LineWindow>(pixels / kMinChain + pixels / kLineWindow + 1);
    long_chains = parts.at<LongChain>(pixels / kLineWindow + 1);
    // Who knows all pieces needs no exits any more.
    const std::size_t shared = parts.end();
    candidates = parts.at<LineCandidate>(pixels / (kMinChain - 1) + 1);
    Layout again(16, memory);
    again.add<std::uint8_t>(shared);
    list = again.at<std::uint32_t>(exits);
    opposite = again.at<std::uint32_t>(exits);
    chain = again.at<std::uint32_t>(exits);
    fragment = again.at<LineFragment>(exits);
    beyond[0] = again.at<LineBeyond>(exits);
    beyond[1] = again.at<LineBeyond>(exits);
    bytes = std::max(parts.end(), again.end());
    // Twice as many fragments with each round, and one round more that sees a loop closed.
    for (rounds = 2; exits >> (rounds - 2) != 0; ++rounds) {
    }
  }
  unsigned words = 0;  // of a row of the bitmap
  unsigned tiles_across = 0, tiles = 0;
  int rounds = 0;
  std::size_t bytes = 0;
  LineCounters *counters = nullptr;
  LineCandidate *survivors = nullptr;
  std::uint32_t *bits = nullptr;  // of 32 pixels, the leftmost the lowest
  std::uint32_t *cuts = nullptr;  // where pieces begin and chains end, by place in `order`
  LinePixel *order = nullptr;     // the pixels of chains
  LineWindow *windows = nullptr;
  LongChain *long_chains = nullptr;  // those of several windows
  LineCandidate *candidates = nullptr;
  std::uint32_t *list = nullptr;      // of the exits that there are
  std::uint32_t *opposite = nullptr;  // by exit: the other tile's exit of this link
  std::uint32_t *chain = nullptr;     // by exit of its first fragment: where it is in `order`
  LineFragment *fragment = nullptr;   // by exit
  LineBeyond *beyond[2] = {};         // by exit, after even and after odd rounds
};

// All of the following enqueue, and return what a launch reports.
Status thin_edges(const LineJob &job, const LineCudaScratch &s, void *stream);
Status order_chains(const LineJob &job, const LineCudaScratch &s, void *stream);
Status split_chains(const LineJob &job, const LineCudaScratch &s, void *stream);
Status fit_lines(const LineJob &job, const LineCudaScratch &s, void *stream);

// Blocks of a grid whose threads go on until all is done: as many as one thread each would be, but
// no more than fill a large device a few times, and few for small pictures.
inline unsigned line_blocks(const LineCudaScratch &s, std::size_t wanted) {
  return static_cast<unsigned>(
      std::clamp<std::size_t>(wanted, 1, std::min<std::size_t>(std::size_t{s.tiles} * 4, 1056)));
}

}  // namespace coalesce
