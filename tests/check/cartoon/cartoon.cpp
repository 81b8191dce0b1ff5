// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of cartoon in every format, its properties while frames flow, and what has no effect.
#include <limits>

#include "../control.h"
#include "../neighbourhood.h"
#include "../out_of_range.h"
#include "cartoon_reference.h"

namespace test {
namespace {

using coalesce::CartoonLines;

const Size kSize{41, 20};

// Pushes a frame of these caps, random for `seed`, and checks what comes out.
void push_and_check(Harness &harness, const std::string &caps, const CartoonFilter &filter,
                    guint32 seed = 1) {
  const GstVideoInfo info = video_info(caps);
  const BufferRef in(random_frame(info, {}, seed));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s", caps.c_str());
  const std::string difference =
      cartoon_difference(in.get(), out.get(), info, filter, GST_VIDEO_INFO_IS_INTERLACED(&info));
  fail_unless(difference.empty(), "%s: %s", caps.c_str(), difference.c_str());
}

// Of random bytes, areas by this leave some edges.
const Properties kFine = {{"edges", "canny"},  {"radius", "2"},          {"sigma-space", "1"},
                          {"iterations", "1"}, {"low-threshold", "300"}, {"high-threshold", "700"}};

CartoonFilter fine() {
  CartoonFilter filter;
  filter.settings.areas = {2, 1, 40};
  filter.settings.iterations = 1;
  filter.settings.lines = CartoonLines::canny;
  filter.settings.canny.low = 300, filter.settings.canny.high = 700;
  return filter;
}

GST_START_TEST(every_format) {
  const std::string format = formats_of_8_bits()[static_cast<gsize>(__i__)];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{2, 5}, Size{33, 20}, Size{131, 7}}) {
    if (small_run() && size.width != 33) continue;
    for (const char *mode : {"progressive", "interleaved"}) {
      const std::string caps = video_caps(format, size, std::string("interlace-mode=") + mode);
      Harness harness("cartoon", kFine);
      fail_unless(harness.set_input(caps));
      CartoonFilter filter = fine();
      push_and_check(harness, caps, filter);
      set(harness, "edges", "dog");
      set(harness, "edge-color", "0xb0ff8020");
      filter.settings.lines = CartoonLines::dog, filter.edge_color = 0xb0ff8020;
      push_and_check(harness, caps, filter);
      harness.expect_no_error();
    }
  }
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("cartoon"), n_formats_of_8_bits());
}
GST_END_TEST;

// One property at a time, each on top of those before.
GST_START_TEST(each_property) {
  for (const char *format : {"NV12", "RGBA"}) {
    const std::string caps = video_caps(format, kSize);
    Harness harness("cartoon");
    fail_unless(harness.set_input(caps));
    CartoonFilter f;
    push_and_check(harness, caps, f);
    const struct {
      const char *name, *value;
      void (*apply)(CartoonFilter &);
    } steps[] = {
        {"radius", "2", [](CartoonFilter &f) { f.settings.areas.radius = 2; }},
        {"sigma-space", "1.5", [](CartoonFilter &f) { f.settings.areas.sigma_space = 1.5; }},
        {"sigma-range", "61.5", [](CartoonFilter &f) { f.settings.areas.sigma_range = 61.5; }},
        {"iterations", "1", [](CartoonFilter &f) { f.settings.iterations = 1; }},
        {"levels", "5", [](CartoonFilter &f) { f.settings.levels = 5; }},
        {"softness", "0.1", [](CartoonFilter &f) { f.settings.softness = 0.1; }},
        {"softness", "0", [](CartoonFilter &f) { f.settings.softness = 0; }},
        {"dog-sigma", "1.7", [](CartoonFilter &f) { f.settings.dog_sigma = 1.7; }},
        {"dog-threshold", "4.5", [](CartoonFilter &f) { f.settings.dog_threshold = 4.5; }},
        {"edge-color", "0x40ffffff", [](CartoonFilter &f) { f.edge_color = 0x40ffffff; }},
        {"edges", "canny", [](CartoonFilter &f) { f.settings.lines = CartoonLines::canny; }},
        {"low-threshold", "80", [](CartoonFilter &f) { f.settings.canny.low = 80; }},
        {"high-threshold", "300.5", [](CartoonFilter &f) { f.settings.canny.high = 300.5; }},
        {"edge-color", "0xff3080f0", [](CartoonFilter &f) { f.edge_color = 0xff3080f0; }},
        {"edges", "none", [](CartoonFilter &f) { f.settings.lines = CartoonLines::none; }},
        {"edges", "dog", [](CartoonFilter &f) { f.settings.lines = CartoonLines::dog; }},
    };
    guint32 seed = 1;
    for (const auto &[name, value, apply] : steps) {
      set(harness, name, value);
      apply(f);
      push_and_check(harness, caps, f, ++seed);
    }
    fail_unless(harness.take_warning().empty());
    harness.expect_no_error();
  }
}
GST_END_TEST;

// Tones and the lines' colour follow range and matrix of the caps.
GST_START_TEST(colorimetry) {
  Harness harness("cartoon", {{"edge-color", "0xff20c040"}, {"radius", "1"}, {"iterations", "1"}});
  CartoonFilter filter;
  filter.settings.areas.radius = 1, filter.settings.iterations = 1;
  filter.edge_color = 0xff20c040;
  for (const char *colorimetry : {"bt709", "bt601", "1:3:5:1", "bt2020"}) {
    const std::string caps = video_caps("I420", kSize, std::string("colorimetry=") + colorimetry);
    fail_unless(harness.set_input(caps));
    fail_unless(gst_caps_is_equal(harness.output_caps().get(), parse_caps(caps).get()));
    push_and_check(harness, caps, filter);
  }
  harness.expect_no_error();
}
GST_END_TEST;

// GObject refuses what is beyond the limits, and names the property; the value before stays.
GST_START_TEST(out_of_range) {
  Harness harness("cartoon");
  GstElement *element = harness.element();
  const struct {
    const char *name;
    std::vector<double> values;
  } refused[] = {{"softness", {-0.1, 1.1}},     {"low-threshold", {-1, 1e7}},
                 {"high-threshold", {-1, 1e7}}, {"dog-sigma", {0.2, 5.1}},
                 {"dog-threshold", {0, 256}},   {"sigma-space", {0.09, 1000.1}}};
  for (const auto &[name, values] : refused)
    for (double value : values)
      expect_refused(element, name, value);
  expect_refused(element, "softness", std::numeric_limits<double>::quiet_NaN());
  for (int levels : {1, 65})
    expect_refused(element, "levels", levels);
  // Which GObject takes for 0.
  set_just_below_0(element, "softness");
  CartoonFilter filter;
  filter.settings.softness = 0;
  const std::string caps = video_caps("RGB", kSize);
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, filter);
  harness.expect_no_error();
}
GST_END_TEST;

// Levels from 2 to 10 by a control source.
GST_START_TEST(controlled_levels) {
  const std::string caps = video_caps("GRAY8", {24, 8});
  const GstVideoInfo info = video_info(caps);
  Harness harness("cartoon");
  control(harness.element(), "levels", {2, 10}, GST_INTERPOLATION_MODE_LINEAR, 4 * GST_SECOND);
  fail_unless(harness.set_input(caps));
  for (int seconds = 0; seconds <= 4; seconds++) {
    const BufferRef frame(random_frame(info, {}, 1));
    GST_BUFFER_PTS(frame.get()) = static_cast<GstClockTime>(seconds) * GST_SECOND;
    fail_unless_equals_int(harness.push(gst_buffer_ref(frame.get())), GST_FLOW_OK);
    const BufferRef out = harness.pull();
    CartoonFilter filter;
    filter.settings.levels = 2 + 2 * seconds;
    const std::string difference = cartoon_difference(frame.get(), out.get(), info, filter, false);
    fail_unless(difference.empty(), "%d levels: %s", filter.settings.levels, difference.c_str());
  }
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  const struct {
    Properties properties;
    std::vector<const char *> texts;
  } cases[] = {{{{"edges", "none"}, {"edge-color", "1"}, {"dog-sigma", "2"}},
                {"edge-color has no effect; it requires edges=canny or edges=dog",
                 "dog-sigma has no effect; it requires edges=dog"}},
               {{{"low-threshold", "1"}, {"high-threshold", "2"}},
                {"low-threshold has no effect; it requires edges=canny",
                 "high-threshold has no effect; it requires edges=canny"}},
               {{{"edges", "canny"}, {"dog-threshold", "3"}},
                {"dog-threshold has no effect; it requires edges=dog"}},
               {{{"dog-threshold", "3"}, {"edge-color", "1"}}, {}}};
  for (const auto &[properties, texts] : cases) {
    Harness harness("cartoon", properties);
    fail_unless(harness.set_input(video_caps("GRAY8", kSize)));
    for (const char *text : texts) {
      const std::string warning = harness.take_warning();
      fail_unless(contains(warning, text), "%s", warning.c_str());
    }
    fail_unless(harness.take_warning().empty());
  }
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "cartoon", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "cartoon");
    tcase_add_loop_test(tests, every_format, 0, n_formats_of_8_bits());
    tcase_add_test(tests, all_formats_are_known_here);
    tcase_add_test(tests, each_property);
    tcase_add_test(tests, colorimetry);
    tcase_add_test(tests, out_of_range);
    tcase_add_test(tests, controlled_levels);
    tcase_add_test(tests, warnings_without_effect);
  });
}
