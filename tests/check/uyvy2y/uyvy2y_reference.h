// SPDX-License-Identifier: LGPL-2.1-or-later
// What uyvy2y has to give: the luma as it was, and neutral chroma.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

void check_uyvy2y(GstBuffer *in, const GstVideoInfo &in_info, GstBuffer *out,
                  const GstVideoInfo &out_info);

}  // namespace test
