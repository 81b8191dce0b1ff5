// SPDX-License-Identifier: LGPL-2.1-or-later
#include "edgecolour.h"

#include "object/category.h"
#include "picture/formats.h"
#include "video/conversion.h"
#include "video/pixelformat.h"

namespace coalesce::gst {

EdgeColour edge_colour(const GstVideoInfo &info, guint argb) {
  GstVideoInfo rgb;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGB, 1, 1);
  const FormatFamily family = family_of(pixel_format(info));
  const PixelFormat format = coalesce::pixel_format(family == kGrey  ? "GRAY8"
                                                    : family == kYuv ? "Y444"
                                                                     : "RGB");
  std::uint8_t pixel[] = {std::uint8_t(argb >> 16), std::uint8_t(argb >> 8), std::uint8_t(argb)};
  EdgeColour colour;
  const ConstImage in = {coalesce::pixel_format("RGB"), 1, 1, false, {{pixel, 3, 1, 3}}};
  Image out = {format, 1, 1, false, {}};
  for (int p = 0; p < format.planes; ++p)
    out.plane[p] = {colour.sample + p, int(row_bytes(format, p, 1)), 1, sizeof colour.sample};
  const Status status = convert(conversion_params(rgb, info), in, out, Queue::cpu());
  if (!status.ok()) GST_WARNING("%s", status.message());
  colour.opacity = int(argb >> 24);
  return colour;
}

}  // namespace coalesce::gst
