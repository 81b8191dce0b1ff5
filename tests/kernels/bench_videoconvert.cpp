// SPDX-License-Identifier: LGPL-2.1-or-later
// UYVY to GRAY8 on one thread, by GStreamer's video converter (what videoconvert runs) and by the
// CPU back end, by turns in one process.
#include <gst/video/video.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "uyvy2y/uyvy2y.h"

namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Work>
double microseconds(const Work &work, int i) {
  const auto begin = Clock::now();
  work(i);
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// A buffer of a format, mapped for the life of the object.
struct Frame {
  explicit Frame(const GstVideoInfo *info)
      : buffer(gst_buffer_new_allocate(nullptr, info->size, nullptr)) {
    if (!gst_video_frame_map(&video, info, buffer, GST_MAP_READWRITE))
      g_error("cannot map a buffer");
  }
  ~Frame() {
    gst_video_frame_unmap(&video);
    gst_buffer_unref(buffer);
  }
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  std::uint8_t *data() const { return static_cast<std::uint8_t *>(video.data[0]); }
  std::size_t stride() const { return static_cast<std::size_t>(video.info.stride[0]); }

  GstBuffer *buffer;
  GstVideoFrame video;
};

// Returns how many times as fast we are, or 0 if our bytes are wrong.
double compare(int width, int height, int frames, const char *where) {
  GstVideoInfo in_info;
  GstVideoInfo out_info;
  gst_video_info_set_format(&in_info, GST_VIDEO_FORMAT_UYVY, static_cast<guint>(width),
                            static_cast<guint>(height));
  gst_video_info_set_format(&out_info, GST_VIDEO_FORMAT_GRAY8, static_cast<guint>(width),
                            static_cast<guint>(height));
  // Grey of the same range and matrix: then luma is copied, as it is by us.
  out_info.colorimetry = in_info.colorimetry;
  GstVideoConverter *converter = gst_video_converter_new(
      &in_info, &out_info,
      gst_structure_new("config", GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT, 1, nullptr));
  if (converter == nullptr) g_error("no converter");

  std::vector<Frame *> in, theirs, ours;
  for (int i = 0; i < frames; ++i) {
    in.push_back(new Frame(&in_info));
    theirs.push_back(new Frame(&out_info));
    ours.push_back(new Frame(&out_info));
    for (std::size_t k = 0; k < in_info.size; ++k)
      in[i]->data()[k] = static_cast<std::uint8_t>((k * 2654435761u) >> 13);
  }

  const auto run_ours = [&](int i) {
    using namespace coalesce;
    const Status s =
        uyvy2y({}, {in[i]->data(), 2 * width, height, in[i]->stride()},
               {{ours[i]->data(), width, height, ours[i]->stride()}, {}}, Queue::cpu());
    if (!s.ok()) g_error("%s", s.message());
  };
  const auto run_theirs = [&](int i) {
    gst_video_converter_frame(converter, &in[i]->video, &theirs[i]->video);
  };
  std::vector<double> their_us, our_us;
  const int rounds = std::max(5, 100 / frames);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < frames; ++i) {
      // Who goes second finds the input in a nearer cache: take turns.
      const bool ours_first = (round + i) % 2 == 0;
      const double first = ours_first ? microseconds(run_ours, i) : microseconds(run_theirs, i);
      const double second = ours_first ? microseconds(run_theirs, i) : microseconds(run_ours, i);
      if (round == 0) continue;
      our_us.push_back(ours_first ? first : second);
      their_us.push_back(ours_first ? second : first);
    }
  }

  bool right = true;
  bool same = true;
  for (int y = 0; y < height; ++y) {
    const std::uint8_t *row = ours[0]->data() + static_cast<std::size_t>(y) * ours[0]->stride();
    const std::uint8_t *from = in[0]->data() + static_cast<std::size_t>(y) * in[0]->stride();
    for (int x = 0; x < width; ++x)
      right = right && row[x] == from[2 * x + 1];
    same = same &&
           std::memcmp(row, theirs[0]->data() + static_cast<std::size_t>(y) * theirs[0]->stride(),
                       static_cast<std::size_t>(width)) == 0;
  }
  const double ratio = median(their_us) / median(our_us);
  std::printf("%4dx%-4d %-14s videoconvert %7.1f us, coalesce %7.1f us, ratio %.2f%s%s\n", width,
              height, where, median(their_us), median(our_us), ratio,
              same ? ", same bytes" : ", THEIR BYTES DIFFER", right ? "" : ", OUR BYTES ARE WRONG");

  for (int i = 0; i < frames; ++i) {
    delete in[i];
    delete theirs[i];
    delete ours[i];
  }
  gst_video_converter_free(converter);
  return right ? ratio : 0;
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  bool right = true;
  for (const auto &size : {std::pair{1920, 1080}, {3840, 2160}}) {
    right = compare(size.first, size.second, 1, "one buffer") > 0 && right;
    right = compare(size.first, size.second, 12, "12 buffers") > 0 && right;
  }
  return right ? 0 : 1;
}
