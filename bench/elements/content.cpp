// SPDX-License-Identifier: LGPL-2.1-or-later
#include "content.h"

#include <cstring>
#include <stdexcept>

#include "bench/support/photograph.h"
#include "tests/support/random.h"

namespace coalesce::test {
namespace {

void must(bool good, const std::string &what) {
  if (!good) throw std::runtime_error("could not " + what);
}

// A mapped frame.
class Mapped {
 public:
  Mapped(const GstVideoInfo &info, GstBuffer *buffer, GstMapFlags flags) {
    must(gst_video_frame_map(&frame_, &info, buffer, flags), "map a frame");
  }
  ~Mapped() { gst_video_frame_unmap(&frame_); }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  GstVideoFrame *get() { return &frame_; }

 private:
  GstVideoFrame frame_;
};

BufferRef new_frame(const GstVideoInfo &info) {
  return BufferRef(gst_buffer_new_allocate(nullptr, info.size, nullptr));
}

BufferRef noise(const GstVideoInfo &info, int seed) {
  BufferRef buffer = new_frame(info);
  Random random(static_cast<std::uint64_t>(seed));
  GstMapInfo map;
  must(gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE), "write a frame");
  for (gsize i = 0; i < map.size; i += sizeof(std::uint64_t)) {
    const std::uint64_t bits = random.bits();
    std::memcpy(map.data + i, &bits, std::min<gsize>(sizeof bits, map.size - i));
  }
  gst_buffer_unmap(buffer.get(), &map);
  return buffer;
}

// GStreamer's conversion of planes of R, G and B.
class FromPhotograph {
 public:
  FromPhotograph(const char *picture, const GstVideoInfo &info) : photograph_(picture), to_(info) {
    gst_video_info_set_format(&from_, GST_VIDEO_FORMAT_RGBP,
                              static_cast<guint>(GST_VIDEO_INFO_WIDTH(&info)),
                              static_cast<guint>(GST_VIDEO_INFO_HEIGHT(&info)));
    from_.fps_n = to_.fps_n;
    from_.fps_d = to_.fps_d;
    from_.interlace_mode = to_.interlace_mode;
    converter_ = gst_video_converter_new(&from_, &to_, nullptr);
    must(converter_ != nullptr, "convert the photograph to the format");
  }
  ~FromPhotograph() { gst_video_converter_free(converter_); }
  FromPhotograph(const FromPhotograph &) = delete;
  FromPhotograph &operator=(const FromPhotograph &) = delete;

  BufferRef frame(int i, int count, int right) {
    const std::vector<std::uint8_t> planes = photograph_.frame(
        i, count, GST_VIDEO_INFO_WIDTH(&from_), GST_VIDEO_INFO_HEIGHT(&from_), right);
    const BufferRef rgb = new_frame(from_);
    BufferRef buffer = new_frame(to_);
    {
      Mapped source(from_, rgb.get(), GST_MAP_WRITE);
      const auto row = static_cast<std::size_t>(from_.width);
      const std::uint8_t *next = planes.data();
      for (int plane = 0; plane < 3; plane++)
        for (int y = 0; y < from_.height; y++, next += row)
          std::memcpy(static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(source.get(), plane)) +
                          y * GST_VIDEO_FRAME_PLANE_STRIDE(source.get(), plane),
                      next, row);
    }
    Mapped source(from_, rgb.get(), GST_MAP_READ), target(to_, buffer.get(), GST_MAP_WRITE);
    gst_video_converter_frame(converter_, source.get(), target.get());
    return buffer;
  }

 private:
  Photograph photograph_;
  GstVideoInfo from_, to_;
  GstVideoConverter *converter_;
};

}  // namespace

CapsRef caps_of(const std::string &text) {
  GstCaps *caps = gst_caps_from_string(text.c_str());
  if (caps == nullptr) throw std::runtime_error("these are no caps: " + text);
  return CapsRef(caps);
}

bool Content::is_raw() const {
  return gst_structure_has_name(gst_caps_get_structure(caps.get(), 0), "video/x-raw");
}

bool Content::on_gpu() const {
  return gst_caps_features_contains(gst_caps_get_features(caps.get(), 0), "memory:CUDAMemory");
}

GstVideoInfo Content::info() const {
  GstVideoInfo info;
  must(gst_video_info_from_caps(&info, caps.get()), "read the caps");
  return info;
}

Content frames_of(const std::string &caps, const char *picture, int count, int views) {
  constexpr int kRight = 16;  // pixels
  Content content;
  content.caps = caps_of(caps);
  const GstVideoInfo info = content.info();
  std::unique_ptr<FromPhotograph> photograph;
  if (picture != nullptr) photograph = std::make_unique<FromPhotograph>(picture, info);
  for (int i = 0; i < count; i++)
    content.frames.push_back(photograph != nullptr
                                 ? photograph->frame(i / views, count / views, i % views * kRight)
                                 : noise(info, i / views));
  return content;
}

void copy_frame(const GstVideoInfo &info, GstBuffer *from, GstBuffer *to) {
  Mapped source(info, from, GST_MAP_READ), target(info, to, GST_MAP_WRITE);
  must(gst_video_frame_copy(target.get(), source.get()), "copy a frame");
}

}  // namespace coalesce::test
