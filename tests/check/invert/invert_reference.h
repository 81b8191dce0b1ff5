// SPDX-License-Identifier: LGPL-2.1-or-later
// What invert has to give, by GStreamer's own unpacking of both frames.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void check_inverted(GstBuffer *in, const GstVideoInfo &in_info, GstBuffer *out,
                    const GstVideoInfo &out_info);

}  // namespace test
