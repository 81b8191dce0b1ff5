// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's formats of raw video as the kernels know them.
#pragma once

#include <gst/video/video.h>

#include "picture/pixel_format.h"

namespace coalesce::gst {

// Without planes if picture/formats.h has no such format.
const PixelFormat &pixel_format(GstVideoFormat format);
inline const PixelFormat &pixel_format(const GstVideoInfo &info) {
  return pixel_format(GST_VIDEO_INFO_FORMAT(&info));
}

}  // namespace coalesce::gst
