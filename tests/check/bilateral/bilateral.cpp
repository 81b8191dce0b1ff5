// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of bilateral in every format, its properties while frames flow, and what is refused.
#include <limits>

#include "../control.h"
#include "../convolve/convolve_reference.h"
#include "../neighbourhood.h"
#include "../out_of_range.h"
#include "bilateral_reference.h"

namespace test {
namespace {

const Size kSize{21, 8};

int n_formats() {
  return static_cast<int>(sample_formats().size());
}

GST_START_TEST(every_format) {
  check_sizes("bilateral", sample_formats()[static_cast<gsize>(__i__)].name,
              {{"radius", "4"},
               {"sigma-space", "1.5"},
               {"sigma-range", "120"},
               {"iterations", "2"},
               {"border", "constant"},
               {"border-value", "77"},
               {"filter-alpha", "true"}},
              BilateralFilter{4, 1.5, 120, 2, "constant", 77, false, true});
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("bilateral"), n_formats());
}
GST_END_TEST;

GST_START_TEST(borders) {
  check_borders("bilateral", {{"radius", "2"}, {"sigma-range", "90"}}, BilateralFilter{2, 2, 90});
  check_borders("bilateral", {{"radius", "9"}, {"sigma-range", "90"}}, BilateralFilter{9, 2, 90});
}
GST_END_TEST;

GST_START_TEST(each_property) {
  const std::vector<Change<BilateralFilter>> changes = {
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
  for (const char *format : {"AYUV", "v210"}) {
    Harness harness("bilateral");
    const std::string warning =
        check_changes(harness, video_caps(format, kSize), BilateralFilter{}, changes);
    fail_unless(warning.empty() == (std::string(format) == "AYUV"), "%s", warning.c_str());
  }
}
GST_END_TEST;

GST_START_TEST(channels) {
  check_caps_are_kept("bilateral");
  check_channels_refused("bilateral");
  check_channels_ignored("bilateral");
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

// GObject refuses what is beyond the limits, and names the property; the value before stays.
GST_START_TEST(out_of_range) {
  Harness harness("bilateral");
  GstElement *element = harness.element();
  for (int radius : {0, 10})
    expect_refused(element, "radius", radius);
  for (int times : {0, 101})
    expect_refused(element, "iterations", times);
  for (const char *name : {"sigma-space", "sigma-range"})
    for (double sigma : {0.09, 1000.1, std::numeric_limits<double>::quiet_NaN()})
      expect_refused(element, name, sigma);
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
  fail_unless(contains(harness.take_warning(), "border-value=256"));
  set(harness, "border-value", "9");
  filter.border = "constant", filter.border_value = 9;
  push_and_check(harness, caps, filter);
  harness.expect_no_error();
}
GST_END_TEST;

// From 1 to 5 by a control source.
GST_START_TEST(controlled_radius) {
  const std::string caps = video_caps("GRAY8", {24, 8});
  Harness harness("bilateral", {{"sigma-range", "200"}});
  control(harness.element(), "radius", {1, 5}, GST_INTERPOLATION_MODE_LINEAR, 4 * GST_SECOND);
  fail_unless(harness.set_input(caps));
  for (int seconds = 0; seconds <= 4; seconds++)
    push_and_check(harness, caps, BilateralFilter{1 + seconds, 2, 200}, 1,
                   static_cast<GstClockTime>(seconds) * GST_SECOND);
  harness.expect_no_error();
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
    tcase_add_test(tests, channels);
    tcase_add_test(tests, another_format);
    tcase_add_test(tests, out_of_range);
    tcase_add_test(tests, refused_later);
    tcase_add_test(tests, controlled_radius);
  });
}
