// SPDX-License-Identifier: LGPL-2.1-or-later
// What profiles allow, but for their levels. The numbers: see profile.h.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "profile.h"
#include "profile_levels.h"

namespace coalesce::j2k {

struct Range {
  int least, most;
  bool has(int v) const { return v >= least && v <= most; }
};

constexpr int kAnySize = INT32_MAX;

// What a profile says, as far as they differ.
struct Limits {
  const char *name;
  unsigned rsiz;
  int width, height;
  Range components, bits;
  int chroma_dx, chroma_dy;  // at most; others are not subsampled
  int tiles;                 // 1, or 4, too
  Range levels;
  Range block;  // log2
  Range guard;
  bool strict;        // TLM; no SOP, EPH, PLT
  bool largest_last;  // must be
};

inline constexpr std::array<Limits, 7> kLimits = {{
    {"none", 0, kAnySize, kAnySize, {}, {}, 0, 0, 0, {}, {}, {}, false, false},
    {"cinema-2k", 3, 2048, 1080, {3, 3}, {12, 12}, 1, 1, 1, {0, 5}, {5, 5}, {1, 1}, true, false},
    {"cinema-4k", 4, 4096, 2160, {3, 3}, {12, 12}, 1, 1, 1, {1, 6}, {5, 5}, {2, 2}, true, true},
    {"broadcast-single",
     0x100,
     kAnySize,
     kAnySize,
     {1, 4},
     {8, 12},
     2,
     2,
     1,
     {1, 5},
     {5, 7},
     {0, 7},
     false,
     false},
    {"broadcast-multi",
     0x200,
     kAnySize,
     kAnySize,
     {1, 4},
     {8, 12},
     2,
     2,
     4,
     {1, 5},
     {5, 7},
     {0, 7},
     false,
     false},
    {"imf-2k", 0x400, 2048, 1556, {1, 3}, {8, 16}, 2, 1, 1, {1, 5}, {5, 5}, {0, 7}, false, false},
    {"imf-4k", 0x500, 4096, 3112, {1, 3}, {8, 16}, 2, 1, 1, {1, 6}, {5, 5}, {0, 7}, false, false},
}};

inline const Limits &limits_of(Profile profile) {
  return kLimits[static_cast<std::size_t>(profile)];
}

// Of set_profile(). required: as the text goes on after "requires".
Status refuse_level(Profile profile, LevelFit fit, const std::string &required, std::string *text);

}  // namespace coalesce::j2k
