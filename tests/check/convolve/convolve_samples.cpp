// SPDX-License-Identifier: LGPL-2.1-or-later
// The samples of convolve and sepconvolve: every format, border, anchor, and what is not filtered.
#include "convolve_cases.h"
#include "convolve_reference.h"

namespace test {
namespace {

int n_formats() {
  return static_cast<int>(sample_formats().size());
}

// Nothing in it is symmetrical.
const char *const kMask = "1 2 3; 0 5 7; 4 1 2";
const std::vector<double> kValues = {1, 2, 3, 0, 5, 7, 4, 1, 2};
const Convolution kPlain{3, 3, kValues, 25};

GST_START_TEST(every_format) {
  const SampleFormat &format = sample_formats()[static_cast<gsize>(__i__)];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{2, 5}, Size{33, 18}, Size{131, 7}}) {
    if (small_run() && size.width != 33) continue;
    const std::string caps = video_caps(format.name, size);
    Harness plain("convolve", {{"mask", kMask}});
    fail_unless(plain.set_input(caps));
    push_and_check(plain, caps, kPlain);
    // Chroma does not get the bias, and goes both ways from its middle.
    Convolution difference{2, 1, {1, -1}, 1, 100};
    difference.filter_alpha = true;
    Harness edges("convolve", {{"mask", "1 -1"}, {"bias", "100"}, {"filter-alpha", "true"}});
    fail_unless(edges.set_input(caps));
    push_and_check(edges, caps, difference);
    Harness rows("sepconvolve", {{"horizontal", "1 2 3"}, {"vertical", "3, 1"}});
    fail_unless(rows.set_input(caps));
    push_and_check(rows, caps, {3, 2, {3, 6, 9, 1, 2, 3}, 24});
  }
}
GST_END_TEST;

GST_START_TEST(all_formats_are_known_here) {
  for (const char *element : {"convolve", "sepconvolve"})
    fail_unless_equals_int(n_sink_formats(element), n_formats());
}
GST_END_TEST;

// Caps pass as they are, for each format.
GST_START_TEST(caps_are_kept) {
  for (const char *more : {"colorimetry=bt709, chroma-site=mpeg2", "colorimetry=1:4:0:1",
                           "interlace-mode=interleaved, pixel-aspect-ratio=16/11"}) {
    const std::string caps =
        video_caps(sample_formats()[static_cast<gsize>(__i__)].name, {16, 8}, more);
    for (const char *element : {"convolve", "sepconvolve"}) {
      Harness harness(element);
      fail_unless(harness.set_input(caps));
      fail_unless(gst_caps_is_equal(harness.output_caps().get(), parse_caps(caps).get()));
    }
  }
}
GST_END_TEST;

GST_START_TEST(borders) {
  const char *const names[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
  const char *border = names[__i__];
  const int step = small_run() ? n_formats() / 8 + 1 : 1;  // every_format has them all
  for (int format = __i__ % step; format < n_formats(); format += step)
    for (Size size : {Size{1, 1}, Size{2, 3}, Size{17, 9}}) {
      const std::string caps = video_caps(sample_formats()[static_cast<gsize>(format)].name, size);
      Harness harness("convolve", {{"mask", "1 0 0 0 2 0 0; 0 3 0 0 0 0 5; 0 0 0 7 0 0 0"},
                                   {"border", border},
                                   {"border-value", "200"}});
      fail_unless(harness.set_input(caps));
      Convolution c{7, 3, {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0}, 18};
      c.border = border;
      c.border_value = 200;
      push_and_check(harness, caps, c);
    }
}
GST_END_TEST;

// A border beyond 8 bits, and masks larger than the frame.
GST_START_TEST(deep_and_far_borders) {
  const std::string deep = video_caps("P010_10LE", {5, 4});
  Harness harness("sepconvolve",
                  {{"horizontal", "1 1 1"}, {"border", "constant"}, {"border-value", "1023"}});
  fail_unless(harness.set_input(deep));
  Convolution c{3, 3, std::vector<double>(9, 1), 9};
  c.border = "constant";
  c.border_value = 1023;
  push_and_check(harness, deep, c);
  // Valgrind takes two sums of pmaddwd for one, the one behind the last for its neighbour.
  const Size size{small_run() ? 4 : 3, 5};
  for (const char *border : {"replicate", "reflect", "reflect-101", "wrap"}) {
    const std::string caps = video_caps("NV12", size);
    Harness far("convolve", {{"preset", "box"}, {"size", "31"}, {"border", border}});
    fail_unless(far.set_input(caps));
    Convolution box{31, 31, std::vector<double>(31 * 31, 1), 31 * 31};
    box.border = border;
    push_and_check(far, caps, box);
  }
}
GST_END_TEST;

GST_START_TEST(anchors) {
  const std::string caps = video_caps("I420", {9, 7});
  for (int x = -1; x < 4; x++)
    for (int y = -1; y < 2; y++)
      for (bool correlate : {false, true}) {
        Harness harness("convolve", {{"mask", "1 2 3 4; 5 6 7 8"},
                                     {"anchor-x", std::to_string(x).c_str()},
                                     {"anchor-y", std::to_string(y).c_str()},
                                     {"correlate", correlate ? "true" : "false"}});
        fail_unless(harness.set_input(caps));
        push_and_check(harness, caps, {4, 2, {1, 2, 3, 4, 5, 6, 7, 8}, 36, 0, x, y, correlate});
      }
}
GST_END_TEST;

// Sums above, at and below zero, and what replaces their normalisation.
GST_START_TEST(normalisation) {
  const struct {
    const char *format;
    Properties properties;
    Convolution expected;
  } cases[] = {
      {"GRAY8", {{"mask", "1 1"}}, {2, 1, {1, 1}, 2}},
      {"GRAY8", {{"mask", "1 -1"}}, {2, 1, {1, -1}, 1, 128}},
      {"Y444_10LE", {{"mask", "1 -1"}}, {2, 1, {1, -1}, 1, 512}},
      {"Y444_16LE", {{"mask", "1 -1"}}, {2, 1, {1, -1}, 1, 32768}},
      {"NV12", {{"mask", "-1"}}, {1, 1, {-1}, 1, 255}},
      {"P010_10LE", {{"mask", "-1"}}, {1, 1, {-1}, 1, 1023}},
      {"RGB", {{"mask", "1 1"}, {"normalize", "false"}}, {2, 1, {1, 1}}},
      {"RGB", {{"mask", "1 -1"}, {"normalize", "false"}}, {2, 1, {1, -1}}},
      {"NV12", {{"mask", "1 2"}, {"divisor", "4"}}, {2, 1, {1, 2}, 4}},
      {"NV12", {{"mask", "1 2"}, {"divisor", "-4"}, {"bias", "200"}}, {2, 1, {1, 2}, -4, 200}},
      {"Y42B", {{"mask", "1 -1"}, {"bias", "10.5"}}, {2, 1, {1, -1}, 1, 10.5}},
      {"GRAY8",
       {{"mask", "1 -1"}, {"absolute", "true"}},
       {2, 1, {1, -1}, 1, 0, -1, -1, false, true}},
      {"GRAY8",
       {{"mask", "2 -2"}, {"absolute", "true"}, {"divisor", "4"}, {"bias", "3"}},
       {2, 1, {2, -2}, 4, 3, -1, -1, false, true}},
  };
  for (const auto &[format, properties, expected] : cases) {
    const std::string caps = video_caps(format, {33, 6});
    Harness harness("convolve", properties);
    fail_unless(harness.set_input(caps));
    push_and_check(harness, caps, expected);
  }
}
GST_END_TEST;

GST_START_TEST(luma_only) {
  const std::string name = sample_formats()[static_cast<gsize>(__i__)].name;
  const std::string caps = video_caps(name, {20, 6});
  Harness harness("convolve", {{"mask", kMask}, {"planes", "luma"}});
  if (GST_VIDEO_FORMAT_INFO_IS_RGB(video_info(caps).finfo)) {
    harness.set_input(caps);
    fail_unless_equals_int(harness.push(random_frame(video_info(caps), {}, 1)),
                           GST_FLOW_NOT_NEGOTIATED);
    harness.expect_error(GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
                         {"planes=luma", name.c_str()});
    return;
  }
  fail_unless(harness.set_input(caps));
  Convolution c = kPlain;
  c.luma_only = true;
  push_and_check(harness, caps, c);
}
GST_END_TEST;

// Any layout of either buffer, samples of two bytes at odd addresses among them.
GST_START_TEST(any_layout) {
  const SampleFormat &format = sample_formats()[static_cast<gsize>(__i__)];
  const std::string caps = video_caps(format.name, {13, 6});
  const GstVideoInfo info = video_info(caps);
  Harness harness("convolve", {{"mask", kMask}});
  const Owned<GstBufferPool> pool(odd_pool_new());
  offer_pool(harness, pool.get(), true);
  fail_unless(harness.set_input(caps));
  guint32 seed = 1;
  for (int extra : {0, 1, 3})
    for (gsize offset : {0, 1, 6}) {
      const BufferRef in(random_frame(info, {extra, offset, 0, true}, seed++));
      fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
      const BufferRef out = harness.pull();
      expect_convolved(in.get(), out.get(), caps, kPlain);
      check_guards(out.get(), info);
    }
}
GST_END_TEST;

// Memory as downstream asks for it. (A buffer that comes back has lost its prefix.)
GST_START_TEST(prefix_of_an_odd_number_of_bytes) {
  for (const char *format : {"GRAY16_LE", "I420_10LE", "P010_10LE"}) {
    const std::string caps = video_caps(format, {13, 6});
    GstAllocationParams params;
    gst_allocation_params_init(&params);
    params.prefix = 13;
    Harness harness("convolve", {{"mask", kMask}});
    gst_harness_set_propose_allocator(harness.get(), nullptr, &params);
    fail_unless(harness.set_input(caps));
    std::vector<BufferRef> ins;
    for (guint32 seed = 1; seed <= 3; seed++) {
      ins.emplace_back(random_frame(video_info(caps), {.misalign = seed % 2}, seed));
      fail_unless_equals_int(harness.push(gst_buffer_ref(ins.back().get())), GST_FLOW_OK);
    }
    for (const BufferRef &in : ins) {
      const BufferRef out = harness.pull();
      gsize offset = 0;
      gst_buffer_get_sizes(out.get(), &offset, nullptr);
      fail_unless_equals_uint64(offset, 13);
      expect_convolved(in.get(), out.get(), caps, kPlain);
    }
  }
}
GST_END_TEST;

// A frame of two fields is filtered as a whole; of 4:2:0 with all chroma rows that it has.
GST_START_TEST(fields) {
  const std::string caps = video_caps("I420", {8, 6}, "interlace-mode=interleaved");
  Harness harness("convolve", {{"mask", "1; 1; 1"}});
  fail_unless(harness.set_input(caps));
  const GstVideoInfo info = video_info(caps);
  fail_unless_equals_int(info.size, 8 * 6 + 2 * 4 * 4);
  GstBuffer *in = gst_buffer_new_allocate(nullptr, info.size, nullptr);
  gst_buffer_memset(in, 0, 128, info.size);
  // The last of four chroma rows.
  for (gsize plane : {1, 2})
    gst_buffer_memset(in, info.offset[plane] + 3 * static_cast<gsize>(info.stride[plane]), 158, 4);
  fail_unless_equals_int(harness.push(in), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  const guint8 expected[] = {128, 128, 138, 148};
  for (int plane : {1, 2})
    for (int row = 0; row < 4; row++) {
      guint8 sample = 0;
      gst_buffer_extract(
          out.get(), info.offset[plane] + static_cast<gsize>(row * info.stride[plane]), &sample, 1);
      fail_unless_equals_int(sample, expected[row]);
    }
}
GST_END_TEST;

}  // namespace

void add_convolve_sample_cases(Suite *suite) {
  TCase *samples = new_case(suite, "samples");
  tcase_add_loop_test(samples, every_format, 0, n_formats());
  tcase_add_test(samples, all_formats_are_known_here);
  tcase_add_loop_test(samples, caps_are_kept, 0, n_formats());
  tcase_add_loop_test(samples, borders, 0, 5);
  tcase_add_test(samples, deep_and_far_borders);
  tcase_add_test(samples, anchors);
  tcase_add_test(samples, normalisation);
  tcase_add_loop_test(samples, luma_only, 0, n_formats());
  tcase_add_loop_test(samples, any_layout, 0, n_formats());
  tcase_add_test(samples, prefix_of_an_odd_number_of_bytes);
  tcase_add_test(samples, fields);
}

}  // namespace test
