// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiles by name, and pictures for them.
#pragma once

#include "j2k/profile/profile.h"

namespace coalesce::test {

inline const char *name_of(j2k::Profile profile) {
  constexpr const char *kNames[] = {
      "none", "cinema-2k", "cinema-4k", "broadcast-single", "broadcast-multi", "imf-2k", "imf-4k"};
  return kNames[static_cast<std::size_t>(profile)];
}

// Three components of 12 bits.
inline j2k::EncoderParams picture_for_profile(int width, int height, int chroma_dx = 1) {
  j2k::EncoderParams params;
  params.coding.image = {0, 0, width, height};
  params.coding.num_components = 3;
  for (std::size_t c = 0; c < 3; ++c)
    params.coding.component[c] = {c == 0 ? 1 : chroma_dx, 1, 12};
  return params;
}

}  // namespace coalesce::test
