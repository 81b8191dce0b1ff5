// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps of raw video to those of JPEG, and back.
#pragma once

#include <string>

#include "jpegencsettings.h"
#include "video/conflict.h"

namespace coalesce::gst {

GstCaps *jpeg_sink_template();
GstCaps *jpeg_src_template();

// What the element makes of `raw`, and what it makes `coded` of. cuda: may raw video be in CUDA
// memory? settings: which say how RGB is sampled; `otherwise`, of fixed caps, if they will not do
// (nullptr: there is nothing else).
GstCaps *jpeg_coded_caps(GstCaps *raw, bool cuda, const JpegSettings &settings,
                         const char *otherwise);
GstCaps *jpeg_raw_caps(GstCaps *coded, bool cuda, const JpegSettings &settings);

// A conflict with downstream's caps, for an error message.
std::string jpeg_conflict(const Conflict &conflict);

}  // namespace coalesce::gst
