// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of bilateral in every format, its properties while frames flow, and what is refused.
#include <limits>

#include "../control.h"
#include "../convolve/convolve_reference.h"
#include "bilateral_reference.h"

namespace test {
namespace {

const Size kSize{21, 8};

int n_formats() {
  return static_cast<int>(sample_formats().size());
}

void set(Harness &harness, const char *name, const char *value) {
  gst_util_set_object_arg(G_OBJECT(harness.element()), name, value);
}

GST_START_TEST(every_format) {
  const SampleFormat &format = sample_formats()[static_cast<gsize>(__i__)];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{2, 5}, Size{33, 18}, Size{131, 7}}) {
    if (small_run() && size.width != 33) continue;
    const std::string caps = video_caps(format.name, size);
    Harness plain("bilateral");
    fail_unless(plain.set_input(caps));
    push_and_check(plain, caps, BilateralFilter{});
    Harness own("bilateral", {{"radius", "4"},
                              {"sigma-space", "1.5"},
                              {"sigma-range", "120"},
                              {"iterations", "2"},
                              {"border", "constant"},
                              {"border-value", "77"},
                              {"filter-alpha", "true"}});
    fail_unless(own.set_input(caps));
    push_and_check(own, caps, BilateralFilter{4, 1.5, 120, 2, "constant", 77, false, true});
    (void)own.take_warning();  // of formats without alpha
  }
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("bilateral"), n_formats());
}
GST_END_TEST;

GST_START_TEST(borders) {
  for (const char *border : {"replicate", "reflect", "reflect-101", "wrap", "constant"})
    for (const char *radius : {"2", "9"}) {
      const std::string caps = video_caps("I420", {7, 6});
      Harness harness("bilateral", {{"radius", radius}, {"sigma-range", "90"}, {"border", border}});
      fail_unless(harness.set_input(caps));
      BilateralFilter filter;
      filter.radius = std::atoi(radius);
      filter.sigma_range = 90;
      filter.border = border;
      push_and_check(harness, caps, filter);
    }
}
GST_END_TEST;

// One property at a time, each on top of those before.
GST_START_TEST(each_property) {
  for (const char *format : {"AYUV", "v210"}) {
    const std::string caps = video_caps(format, kSize);
    Harness harness("bilateral");
    fail_unless(harness.set_input(caps));
    BilateralFilter f;
    push_and_check(harness, caps, f);
    const struct {
      const char *name, *value;
      void (*apply)(BilateralFilter &);
    } steps[] = {
        {"radius", "5", [](BilateralFilter &f) { f.radius = 5; }},
        {"sigma-space", "3.5", [](BilateralFilter &f) { f.sigma_space = 3.5; }},
        {"sigma-range", "61.5", [](BilateralFilter &f) { f.sigma_range = 61.5; }},
        {"iterations", "3", [](BilateralFilter &f) { f.iterations = 3; }},
        {"iterations", "2", [](BilateralFilter &f) { f.iterations = 2; }},
        {"radius", "1", [](BilateralFilter &f) { f.radius = 1; }},
        {"sigma-range", "1000", [](BilateralFilter &f) { f.sigma_range = 1000; }},
        {"sigma-range", "0.1", [](BilateralFilter &f) { f.sigma_range = 0.1; }},
        {"sigma-range", "200", [](BilateralFilter &f) { f.sigma_range = 200; }},
        {"border", "constant", [](BilateralFilter &f) { f.border = "constant"; }},
        {"border-value", "77", [](BilateralFilter &f) { f.border_value = 77; }},
        {"planes", "luma", [](BilateralFilter &f) { f.luma_only = true; }},
        {"planes", "all", [](BilateralFilter &f) { f.luma_only = false; }},
        {"border", "wrap", [](BilateralFilter &f) { f.border = "wrap"; }},
        {"filter-alpha", "true", [](BilateralFilter &f) { f.filter_alpha = true; }},
        {"iterations", "1", [](BilateralFilter &f) { f.iterations = 1; }},
    };
    guint32 seed = 1;
    for (const auto &[name, value, apply] : steps) {
      set(harness, name, value);
      apply(f);
      push_and_check(harness, caps, f, ++seed);
      push_and_check(harness, caps, f, ++seed);
    }
    const std::string warning = harness.take_warning();
    fail_unless(warning.empty() == (std::string(format) == "AYUV"), "%s", warning.c_str());
    harness.expect_no_error();
  }
}
GST_END_TEST;

// Caps pass as they are.
GST_START_TEST(caps_are_kept) {
  for (const char *more : {"colorimetry=bt709, chroma-site=mpeg2",
                           "interlace-mode=interleaved, pixel-aspect-ratio=16/11"}) {
    const std::string caps = video_caps("I420", {16, 8}, more);
    Harness harness("bilateral");
    fail_unless(harness.set_input(caps));
    fail_unless(gst_caps_is_equal(harness.output_caps().get(), parse_caps(caps).get()));
  }
}
GST_END_TEST;

// What is right for RGB is not for luma: the weights are of each format.
GST_START_TEST(another_format) {
  Harness harness("bilateral", {{"sigma-range", "60"}});
  BilateralFilter filter;
  filter.sigma_range = 60;
  for (const char *format : {"GRAY8", "RGB", "GRAY16_LE", "GBR_10LE", "NV12", "I420_12LE"}) {
    const std::string caps = video_caps(format, kSize);
    fail_unless(harness.set_input(caps));
    push_and_check(harness, caps, filter);
  }
  harness.expect_no_error();
}
GST_END_TEST;

// What does not suit the format is an error at the start, and one warning later.
GST_START_TEST(refused_at_the_start) {
  const struct {
    const char *format;
    Properties properties;
    std::vector<const char *> words;
  } cases[] = {
      {"RGB", {{"planes", "luma"}}, {"planes=luma", "RGB has no luma"}},
      {"GRAY8",
       {{"border", "constant"}, {"border-value", "256"}},
       {"border-value 256", "255, the largest sample of GRAY8"}},
  };
  for (const auto &[format, properties, words] : cases) {
    Harness harness("bilateral", properties);
    (void)harness.set_input(video_caps(format, kSize));
    const std::vector<std::string> errors = harness.errors();
    const std::string error = errors.empty() ? "" : errors[0];
    for (const char *word : words)
      fail_unless(contains(error, word), "\"%s\" in \"%s\"", word, error.c_str());
  }
}
GST_END_TEST;

// GObject refuses what is beyond the limits, and names the property; the value before stays.
GST_START_TEST(out_of_range) {
  Harness harness("bilateral");
  GstElement *element = harness.element();
  for (int radius : {0, 10})
    ASSERT_WARNING(g_object_set(element, "radius", radius, nullptr));
  for (int times : {0, 101})
    ASSERT_WARNING(g_object_set(element, "iterations", times, nullptr));
  for (const char *name : {"sigma-space", "sigma-range"})
    for (double sigma : {0.09, 1000.1, std::numeric_limits<double>::quiet_NaN()})
      ASSERT_WARNING(g_object_set(element, name, sigma, nullptr));
  const std::string caps = video_caps("RGB", kSize);
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, BilateralFilter{});
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(refused_later) {
  const std::string caps = video_caps("RGBA", kSize);
  Harness harness("bilateral", {{"sigma-range", "90"}});
  fail_unless(harness.set_input(caps));
  BilateralFilter filter;
  filter.sigma_range = 90;
  push_and_check(harness, caps, filter);
  set(harness, "planes", "luma");
  set(harness, "radius", "3");  // which is used all the same
  filter.radius = 3;
  push_and_check(harness, caps, filter);
  fail_unless(contains(harness.take_warning(), "no luma"));
  set(harness, "sigma-space", "1");
  filter.sigma_space = 1;
  push_and_check(harness, caps, filter);
  fail_unless(harness.take_warning().empty(), "a second warning");
  set(harness, "planes", "all");
  set(harness, "border", "constant");
  set(harness, "border-value", "256");
  set(harness, "iterations", "2");  // which is used all the same
  filter.iterations = 2;
  push_and_check(harness, caps, filter);
  fail_unless(contains(harness.take_warning(), "border-value 256"));
  set(harness, "border-value", "9");
  filter.border = "constant", filter.border_value = 9;
  push_and_check(harness, caps, filter);
  harness.expect_no_error();
}
GST_END_TEST;

// From 1 to 5 by a control source.
GST_START_TEST(controlled_radius) {
  const std::string caps = video_caps("GRAY8", {24, 8});
  const GstVideoInfo info = video_info(caps);
  Harness harness("bilateral", {{"sigma-range", "200"}});
  control(harness.element(), "radius", {1, 5}, GST_INTERPOLATION_MODE_LINEAR, 4 * GST_SECOND);
  fail_unless(harness.set_input(caps));
  for (int seconds = 0; seconds <= 4; seconds++) {
    const BufferRef frame(random_frame(info, {}, 1));
    GST_BUFFER_PTS(frame.get()) = static_cast<GstClockTime>(seconds) * GST_SECOND;
    fail_unless_equals_int(harness.push(gst_buffer_ref(frame.get())), GST_FLOW_OK);
    const BufferRef out = harness.pull();
    BilateralFilter filter;
    filter.radius = 1 + seconds;
    filter.sigma_range = 200;
    GstVideoFrame from, to;
    fail_unless(gst_video_frame_map(&from, &info, frame.get(), GST_MAP_READ));
    fail_unless(gst_video_frame_map(&to, &info, out.get(), GST_MAP_READ));
    const std::string difference = bilateral_difference(from, to, filter);
    gst_video_frame_unmap(&from);
    gst_video_frame_unmap(&to);
    fail_unless(difference.empty(), "radius %d: %s", filter.radius, difference.c_str());
  }
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  Harness value("bilateral", {{"border-value", "3"}});
  fail_unless(value.set_input(video_caps("GRAY8", kSize)));
  fail_unless(contains(value.take_warning(), "it requires border=constant"));
  Harness alpha("bilateral", {{"filter-alpha", "true"}});
  fail_unless(alpha.set_input(video_caps("RGB", kSize)));
  fail_unless(contains(alpha.take_warning(), "RGB has no alpha channel"));
  fail_unless(alpha.set_input(video_caps("Y410", kSize)));
  fail_unless(contains(alpha.take_warning(), "alpha of two bits"));
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "bilateral", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "bilateral");
    tcase_add_loop_test(tests, every_format, 0, n_formats());
    tcase_add_test(tests, all_formats_are_known_here);
    tcase_add_test(tests, borders);
    tcase_add_test(tests, each_property);
    tcase_add_test(tests, caps_are_kept);
    tcase_add_test(tests, another_format);
    tcase_add_test(tests, refused_at_the_start);
    tcase_add_test(tests, out_of_range);
    tcase_add_test(tests, refused_later);
    tcase_add_test(tests, controlled_radius);
    tcase_add_test(tests, warnings_without_effect);
  });
}
