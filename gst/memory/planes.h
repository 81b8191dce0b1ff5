// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows and bytes of the planes of a picture, by its format and size.
#pragma once

#include <gst/video/video.h>

namespace coalesce::gst {

// Meaningful bytes in a row of a plane (whole pixels and, of packed 4:2:2, whole pairs of them),
// and the number of its rows in a progressive picture, or in a field that is a buffer of its own.
gsize plane_row_bytes(const GstVideoInfo &info, guint plane);
gint plane_rows(const GstVideoInfo &info, guint plane);

// Has the plane a row more in an interlaced picture, so that both fields have as many? That is
// chroma of 4:2:0 with an odd number of rows, in GStreamer's own layouts.
bool wants_spare_row(const GstVideoInfo &info, guint plane);

}  // namespace coalesce::gst
