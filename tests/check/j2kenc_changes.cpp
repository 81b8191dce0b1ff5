// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties that change while frames flow, and what they read as.
#include "j2kenc_cases.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

const Size kSize{200, 120};

void set(Harness &harness, const char *name, const char *value) {
  gst_util_set_object_arg(G_OBJECT(harness.element()), name, value);
}

bool is_lossless(GstElement *element) {
  gboolean value = FALSE;
  g_object_get(element, "lossless", &value, nullptr);
  return value;
}

Bytes next_frame(Harness &harness, const std::string &caps = video_caps("RGB", kSize)) {
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  return bytes_of(out.get());
}

// The same, from the beginning.
Bytes only_frame(const Properties &properties) {
  Harness harness("j2kenc", properties);
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  return next_frame(harness);
}

// As it is, whatever was set.
GST_START_TEST(lossless_tells_the_truth) {
  Harness harness("j2kenc");
  GstElement *element = harness.element();
  int told = 0;
  g_signal_connect(
      element, "notify::lossless",
      G_CALLBACK(+[](GObject *, GParamSpec *, gpointer count) { ++*static_cast<int *>(count); }),
      &told);
  fail_unless(is_lossless(element));
  for (const char *rate : {"bpp", "bitrate", "frame-size", "psnr", "quality"}) {
    told = 0;
    set(harness, rate, "1");
    fail_unless(!is_lossless(element) && told == 1, "%s: %d", rate, told);
    set(harness, rate, "0");
    fail_unless(is_lossless(element) && told == 2, "%s: %d", rate, told);
  }
  set(harness, "lossless", "false");
  fail_unless(!is_lossless(element));
  set(harness, "lossless", "true");
  set(harness, "bpp", "1");
  fail_unless(is_lossless(element), "what was set is not forgotten");
}
GST_END_TEST;

GST_START_TEST(from_the_next_frame_on) {
  Harness harness("j2kenc");
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  const Bytes lossless = next_frame(harness);
  fail_unless(lossless == only_frame({}));
  set(harness, "bpp", "1");
  fail_unless(next_frame(harness) == only_frame({{"bpp", "1"}}));
  set(harness, "bpp", "0");
  set(harness, "tile-width", "64");
  fail_unless(next_frame(harness) == only_frame({{"tile-width", "64"}}));
  set(harness, "tile-width", "0");
  set(harness, "comment", "x");
  set(harness, "comment", "");
  fail_unless(next_frame(harness) == lossless);
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// A warning for each time that it was set, and what was good holds.
GST_START_TEST(bad_settings_are_not_used) {
  const Bytes good = only_frame({{"num-resolutions", "3"}});
  for (const auto &[name, value, word] : {std::tuple{"code-block-width", "100", "power of two"},
                                          {"roi", "0,0,1000,1000", "outside"},
                                          {"precincts", "?", "precincts=\"?\""},
                                          {"frame-size", "7", "frame-size=7"},
                                          {"wavelet", "9/7", "wavelet=9/7"}}) {
    Harness harness("j2kenc", {{"num-resolutions", "3"}});
    fail_unless(harness.set_input(video_caps("RGB", kSize)));
    fail_unless(next_frame(harness) == good);
    for (int again = 0; again < 2; again++) {
      set(harness, name, value);
      for (int frame = 0; frame < 3; frame++)
        fail_unless(next_frame(harness) == good, "%s=%s", name, value);
      const std::string warning = harness.take_warning();
      fail_unless(contains(warning, word), "%s=%s: \"%s\"", name, value, warning.c_str());
      fail_unless(harness.take_warning().empty(), "%s=%s: a second warning", name, value);
    }
    harness.expect_no_error();
  }
}
GST_END_TEST;

// A size that makes impossible what was possible before; what is possible again, holds again.
GST_START_TEST(a_size_that_forbids_settings) {
  Harness harness("j2kenc", {{"roi", "100,50,100,60"}});
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  next_frame(harness);
  const std::string small = video_caps("RGB", {64, 64});
  harness.set_input(small);
  fail_unless_equals_int(harness.push(random_frame(video_info(small), {}, 1)),
                         GST_FLOW_NOT_NEGOTIATED);
  fail_unless_equals_int(harness.waiting(), 0);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                       {"roi=\"100,50,100,60\"", "64x64"});
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  fail_unless(next_frame(harness) == only_frame({{"roi", "100,50,100,60"}}));
}
GST_END_TEST;

// What has been wrong at the first frame can be put right without a restart.
GST_START_TEST(put_right) {
  Harness harness("j2kenc", {{"frame-size", "7"}});
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  const GstVideoInfo info = video_info(video_caps("RGB", kSize));
  fail_unless_equals_int(harness.push(random_frame(info, {}, 1)), GST_FLOW_ERROR);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, {"frame-size=7"});
  set(harness, "frame-size", "5000");
  fail_unless(next_frame(harness) == only_frame({{"frame-size", "5000"}}));
}
GST_END_TEST;

GST_START_TEST(presets) {
  Harness harness("j2kenc");
  fail_unless(GST_IS_PRESET(harness.element()));
  gchar **names = gst_preset_get_property_names(GST_PRESET(harness.element()));
  for (const char *name : {"bpp", "progression-order", "code-block-style", "precincts", "sop"})
    fail_unless(g_strv_contains(names, name), "%s is not in presets", name);
  g_strfreev(names);
}
GST_END_TEST;

}  // namespace

void add_j2kenc_change_cases(Suite *suite) {
  TCase *changes = new_case(suite, "changes");
  tcase_add_test(changes, lossless_tells_the_truth);
  tcase_add_test(changes, from_the_next_frame_on);
  tcase_add_test(changes, bad_settings_are_not_used);
  tcase_add_test(changes, a_size_that_forbids_settings);
  tcase_add_test(changes, put_right);
  tcase_add_test(changes, presets);
}

}  // namespace test
