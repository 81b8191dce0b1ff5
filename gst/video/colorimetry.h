// SPDX-License-Identifier: LGPL-2.1-or-later
// What caps say about colours: defaults for what they leave out, and the output's choice of an
// element that converts formats.
#pragma once

#include <gst/video/video.h>

#include <optional>
#include <string>

namespace coalesce::gst {

// What caps with these fields mean where they say nothing of colours; nothing if they are no format
// and size.
std::optional<GstVideoInfo> default_info(const GstStructure *structure);

// The colorimetry and the chroma site of a frame, with GStreamer's defaults for its format and size
// where matrix, range or site are unknown, or numbers that mean nothing.
GstVideoColorimetry effective_colorimetry(const GstVideoInfo &info);
GstVideoChromaSite effective_chroma_site(const GstVideoInfo &info);

// The colorimetry and, of subsampled formats, the chroma site in `structure` that GStreamer takes
// its defaults in place of: no such name, or none for this format. Empty if there is nothing of
// that kind, else text for a message.
std::string meaningless_colours(const GstStructure *structure);

// Fixes colorimetry and, of subsampled formats, chroma-site in `result`, whose format and size are
// fixed. Open: range, matrix and site are GStreamer's defaults for format and size, transfer
// function and primaries those of `given`. Between two formats of YUV, or of grey, matrix and range
// are those of `given`, too, and of the same subsampling the site. Where there is a choice: that,
// else what differs from it in transfer function or primaries only, else the first that suits the
// format.
void fixate_colours(const GstStructure *given, GstStructure *result);

}  // namespace coalesce::gst
