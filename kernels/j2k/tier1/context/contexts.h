// SPDX-License-Identifier: LGPL-2.1-or-later
// The contexts of ITU-T T.800 D.3 as functions of the neighbours.
#pragma once

#include <cstdint>

#include "../../../core/host_device.h"
#include "../../canvas/band.h"

namespace coalesce::j2k {

// Decisions are coded in contexts: T.800 Tables D.1 to D.5. Raw bits have a number here, too.
enum Context : std::uint8_t {
  kContextZero = 0,        // 0 to 8: does a sample become significant?
  kContextSign = 9,        // 9 to 13
  kContextMagnitude = 14,  // 14 to 16: the next bit of a magnitude
  kContextRun = 17,        // does one of four samples become significant?
  kContextUniform = 18,
  kMqContexts = 19,
  kContextRaw = 19,
};

// A decision in its context, CX and D of the standard, is a byte.
constexpr std::uint8_t symbol_of(int context, int decision) {
  return static_cast<std::uint8_t>(2 * context + decision);
}

// Table D.1, for the significance of a sample with so many significant neighbours: 0 to 2 left and
// right, 0 to 2 above and below, 0 to 4 diagonally. (HL has its edges upright where LH has them
// level; in HH they are diagonal.)
COALESCE_HOST_DEVICE constexpr int zero_context(Band band, int horizontal, int vertical,
                                                int diagonal) {
  if (band == Band::hh) {
    const int beside = horizontal + vertical;
    if (diagonal >= 3) return 8;
    if (diagonal == 2) return beside >= 1 ? 7 : 6;
    if (diagonal == 1) return beside >= 2 ? 5 : 3 + beside;
    return beside >= 2 ? 2 : beside;
  }
  const int along = band == Band::hl ? vertical : horizontal;
  const int across = band == Band::hl ? horizontal : vertical;
  if (along == 2) return 8;
  if (along == 1) return across >= 1 ? 7 : diagonal >= 1 ? 6 : 5;
  if (across >= 1) return across == 2 ? 4 : 3;
  return diagonal >= 2 ? 2 : diagonal;
}

// Tables D.2 and D.3. The arguments are the sums of the two neighbours' signs (1, -1; 0 for a
// neighbour that is not significant), limited to -1 to 1. The decision is the sample's sign (1 if
// negative), inverted where flips is set.
struct SignContext {
  int context;
  bool flips;
};
COALESCE_HOST_DEVICE constexpr SignContext sign_context(int horizontal, int vertical) {
  const bool flips = horizontal < 0 || (horizontal == 0 && vertical < 0);
  const int h = flips ? -horizontal : horizontal;
  const int v = flips ? -vertical : vertical;
  return {h == 0 ? kContextSign + v : kContextSign + 3 + v, flips};
}

// Table D.4.
COALESCE_HOST_DEVICE constexpr int magnitude_context(bool first_refinement, bool any_neighbour) {
  if (!first_refinement) return kContextMagnitude + 2;
  return any_neighbour ? kContextMagnitude + 1 : kContextMagnitude;
}

}  // namespace coalesce::j2k
