// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny_reference.h"

#include <algorithm>

#include "../../kernels/canny/canny_reference.h"
#include "../../kernels/canny/edge_overlay_reference.h"
#include "../../kernels/convert/convert_reference.h"
#include "../images.h"
#include "../neighbourhood.h"
#include "../yuv2yuv/conversion_reference.h"
#include "picture/formats.h"

namespace test {

using coalesce::ConstImage;
using coalesce::Image;
using coalesce::pixel_format;

coalesce::EdgeColour colour_of(const GstVideoInfo &info, guint argb) {
  const guint8 rgb[] = {static_cast<guint8>(argb >> 16), static_cast<guint8>(argb >> 8),
                        static_cast<guint8>(argb)};
  const ConstImage pixel = {pixel_format("RGB"), 1, 1, false, {{rgb, 3, 1, 3}}};
  const coalesce::PixelFormat format = pixel_format(GST_VIDEO_INFO_NAME(&info));
  const coalesce::test::ConvertReference converted(
      params_of_caps(video_info(GST_VIDEO_FORMAT_RGB, 1, 1), info), pixel, format);
  coalesce::EdgeColour colour;
  for (int c = 0; c < std::min<int>(format.components, 3); c++)
    colour.sample[c] = static_cast<guint8>(converted.rounded(format.component[c], 0, 0));
  colour.opacity = static_cast<int>(argb >> 24);
  return colour;
}

std::string canny_difference(GstBuffer *in, const GstVideoInfo &in_info, GstBuffer *out,
                             const GstVideoInfo &out_info, const CannyFilter &filter,
                             bool interlaced) {
  const Mapped from(in, in_info, interlaced), to(out, out_info, interlaced);
  const ConstImage grey = {pixel_format("GRAY8"),
                           in_info.width,
                           in_info.height,
                           false,
                           {{nullptr, in_info.width, in_info.height, 0}}};
  const Made edges(grey), drawn(from.image);
  coalesce::test::canny_reference(filter.params, from.image, edges.image);
  if (filter.overlay)
    coalesce::test::edge_overlay_reference(colour_of(in_info, filter.edge_color), edges.image,
                                           from.image, drawn.image);
  const Image &expected = filter.overlay ? drawn.image : edges.image;
  if (!(to.image.format == expected.format)) return std::string(GST_VIDEO_INFO_NAME(&out_info));
  return image_difference(GST_VIDEO_INFO_NAME(&in_info), to.image, expected);
}

void push_and_check(Harness &harness, const std::string &caps, const CannyFilter &filter,
                    guint32 seed, GstClockTime pts) {
  push_and_compare(harness, caps, seed, pts,
                   [&](const GstVideoFrame &in, const GstVideoFrame &out) {
                     return canny_difference(in.buffer, in.info, out.buffer, out.info, filter,
                                             GST_VIDEO_INFO_IS_INTERLACED(&in.info));
                   });
}

}  // namespace test
