// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of median in every format, its properties while frames flow, and what is refused.
#include "../control.h"
#include "../convolve/convolve_reference.h"
#include "../neighbourhood.h"
#include "../out_of_range.h"
#include "median_reference.h"

namespace test {
namespace {

const Size kSize{21, 8};

int n_formats() {
  return static_cast<int>(sample_formats().size());
}

GST_START_TEST(every_format) {
  check_sizes("median", sample_formats()[static_cast<gsize>(__i__)].name,
              {{"size", "9"},
               {"height", "3"},
               {"percentile", "20"},
               {"border", "constant"},
               {"border-value", "77"},
               {"filter-alpha", "true"}},
              RankFilter{9, 3, 20, "constant", 77, false, true});
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("median"), n_formats());
}
GST_END_TEST;

GST_START_TEST(borders) {
  check_borders("median", {{"size", "5"}}, RankFilter{5, 5});
  check_borders("median", {{"size", "11"}}, RankFilter{11, 11});
}
GST_END_TEST;

GST_START_TEST(each_property) {
  Harness harness("median");
  const std::vector<Change<RankFilter>> changes = {
      {"size", "5", [](RankFilter &f) { f.width = f.height = 5; }},
      {"size", "7", [](RankFilter &f) { f.width = f.height = 7; }},
      {"width", "3", [](RankFilter &f) { f.width = 3; }},
      {"height", "1", [](RankFilter &f) { f.height = 1; }},
      {"percentile", "100", [](RankFilter &f) { f.percentile = 100; }},
      {"preset", "erode", [](RankFilter &f) { f.percentile = 0; }},
      {"preset", "dilate", [](RankFilter &f) { f.percentile = 100; }},
      {"preset", "none", [](RankFilter &) {}},
      {"width", "0", [](RankFilter &f) { f.width = 7; }},
      {"height", "15", [](RankFilter &f) { f.height = 15; }},
      {"percentile", "33.3", [](RankFilter &f) { f.percentile = 33.3; }},
      {"border", "constant", [](RankFilter &f) { f.border = "constant"; }},
      {"border-value", "77", [](RankFilter &f) { f.border_value = 77; }},
      {"filter-alpha", "true", [](RankFilter &f) { f.filter_alpha = true; }},
      {"planes", "luma", [](RankFilter &f) { f.luma_only = true; }},
      {"planes", "all", [](RankFilter &f) { f.luma_only = false; }},
      {"border", "wrap", [](RankFilter &f) { f.border = "wrap"; }},
  };
  const std::string warning =
      check_changes(harness, video_caps("AYUV", kSize), RankFilter{}, changes);
  fail_unless(warning.empty(), "%s", warning.c_str());
}
GST_END_TEST;

GST_START_TEST(channels) {
  check_caps_are_kept("median");
  check_channels_refused("median");
  check_channels_ignored("median");
}
GST_END_TEST;

// A window without a middle, before there are caps.
GST_START_TEST(even_windows) {
  const struct {
    Properties properties;
    const char *problem;
  } cases[] = {
      {{{"size", "4"}}, "size=4: a window requires odd numbers"},
      {{{"size", "4"}, {"width", "5"}}, "size=4: a window requires odd numbers"},
      {{{"height", "2"}}, "height=2: a window requires odd numbers"},
      {{{"width", "6"}, {"height", "2"}}, "width=6, height=2: a window requires odd numbers"},
  };
  for (const auto &[properties, problem] : cases)
    check_no_start("median", properties, problem);
  // The size is not that of the window then.
  Harness harness("median", {{"size", "4"}, {"width", "5"}, {"height", "3"}});
  const std::string caps = video_caps("GRAY8", kSize);
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, RankFilter{5, 3});
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(percentile_just_below_0) {
  Harness harness("median");
  set_just_below_0(harness.element(), "percentile");
  const std::string caps = video_caps("GRAY8", kSize);
  fail_unless(harness.set_input(caps));
  RankFilter filter;
  filter.percentile = 0;
  push_and_check(harness, caps, filter);
  harness.expect_no_error();
}
GST_END_TEST;

bool same_bytes(GstBuffer *a, GstBuffer *b) {
  GstMapInfo map;
  fail_unless(gst_buffer_map(a, &map, GST_MAP_READ));
  const bool same = gst_buffer_memcmp(b, 0, map.data, map.size) == 0;
  gst_buffer_unmap(a, &map);
  return same;
}

// From 3 to 9, and with each even number the next window.
GST_START_TEST(controlled_size) {
  const std::string caps = video_caps("GRAY8", {24, 8});  // rows without padding
  for (const char *name : {"size", "width"}) {
    Harness harness("median"), by_hand("median");
    control(harness.element(), name, {3, 9}, GST_INTERPOLATION_MODE_LINEAR, 6 * GST_SECOND);
    fail_unless(harness.set_input(caps) && by_hand.set_input(caps));
    for (int seconds = 0; seconds <= 6; seconds++) {
      const int expected = (3 + seconds) | 1;
      BufferRef frame(random_frame(video_info(caps), {}, 1));
      g_object_set(by_hand.element(), name, expected, nullptr);
      fail_unless_equals_int(by_hand.push(gst_buffer_copy_deep(frame.get())), GST_FLOW_OK);
      GST_BUFFER_PTS(frame.get()) = static_cast<GstClockTime>(seconds) * GST_SECOND;
      fail_unless_equals_int(harness.push(frame.release()), GST_FLOW_OK);
      int size = 0;
      g_object_get(harness.element(), name, &size, nullptr);
      fail_unless_equals_int(size, expected);
      fail_unless(same_bytes(harness.pull().get(), by_hand.pull().get()), "%s=%d", name, size);
    }
    fail_unless(harness.take_warning().empty());
    harness.expect_no_error();
  }
}
GST_END_TEST;

GST_START_TEST(refused_later) {
  const std::string caps = video_caps("RGBA", kSize);
  Harness harness("median", {{"border", "reflect"}});
  fail_unless(harness.set_input(caps));
  RankFilter filter;
  filter.border = "reflect";
  push_and_check(harness, caps, filter);
  set(harness, "planes", "luma");
  set(harness, "size", "5");  // which is used all the same
  filter.width = filter.height = 5;
  push_and_check(harness, caps, filter);
  fail_unless(contains(harness.take_warning(), "no luma"));
  set(harness, "percentile", "0");
  filter.percentile = 0;
  push_and_check(harness, caps, filter);
  fail_unless(harness.take_warning().empty(), "a second warning");
  set(harness, "planes", "all");
  push_and_check(harness, caps, filter);
  set(harness, "size", "6");
  set(harness, "border", "wrap");  // which is used all the same
  filter.border = "wrap";
  push_and_check(harness, caps, filter);
  fail_unless(contains(harness.take_warning(), "size=6: a window requires odd numbers"));
  set(harness, "size", "5");
  push_and_check(harness, caps, filter);
  set(harness, "planes", "luma");
  push_and_check(harness, caps, filter);
  fail_unless(contains(harness.take_warning(), "no luma"));
  harness.expect_no_error();
}
GST_END_TEST;

// After the start and before any caps it is as while playing.
GST_START_TEST(refused_before_the_first_frame) {
  Harness harness("median", {{"size", "5"}});
  set(harness, "size", "6");
  set(harness, "planes", "luma");
  const std::string caps = video_caps("RGBA", kSize);
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, RankFilter{5, 5});
  const std::string warning = harness.take_warning();
  fail_unless(
      contains(warning, "size=6: a window requires odd numbers") && contains(warning, "no luma"),
      "%s", warning.c_str());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  const struct {
    Properties properties;
    const char *text;  // empty: no warning
  } cases[] = {
      {{{"size", "5"}, {"width", "7"}, {"height", "1"}},
       "size=5 has no effect with width=7 and height=1"},
      {{{"size", "5"}, {"width", "7"}}, ""},
      {{{"percentile", "20"}, {"preset", "erode"}},
       "percentile=20 has no effect with preset=erode; it requires preset=none"},
      {{{"percentile", "99.5"}, {"preset", "dilate"}},
       "percentile=99.5 has no effect with preset=dilate; it requires preset=none"},
      {{{"preset", "dilate"}}, ""},
  };
  for (const auto &[properties, text] : cases) {
    Harness harness("median", properties);
    const std::string warning = harness.take_warning();
    fail_unless(warning == text, "\"%s\"", warning.c_str());
    fail_unless(harness.set_input(video_caps("GRAY8", kSize)));
    fail_unless(harness.take_warning().empty(), "a second warning");
  }
}
GST_END_TEST;

}  // namespace
}  // namespace test

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "median", [](Suite *suite) {
    using namespace test;
    TCase *tests = new_case(suite, "median");
    tcase_add_loop_test(tests, every_format, 0, n_formats());
    tcase_add_test(tests, all_formats_are_known_here);
    tcase_add_test(tests, borders);
    tcase_add_test(tests, each_property);
    tcase_add_test(tests, channels);
    tcase_add_test(tests, even_windows);
    tcase_add_test(tests, percentile_just_below_0);
    tcase_add_test(tests, controlled_size);
    tcase_add_test(tests, refused_later);
    tcase_add_test(tests, refused_before_the_first_frame);
    tcase_add_test(tests, warnings_without_effect);
  });
}
