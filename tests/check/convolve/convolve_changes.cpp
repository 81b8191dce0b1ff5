// SPDX-License-Identifier: LGPL-2.1-or-later
// What changes while frames flow: it holds from the next frame on.
#include <thread>

#include "../../support/elements/pipeline.h"
#include "../control.h"
#include "convolve_cases.h"
#include "convolve_reference.h"

namespace test {
namespace {

const Size kSize{21, 8};

// One property at a time, each on top of those before.
GST_START_TEST(each_property) {
  const std::string caps = video_caps("AYUV", kSize);
  Harness harness("convolve");
  fail_unless(harness.set_input(caps));
  Convolution c{1, 1, {1}};
  push_and_check(harness, caps, c);
  const struct {
    const char *name, *value;
    void (*apply)(Convolution &);
  } steps[] = {
      {"mask", "1 2 3; 3 2 5",
       [](Convolution &c) {
         c = {3, 2, {1, 2, 3, 3, 2, 5}, 16};
       }},
      {"correlate", "true", [](Convolution &c) { c.correlate = true; }},
      {"anchor-x", "2", [](Convolution &c) { c.anchor_x = 2; }},
      {"anchor-y", "1", [](Convolution &c) { c.anchor_y = 1; }},
      {"border", "constant", [](Convolution &c) { c.border = "constant"; }},
      {"border-value", "77", [](Convolution &c) { c.border_value = 77; }},
      {"filter-alpha", "true", [](Convolution &c) { c.filter_alpha = true; }},
      {"planes", "luma", [](Convolution &c) { c.luma_only = true; }},
      {"divisor", "-32", [](Convolution &c) { c.divisor = -32; }},
      {"bias", "150", [](Convolution &c) { c.bias = 150; }},
      {"divisor", "32", [](Convolution &c) { c.divisor = 32; }},
      {"absolute", "true", [](Convolution &c) { c.absolute = true; }},
      {"absolute", "false", [](Convolution &c) { c.absolute = false; }},
      {"divisor", "0", [](Convolution &c) { c.divisor = 16; }},
      {"normalize", "false", [](Convolution &c) { c.divisor = 1; }},
      {"planes", "all", [](Convolution &c) { c.luma_only = false; }},
      {"preset", "scharr-x",
       [](Convolution &c) { c.height = 3, c.mask = {3, 0, -3, 10, 0, -10, 3, 0, -3}; }},
  };
  guint32 seed = 1;
  for (const auto &[name, value, apply] : steps) {
    set(harness, name, value);
    apply(c);
    push_and_check(harness, caps, c, ++seed);
    push_and_check(harness, caps, c, ++seed);
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

GST_START_TEST(rows) {
  const std::string caps = video_caps("I422_10LE", kSize);
  Harness harness("sepconvolve");
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, {1, 1, {1}});
  set(harness, "horizontal", "1 3");
  push_and_check(harness, caps, {2, 2, {1, 3, 3, 9}, 16});
  set(harness, "vertical", "1");
  push_and_check(harness, caps, {2, 1, {1, 3}, 4});
  set(harness, "preset", "binomial");
  push_and_check(harness, caps, {3, 3, {1, 2, 1, 2, 4, 2, 1, 2, 1}, 16});
  // A row set replaces its half of the preset.
  set(harness, "vertical", "");
  set(harness, "horizontal", "1 1");
  push_and_check(harness, caps, {2, 2, {1, 1, 1, 1}, 4});
}
GST_END_TEST;

// Formats of other depths, in one stream.
GST_START_TEST(renegotiation) {
  Harness harness("convolve", {{"mask", "1 -1"}});
  for (int round = 0; round < 2; round++)
    for (const SampleFormat &format : sample_formats())
      for (Size size : {kSize, Size{4, 5}}) {
        const std::string caps = video_caps(format.name, size);
        fail_unless(harness.set_input(caps));
        Convolution c{2, 1, {1, -1}};
        c.bias = 1 << (format.bits - 1);
        push_and_check(harness, caps, c);
      }
  harness.expect_no_error();
}
GST_END_TEST;

// What is right for one format only: kept where it is, an error where it is not.
GST_START_TEST(right_for_one_format) {
  Harness harness("convolve", {{"border", "constant"}, {"border-value", "300"}});
  fail_unless(harness.set_input(video_caps("GRAY16_LE", kSize)));
  const std::string caps = video_caps("GRAY8", kSize);
  harness.set_input(caps);
  fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                         GST_FLOW_NOT_NEGOTIATED);
  harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, {"border-value=300"});
}
GST_END_TEST;

// Values follow the time of the frames.
GST_START_TEST(controlled) {
  const std::string caps = video_caps("GRAY8", kSize);
  Harness harness("convolve", {{"mask", "1 1"}});
  control(harness.element(), "bias", {0, 100});
  fail_unless(harness.set_input(caps));
  for (int tenths : {0, 3, 5, 5, 10}) {
    const BufferRef in(random_frame(video_info(caps), {}, 1));
    GST_BUFFER_PTS(in.get()) = static_cast<GstClockTime>(tenths) * GST_SECOND / 10;
    fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
    const BufferRef out = harness.pull();
    expect_convolved(in.get(), out.get(), caps, {2, 1, {1, 1}, 2, 10.0 * tenths});
  }
  harness.expect_no_error();
}
GST_END_TEST;

// A Gaussian whose sigma grows is wider in each frame: a line spreads.
GST_START_TEST(controlled_sigma) {
  const std::string caps = video_caps("GRAY8", {31, 1});
  Harness harness("sepconvolve", {{"preset", "gaussian"}, {"sigma", "0.5"}});
  control(harness.element(), "sigma", {0.5, 3});
  fail_unless(harness.set_input(caps));
  guint8 before = 255;
  for (int n = 0; n < 5; n++) {
    GstBuffer *in = gst_buffer_new_allocate(nullptr, 32, nullptr);
    gst_buffer_memset(in, 0, 0, 32);
    gst_buffer_memset(in, 15, 255, 1);
    GST_BUFFER_PTS(in) = static_cast<GstClockTime>(n) * GST_SECOND / 4;
    fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
    const BufferRef out = harness.pull();
    guint8 peak = 0;
    gst_buffer_extract(out.get(), 15, &peak, 1);
    fail_unless(peak < before, "frame %d: %d after %d", n, peak, before);
    before = peak;
  }
  fail_unless(harness.take_warning().empty());
}
GST_END_TEST;

// Another thread sets what it likes while frames flow; every frame is of one setting or another.
GST_START_TEST(from_another_thread) {
  Pipeline pipeline(
      "videotestsrc num-buffers=-1 pattern=white ! video/x-raw,format=GRAY8,width=32,height=32 ! "
      "convolve name=filter normalize=false mask=1 ! fakesink name=sink sync=false");
  std::atomic<int> strange{0};
  pipeline.on_buffer = [&strange](GstBuffer *buffer, GstPad *) {
    for (const Bytes bytes = bytes_of(buffer); const guint8 byte : bytes)
      if (byte != bytes[0]) strange++;
  };
  pipeline.set_state(GST_STATE_PLAYING);
  GstElement *filter = pipeline.element("filter");
  const char *const masks[] = {"1", "0.5 0.25", "0.25; 0.25; 0.125", "0.1 0.1 0.1; 0 0 0"};
  const int rounds = small_run() ? 40 : 400;
  for (int n = 0; n < rounds; n++) {
    g_object_set(filter, "mask", masks[n % 4], "bias", double(n % 5), nullptr);
    gchar *mask = nullptr;
    g_object_get(filter, "mask", &mask, nullptr);
    expect_string(mask, masks[n % 4]);
    g_free(mask);
    if (n % 10 == 0) pipeline.wait_for_buffers(1);
  }
  pipeline.wait_for_buffers(2);
  pipeline.set_state(GST_STATE_NULL);
  fail_unless_equals_int(strange, 0);
}
GST_END_TEST;

}  // namespace

void add_convolve_change_cases(Suite *suite) {
  TCase *changes = new_case(suite, "changes");
  tcase_add_test(changes, each_property);
  tcase_add_test(changes, rows);
  tcase_add_test(changes, renegotiation);
  tcase_add_test(changes, right_for_one_format);
  tcase_add_test(changes, controlled);
  tcase_add_test(changes, controlled_sigma);
  tcase_add_test(changes, from_another_thread);
}

}  // namespace test
