// SPDX-License-Identifier: LGPL-2.1-or-later
// What oilpaint has to make of frames: the reference of tests/kernels/oilpaint.
#pragma once

#include "../../kernels/oilpaint/oilpaint_reference.h"
#include "../../support/elements/elements.h"

namespace test {

// Empty if every sample of `out` is what the parameters make of `in`, and of the frame before; else
// where not. `before` becomes that of the next frame.
std::string oilpaint_difference(GstBuffer *in, GstBuffer *out, const GstVideoInfo &info,
                                const coalesce::OilpaintParams &params, bool interlaced,
                                coalesce::test::OilStateReference *before = nullptr);

}  // namespace test
