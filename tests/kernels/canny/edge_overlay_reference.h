// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "canny/edge_overlay.h"

namespace coalesce::test {

// Edges drawn on a picture, sample by sample.
void edge_overlay_reference(const EdgeColour &colour, const ConstImage &edges, const ConstImage &in,
                            const Image &out);

}  // namespace coalesce::test
