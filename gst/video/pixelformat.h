// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's formats of raw video as the kernels know them.
#pragma once

#include <gst/video/video.h>

#include "picture/pixel_format.h"

namespace coalesce::gst {

// Of a format of planes or packed pixels in integers, or one of those that pixelformat.cpp lists.
PixelFormat pixel_format(const GstVideoFormatInfo *format);
inline PixelFormat pixel_format(const GstVideoInfo &info) {
  return pixel_format(info.finfo);
}

}  // namespace coalesce::gst
