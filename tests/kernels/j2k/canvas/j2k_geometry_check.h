// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles, bands, precincts and blocks against the definition, a sample at a time: which band a
// sample is in follows from halving its coordinates, as the wavelet transform does, and nothing
// else.
#pragma once

#include <string>

#include "j2k/canvas/geometry.h"

namespace coalesce::test {

std::string text(const j2k::CodingParams &params);

// All tiles of a picture of few samples.
void check_geometry(const j2k::CodingParams &params);

}  // namespace coalesce::test
