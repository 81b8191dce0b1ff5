// SPDX-License-Identifier: LGPL-2.1-or-later
// Fields in buffers of their own give what the frames of both give. (GStreamer's interlace is no
// judge: that of 1.22 has the rows of the top field in both.)
#include "deinterlace_alternate.h"

#include <map>

#include "../../support/elements/harness.h"

namespace test {
namespace {

const Size kSize{34, 24};
const GstClockTime kFrame = GST_SECOND / 25, kField = kFrame / 2;
constexpr guint kTop = GST_VIDEO_BUFFER_FLAG_TOP_FIELD,
                kBottom = GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD;

std::string frame_caps(const std::string &format, Size size, bool top_first) {
  return video_caps(format, size,
                    std::string("interlace-mode=interleaved, field-order=") +
                        (top_first ? "top-field-first" : "bottom-field-first"));
}

std::string field_caps(const std::string &format, Size size) {
  std::string caps = video_caps(format, size, "interlace-mode=alternate");
  return caps.replace(0, std::strlen("video/x-raw"), "video/x-raw(format:Interlaced)");
}

// The rows of one field of a frame, as a buffer that lacks nothing.
GstBuffer *field_of(GstBuffer *frame, const GstVideoInfo &info, const GstVideoInfo &field_info,
                    bool top) {
  std::map<std::pair<int, int>, Bytes> rows;
  fail_unless(each_row(frame, info, GST_MAP_READ, [&](int plane, int y, guint8 *row) {
    rows[{plane, y}].assign(row, row + row_bytes(info, plane));
  }));
  const gsize size = GST_VIDEO_INFO_SIZE(&field_info);
  GstBuffer *field = gst_buffer_new_allocate(nullptr, size, nullptr);
  gst_buffer_memset(field, 0, 0x55, size);
  fail_unless(each_row(field, field_info, GST_MAP_WRITE, [&](int plane, int y, guint8 *to) {
    const auto from = rows.find({plane, 2 * y + (top ? 0 : 1)});
    if (from != rows.end()) std::copy(from->second.begin(), from->second.end(), to);
  }));
  GST_BUFFER_FLAG_SET(field, GST_VIDEO_BUFFER_FLAG_INTERLACED | (top ? kTop : kBottom));
  return field;
}

// Frames as both harnesses get them.
class Fields {
 public:
  Fields(const std::string &format, Size size, bool top_first)
      : frame_caps_(frame_caps(format, size, top_first)),
        field_caps_(field_caps(format, size)),
        top_first_(top_first) {}

  const std::string &frames() const { return frame_caps_; }
  const std::string &fields() const { return field_caps_; }

  GstBuffer *frame(int number) const {
    GstBuffer *buffer = random_frame(video_info(frame_caps_), {}, static_cast<guint32>(number + 1));
    GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(number) * kFrame;
    GST_BUFFER_DURATION(buffer) = kFrame;
    return buffer;
  }
  GstBuffer *field(int number, bool second, guint flags = 0) const {
    const BufferRef whole(frame(number));
    GstBuffer *buffer = field_of(whole.get(), video_info(frame_caps_), video_info(field_caps_),
                                 top_first_ != second);
    GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(number) * kFrame + (second ? kField : 0);
    GST_BUFFER_DURATION(buffer) = kField;
    GST_BUFFER_FLAG_SET(buffer, flags);
    return buffer;
  }

 private:
  std::string frame_caps_, field_caps_;
  bool top_first_;
};

void check_fields(const std::string &properties, const std::string &format, Size size,
                  bool top_first) {
  const Fields fields(format, size, top_first);
  const std::string line = "coalescedeinterlace mode=auto " + properties;
  Harness of_frames(line), of_fields(line);
  fail_unless(of_frames.set_input(fields.frames()));
  fail_unless(of_fields.set_input(fields.fields()), "%s", fields.fields().c_str());
  for (int n = 0; n < 4; n++) {
    fail_unless_equals_int(of_frames.push(fields.frame(n)), GST_FLOW_OK);
    for (bool second : {false, true})
      fail_unless_equals_int(of_fields.push(fields.field(n, second)), GST_FLOW_OK);
  }
  of_frames.push_event(gst_event_new_eos());
  of_fields.push_event(gst_event_new_eos());
  const std::string what = properties + ", " + format + ", " + std::to_string(size.width) + "x" +
                           std::to_string(size.height);
  fail_unless_equals_int(of_fields.waiting(), of_frames.waiting());
  for (int i = 0; of_frames.waiting() > 0; i++) {
    const BufferRef expected = of_frames.pull(), out = of_fields.pull();
    fail_unless(picture(out.get(), of_fields.output_info()) ==
                    picture(expected.get(), of_frames.output_info()),
                "%s: picture %d", what.c_str(), i);
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), GST_BUFFER_PTS(expected.get()));
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out.get()), GST_BUFFER_DURATION(expected.get()));
  }
  of_fields.expect_no_error();
}

GST_START_TEST(fields_are_joined) {
  for (const char *format : {"I420", "NV12", "UYVY", "v210", "RGB", "GRAY8", "Y444_16LE"})
    for (Size size : {kSize, Size{1, 1}, Size{5, 3}, Size{33, 17}, Size{8, 2}})
      for (bool top_first : {true, false}) {
        if (small_run() && size.width != 5) continue;
        for (const char *properties : {"fields=all", "method=linear", "method=weave"})
          check_fields(properties, format, size, top_first);
      }
}
GST_END_TEST

// Nothing is deinterlaced then, and frames have both fields.
GST_START_TEST(fields_are_joined_alone) {
  const Fields fields("NV12", kSize, true);
  Harness harness("coalescedeinterlace mode=disabled");
  fail_unless(harness.set_input(fields.fields()));
  for (int n = 0; n < 3; n++)
    for (bool second : {false, true})
      harness.push(fields.field(n, second));
  const GstVideoInfo info = harness.output_info();
  fail_unless(GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_INTERLEAVED);
  fail_unless_equals_int(harness.waiting(), 3);
  for (int n = 0; n < 3; n++) {
    const BufferRef out = harness.pull(), expected(fields.frame(n));
    fail_unless(picture(out.get(), info) == picture(expected.get(), info), "frame %d", n);
    fail_unless(GST_BUFFER_FLAG_IS_SET(out.get(), GST_VIDEO_BUFFER_FLAG_TFF));
    fail_if(GST_BUFFER_FLAG_IS_SET(out.get(), GST_VIDEO_BUFFER_FLAG_ONEFIELD));
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out.get()), kFrame);
  }
  harness.expect_no_error();
}
GST_END_TEST

// What comes of these fields, by the times of the pictures: 't' and 'b' are fields, upper case
// behind a discontinuity; '-' is a gap, '/' a flush.
std::vector<int> pictures_of(const std::string &input, const char *properties) {
  const Fields fields("GRAY8", kSize, true);
  Harness harness(std::string("coalescedeinterlace mode=auto method=linear ") + properties);
  fail_unless(harness.set_input(fields.fields()));
  int number = 0;
  for (char c : input) {
    const bool bottom = g_ascii_tolower(c) == 'b';
    if (c == '-') {
      harness.push_event(gst_event_new_gap(static_cast<GstClockTime>(number) * kField, kField));
    } else if (c == '/') {
      harness.push_event(gst_event_new_flush_start());
      harness.push_event(gst_event_new_flush_stop(TRUE));
      harness.push_event(segment_event());
    } else {
      GstBuffer *field =
          fields.field(number / 2, bottom, g_ascii_isupper(c) ? guint(GST_BUFFER_FLAG_DISCONT) : 0);
      GST_BUFFER_PTS(field) = static_cast<GstClockTime>(number) * kField;
      fail_unless_equals_int(harness.push(field), GST_FLOW_OK);
    }
    number++;
  }
  harness.push_event(gst_event_new_eos());
  harness.expect_no_error();
  std::vector<int> times;
  while (harness.waiting() > 0)
    times.push_back(static_cast<int>(GST_BUFFER_PTS(harness.pull().get()) / kField));
  return times;
}

// A field without its other one is a picture; none is lost, and those after it stay together.
GST_START_TEST(fields_that_are_alone) {
  const struct {
    const char *input;
    std::vector<int> all, frames;  // fields=all, fields=auto
  } cases[] = {{"tbtb", {0, 1, 2, 3}, {0, 2}},    {"tbt", {0, 1, 2}, {0, 2}},
               {"ttb", {0, 1, 2}, {0, 1}},        {"tbbtb", {0, 1, 2, 3, 4}, {0, 2, 3}},
               {"tBtb", {0, 1, 2, 3}, {0, 1, 2}}, {"t-b", {0, 2}, {0, 2}},
               {"tbt/tb", {0, 1, 4, 5}, {0, 4}},  {"t", {0}, {0}},
               {"tbTb", {0, 1, 2, 3}, {0, 2}}};
  for (const auto &[input, all, frames] : cases) {
    fail_unless(pictures_of(input, "fields=all") == all, "%s", input);
    fail_unless(pictures_of(input, "") == frames, "%s, a picture a frame", input);
  }
}
GST_END_TEST

GST_START_TEST(fields_and_frames_by_turns) {
  const Fields fields("NV12", kSize, true);
  Harness harness("coalescedeinterlace mode=auto fields=all");
  for (int n = 0; n < 6; n++) {
    fail_unless(harness.set_input(n % 2 == 0 ? fields.fields() : fields.frames()));
    if (n % 2 == 1) {
      harness.push(fields.frame(n));
      continue;
    }
    for (bool second : {false, true})
      harness.push(fields.field(n, second));
  }
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 12);
  for (guint i = 0; i < 12; i++)
    fail_unless_equals_uint64(GST_BUFFER_PTS(harness.pull().get()), i * kField);
  harness.expect_no_error();
}
GST_END_TEST

// That of the second field, too.
GST_START_TEST(latency_of_fields) {
  const Fields fields("NV12", kSize, true);
  for (const auto &[properties, latency] :
       {std::pair{"", kFrame + kField}, {"method=linear", kField}}) {
    Harness harness(std::string("coalescedeinterlace mode=auto ") + properties);
    fail_unless(harness.set_input(fields.fields()));
    harness.push(fields.field(0, false));
    fail_unless_equals_uint64(gst_harness_query_latency(harness.get()), latency);
  }
}
GST_END_TEST

GST_START_TEST(field_that_is_too_small) {
  const Fields fields("NV12", kSize, true);
  Harness harness("coalescedeinterlace mode=auto");
  fail_unless(harness.set_input(fields.fields()));
  GstBuffer *field = fields.field(0, false);
  gst_buffer_set_size(field, 100);
  fail_unless_equals_int(harness.push(field), GST_FLOW_ERROR);
  fail_unless_equals_int(static_cast<int>(harness.errors().size()), 1);
}
GST_END_TEST

}  // namespace

void add_alternate_tests(TCase *tests) {
  tcase_add_test(tests, fields_are_joined);
  tcase_add_test(tests, fields_are_joined_alone);
  tcase_add_test(tests, fields_that_are_alone);
  tcase_add_test(tests, fields_and_frames_by_turns);
  tcase_add_test(tests, latency_of_fields);
  tcase_add_test(tests, field_that_is_too_small);
}

}  // namespace test
