// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny_reference.h"

#include <algorithm>
#include <vector>

#include "../../kernels/canny/canny_reference.h"
#include "../../kernels/canny/edge_overlay_reference.h"
#include "../../kernels/convert/convert_reference.h"
#include "../neighbourhood.h"
#include "../yuv2yuv/conversion_reference.h"
#include "picture/formats.h"

namespace test {
namespace {

using coalesce::ConstImage;
using coalesce::Image;
using coalesce::pixel_format;

// A frame's rows, without those that only interlaced chroma has.
class Mapped {
 public:
  Mapped(GstBuffer *buffer, const GstVideoInfo &info, bool interlaced) {
    fail_unless(gst_video_frame_map(&frame_, &info, buffer, GST_MAP_READ));
    image = {pixel_format(GST_VIDEO_INFO_NAME(&info)), info.width, info.height, interlaced, {}};
    for (int p = 0; p < image.format.planes; p++)
      image.plane[p] = {static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, p)),
                        row_bytes(info, p), rows(info, p),
                        static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, p))};
  }
  ~Mapped() { gst_video_frame_unmap(&frame_); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;

  ConstImage image;

 private:
  GstVideoFrame frame_;
};

// A picture of its own, of the shape of another one.
struct Made {
  explicit Made(const ConstImage &like)
      : image{like.format, like.width, like.height, like.interlaced, {}} {
    for (int p = 0; p < like.format.planes; p++) {
      const auto bytes = static_cast<gsize>(like.plane[p].width);
      samples[p].resize(bytes * static_cast<gsize>(like.plane[p].height));
      image.plane[p] = {samples[p].data(), like.plane[p].width, like.plane[p].height, bytes};
    }
  }
  Image image;
  std::vector<guint8> samples[4];
};

}  // namespace

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
  const ConstImage &found = to.image;
  if (!(found.format == expected.format)) return std::string(GST_VIDEO_INFO_NAME(&out_info));
  for (int p = 0; p < found.format.planes; p++)
    for (int y = 0; y < found.plane[p].height; y++) {
      const auto *row = found.plane[p].row(y), *end = row + found.plane[p].width;
      const auto [at, other] = std::mismatch(row, end, expected.plane[p].row(y));
      if (at == end) continue;
      return std::string(GST_VIDEO_INFO_NAME(&in_info)) + ": plane " + std::to_string(p) +
             ", row " + std::to_string(y) + ", byte " + std::to_string(at - row) + ": " +
             std::to_string(*at) + ", not " + std::to_string(*other);
    }
  return {};
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
