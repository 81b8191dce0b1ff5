// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames as the references of tests/kernels take pictures.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../support/elements/elements.h"
#include "picture/formats.h"
#include "picture/image.h"

namespace test {

// Rows of a plane that elements filter, of buffers without a GstVideoMeta: interlaced chroma has
// one more, where there is room for it.
inline int filtered_rows(const GstVideoInfo &info, int plane, bool interlaced) {
  const int n_rows = rows(info, plane);
  const bool halved = plane > 0 && GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, 1) > 0;
  if (!interlaced || !halved || info.height % 4 != 2) return n_rows;
  gsize end = info.size;
  for (int p = 0; p < static_cast<int>(GST_VIDEO_INFO_N_PLANES(&info)); p++)
    if (info.offset[p] > info.offset[plane]) end = std::min(end, info.offset[p]);
  const gsize room = (end - info.offset[plane]) / static_cast<gsize>(info.stride[plane]);
  return static_cast<int>(room) > n_rows ? n_rows + 1 : n_rows;
}

// A frame's rows; spare_rows: with those that only interlaced chroma has.
class Mapped {
 public:
  Mapped(GstBuffer *buffer, const GstVideoInfo &info, bool interlaced, bool spare_rows = false) {
    fail_unless(gst_video_frame_map(&frame_, &info, buffer, GST_MAP_READ));
    image = {coalesce::pixel_format(GST_VIDEO_INFO_NAME(&info)),
             info.width,
             info.height,
             interlaced,
             {}};
    for (int p = 0; p < image.format.planes; p++)
      image.plane[p] = {static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, p)),
                        row_bytes(info, p), filtered_rows(info, p, interlaced && spare_rows),
                        static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, p))};
  }
  ~Mapped() { gst_video_frame_unmap(&frame_); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;

  coalesce::ConstImage image;

 private:
  GstVideoFrame frame_;
};

// A picture of its own, of the shape of another one.
struct Made {
  explicit Made(const coalesce::ConstImage &like)
      : image{like.format, like.width, like.height, like.interlaced, {}} {
    for (int p = 0; p < like.format.planes; p++) {
      const auto bytes = static_cast<gsize>(like.plane[p].width);
      samples[p].resize(bytes * static_cast<gsize>(like.plane[p].height));
      image.plane[p] = {samples[p].data(), like.plane[p].width, like.plane[p].height, bytes};
    }
  }
  coalesce::Image image;
  std::vector<guint8> samples[4];
};

// Empty if every byte of every row is as expected; else where not.
inline std::string image_difference(const std::string &name, const coalesce::ConstImage &found,
                                    const coalesce::Image &expected) {
  for (int p = 0; p < found.format.planes; p++)
    for (int y = 0; y < found.plane[p].height; y++) {
      const auto *row = found.plane[p].row(y), *end = row + found.plane[p].width;
      const auto [at, other] = std::mismatch(row, end, expected.plane[p].row(y));
      if (at == end) continue;
      return name + ": plane " + std::to_string(p) + ", row " + std::to_string(y) + ", byte " +
             std::to_string(at - row) + ": " + std::to_string(*at) + ", not " +
             std::to_string(*other);
    }
  return {};
}

}  // namespace test
