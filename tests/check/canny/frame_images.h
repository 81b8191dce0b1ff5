// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames as the kernels' pictures, for the references of kernels.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../../support/elements/elements.h"
#include "picture/formats.h"
#include "picture/image.h"

namespace test {

// A frame's rows, without those that only interlaced chroma has.
class MappedImage {
 public:
  MappedImage(GstBuffer *buffer, const GstVideoInfo &info, bool interlaced) {
    fail_unless(gst_video_frame_map(&frame_, &info, buffer, GST_MAP_READ));
    image = {coalesce::pixel_format(GST_VIDEO_INFO_NAME(&info)),
             info.width,
             info.height,
             interlaced,
             {}};
    for (int p = 0; p < image.format.planes; p++)
      image.plane[p] = {static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, p)),
                        row_bytes(info, p), rows(info, p),
                        static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, p))};
  }
  ~MappedImage() { gst_video_frame_unmap(&frame_); }
  MappedImage(const MappedImage &) = delete;
  MappedImage &operator=(const MappedImage &) = delete;

  coalesce::ConstImage image;

 private:
  GstVideoFrame frame_;
};

// A picture of its own, of the shape of another one.
struct OwnImage {
  explicit OwnImage(const coalesce::ConstImage &like)
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

// The first byte in which a picture is not the other one, of its format; empty if there is none.
inline std::string image_difference(const coalesce::ConstImage &found,
                                    const coalesce::Image &expected) {
  for (int p = 0; p < found.format.planes; p++)
    for (int y = 0; y < found.plane[p].height; y++) {
      const auto *row = found.plane[p].row(y), *end = row + found.plane[p].width;
      const auto [at, other] = std::mismatch(row, end, expected.plane[p].row(y));
      if (at == end) continue;
      return "plane " + std::to_string(p) + ", row " + std::to_string(y) + ", byte " +
             std::to_string(at - row) + ": " + std::to_string(*at) + ", not " +
             std::to_string(*other);
    }
  return {};
}

}  // namespace test
