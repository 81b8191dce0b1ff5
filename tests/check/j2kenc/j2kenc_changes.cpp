// SPDX-License-Identifier: LGPL-2.1-or-later
// Properties that change while frames flow, and what they read as.
#include "../control.h"
#include "j2kenc_cases.h"
#include "j2kenc_codestream.h"

namespace test {
namespace {

const Size kSize{200, 120};

bool is_lossless(GstElement *element) {
  gboolean value = FALSE;
  g_object_get(element, "lossless", &value, nullptr);
  return value;
}

Bytes next_frame(Harness &harness, const std::string &caps = video_caps("RGB", kSize)) {
  return code_frame(harness, caps);
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
  set(harness, "profile", "imf-2k");
  fail_unless(!is_lossless(element));
  set(harness, "profile", "none");
  fail_unless(is_lossless(element));
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

// Rates follow the time of the frames.
GST_START_TEST(controlled_rates) {
  const std::string caps = video_caps("RGB", kSize);
  Harness harness("j2kenc", {{"num-layers", "3"}});
  control(harness.element(), "frame-size", {4000, 14000});
  fail_unless(harness.set_input(caps));
  for (const int tenths : {0, 3, 5, 5, 10}) {
    GstBuffer *in = random_frame(video_info(caps), {}, 1);
    GST_BUFFER_PTS(in) = static_cast<GstClockTime>(tenths) * GST_SECOND / 10;
    fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
    const BufferRef out = harness.pull();
    const std::string rate = std::to_string(4000 + 1000 * tenths);
    fail_unless(
        bytes_of(out.get()) == only_frame({{"num-layers", "3"}, {"frame-size", rate.c_str()}}),
        "frame-size=%s", rate.c_str());
  }
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

// The caps already name the profile when the first frame shows that its rate is impossible. What
// was good before is none of that profile, so the stream ends.
GST_START_TEST(bad_rate_with_another_profile) {
  const std::string caps = video_caps("RGB", kSize);
  Harness harness("j2kenc");
  fail_unless(harness.set_input(caps));
  next_frame(harness);
  g_object_set(harness.element(), "frame-size", 20, nullptr);
  set(harness, "profile", "imf-2k");
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_ERROR);
  fail_unless_equals_int(harness.waiting(), 0);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                       {"frame-size=20", "the least is frame-size="});
}
GST_END_TEST;

// Of a text a message has 200 bytes, and is UTF-8 all the same.
GST_START_TEST(long_texts) {
  Harness harness("j2kenc");
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  next_frame(harness);
  std::string text = "9";
  for (int i = 0; i < 150; i++)
    text += "\xc3\xa9";
  set(harness, "precincts", text.c_str());
  next_frame(harness);
  const std::string warning = harness.take_warning();
  fail_unless(contains(warning, "precincts=\"" + text.substr(0, 199)) &&
                  contains(warning, "...\": expected up to") &&
                  !contains(warning, text.substr(0, 201)),
              "%s", warning.c_str());
  fail_unless(g_utf8_validate(warning.c_str(), -1, nullptr), "%s", warning.c_str());
}
GST_END_TEST;

// Nor are rates, after which others hold again.
GST_START_TEST(bad_rates_are_not_used) {
  Harness harness("j2kenc", {{"frame-size", "5000"}});
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  for (const char *size : {"5000", "6000"}) {
    const Bytes good = only_frame({{"frame-size", size}});
    set(harness, "frame-size", size);
    fail_unless(next_frame(harness) == good);
    for (int again = 0; again < 2; again++) {
      set(harness, "frame-size", "7");
      fail_unless(next_frame(harness) == good && next_frame(harness) == good);
      fail_unless(contains(harness.take_warning(), "frame-size=7: "));
      fail_unless(harness.take_warning().empty());
    }
    // What the encoder has to be made anew for goes back to that rate, too.
    set(harness, "code-block-width", "100");
    fail_unless(next_frame(harness) == good && contains(harness.take_warning(), "power of two"));
    set(harness, "code-block-width", "64");
  }
  harness.expect_no_error();
}
GST_END_TEST;

// Of two fields the first, which has a row more, could have a rate that the second cannot.
GST_START_TEST(a_rate_for_one_field) {
  const std::string caps =
      video_caps("RGB", {40, 25}, "interlace-mode=interleaved, field-order=top-field-first");
  Harness harness("j2kenc", {{"frame-size", "1500"}});
  fail_unless(harness.set_input(caps));
  const Bytes good = next_frame(harness, caps);
  set(harness, "frame-size", "9");
  fail_unless(next_frame(harness, caps) == good);
  const std::string told = harness.take_warning();
  const int least = std::stoi(told.substr(told.rfind('=') + 1));
  set(harness, "frame-size", std::to_string(least - 1).c_str());
  fail_unless(next_frame(harness, caps) == good);
  fail_unless(contains(harness.take_warning(), "the least is frame-size=" + std::to_string(least)));
  set(harness, "frame-size", std::to_string(least).c_str());
  fail_unless(next_frame(harness, caps) != good);
  harness.expect_no_error();
}
GST_END_TEST;

// A size that makes impossible what was possible before; what is possible again, holds again, and
// what was set meanwhile.
GST_START_TEST(a_size_that_forbids_settings) {
  Harness harness("j2kenc", {{"roi", "100,50,100,60"}});
  fail_unless(harness.set_input(video_caps("RGB", kSize)));
  next_frame(harness);
  set(harness, "comment", "meanwhile");
  const std::string small = video_caps("RGB", {64, 64});
  for (int again = 0; again < 2; again++) {
    harness.set_input(small);
    fail_unless_equals_int(harness.push(random_frame(video_info(small), {}, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    fail_unless_equals_int(harness.waiting(), 0);
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                         {"roi=\"100,50,100,60\"", "64x64"});
    fail_unless(harness.set_input(video_caps("RGB", kSize)));
    fail_unless(next_frame(harness) ==
                only_frame({{"roi", "100,50,100,60"}, {"comment", "meanwhile"}}));
  }
}
GST_END_TEST;

// Each size is coded as if there had been no other.
GST_START_TEST(sizes_by_turns) {
  Harness harness("j2kenc", {{"num-layers", "2"}});
  for (const Size size : {kSize, Size{1, 1}, Size{2, 3}, Size{1, 90}, kSize, Size{90, 1}}) {
    const std::string caps = video_caps("RGB", size);
    Harness other("j2kenc", {{"num-layers", "2"}});
    fail_unless(harness.set_input(caps) && other.set_input(caps));
    fail_unless(next_frame(harness, caps) == next_frame(other, caps), "%dx%d", size.width,
                size.height);
  }
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

}  // namespace

void add_j2kenc_change_cases(Suite *suite) {
  TCase *changes = new_case(suite, "changes");
  tcase_add_test(changes, lossless_tells_the_truth);
  tcase_add_test(changes, from_the_next_frame_on);
  tcase_add_test(changes, controlled_rates);
  tcase_add_test(changes, bad_settings_are_not_used);
  tcase_add_test(changes, bad_rate_with_another_profile);
  tcase_add_test(changes, long_texts);
  tcase_add_test(changes, bad_rates_are_not_used);
  tcase_add_test(changes, a_rate_for_one_field);
  tcase_add_test(changes, a_size_that_forbids_settings);
  tcase_add_test(changes, sizes_by_turns);
  tcase_add_test(changes, put_right);
}

}  // namespace test
