// SPDX-License-Identifier: LGPL-2.1-or-later
// The covering array of j2kenc as an element: formats, sizes, memory, caps and properties.
#pragma once

#include "../../support/covering_array.h"
#include "j2k_harness.h"

namespace gpu_test {

struct J2kCase {
  Coding coding;
  Input input = Input::cuda;
  // What other settings depend on.
  int resolutions = 6, layers = 1, guard_bits = 2;
  int block_width = 64, block_height = 64, precinct_width = 0, precinct_height = 0;
  int tile_width = 0, tile_height = 0;
  int packet_markers = 0;  // bytes of SOP, EPH, PLT beside each packet
  bool fields = false, region = false;
};

using J2kSettingsArray = coalesce::test::CoveringArray<J2kCase>;

const J2kSettingsArray &j2k_settings_array();

// Those of j2kenc's sink template.
std::vector<std::string> j2k_formats();

}  // namespace gpu_test
