// SPDX-License-Identifier: LGPL-2.1-or-later
// A rate is never exceeded, whatever stands around the codestream, and nearly all of it is used.
#include "j2kenc_cases.h"

namespace test {
namespace {

const Size kSize{320, 240};

// Noise: there is always more to code than room.
gsize frame_bytes(const Properties &properties, const std::string &media,
                  const std::string &more = {}) {
  const std::string caps = video_caps("I420", kSize, more);
  Harness harness("j2kenc", properties);
  harness.accept(media);
  fail_unless(harness.set_input(caps));
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
  return gst_buffer_get_size(harness.pull().get());
}

void expect_used(gsize bytes, gsize limit, const std::string &what) {
  fail_unless(bytes <= limit && bytes >= limit * 98 / 100, "%s: %zu of %zu bytes", what.c_str(),
              bytes, limit);
}

GST_START_TEST(rates_are_kept) {
  const gsize pixels = 320 * 240;
  for (const char *media : {"image/x-jpc", "image/x-j2c", "image/jp2"})
    for (const char *mode : {"interlace-mode=progressive", "interlace-mode=interleaved"}) {
      const std::string what = std::string(media) + " " + mode;
      expect_used(frame_bytes({{"frame-size", "20000"}}, media, mode), 20000, what);
      expect_used(frame_bytes({{"bpp", "1"}}, media, mode), pixels / 8, what);
      // 25 frames a second.
      expect_used(frame_bytes({{"bitrate", "4000"}}, media, mode), 20000, what);
    }
  expect_used(frame_bytes({{"frame-size", "20000"}, {"wavelet", "5/3"}}, "image/x-jpc"), 20000,
              "5/3");
  expect_used(frame_bytes({{"frame-size", "20000"}, {"num-layers", "5"}}, "image/x-jpc"), 20000,
              "layers");
  expect_used(
      frame_bytes(
          {{"frame-size", "20000"}, {"tile-width", "100"}, {"sop", "true"}, {"tlm", "true"}},
          "image/x-jpc"),
      20000, "tiles");
}
GST_END_TEST;

// What is there fits: nothing is left out, and nothing added.
GST_START_TEST(more_than_enough) {
  const gsize all = frame_bytes({{"lossless", "false"}, {"wavelet", "5/3"}}, "image/x-jpc");
  fail_unless_equals_int(static_cast<int>(frame_bytes(
                             {{"frame-size", "2000000000"}, {"wavelet", "5/3"}}, "image/x-jpc")),
                         static_cast<int>(all));
  fail_unless_equals_int(
      static_cast<int>(frame_bytes({{"bpp", "1000"}, {"wavelet", "5/3"}}, "image/x-jpc")),
      static_cast<int>(all));
}
GST_END_TEST;

// The framerate is that of the caps, and changes with them.
GST_START_TEST(bit_rate_of_another_framerate) {
  Harness harness("j2kenc", {{"bitrate", "4000"}});
  for (const auto &[rate, limit] :
       {std::pair{"50/1", 10000}, {"25/1", 20000}, {"60000/1001", 8341}}) {
    std::string caps = video_caps("I420", kSize);
    caps.replace(caps.find("25/1"), 4, rate);
    fail_unless(harness.set_input(caps));
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)), GST_FLOW_OK);
    expect_used(gst_buffer_get_size(harness.pull().get()), static_cast<gsize>(limit), rate);
  }
}
GST_END_TEST;

}  // namespace

void add_j2kenc_rate_cases(Suite *suite) {
  TCase *rates = new_case(suite, "rates");
  tcase_add_test(rates, rates_are_kept);
  tcase_add_test(rates, more_than_enough);
  tcase_add_test(rates, bit_rate_of_another_framerate);
}

}  // namespace test
