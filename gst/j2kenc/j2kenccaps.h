// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps of raw video to those of JPEG 2000, and back.
#pragma once

#include "j2kenccoder.h"
#include "video/conflict.h"

namespace coalesce::gst {

GstCaps *j2k_sink_template();
GstCaps *j2k_src_template();

// What the element makes of `raw`, and what it makes `coded` of. cuda: may raw video be in CUDA
// memory? settings: of which the profile stands in fixed caps; `otherwise` if they will not do.
GstCaps *j2k_coded_caps(GstCaps *raw, bool cuda, const J2kSettings &settings, int otherwise);
GstCaps *j2k_raw_caps(GstCaps *coded, bool cuda);

// x-jpc first, but x-j2c where downstream names that before and takes no JP2 files. (All the other
// alternatives come behind.) Takes `caps`.
GstCaps *j2k_prefer(GstCaps *caps, GstCaps *downstream);

// A conflict with downstream's caps, for an error message.
std::string j2k_conflict(const Conflict &conflict);

}  // namespace coalesce::gst
