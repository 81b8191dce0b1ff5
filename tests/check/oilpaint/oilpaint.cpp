// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of oilpaint in every format and by every method, strokes that are kept, its properties
// while frames flow, and what is refused.
#include <functional>

#include "../control.h"
#include "../neighbourhood.h"
#include "../out_of_range.h"
#include "oilpaint_reference.h"

namespace test {
namespace {

using coalesce::OilMethod;
using coalesce::OilpaintParams;
using coalesce::test::OilStateReference;

const Size kSize{41, 22};

OilpaintParams params_of(OilMethod method) {
  OilpaintParams params;
  params.method = method;
  return params;
}

// Pushes a frame and checks what comes out. `before`: of temporal=true.
void push_and_check(Harness &harness, const GstVideoInfo &info, BufferRef in,
                    const OilpaintParams &params, OilStateReference *before = nullptr) {
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  const std::string difference = oilpaint_difference(in.get(), out.get(), info, params,
                                                     GST_VIDEO_INFO_IS_INTERLACED(&info), before);
  fail_unless(difference.empty(), "%s", difference.c_str());
}

void push_and_check(Harness &harness, const std::string &caps, const OilpaintParams &params,
                    guint32 seed = 1) {
  const GstVideoInfo info = video_info(caps);
  push_and_check(harness, info, BufferRef(random_frame(info, {}, seed)), params);
}

GST_START_TEST(every_format) {
  const std::string format = formats_of_8_bits()[static_cast<gsize>(__i__)];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{2, 5}, Size{33, 18}}) {
    if (small_run() && size.width != 33) continue;
    const char *const mode = size.width == 33 ? "interleaved" : "progressive";
    const std::string caps = video_caps(format, size, std::string("interlace-mode=") + mode);
    for (OilMethod method : {OilMethod::strokes, OilMethod::kuwahara, OilMethod::mode}) {
      Harness harness("oilpaint");
      g_object_set(harness.element(), "method", static_cast<int>(method), nullptr);
      fail_unless(harness.set_input(caps));
      push_and_check(harness, caps, params_of(method));
      fail_unless(harness.take_warning().empty());
      harness.expect_no_error();
    }
  }
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("oilpaint"), n_formats_of_8_bits());
}
GST_END_TEST;

// One property at a time, each on top of those before. The method may change at any time.
GST_START_TEST(each_property) {
  for (const char *format : {"NV12", "GRAY8", "RGB"}) {
    const std::string caps = video_caps(format, kSize);
    Harness harness("oilpaint");
    fail_unless(harness.set_input(caps));
    OilpaintParams p;
    push_and_check(harness, caps, p);
    const struct {
      const char *name, *value;
      void (*apply)(OilpaintParams &);
    } steps[] = {
        {"threshold", "60", [](OilpaintParams &p) { p.threshold = 60; }},
        {"brush-thinnest", "4", [](OilpaintParams &p) { p.brush_thinnest = 4; }},
        {"brush-thickest", "4", [](OilpaintParams &p) { p.brush_thickest = 4; }},
        {"least-length", "11", [](OilpaintParams &p) { p.least_length = 11; }},
        {"method", "kuwahara", [](OilpaintParams &p) { p.method = OilMethod::kuwahara; }},
        {"radius", "3", [](OilpaintParams &p) { p.kuwahara_radius = 3; }},
        {"radius", "10", [](OilpaintParams &p) { p.kuwahara_radius = 10; }},
        {"method", "mode",
         [](OilpaintParams &p) { p.method = OilMethod::mode, p.mode_radius = 10; }},
        {"ratio", "50", [](OilpaintParams &p) { p.mode_ratio = 50; }},
        {"radius", "1", [](OilpaintParams &p) { p.mode_radius = 1; }},
        {"radius", "0", [](OilpaintParams &p) { p.mode_radius = 5, p.kuwahara_radius = 6; }},
        {"method", "kuwahara", [](OilpaintParams &p) { p.method = OilMethod::kuwahara; }},
        {"method", "strokes", [](OilpaintParams &p) { p.method = OilMethod::strokes; }},
        {"least-length", "1", [](OilpaintParams &p) { p.least_length = 1; }},
    };
    guint32 seed = 1;
    for (const auto &[name, value, apply] : steps) {
      set(harness, name, value);
      apply(p);
      push_and_check(harness, caps, p, ++seed);
      push_and_check(harness, caps, p, ++seed);
    }
    fail_unless(harness.take_warning().empty());
    harness.expect_no_error();
  }
}
GST_END_TEST;

GST_START_TEST(caps_are_kept) {
  for (const char *more : {"colorimetry=bt709, chroma-site=mpeg2",
                           "interlace-mode=interleaved, pixel-aspect-ratio=16/11"}) {
    const std::string caps = video_caps("I420", {16, 8}, more);
    Harness harness("oilpaint");
    fail_unless(harness.set_input(caps));
    fail_unless(gst_caps_is_equal(harness.output_caps().get(), parse_caps(caps).get()));
  }
}
GST_END_TEST;

// ---- temporal --------------------------------------------------------------------------------

// Waves that move by a pixel a frame, in grey, so that some strokes fit and others do not.
BufferRef waves(const GstVideoInfo &info, int number) {
  BufferRef buffer(random_frame(info, {}, static_cast<guint32>(number)));
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer.get(), GST_MAP_READWRITE));
  for (int y = 0; y < info.height; y++) {
    auto *row = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
    for (int x = 0; x < info.width; x++)
      row[x] = static_cast<guint8>(60 + (x * x / 9 + 3 * y + number) % 150 + row[x] % 16);
  }
  gst_video_frame_unmap(&frame);
  GST_BUFFER_PTS(buffer.get()) = static_cast<GstClockTime>(number) * GST_SECOND;
  return buffer;
}

// Strokes are kept from frame to frame, and not beyond a break.
class Sequence {
 public:
  explicit Sequence(const Properties &properties = {{"temporal", "true"}})
      : harness("oilpaint", properties) {
    fail_unless(harness.set_input(caps));
  }
  void push(int number, bool follows = true) {
    if (!follows) before_ = {};
    push_and_check(harness, info, waves(info, number), params, &before_);
  }

  const std::string caps = video_caps("GRAY8", {64, 40});
  const GstVideoInfo info = video_info(caps);
  Harness harness;
  OilpaintParams params;

 private:
  OilStateReference before_;
};

GST_START_TEST(strokes_are_kept) {
  Sequence kept;
  for (int n = 0; n < 6; n++)
    kept.push(n);
  // Is what has been checked another thing than frames by themselves?
  const BufferRef in = waves(kept.info, 6);
  fail_unless_equals_int(kept.harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const BufferRef out = kept.harness.pull();
  const std::string difference =
      oilpaint_difference(in.get(), out.get(), kept.info, kept.params, false);
  fail_unless(!difference.empty(), "no stroke was kept");
  kept.harness.expect_no_error();
}
GST_END_TEST;

// A picture that stands still stays the same.
GST_START_TEST(still_pictures) {
  Sequence sequence;
  const BufferRef in = waves(sequence.info, 0);
  Bytes first;
  for (int n = 0; n < 3; n++) {
    fail_unless_equals_int(sequence.harness.push(gst_buffer_copy(in.get())), GST_FLOW_OK);
    const Bytes out = picture(sequence.harness.pull().get(), sequence.info);
    if (n == 0) first = out;
    fail_unless(out == first);
  }
}
GST_END_TEST;

// After each of these the next frame is painted anew.
GST_START_TEST(breaks) {
  const std::function<void(Sequence &)> breaks[] = {
      [](Sequence &s) {  // a flush
        fail_unless(s.harness.push_event(gst_event_new_flush_start()));
        fail_unless(s.harness.push_event(gst_event_new_flush_stop(TRUE)));
        fail_unless(s.harness.push_event(segment_event()));
      },
      [](Sequence &s) { fail_unless(s.harness.push_event(segment_event())); },
      [](Sequence &s) {  // caps, to and fro
        fail_unless(s.harness.set_input(video_caps("GRAY8", {40, 64})));
        fail_unless(s.harness.set_input(s.caps));
      },
      [](Sequence &s) {
        set(s.harness, "least-length", "2");
        s.params.least_length = 2;
      },
      [](Sequence &s) {
        set(s.harness, "brush-thickest", "8");
        s.params.brush_thickest = 8;
      },
      [](Sequence &s) {  // a frame without strokes
        set(s.harness, "method", "mode");
        s.params.method = OilMethod::mode;
        s.push(9);
        set(s.harness, "method", "strokes");
        s.params.method = OilMethod::strokes;
      },
      [](Sequence &s) {  // a frame that keeps none
        set(s.harness, "temporal", "false");
        s.push(9, false);
        set(s.harness, "temporal", "true");
      },
      [](Sequence &s) {
        fail_unless_equals_int(gst_element_set_state(s.harness.element(), GST_STATE_READY),
                               GST_STATE_CHANGE_SUCCESS);
        fail_unless_equals_int(gst_element_set_state(s.harness.element(), GST_STATE_PLAYING),
                               GST_STATE_CHANGE_SUCCESS);
        fail_unless(s.harness.push_event(gst_event_new_stream_start("again")));
        fail_unless(s.harness.push_event(gst_event_new_caps(parse_caps(s.caps).get())));
        fail_unless(s.harness.push_event(segment_event()));
      },
  };
  Sequence sequence;
  for (const auto &make_break : breaks) {
    sequence.push(1);
    sequence.push(2);
    make_break(sequence);
    sequence.push(3, false);
    sequence.push(4);
  }
  // A discontinuity is a frame's own.
  OilStateReference none;
  BufferRef in = waves(sequence.info, 5);
  GST_BUFFER_FLAG_SET(in.get(), GST_BUFFER_FLAG_DISCONT);
  push_and_check(sequence.harness, sequence.info, std::move(in), sequence.params, &none);
  fail_unless(sequence.harness.take_warning().empty());
  sequence.harness.expect_no_error();
}
GST_END_TEST;

// Kept strokes may have been born under another threshold.
GST_START_TEST(no_breaks) {
  Sequence sequence;
  sequence.push(1);
  set(sequence.harness, "threshold", "20");
  sequence.params.threshold = 20;
  sequence.push(2);
  set(sequence.harness, "radius", "9");  // of other methods
  sequence.push(4);
}
GST_END_TEST;

// ---- bad values ------------------------------------------------------------------------------

GST_START_TEST(refused_at_the_start) {
  const struct {
    Properties properties;
    const char *problem;
  } cases[] = {
      {{{"brush-thickest", "15"}}, "brush-thickest=15: it must be 2, 4, 8, 16 or 32"},
      {{{"brush-thickest", "30"}, {"brush-thinnest", "3"}},
       "brush-thickest=30, brush-thinnest=3: it must be"},
      {{{"brush-thickest", "4"}, {"brush-thinnest", "8"}},
       "brush-thickest=4: it is thinner than brush-thinnest=8"},
      {{{"brush-thinnest", "32"}}, "brush-thinnest=32: it is thicker than brush-thickest=16"},
      {{{"method", "kuwahara"}, {"radius", "11"}},
       "radius=11: with method=kuwahara it must be 2 to 10, or 0 for 6"},
      {{{"method", "kuwahara"}, {"radius", "1"}, {"brush-thinnest", "6"}},
       "brush-thinnest=6: it must be 2, 4, 8, 16 or 32; radius=1: "},
  };
  for (const auto &[properties, problem] : cases) {
    Harness harness("oilpaint");
    gst_element_set_state(harness.element(), GST_STATE_READY);
    for (const auto &[name, value] : properties)
      set(harness, name, value);
    fail_unless_equals_int(gst_element_set_state(harness.element(), GST_STATE_PAUSED),
                           GST_STATE_CHANGE_FAILURE);
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, {problem});
  }
}
GST_END_TEST;

// GObject refuses what is beyond the limits, and names the property; the value before stays.
GST_START_TEST(out_of_range) {
  Harness harness("oilpaint");
  const struct {
    const char *name;
    int below, above;
  } limits[] = {{"method", -1, 3},        {"radius", -1, 16},      {"ratio", 0, 128},
                {"threshold", -1, 256},   {"least-length", 0, 14}, {"brush-thickest", 1, 33},
                {"brush-thinnest", 1, 33}};
  for (const auto &[name, below, above] : limits)
    for (int value : {below, above}) {
      gint before = 0, after = 0;
      g_object_get(harness.element(), name, &before, nullptr);
      expect_refused(harness.element(), name, value);
      g_object_get(harness.element(), name, &after, nullptr);
      fail_unless_equals_int(after, before);
    }
}
GST_END_TEST;

// Brushes, and method and radius, stay as they were, with one warning.
GST_START_TEST(refused_later) {
  const std::string caps = video_caps("RGBA", kSize);
  Harness harness("oilpaint", {{"method", "kuwahara"}, {"radius", "4"}});
  fail_unless(harness.set_input(caps));
  OilpaintParams params = params_of(OilMethod::kuwahara);
  params.kuwahara_radius = 4;
  push_and_check(harness, caps, params);
  set(harness, "radius", "12");
  push_and_check(harness, caps, params);
  fail_unless(contains(harness.take_warning(), "radius=12"));
  push_and_check(harness, caps, params);
  fail_unless(harness.take_warning().empty(), "a second warning");
  set(harness, "method", "mode");  // which has such a radius
  params = params_of(OilMethod::mode);
  params.mode_radius = 12;
  push_and_check(harness, caps, params);
  set(harness, "method", "kuwahara");
  push_and_check(harness, caps, params);
  fail_unless(contains(harness.take_warning(), "radius=12"));
  set(harness, "method", "strokes");
  set(harness, "brush-thinnest", "5");
  set(harness, "threshold", "3");  // which is used all the same
  params = params_of(OilMethod::strokes);
  params.threshold = 3;
  push_and_check(harness, caps, params);
  fail_unless(contains(harness.take_warning(), "brush-thinnest=5"));
  set(harness, "brush-thinnest", "8");
  params.brush_thinnest = 8;
  push_and_check(harness, caps, params);
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// More columns than strokes have are an error; other methods take them.
GST_START_TEST(too_wide_for_strokes) {
  const std::string caps = video_caps("GRAY8", {32769, 1});
  Harness strokes("oilpaint");
  (void)strokes.set_input(caps);
  strokes.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
                       {"32769x1", "method=strokes takes at most 32768 pixels"});
  Harness mode("oilpaint", {{"method", "mode"}, {"radius", "1"}});
  fail_unless(mode.set_input(caps));
  OilpaintParams params = params_of(OilMethod::mode);
  params.mode_radius = 1;
  push_and_check(mode, caps, params);
  mode.expect_no_error();
}
GST_END_TEST;

// Formats of other samples are refused, and a text says which, and what would do.
GST_START_TEST(refused_formats) {
  Harness harness("oilpaint");
  (void)harness.set_input(video_caps("I420_10LE", kSize));
  harness.expect_error(GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, {"format=I420_10LE", "yuv2yuv"});
}
GST_END_TEST;

// Through the brushes 4, 8 and 16, and radii.
GST_START_TEST(controlled) {
  const std::string caps = video_caps("I420", {24, 8});
  const GstVideoInfo info = video_info(caps);
  Harness harness("oilpaint");
  control(harness.element(), "brush-thickest", {4, 12}, GST_INTERPOLATION_MODE_LINEAR,
          4 * GST_SECOND);
  control(harness.element(), "threshold", {0, 40}, GST_INTERPOLATION_MODE_LINEAR, 4 * GST_SECOND);
  fail_unless(harness.set_input(caps));
  for (int seconds = 0; seconds <= 4; seconds++) {
    BufferRef in(random_frame(info, {}, 1));
    GST_BUFFER_PTS(in.get()) = static_cast<GstClockTime>(seconds) * GST_SECOND;
    OilpaintParams params;
    params.brush_thickest = seconds == 0 ? 4 : seconds <= 2 ? 8 : 16;
    params.threshold = 10 * seconds;
    push_and_check(harness, info, std::move(in), params);
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  Harness strokes("oilpaint", {{"radius", "3"}, {"ratio", "9"}});
  fail_unless(strokes.set_input(video_caps("GRAY8", kSize)));
  fail_unless(contains(strokes.take_warning(), "radius has no effect with method=strokes"));
  fail_unless(contains(strokes.take_warning(), "it requires method=mode"));
  Harness mode("oilpaint", {{"method", "mode"}, {"temporal", "true"}, {"radius", "3"}});
  fail_unless(mode.set_input(video_caps("GRAY8", kSize)));
  fail_unless(contains(mode.take_warning(),
                       "temporal has no effect with method=mode; it requires "
                       "method=strokes"));
  fail_unless(mode.take_warning().empty());
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "oilpaint", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "oilpaint");
    tcase_add_loop_test(tests, every_format, 0, n_formats_of_8_bits());
    tcase_add_test(tests, all_formats_are_known_here);
    tcase_add_test(tests, each_property);
    tcase_add_test(tests, caps_are_kept);
    tcase_add_test(tests, strokes_are_kept);
    tcase_add_test(tests, still_pictures);
    tcase_add_test(tests, breaks);
    tcase_add_test(tests, no_breaks);
    tcase_add_test(tests, refused_at_the_start);
    tcase_add_test(tests, out_of_range);
    tcase_add_test(tests, refused_later);
    tcase_add_test(tests, too_wide_for_strokes);
    tcase_add_test(tests, refused_formats);
    tcase_add_test(tests, controlled);
    tcase_add_test(tests, warnings_without_effect);
  });
}
