// SPDX-License-Identifier: LGPL-2.1-or-later
// What a conversion has to make of a frame: the reference of tests/kernels/convert, with the
// parameters that GStreamer's own functions find in the caps.
#pragma once

#include "../../support/elements/elements.h"
#include "convert/convert.h"

namespace test {

// What caps say of a conversion, and GStreamer's defaults where they say nothing.
coalesce::ConvertParams params_of_caps(const GstVideoInfo &in, const GstVideoInfo &out);

// Compares every sample. `interlaced`: as the buffer and its caps say. The properties of the
// element are those that the frame was converted with.
void check_conversion(GstElement *element, GstBuffer *in, const GstVideoInfo &in_info,
                      GstBuffer *out, const GstVideoInfo &out_info, bool interlaced);

// A playing element with these caps on either side; downstream's may be partial.
void start_conversion(Harness &harness, const std::string &in_caps, const std::string &downstream);

// Pushes a frame, and checks what comes out.
BufferRef convert_frame(Harness &harness, const std::string &in_caps, GstBuffer *in);
// Of random bytes.
BufferRef convert_frame(Harness &harness, const std::string &in_caps, guint32 seed = 1);

// The formats of a pad's template.
std::vector<std::string> template_formats(const char *element, const char *pad);

}  // namespace test
