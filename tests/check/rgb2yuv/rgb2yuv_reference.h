// SPDX-License-Identifier: LGPL-2.1-or-later
// What rgb2yuv has to make of a picture, in double precision, from what GStreamer says of the caps.
#pragma once

#include "../../support/elements/elements.h"

namespace test {

// Pushes a frame, takes what comes out, and compares every sample with the exact value. Alpha
// has to be the same, and so has the luma that packed 4:2:2 has more of than the picture.
BufferRef convert_rgb(Harness &harness, const std::string &in_caps, GstBuffer *in);

// The comparison alone. `interlaced`: as the buffer and its caps say.
void check_yuv(GstBuffer *in, const GstVideoInfo &in_info, GstBuffer *out,
               const GstVideoInfo &out_info, bool interlaced);

// Two frames with the same bytes in every row.
void expect_same_samples(GstBuffer *one, GstBuffer *other, const GstVideoInfo &info);

// A playing rgb2yuv with these caps on either side; downstream's may be partial.
void start_rgb2yuv(Harness &harness, const std::string &in_caps, const std::string &downstream);

// Bytes that are neither constant nor noise: gradients, edges, and all corners of the colour cube.
GstBuffer *rgb_frame(const GstVideoInfo &info, Layout layout = {}, guint32 seed = 1);

}  // namespace test
