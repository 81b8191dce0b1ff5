// SPDX-License-Identifier: LGPL-2.1-or-later
// The colour of what is drawn on a picture.
#pragma once

#include <gst/video/video.h>

#include "canny/edge_overlay.h"

namespace coalesce::gst {

// argb: as the properties have it. As components of pictures of `info` have it: what rgb2yuv makes
// of a pixel.
EdgeColour edge_colour(const GstVideoInfo &info, guint argb);

}  // namespace coalesce::gst
