// SPDX-License-Identifier: LGPL-2.1-or-later
// The neighbourhoods and contexts of T.800 D.3 for the 64 samples of a word (context_model.h).
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "../../canvas/band.h"

namespace coalesce::j2k {

constexpr std::uint64_t kTopRow = 0x1111111111111111, kBottomRow = 0x8888888888888888;

// Samples that a word's samples have to their left, ..., above them: as bits of these.
COALESCE_HOST_DEVICE std::uint64_t from_left(std::uint64_t word, std::uint64_t left) {
  return word << 4 | left >> 60;
}
COALESCE_HOST_DEVICE std::uint64_t from_right(std::uint64_t word, std::uint64_t right) {
  return word >> 4 | right << 60;
}
COALESCE_HOST_DEVICE std::uint64_t from_above(std::uint64_t word, std::uint64_t above) {
  return (word & ~kBottomRow) << 1 | (above & kBottomRow) >> 3;
}
COALESCE_HOST_DEVICE std::uint64_t from_below(std::uint64_t word, std::uint64_t below) {
  return (word & ~kTopRow) >> 1 | (below & kTopRow) << 3;
}

// A word and the eight around it, of one property of samples.
struct WordsAround {
  std::uint64_t above_left, above, above_right;
  std::uint64_t left, word, right;
  std::uint64_t below_left, below, below_right;
};

// stride words make a stripe. With causal contexts there is nothing below.
COALESCE_HOST_DEVICE WordsAround words_around(const std::uint64_t *at, int stride, bool causal) {
  const std::uint64_t *above = at - stride, *below = at + stride;
  WordsAround w = {above[-1], above[0], above[1], at[-1], at[0], at[1], 0, 0, 0};
  if (!causal) {
    w.below_left = below[-1];
    w.below = below[0];
    w.below_right = below[1];
  }
  return w;
}

// Whether any of the eight neighbours has it.
COALESCE_HOST_DEVICE std::uint64_t any_neighbour(const WordsAround &w) {
  const std::uint64_t column = from_above(w.word, w.above) | from_below(w.word, w.below);
  const std::uint64_t middle = w.word | column;
  const std::uint64_t left =
      w.left | from_above(w.left, w.above_left) | from_below(w.left, w.below_left);
  const std::uint64_t right =
      w.right | from_above(w.right, w.above_right) | from_below(w.right, w.below_right);
  return column | from_left(middle, left) | from_right(middle, right);
}

// Where members of a set have a neighbour in this word that is scanned before them and fires.
COALESCE_HOST_DEVICE std::uint64_t spread_forward(std::uint64_t fires) {
  return ((fires << 1 | fires << 5) & ~kTopRow) | fires << 4 | (fires & ~kTopRow) << 3;
}

// The members of the significance pass: the fixed point within the word. All words that are scanned
// before are as the pass leaves them, so it is that of the block.
COALESCE_HOST_DEVICE std::uint64_t significance_members(std::uint64_t candidates,
                                                        std::uint64_t near, std::uint64_t bits) {
  std::uint64_t members = candidates & near;
  for (std::uint64_t fires = members & bits; fires != 0;) {
    const std::uint64_t more = spread_forward(fires) & candidates & ~members;
    members |= more;
    fires = more & bits;
  }
  return members;
}

// The neighbours of each sample when it is visited: before is what w.word has become by the end of
// the pass, for those that are scanned earlier; w.word what it was, for those that come later.
struct Neighbours {
  std::uint64_t left, right, above, below;
  std::uint64_t above_left, above_right, below_left, below_right;
};
COALESCE_HOST_DEVICE Neighbours neighbours_when_visited(const WordsAround &w,
                                                        std::uint64_t before) {
  Neighbours n;
  n.left = from_left(before, w.left);
  n.right = from_right(w.word, w.right);
  n.above = from_above(before, w.above);
  n.below = from_below(w.word, w.below);
  n.above_left = from_left(n.above, from_above(w.left, w.above_left));
  n.below_left = from_left(from_below(before, w.below), from_below(w.left, w.below_left));
  n.above_right = from_right(from_above(w.word, w.above), from_above(w.right, w.above_right));
  n.below_right = from_right(n.below, from_below(w.right, w.below_right));
  return n;
}

// Numbers of 0 to 15, or less, of 64 samples, bit by bit.
struct Sliced {
  std::uint64_t bit0, bit1, bit2, bit3;
};

// Table D.1.
COALESCE_HOST_DEVICE Sliced zero_contexts(Band band, const Neighbours &n) {
  // Pairs: either of them, both.
  const std::uint64_t h1 = n.left | n.right, h2 = n.left & n.right;
  const std::uint64_t v1 = n.above | n.below, v2 = n.above & n.below;
  const std::uint64_t a1 = n.above_left | n.above_right, a2 = n.above_left & n.above_right;
  const std::uint64_t b1 = n.below_left | n.below_right, b2 = n.below_left & n.below_right;
  // Diagonal ones: at least 1, 2.
  const std::uint64_t d1 = a1 | b1, d2 = a2 | b2 | (a1 & b1);
  if (band == Band::hh) {
    const std::uint64_t d3 = (a2 & b1) | (a1 & b2);
    const std::uint64_t s1 = h1 | v1, s2 = h2 | v2 | (h1 & v1);  // horizontal and vertical
    Sliced c;
    c.bit3 = d3;
    c.bit2 = ~d3 & (d2 | (d1 & s1));
    c.bit1 = ~d3 & (d2 | (d1 & ~s1) | (~d1 & s2));
    c.bit0 = ~d3 & ((d2 & s1) | (~d2 & d1 & (s2 | ~s1)) | (~d1 & s1 & ~s2));
    return c;
  }
  const bool hl = band == Band::hl;
  const std::uint64_t along1 = hl ? v1 : h1, along2 = hl ? v2 : h2;
  const std::uint64_t across1 = hl ? h1 : v1, across2 = hl ? h2 : v2;
  const std::uint64_t one = along1 & ~along2, none = ~along1;
  const std::uint64_t alone = none & ~across1;  // no neighbour but diagonal ones
  Sliced c;
  c.bit3 = along2;
  c.bit2 = one | (none & across2);
  c.bit1 = (one & (across1 | d1)) | (none & across1 & ~across2) | (alone & d2);
  c.bit0 = (one & (across1 | ~d1)) | (none & across1 & ~across2) | (alone & d1 & ~d2);
  return c;
}

// Tables D.2 and D.3: context - 9 in three bits, and in bit3 whether the sign is inverted. negative
// are the neighbours that are significant and negative.
COALESCE_HOST_DEVICE Sliced sign_contexts(const Neighbours &n, const Neighbours &negative) {
  const std::uint64_t h_minus = negative.left | negative.right;
  const std::uint64_t h_plus = (n.left & ~negative.left) | (n.right & ~negative.right);
  const std::uint64_t v_minus = negative.above | negative.below;
  const std::uint64_t v_plus = (n.above & ~negative.above) | (n.below & ~negative.below);
  const std::uint64_t h = h_minus ^ h_plus, v = v_minus ^ v_plus;  // contributions other than 0
  const std::uint64_t same = h & v & ~(h_minus ^ v_minus);
  Sliced c;
  c.bit2 = same;
  c.bit1 = h & ~same;
  c.bit0 = h ^ v;
  c.bit3 = (h & h_minus) | (~h & v & v_minus);
  return c;
}

// The cleanup pass. Columns of four members without a significant neighbour when the first of them
// is visited are runs (D.3.4): their upper bits. first: the samples that end a run by becoming
// significant; single: the members with a decision of their own.
struct CleanupSets {
  std::uint64_t runs, first, single;
};
COALESCE_HOST_DEVICE CleanupSets cleanup_sets(std::uint64_t members, std::uint64_t fires,
                                              const WordsAround &w, const Neighbours &n) {
  std::uint64_t prevented = ~members | n.left | n.right | n.below | from_above(w.word, w.above) |
                            n.above_left | n.above_right | n.below_left | n.below_right;
  prevented |= prevented >> 1;
  prevented |= prevented >> 2;
  CleanupSets sets;
  sets.runs = ~prevented & kTopRow;
  const std::uint64_t in_run = sets.runs * 15;
  std::uint64_t behind = (fires & in_run & ~kBottomRow) << 1;
  behind |= (behind & ~kBottomRow) << 1;
  behind |= (behind & ~kBottomRow) << 1;
  sets.first = fires & in_run & ~behind;
  sets.single = (members & ~in_run) | behind;
  return sets;
}

}  // namespace coalesce::j2k
