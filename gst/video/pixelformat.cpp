// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pixelformat.h"

#include <vector>

#include "picture/formats.h"

namespace coalesce::gst {

const PixelFormat &pixel_format(GstVideoFormat format) {
  static const std::vector<PixelFormat> formats = [] {
    std::vector<PixelFormat> by_number;
    for (const NamedFormat &named : named_formats()) {
      const auto number = static_cast<std::size_t>(gst_video_format_from_string(named.name));
      if (number >= by_number.size()) by_number.resize(number + 1);
      if (number != GST_VIDEO_FORMAT_UNKNOWN) by_number[number] = named.format;
    }
    return by_number;
  }();
  const auto number = static_cast<std::size_t>(format);
  return formats[number < formats.size() ? number : 0];  // GST_VIDEO_FORMAT_UNKNOWN
}

}  // namespace coalesce::gst
