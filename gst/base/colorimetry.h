// SPDX-License-Identifier: LGPL-2.1-or-later
// What caps say about colours: defaults for what they leave out, and the output's choice of an
// element that converts RGB to YUV.
#pragma once

#include <gst/video/video.h>

namespace coalesce::gst {

// The colorimetry and the chroma site of a frame, with GStreamer's defaults for its format and size
// where matrix, range or site are unknown, or numbers that mean nothing.
GstVideoColorimetry known_colorimetry(const GstVideoInfo &info);
GstVideoChromaSite known_chroma_site(const GstVideoInfo &info);

// Fixes colorimetry and, of subsampled formats, chroma-site in `result`, whose format and size are
// fixed. Open: range, matrix and site are GStreamer's defaults for format and size, transfer
// function and primaries those of `given`. Where there is a choice: that, else what differs from it
// in transfer function or primaries only, else the first that suits the format.
void fixate_colours(const GstStructure *given, GstStructure *result);

}  // namespace coalesce::gst
