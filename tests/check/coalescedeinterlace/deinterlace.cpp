// SPDX-License-Identifier: LGPL-2.1-or-later
// What coalescedeinterlace negotiates, and what comes out: bytes, times, flags and metadata.
#include "../../support/elements/run.h"
#include "../negotiation.h"
#include "deinterlace_alternate.h"
#include "deinterlace_film.h"
#include "deinterlace_frames.h"

namespace test {
namespace {

using coalesce::DeinterlaceMethod;
using coalesce::DeinterlaceParams;

const Size kSize{34, 22};
const GstClockTime kFrame = GST_SECOND / 25;

std::string interlaced(const std::string &format, Size size = kSize,
                       const std::string &more = "field-order=top-field-first") {
  return video_caps(format, size, "interlace-mode=interleaved, " + more);
}

std::string element(const std::string &properties) {
  return "coalescedeinterlace mode=auto " + properties;
}

GstBuffer *frame(const std::string &caps, int number, guint flags = 0) {
  GstBuffer *buffer = random_frame(video_info(caps), {}, static_cast<guint32>(number + 1));
  GST_BUFFER_PTS(buffer) = static_cast<GstClockTime>(number) * kFrame;
  GST_BUFFER_DURATION(buffer) = kFrame;
  GST_BUFFER_FLAG_SET(buffer, flags);
  return buffer;
}

// ---- Caps ---------------------------------------------------------------------------------------

GST_START_TEST(caps) {
  const struct {
    const char *properties, *in, *interlace_mode, *rate;
  } cases[] = {
      {"", "interlace-mode=interleaved", "progressive", "25/1"},
      {"", "interlace-mode=mixed", "progressive", "25/1"},
      {"", "interlace-mode=progressive", "progressive", "25/1"},
      {"fields=all", "interlace-mode=interleaved", "progressive", "50/1"},
      {"fields=all", "interlace-mode=mixed", "progressive", "50/1"},
      {"fields=all", "interlace-mode=progressive", "progressive", "25/1"},
      {"fields=top", "interlace-mode=interleaved", "progressive", "25/1"},
      {"mode=disabled fields=all", "interlace-mode=interleaved", "interleaved", "25/1"},
      {"mode=interlaced fields=all", "interlace-mode=progressive", "progressive", "50/1"},
      {"mode=interlaced", "interlace-mode=interleaved", "progressive", "25/1"},
  };
  for (const auto &[properties, in, mode, rate] : cases) {
    Harness harness(element(properties));
    fail_unless(harness.set_input(video_caps("NV12", kSize, in)));
    harness.push(frame(video_caps("NV12", kSize, in), 0));
    const CapsRef out = harness.output_caps();
    expect_field(out, "interlace-mode", mode);
    expect_field(out, "framerate", rate);
    fail_if(*mode == 'p' &&
            gst_structure_has_field(gst_caps_get_structure(out.get(), 0), "field-order"));
    harness.expect_no_error();
  }
}
GST_END_TEST

// What downstream wants is asked of upstream.
GST_START_TEST(queries) {
  const struct {
    const char *properties, *downstream, *possible, *impossible;
  } cases[] = {
      {"fields=all", "framerate=50/1, interlace-mode=progressive",
       "interlace-mode=interleaved, framerate=25/1", "interlace-mode=interleaved, framerate=50/1"},
      {"fields=all", "framerate=50/1, interlace-mode=progressive",
       "interlace-mode=progressive, framerate=50/1", "interlace-mode=progressive, framerate=25/1"},
      {"", "framerate=25/1, interlace-mode=progressive", "interlace-mode=mixed, framerate=25/1",
       "interlace-mode=mixed, framerate=50/1"},
      {"", "framerate=25/1", "framerate=25/1", "framerate=50/1"},
      {"mode=disabled", "interlace-mode=progressive", "interlace-mode=progressive, framerate=25/1",
       "interlace-mode=interleaved, framerate=25/1"},
      {"fields=all", "interlace-mode=progressive, framerate=(fraction)[ 48/1, 60/1 ]",
       "interlace-mode=interleaved, framerate=30/1", "interlace-mode=interleaved, framerate=20/1"},
  };
  for (const auto &[properties, downstream, possible, impossible] : cases) {
    Harness harness(element(properties));
    harness.accept(std::string("video/x-raw, format=NV12, width=34, height=22, ") + downstream);
    // (Whether caps are accepted, GstBaseTransform says without asking downstream.)
    const auto takes = [&](const char *more) {
      const CapsRef asked =
          parse_caps(std::string("video/x-raw, format=NV12, width=34, height=22, ") + more);
      const CapsRef found(gst_pad_peer_query_caps(harness.to_element(), asked.get()));
      return gst_caps_can_intersect(asked.get(), found.get()) != FALSE;
    };
    fail_unless(takes(possible), "%s: %s is refused", properties, possible);
    fail_if(takes(impossible), "%s: %s is taken", properties, impossible);
  }
}
GST_END_TEST

GST_START_TEST(fields_apart_are_refused) {
  for (const char *mode : {"fields", "alternate"})
    test::expect_refused("coalescedeinterlace mode=auto",
                         video_caps("UYVY", kSize, std::string("interlace-mode=") + mode), "");
}
GST_END_TEST

// Caps change where they depend on a property, at once for frames after it.
GST_START_TEST(properties_while_playing) {
  const std::string caps = interlaced("I420");
  Harness harness(element("method=linear"));
  fail_unless(harness.set_input(caps));
  harness.push(frame(caps, 0));
  expect_field(harness.output_caps(), "framerate", "25/1");
  gst_util_set_object_arg(G_OBJECT(harness.element()), "fields", "all");
  harness.push(frame(caps, 1));
  expect_field(harness.output_caps(), "framerate", "50/1");
  fail_unless_equals_int(harness.waiting(), 3);
  gst_util_set_object_arg(G_OBJECT(harness.element()), "mode", "disabled");
  harness.push(frame(caps, 2));
  expect_field(harness.output_caps(), "interlace-mode", "interleaved");
  fail_unless_equals_int(harness.waiting(), 4);
  // From no frame of look-ahead to one and back: none is lost.
  gst_util_set_object_arg(G_OBJECT(harness.element()), "mode", "auto");
  for (const char *method : {"bwdif", "linear", "yadif"}) {
    gst_util_set_object_arg(G_OBJECT(harness.element()), "method", method);
    harness.push(frame(caps, 3));
  }
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 10);
  harness.expect_no_error();
}
GST_END_TEST

GST_START_TEST(warnings_without_effect) {
  const struct {
    const char *properties;
    std::vector<std::string> warnings;
  } cases[] = {
      {"method=yadif ela-window=7", {"ela-window=7 has no effect; it requires method=ela"}},
      {"spatial-check=false", {"spatial-check=false has no effect; it requires method=yadif"}},
      {"method=ela ela-window=6", {}},
      {"method=yadif spatial-check=false", {}},
      {"method=line ela-window=5 spatial-check=true", {}}};
  for (const auto &[properties, expected] : cases) {
    Harness harness(element(properties));
    fail_unless(harness.set_input(interlaced("GRAY8")));
    const std::vector<std::string> warnings = harness.warnings();
    fail_unless(warnings.size() == expected.size(), "%s", properties);
    for (gsize i = 0; i < warnings.size(); i++)
      fail_unless(contains(warnings[i], expected[i]), "%s", warnings[i].c_str());
  }
}
GST_END_TEST

// A frame that is held leaves as what the caps promised when it came.
GST_START_TEST(properties_while_frames_are_held) {
  const std::string caps = interlaced("GRAY8");
  const struct {
    const char *before, *property, *value;
    int pictures;  // of the held frame
  } cases[] = {{"fields=auto", "fields", "all", 1},
               {"fields=all", "fields", "top", 2},
               {"fields=all", "mode", "disabled", 2},
               {"fields=auto", "method", "linear", 1}};
  for (const auto &[before, property, value, pictures] : cases) {
    Harness harness(element(before));
    fail_unless(harness.set_input(caps));
    harness.push(frame(caps, 0));
    fail_unless_equals_int(harness.waiting(), 0);
    const int rate = harness.output_info().fps_n;
    gst_util_set_object_arg(G_OBJECT(harness.element()), property, value);
    harness.push(frame(caps, 1));
    fail_unless(harness.waiting() >= pictures, "%s %s=%s", before, property, value);
    for (int i = 0; i < pictures; i++) {
      const BufferRef out = harness.pull();
      fail_unless_equals_uint64(GST_BUFFER_DURATION(out.get()),
                                kFrame / static_cast<guint>(pictures));
      fail_unless(GST_BUFFER_PTS(out.get()) < kFrame);
    }
    fail_unless_equals_int(rate, 25 * pictures);
    harness.push_event(gst_event_new_eos());
    fail_unless(harness.waiting() > 0 && GST_BUFFER_PTS(harness.pull().get()) == kFrame);
    harness.expect_no_error();
  }
}
GST_END_TEST

// ---- Bytes --------------------------------------------------------------------------------------

struct Stream {
  const char *properties;
  DeinterlaceParams params;
  bool all, top_first;
};

void check_stream(const std::string &format, Size size, const Stream &s) {
  const std::string caps = interlaced(
      format, size,
      std::string("field-order=") + (s.top_first ? "top-field-first" : "bottom-field-first"));
  Harness harness(element(s.properties));
  fail_unless(harness.set_input(caps), "%s", caps.c_str());
  DeinterlaceReference reference(caps);
  constexpr int kFrames = 4;
  for (int n = 0; n < kFrames; n++) {
    GstBuffer *buffer = frame(caps, n);
    reference.add(buffer);
    fail_unless_equals_int(harness.push(buffer), GST_FLOW_OK);
  }
  harness.push_event(gst_event_new_eos());
  const int each = s.all ? 2 : 1;
  fail_unless_equals_int(harness.waiting(), each * kFrames);
  for (int i = 0; i < each * kFrames; i++) {
    const BufferRef out = harness.pull();
    const int n = i / each;
    const bool second = i % each == 1, top = second != s.top_first;
    const bool end = second ? n == kFrames - 1 : n == 0;
    const Bytes expected =
        reference.picture(s.params, n, top ? 0 : 1, second, end, harness.output_info());
    fail_unless(picture(out.get(), harness.output_info()) == expected, "%s, %s, %dx%d: picture %d",
                s.properties, format.c_str(), size.width, size.height, i);
    const GstClockTime pts = static_cast<GstClockTime>(n) * kFrame + (second ? kFrame / 2 : 0);
    fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), pts);
    fail_unless_equals_uint64(GST_BUFFER_DURATION(out.get()), kFrame / static_cast<guint>(each));
    fail_if(GST_BUFFER_FLAG_IS_SET(out.get(), GST_VIDEO_BUFFER_FLAG_INTERLACED));
  }
  harness.expect_no_error();
}

const Stream kStreams[] = {
    {"", {DeinterlaceMethod::bwdif, 5, true}, false, true},
    {"fields=all", {DeinterlaceMethod::bwdif, 5, true}, true, true},
    {"fields=all method=bwdif", {DeinterlaceMethod::bwdif, 5, true}, true, false},
    {"fields=all method=yadif", {DeinterlaceMethod::yadif, 5, true}, true, false},
    {"method=yadif spatial-check=false", {DeinterlaceMethod::yadif, 5, false}, false, true},
    {"fields=all method=w3fdif", {DeinterlaceMethod::w3fdif, 5, true}, true, true},
    {"fields=all method=best", {DeinterlaceMethod::best, 5, true}, true, true},
    {"fields=all method=ela ela-window=7", {DeinterlaceMethod::ela, 7, true}, true, true},
    {"fields=all method=linear", {DeinterlaceMethod::linear, 5, true}, true, false},
    {"method=line", {DeinterlaceMethod::line, 5, true}, false, false},
    {"method=weave", {DeinterlaceMethod::weave, 5, true}, false, true},
};

GST_START_TEST(bytes) {
  for (const char *format :
       {"I420", "NV12", "UYVY", "v210", "P010_10LE", "RGB", "GRAY8", "Y444_16LE"})
    for (Size size : {kSize, Size{1, 1}, Size{5, 3}, Size{33, 17}}) {
      if (small_run() && size.width != 5) continue;
      check_stream(format, size, kStreams[__i__]);
    }
}
GST_END_TEST

// ---- Mixed video --------------------------------------------------------------------------------

constexpr guint kInterlaced = GST_VIDEO_BUFFER_FLAG_INTERLACED, kTop = GST_VIDEO_BUFFER_FLAG_TFF;

// Progressive frames go on as they are, in their order, where both layouts are the same.
GST_START_TEST(mixed) {
  const std::string caps = video_caps("NV12", {19, 12}, "interlace-mode=mixed");
  for (const char *properties : {"fields=all", "fields=all method=linear"}) {
    Harness harness(element(properties));
    fail_unless(harness.set_input(caps));
    std::vector<GstMemory *> memories;
    const guint flags[] = {kInterlaced | kTop, 0, kInterlaced, 0, 0};
    for (int n = 0; n < 5; n++) {
      GstBuffer *buffer = frame(caps, n, flags[n]);
      memories.push_back(gst_buffer_peek_memory(buffer, 0));
      fail_unless_equals_int(harness.push(buffer), GST_FLOW_OK);
    }
    harness.push_event(gst_event_new_eos());
    fail_unless_equals_int(harness.waiting(), 7);
    for (int n = 0; n < 5; n++) {
      const bool passes = flags[n] == 0;
      for (int i = 0; i < (passes ? 1 : 2); i++) {
        const BufferRef out = harness.pull();
        fail_unless_equals_uint64(GST_BUFFER_PTS(out.get()), static_cast<GstClockTime>(n) * kFrame +
                                                                 (i == 1 ? kFrame / 2 : 0));
        fail_unless_equals_uint64(GST_BUFFER_DURATION(out.get()), passes ? kFrame : kFrame / 2);
        fail_unless((gst_buffer_peek_memory(out.get(), 0) == memories[static_cast<gsize>(n)]) ==
                    passes);
      }
    }
    harness.expect_no_error();
  }
}
GST_END_TEST

// Interlaced 4:2:0 of such heights has a row of chroma more, which pictures have not.
GST_START_TEST(mixed_layouts) {
  for (const char *format : {"I420", "NV12", "I420_10LE"})
    for (int height : {5, 6, 9, 10, 486}) {
      const std::string caps = video_caps(format, {8, height}, "interlace-mode=mixed");
      Harness harness(element("method=linear"));
      fail_unless(harness.set_input(caps));
      for (int n = 0; n < 2; n++) {
        const BufferRef in(frame(caps, n, n == 0 ? 0 : kInterlaced | kTop));
        fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
        const BufferRef out = harness.pull();
        const GstVideoInfo info = harness.output_info(), in_info = video_info(caps);
        fail_unless_equals_uint64(gst_buffer_get_size(out.get()), info.size);
        if (n > 0) continue;
        GstVideoFrame before;
        fail_unless(gst_video_frame_map(&before, &in_info, in.get(), GST_MAP_READ));
        fail_unless(each_row(out.get(), info, GST_MAP_READ, [&](int p, int y, const guint8 *row) {
          const auto *same = static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&before, p)) +
                             y * GST_VIDEO_FRAME_PLANE_STRIDE(&before, p);
          fail_unless(std::memcmp(same, row, static_cast<gsize>(row_bytes(info, p))) == 0,
                      "%s: plane %d, row %d", caps.c_str(), p, y);
        }));
        gst_video_frame_unmap(&before);
      }
      harness.expect_no_error();
    }
}
GST_END_TEST

// A flush that meets what is drained before new caps is no failed negotiation.
GST_START_TEST(flushed_before_new_caps) {
  const std::string caps = video_caps("GRAY8", kSize, "interlace-mode=interleaved");
  Harness harness(element("fields=all"));
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(frame(caps, 0, kInterlaced | kTop)), GST_FLOW_OK);
  gst_pad_set_chain_function(harness.get()->sinkpad, [](GstPad *, GstObject *, GstBuffer *buffer) {
    gst_buffer_unref(buffer);
    return GST_FLOW_FLUSHING;
  });
  gst_util_set_object_arg(G_OBJECT(harness.element()), "fields", "auto");
  fail_unless_equals_int(harness.push(frame(caps, 1, kInterlaced | kTop)), GST_FLOW_FLUSHING);
  harness.expect_no_error();
}
GST_END_TEST

// A repeated first field is a third picture; of a single field there is one, and nothing of the
// rows between counts.
GST_START_TEST(repeated_and_single_fields) {
  const std::string caps = video_caps("GRAY8", kSize, "interlace-mode=mixed");
  Harness harness(element("fields=all method=linear"));
  fail_unless(harness.set_input(caps));
  for (GstClockTime duration : {kFrame * 3 / 2, kFrame}) {
    GstBuffer *repeating = frame(caps, 0, kInterlaced | kTop | GST_VIDEO_BUFFER_FLAG_RFF);
    GST_BUFFER_DURATION(repeating) = duration;
    harness.push(repeating);
    // Two fields' time has no room for a third.
    fail_unless_equals_int(harness.waiting(), duration == kFrame ? 2 : 3);
    const Bytes first = picture(harness.pull().get(), harness.output_info());
    harness.pull();
    if (duration > kFrame)
      fail_unless(picture(harness.pull().get(), harness.output_info()) == first);
  }
  for (const char *method : {"weave", "line", "linear", "yadif", "bwdif", "w3fdif", "best"})
    for (bool top : {true, false}) {
      // (Of the order of fields a single one knows nothing.)
      const std::string line = element(std::string("fields=all field-order=tff method=") + method);
      Bytes alone[2], beside[2];
      for (int turn = 0; turn < 2; turn++) {
        GstBuffer *single =
            frame(caps, 1, kInterlaced | (top ? kTop : 0) | GST_VIDEO_BUFFER_FLAG_ONEFIELD);
        fail_unless(each_row(single, video_info(caps), GST_MAP_WRITE, [&](int, int y, guint8 *row) {
          if (y % 2 == (top ? 1 : 0)) std::fill_n(row, kSize.width, static_cast<guint8>(99 * turn));
        }));
        Harness harness(line);
        fail_unless(harness.set_input(caps));
        harness.push(frame(caps, 0, kInterlaced | kTop));
        harness.push(single);
        harness.push(frame(caps, 2, kInterlaced | kTop));
        harness.push_event(gst_event_new_eos());
        fail_unless_equals_int(harness.waiting(), 5);
        for (int i = 0; i < 5; i++) {
          const Bytes bytes = picture(harness.pull().get(), harness.output_info());
          Bytes &all = i == 2 ? alone[turn] : beside[turn];
          all.insert(all.end(), bytes.begin(), bytes.end());
        }
      }
      fail_unless(alone[0] == alone[1], "%s looks at the missing field", method);
      fail_unless(beside[0] == beside[1], "%s looks at a missing field beside", method);
    }
}
GST_END_TEST

// ---- Time ---------------------------------------------------------------------------------------

// What comes out of frames first and first + 1, of which none beside them is seen.
void expect_sequence(Harness &harness, const Stream &s, const std::string &caps, int first) {
  DeinterlaceReference reference(caps);
  for (int n = 0; n < 2; n++) {
    const BufferRef one(frame(caps, first + n));
    reference.add(one.get());
  }
  for (int i = 0; i < 4; i++) {
    const BufferRef out = harness.pull();
    const Bytes expected = reference.picture(s.params, i / 2, i % 2, i % 2 == 1, i == 0 || i == 3,
                                             harness.output_info());
    fail_unless(picture(out.get(), harness.output_info()) == expected, "frame %d, picture %d",
                first, i);
    fail_unless(GST_BUFFER_FLAG_IS_SET(out.get(), GST_BUFFER_FLAG_DISCONT) == (i == 0));
  }
}

// Behind a discontinuity nothing of the pictures before is seen, and none is lost.
GST_START_TEST(discontinuity) {
  const std::string caps = interlaced("GRAY8");
  const Stream s = kStreams[1];
  Harness harness(element(s.properties));
  fail_unless(harness.set_input(caps));
  for (int sequence = 0; sequence < 2; sequence++)
    for (int n = 0; n < 2; n++)
      harness.push(frame(caps, 2 * sequence + n, n == 0 ? GST_BUFFER_FLAG_DISCONT : 0));
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 8);
  for (int sequence = 0; sequence < 2; sequence++)
    expect_sequence(harness, s, caps, 2 * sequence);
}
GST_END_TEST

// Frame 2 is too late: both of its pictures are left out, and no other one looks at it.
GST_START_TEST(late_frame) {
  const std::string caps = interlaced("GRAY8");
  const Stream s = kStreams[1];
  Harness harness(element(s.properties));
  fail_unless(harness.set_input(caps));
  for (int n = 0; n < 5; n++) {
    if (n == 2)
      gst_harness_push_upstream_event(
          harness.get(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, kFrame, kFrame));
    harness.push(frame(caps, n, n == 0 ? GST_BUFFER_FLAG_DISCONT : 0));
  }
  harness.push_event(gst_event_new_eos());
  fail_unless_equals_int(harness.waiting(), 8);
  expect_sequence(harness, s, caps, 0);
  expect_sequence(harness, s, caps, 3);
}
GST_END_TEST

GST_START_TEST(flush) {
  const std::string caps = interlaced("GRAY8");
  Harness harness(element("fields=all"));
  fail_unless(harness.set_input(caps));
  harness.push(frame(caps, 0));
  fail_unless_equals_int(harness.waiting(), 0);  // it waits for the frame after it
  harness.push_event(gst_event_new_flush_start());
  harness.push_event(gst_event_new_flush_stop(TRUE));
  harness.push_event(segment_event());
  harness.push(frame(caps, 1));
  harness.push(frame(caps, 2));
  fail_unless_equals_int(harness.waiting(), 2);
  fail_unless_equals_uint64(GST_BUFFER_PTS(harness.pull().get()), kFrame);
  harness.expect_no_error();
}
GST_END_TEST

GST_START_TEST(latency) {
  const struct {
    const char *properties;
    GstClockTime latency;
  } cases[] = {{"", kFrame}, {"fields=all", kFrame}, {"method=linear", 0}, {"method=weave", 0}};
  for (const auto &[properties, latency] : cases) {
    Harness harness(element(properties));
    fail_unless(harness.set_input(interlaced("NV12")));
    harness.push(frame(interlaced("NV12"), 0));
    fail_unless_equals_uint64(gst_harness_query_latency(harness.get()), latency);
  }
}
GST_END_TEST

// What is said once for a frame goes with its first picture.
GST_START_TEST(captions_and_timecodes) {
  const std::string caps = interlaced("NV12");
  Harness harness(element("fields=all method=linear"));
  fail_unless(harness.set_input(caps));
  GstBuffer *buffer = frame(caps, 0);
  const guint8 data[] = {0x80, 0x80};
  gst_buffer_add_video_caption_meta(buffer, GST_VIDEO_CAPTION_TYPE_CEA608_RAW, data, sizeof data);
  gst_buffer_add_video_time_code_meta_full(buffer, 25, 1, nullptr,
                                           GST_VIDEO_TIME_CODE_FLAGS_INTERLACED, 1, 2, 3, 4, 1);
  gst_buffer_add_video_region_of_interest_meta(buffer, "face", 2, 2, 4, 4);
  harness.push(buffer);
  for (bool first : {true, false}) {
    const BufferRef out = harness.pull();
    fail_unless((gst_buffer_get_video_caption_meta(out.get()) != nullptr) == first);
    fail_unless((gst_buffer_get_video_time_code_meta(out.get()) != nullptr) == first);
    fail_unless(gst_buffer_get_meta(out.get(), GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE) !=
                nullptr);
  }
}
GST_END_TEST

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "coalescedeinterlace", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "deinterlace");
    tcase_add_test(tests, caps);
    tcase_add_test(tests, queries);
    tcase_add_test(tests, fields_apart_are_refused);
    tcase_add_test(tests, properties_while_playing);
    tcase_add_test(tests, warnings_without_effect);
    tcase_add_test(tests, properties_while_frames_are_held);
    tcase_add_loop_test(tests, bytes, 0, static_cast<int>(std::size(kStreams)));
    tcase_add_test(tests, mixed);
    tcase_add_test(tests, mixed_layouts);
    tcase_add_test(tests, flushed_before_new_caps);
    tcase_add_test(tests, repeated_and_single_fields);
    tcase_add_test(tests, discontinuity);
    tcase_add_test(tests, late_frame);
    tcase_add_test(tests, flush);
    tcase_add_test(tests, latency);
    tcase_add_test(tests, captions_and_timecodes);
    add_alternate_tests(tests);
    add_film_tests(tests);
  });
}
