// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlace_frames.h"

#include <algorithm>

#include "kernels/deinterlace/deinterlace_reference.h"
#include "picture/formats.h"

namespace test {
namespace {

class Mapped {
 public:
  Mapped(GstBuffer *buffer, const GstVideoInfo &info, GstMapFlags access, bool interlaced) {
    fail_unless(gst_video_frame_map(&frame_, &info, buffer, access));
    image_.format = coalesce::pixel_format(GST_VIDEO_INFO_NAME(&info));
    image_.width = info.width;
    image_.height = info.height;
    image_.interlaced = interlaced;
    for (int p = 0; p < image_.format.planes; p++)
      image_.plane[p] = {static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame_, p)),
                         static_cast<int>(coalesce::row_bytes(image_.format, p, info.width)),
                         coalesce::plane_rows(image_.format, p, info.height),
                         static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, p))};
  }
  ~Mapped() { gst_video_frame_unmap(&frame_); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  const coalesce::Image &image() const { return image_; }

 private:
  GstVideoFrame frame_;
  coalesce::Image image_;
};

}  // namespace

Bytes DeinterlaceReference::picture(const coalesce::DeinterlaceParams &params, int number,
                                    int field, bool second, bool end,
                                    const GstVideoInfo &out) const {
  const auto buffer = [&](int i) {
    return frames_[static_cast<gsize>(std::clamp(i, 0, frames() - 1))].get();
  };
  const Mapped before(buffer(number - 1), info_, GST_MAP_READ, true);
  const Mapped current(buffer(number), info_, GST_MAP_READ, true);
  const Mapped after(buffer(number + 1), info_, GST_MAP_READ, true);
  const BufferRef made(plain_frame(out, {}, 0));
  {
    const Mapped picture(made.get(), out, GST_MAP_READWRITE, false);
    coalesce::test::deinterlace_reference(params, before.image(), current.image(), after.image(),
                                          {picture.image(), field, second, end});
  }
  return test::picture(made.get(), out);
}

}  // namespace test
