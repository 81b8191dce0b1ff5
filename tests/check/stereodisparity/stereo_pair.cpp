// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo_pair.h"

#include <cstring>

#include "../../support/random.h"

namespace test {

StereoFrames::StereoFrames(const GstVideoInfo &info, guint32 seed, bool noisy)
    : left(random_frame(info, {}, seed)), right(gst_buffer_copy_deep(left.get())) {
  coalesce::test::Random random(seed);
  const int width = GST_VIDEO_INFO_WIDTH(&info);
  each_row(right.get(), info, GST_MAP_READWRITE, [&](int plane, int, guint8 *row) {
    const int bytes = row_bytes(info, plane), moved = 5 * (bytes / width);
    if (plane == 0 && moved < bytes)
      std::memmove(row, row + moved, static_cast<std::size_t>(bytes - moved));
    for (int x = 0; noisy && x < bytes; x++)
      if (random.below(4) == 0) row[x] = static_cast<guint8>(random.below(256));
  });
}

void StereoPair::push_frames(const StereoFrames &frames, unsigned n) const {
  push_frame("l", timed(gst_buffer_copy_deep(frames.left.get()), n));
  push_frame("r", timed(gst_buffer_copy_deep(frames.right.get()), n));
}

}  // namespace test
