// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cartoon_reference.h"

#include <algorithm>
#include <vector>

#include "../../kernels/cartoon/cartoon_reference.h"
#include "../canny/canny_reference.h"
#include "../yuv2yuv/conversion_reference.h"
#include "picture/formats.h"

namespace test {

std::string cartoon_difference(GstBuffer *in, GstBuffer *out, const GstVideoInfo &info,
                               const CartoonFilter &filter, bool interlaced,
                               const std::function<int(int plane)> &rows_of) {
  coalesce::CartoonSettings settings = filter.settings;
  settings.range = params_of_caps(info, info).in_range;
  settings.colour = colour_of(info, filter.edge_color);
  GstVideoFrame from, to;
  fail_unless(gst_video_frame_map(&from, &info, in, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&to, &info, out, GST_MAP_READ));
  coalesce::ConstImage given = {
      coalesce::pixel_format(GST_VIDEO_INFO_NAME(&info)), info.width, info.height, interlaced, {}};
  coalesce::Image expected = {given.format, info.width, info.height, interlaced, {}};
  std::vector<guint8> samples[4];
  for (int p = 0; p < given.format.planes; p++) {
    const int bytes = row_bytes(info, p), n_rows = rows_of ? rows_of(p) : rows(info, p);
    given.plane[p] = {static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&from, p)), bytes,
                      n_rows, static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&from, p))};
    samples[p].resize(static_cast<gsize>(bytes * n_rows));
    expected.plane[p] = {samples[p].data(), bytes, n_rows, static_cast<gsize>(bytes)};
  }
  coalesce::test::cartoon_reference(settings, given, expected);
  std::string difference;
  for (int p = 0; p < given.format.planes; p++)
    for (int y = 0; y < rows(info, p); y++) {
      const auto *found = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&to, p)) +
                          std::ptrdiff_t{y} * GST_VIDEO_FRAME_PLANE_STRIDE(&to, p);
      const auto *end = found + row_bytes(info, p);
      const auto [at, other] = std::mismatch(found, end, expected.plane[p].row(y));
      if (at != end && difference.empty())
        difference = std::string(GST_VIDEO_INFO_NAME(&info)) + ": plane " + std::to_string(p) +
                     ", row " + std::to_string(y) + ", byte " + std::to_string(at - found) + ": " +
                     std::to_string(*at) + ", not " + std::to_string(*other);
    }
  gst_video_frame_unmap(&from);
  gst_video_frame_unmap(&to);
  return difference;
}

}  // namespace test
