// SPDX-License-Identifier: LGPL-2.1-or-later
// Thinning by words of bits, and which neighbours a pixel is linked with.
#pragma once

#include <array>
#include <cstdint>

#include "../core/host_device.h"

namespace coalesce {

constexpr int kThinningRounds = 2;  // of two steps each

// Pixels around those of a word, at the same bits.
template <class Word>
struct WordsAround {
  Word e, se, s, sw, w, nw, n, ne;
};
// From three words of a row and of the rows above and below: the left one, the middle one, the
// right one. The lowest bit is the leftmost pixel.
template <class Word>
COALESCE_HOST_DEVICE WordsAround<Word> words_around(const Word (&above)[3], const Word (&here)[3],
                                                    const Word (&below)[3]) {
  constexpr int kTop = 8 * sizeof(Word) - 1;
  const auto west = [](const Word(&row)[3]) { return row[1] << 1 | row[0] >> kTop; };
  const auto east = [](const Word(&row)[3]) { return row[1] >> 1 | row[2] << kTop; };
  return {east(here), east(below), below[1], west(below),
          west(here), west(above), above[1], east(above)};
}

// What a step of Guo and Hall's thinning leaves of a word. The second step is the first one turned
// by half a turn.
template <class Word>
COALESCE_HOST_DEVICE Word thinned(Word here, const WordsAround<Word> &p, bool second) {
  // Runs of ones around the pixel: exactly one?
  const Word a = ~p.n & (p.ne | p.e), b = ~p.e & (p.se | p.s);
  const Word c = ~p.s & (p.sw | p.w), d = ~p.w & (p.nw | p.n);
  const Word one = (a ^ b ^ c ^ d) & ~(a & b) & ~(c & d);
  // Of the four pairs of neighbours, begun with either one of a pair, two or three?
  const Word a1 = p.nw | p.n, a2 = p.ne | p.e, a3 = p.se | p.s, a4 = p.sw | p.w;
  const Word b1 = p.n | p.ne, b2 = p.e | p.se, b3 = p.s | p.sw, b4 = p.w | p.nw;
  const Word two_a = (a1 & a2) | (a3 & a4) | ((a1 | a2) & (a3 | a4));
  const Word two_b = (b1 & b2) | (b3 & b4) | ((b1 | b2) & (b3 | b4));
  const Word all = a1 & a2 & a3 & a4 & b1 & b2 & b3 & b4;
  const Word kept = second ? (p.s | p.sw | ~p.nw) & p.w : (p.n | p.ne | ~p.se) & p.e;
  return here & ~(one & two_a & two_b & ~all & ~kept);
}

// Directions count clockwise from 0, east, to 7, north-east. Bit d of a byte is the neighbour in
// direction d.
constexpr int kDirections = 8;
COALESCE_HOST_DEVICE constexpr int step_x(int direction) {
  return static_cast<int>(0x21000122u >> 4 * direction & 15) - 1;
}
COALESCE_HOST_DEVICE constexpr int step_y(int direction) {
  return static_cast<int>(0x00012221u >> 4 * direction & 15) - 1;
}
COALESCE_HOST_DEVICE constexpr int opposite(int direction) {
  return direction ^ 4;
}

// The neighbours, at most two, that a pixel picks of those it has. A diagonal one does not count
// beside a straight one. Of three and more the two that are the nearest to opposite ones, of equal
// pairs the first one. Pixels are linked that pick each other.
constexpr std::uint8_t picked_of(unsigned neighbours) {
  unsigned left = 0;
  for (int d = 0; d < kDirections; ++d) {
    const unsigned beside = 1u << (d + 1) % 8 | 1u << (d + 7) % 8;
    if ((neighbours >> d & 1) != 0 && (d % 2 == 0 || (neighbours & beside) == 0)) left |= 1u << d;
  }
  if ((left & (left - 1)) == 0) return static_cast<std::uint8_t>(left);
  unsigned best = 0;
  int widest = 0;
  for (int i = 0; i < kDirections; ++i)
    for (int j = i + 1; j < kDirections; ++j) {
      const int angle = j - i < 4 ? j - i : 8 - (j - i);
      if ((left >> i & left >> j & 1) == 0 || angle <= widest) continue;
      widest = angle;
      best = 1u << i | 1u << j;
    }
  return static_cast<std::uint8_t>(best);
}
struct PickTable {
  std::uint8_t of[256];
};
constexpr PickTable make_pick_table() {
  PickTable table = {};
  for (unsigned i = 0; i < 256; ++i)
    table.of[i] = picked_of(i);
  return table;
}

// The byte of neighbours, from the bits of three pixels of each row, the leftmost the lowest.
COALESCE_HOST_DEVICE constexpr unsigned neighbour_byte(unsigned above, unsigned here,
                                                       unsigned below) {
  return (here >> 2 & 1) | (below >> 2 & 1) << 1 | (below >> 1 & 1) << 2 | (below & 1) << 3 |
         (here & 1) << 4 | (above & 1) << 5 | (above >> 1 & 1) << 6 | (above >> 2 & 1) << 7;
}

}  // namespace coalesce
