// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo_pair.h"

#include <cstring>

#include "../../support/random.h"

namespace test {

GstBuffer *timed(GstBuffer *buffer, unsigned n) {
  GST_BUFFER_PTS(buffer) = n * kFrame;
  GST_BUFFER_DURATION(buffer) = kFrame;
  return buffer;
}

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

StereoPair::StereoPair(const std::string &left, const std::string &right,
                       const std::string &properties, const std::string &out,
                       const std::string &front)
    : Pipeline("appsrc format=time name=l caps=\"" + left + "\"" + front +
               " ! d.left appsrc format=time name=r caps=\"" + right + "\"" + front +
               " ! d.right stereodisparity name=d " + properties +
               " ! appsink name=sink sync=false caps=\"" + out + "\"") {}

void StereoPair::push_frames(const StereoFrames &frames, unsigned n) const {
  fail_unless_equals_int(push(timed(gst_buffer_copy_deep(frames.left.get()), n), "l"), 0);
  fail_unless_equals_int(push(timed(gst_buffer_copy_deep(frames.right.get()), n), "r"), 0);
}

void StereoPair::end_both() const {
  end("l");
  end("r");
}

void StereoPair::set_caps(const std::string &text) const {
  const CapsRef caps = parse_caps(text);
  for (const char *source : {"l", "r"})
    g_object_set(element(source), "caps", caps.get(), nullptr);
}

guint64 StereoPair::unpaired() const {
  guint64 unpaired = 0;
  g_object_get(d(), "unpaired", &unpaired, nullptr);
  return unpaired;
}

std::string StereoPair::expect_error() {
  wait_for_end();
  std::string found;
  for (const Message &error : errors()) {
    if (error.source != "d") continue;
    if (!found.empty()) die("two errors: " + found + ", and " + error.text);
    found = error.text + ", " + error.details;
  }
  if (found.empty()) die("no error of d");
  return found;
}

void StereoPair::expect_end() const {
  const BufferRef buffer(pull());
  if (buffer != nullptr) die("a picture more at " + std::to_string(GST_BUFFER_PTS(buffer.get())));
}

}  // namespace test
