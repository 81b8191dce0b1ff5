// SPDX-License-Identifier: LGPL-2.1-or-later
// Grey pictures of one size through coalesceinvert, and how to look at them.
#pragma once

#include "classes/elements.h"

namespace simulated {

constexpr int kWidth = 70, kHeight = 9;
inline const std::string kSystemGray = video_caps(kSystem, "GRAY8", kWidth, kHeight);
inline const std::string kCudaGray = video_caps(kCuda, "GRAY8", kWidth, kHeight);
constexpr int kForeignCuda = GST_MAP_READ | GST_MAP_CUDA;

inline GstVideoInfo gray(int width = kWidth) {
  return video_info(GST_VIDEO_FORMAT_GRAY8, width, kHeight);
}

// The numbered picture, as often inverted as the line inverts it.
inline void check_frame(GstBuffer *buffer, unsigned seed, guint8 xor_with,
                        int flags = GST_MAP_READ) {
  fail_unless(buffer != nullptr, "picture %u has not come", seed);
  assert_inverted(buffer, gray(), seed, flags, xor_with);
  gst_buffer_unref(buffer);
}

inline GstBuffer *timed_buffer(unsigned seed) {
  GstBuffer *buffer = system_buffer(gray(), seed);
  GST_BUFFER_PTS(buffer) = (seed - 1) * GST_SECOND / 25;
  GST_BUFFER_DURATION(buffer) = GST_SECOND / 25;
  return buffer;
}

inline void done() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace simulated
