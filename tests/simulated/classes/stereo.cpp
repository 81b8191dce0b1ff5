// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo.h"

#include <cstring>

#include "memory/fencedmemory.h"

namespace simulated {
namespace {

GstBuffer *on_device(GstBuffer *frame, GstCudaContext *context, const GstVideoInfo &info) {
  gsize offsets[GST_VIDEO_MAX_PLANES];
  gint strides[GST_VIDEO_MAX_PLANES];
  GstMemory *memory = coalesce::gst::fenced_memory_alloc(context, info, offsets, strides);
  fail_unless(memory != nullptr);
  GstBuffer *buffer = buffer_of(memory, info, offsets, strides);
  const Bytes bytes = picture(frame, info);
  const guint8 *from = bytes.data();
  fail_unless(each_row(buffer, info, GST_MAP_WRITE, [&](int plane, int y, guint8 *row) {
    if (y >= rows(info, plane)) return;
    const auto n = static_cast<std::size_t>(row_bytes(info, plane));
    std::memcpy(row, from, n);
    from += n;
  }));
  to_device(buffer);
  return buffer;
}

}  // namespace

std::string stereo_caps(const char *memory, const char *format, Size size) {
  return video_caps(memory, format, size.width, size.height);
}

GstBuffer *in_memory(GstBuffer *frame, GstCudaContext *context, const char *memory,
                     const GstVideoInfo &info, unsigned n) {
  return timed(*memory != 0 ? on_device(frame, context, info) : gst_buffer_copy_deep(frame), n);
}

std::vector<Bytes> on_cpu(const std::vector<StereoFrames> &frames, const GstVideoInfo &info,
                          const std::string &properties, const char *format) {
  const Size size{GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
  const std::string caps = stereo_caps(kSystem, GST_VIDEO_INFO_NAME(&info), size);
  StereoPair pair(caps, caps, properties + " backend=cpu",
                  std::string("video/x-raw, format=") + format);
  pair.start();
  std::vector<Bytes> all;
  for (unsigned n = 0; n < frames.size(); n++) {
    pair.push_frames(frames[n], n);
    const test::BufferRef buffer(pair.pull());
    fail_unless(buffer != nullptr, "no frame of the CPU");
    all.push_back(disparities_of(buffer.get(), size, format));
  }
  return all;
}

Bytes disparities_of(GstBuffer *buffer, Size size, const char *format) {
  return picture_if_mapped(
      buffer, video_info(gst_video_format_from_string(format), size.width, size.height));
}

}  // namespace simulated
