// SPDX-License-Identifier: LGPL-2.1-or-later
// multiview on the simulated driver: frames in either memory.
#pragma once

#include "../../check/multiview/views.h"
#include "pair.h"
#include "stereo.h"

namespace simulated {

using test::Views;
using ViewFrames = std::vector<test::BufferRef>;  // of one time

// Sources in these memories, the element with these properties, and a sink that accepts a format.
struct GpuViews : Views {
  GpuViews(const std::vector<const char *> &memories, const char *format, Size size,
           const std::string &properties, const char *out, const char *out_formats)
      : Views(all_caps(memories, format, size), test::kSceneProperties + properties,
              any_size(out, out_formats)),
        memories_(memories),
        info_(video_info(gst_video_format_from_string(format), size.width, size.height)) {}

  GstBuffer *input(const ViewFrames &frames, std::size_t i, GstCudaContext *context,
                   unsigned n) const {
    return in_memory(frames[i].get(), context, memories_[i], info_, n);
  }
  void push_all(const ViewFrames &frames, GstCudaContext *context, unsigned n) const {
    for (std::size_t i = 0; i < memories_.size(); i++)
      push_frame(sources()[i], input(frames, i, context, n));
  }

 private:
  static std::vector<std::string> all_caps(const std::vector<const char *> &memories,
                                           const char *format, Size size) {
    std::vector<std::string> all;
    for (const char *memory : memories)
      all.push_back(stereo_caps(memory, format, size));
    return all;
  }

  std::vector<const char *> memories_;
  GstVideoInfo info_;
};

// What has come out, wherever it is, by its caps; empty if it cannot be mapped.
inline Bytes bytes_out(GstBuffer *buffer, GstCaps *caps) {
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  return picture_if_mapped(buffer, info);
}

// What backend=cpu makes of each of these, with these properties.
inline std::vector<Bytes> views_on_cpu(const std::vector<ViewFrames> &frames, const char *format,
                                       Size size, const std::string &properties) {
  GpuViews views(std::vector<const char *>(frames[0].size(), kSystem), format, size,
                 properties + " backend=cpu", kSystem, "{ GRAY16_LE, GRAY8, BGRx }");
  views.start();
  std::vector<Bytes> all;
  for (unsigned n = 0; n < frames.size(); n++) {
    views.push_views(frames[n], n);
    test::CapsRef caps;
    const test::BufferRef buffer(views.pull("sink", &caps));
    fail_unless(buffer != nullptr, "no frame of the CPU");
    all.push_back(bytes_out(buffer.get(), caps.get()));
  }
  return all;
}

}  // namespace simulated
