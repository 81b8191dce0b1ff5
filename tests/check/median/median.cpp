// SPDX-License-Identifier: LGPL-2.1-or-later
// Samples of median in every format, its properties while frames flow, and what is refused.
#include "../convolve/convolve_reference.h"
#include "median_reference.h"

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
    Harness plain("median");
    fail_unless(plain.set_input(caps));
    push_and_check(plain, caps, RankFilter{});
    Harness rank("median", {{"size", "9"},
                            {"height", "3"},
                            {"percentile", "20"},
                            {"border", "constant"},
                            {"border-value", "77"},
                            {"filter-alpha", "true"}});
    fail_unless(rank.set_input(caps));
    push_and_check(rank, caps, RankFilter{9, 3, 20, "constant", 77, false, true});
    (void)rank.take_warning();  // of formats without alpha
  }
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  fail_unless_equals_int(n_sink_formats("median"), n_formats());
}
GST_END_TEST;

GST_START_TEST(borders) {
  for (const char *border : {"replicate", "reflect", "reflect-101", "wrap", "constant"})
    for (const char *size : {"5", "11"}) {
      const std::string caps = video_caps("I420", {7, 6});
      Harness harness("median", {{"size", size}, {"border", border}});
      fail_unless(harness.set_input(caps));
      RankFilter filter;
      filter.width = filter.height = std::atoi(size);
      filter.border = border;
      push_and_check(harness, caps, filter);
    }
}
GST_END_TEST;

// One property at a time, each on top of those before.
GST_START_TEST(each_property) {
  const std::string caps = video_caps("AYUV", kSize);
  Harness harness("median");
  fail_unless(harness.set_input(caps));
  RankFilter f;
  push_and_check(harness, caps, f);
  const struct {
    const char *name, *value;
    void (*apply)(RankFilter &);
  } steps[] = {
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
  guint32 seed = 1;
  for (const auto &[name, value, apply] : steps) {
    set(harness, name, value);
    apply(f);
    push_and_check(harness, caps, f, ++seed);
    push_and_check(harness, caps, f, ++seed);
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// Caps pass as they are.
GST_START_TEST(caps_are_kept) {
  for (const char *more : {"colorimetry=bt709, chroma-site=mpeg2",
                           "interlace-mode=interleaved, pixel-aspect-ratio=16/11"}) {
    const std::string caps = video_caps("I420", {16, 8}, more);
    Harness harness("median");
    fail_unless(harness.set_input(caps));
    fail_unless(gst_caps_is_equal(harness.output_caps().get(), parse_caps(caps).get()));
  }
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
      {"GRAY8", {{"size", "4"}}, {"size 4", "odd"}},
      {"GRAY8", {{"height", "2"}}, {"width 3, height 2", "odd"}},
      {"GRAY8",
       {{"border", "constant"}, {"border-value", "256"}},
       {"border-value 256", "255, the largest sample of GRAY8"}},
  };
  for (const auto &[format, properties, words] : cases) {
    Harness harness("median", properties);
    (void)harness.set_input(video_caps(format, kSize));
    const std::vector<std::string> errors = harness.errors();
    const std::string error = errors.empty() ? "" : errors[0];
    for (const char *word : words)
      fail_unless(contains(error, word), "\"%s\" in \"%s\"", word, error.c_str());
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
  fail_unless(contains(harness.take_warning(), "size 6"));
  set(harness, "size", "5");
  push_and_check(harness, caps, filter);
  set(harness, "planes", "luma");
  push_and_check(harness, caps, filter);
  fail_unless(contains(harness.take_warning(), "no luma"));
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(warnings_without_effect) {
  Harness value("median", {{"border-value", "3"}});
  fail_unless(value.set_input(video_caps("GRAY8", kSize)));
  fail_unless(contains(value.take_warning(), "it requires border=constant"));
  Harness alpha("median", {{"filter-alpha", "true"}});
  fail_unless(alpha.set_input(video_caps("RGB", kSize)));
  fail_unless(contains(alpha.take_warning(), "RGB has no alpha channel"));
  fail_unless(alpha.set_input(video_caps("Y410", kSize)));
  fail_unless(contains(alpha.take_warning(), "alpha of two bits"));
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
    tcase_add_test(tests, caps_are_kept);
    tcase_add_test(tests, refused_at_the_start);
    tcase_add_test(tests, refused_later);
    tcase_add_test(tests, warnings_without_effect);
  });
}
