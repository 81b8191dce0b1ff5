// SPDX-License-Identifier: LGPL-2.1-or-later
// preset=blur of sepconvolve: the samples of tests/kernels/blur, and what properties say of it.
#include <cstring>

#include "../../kernels/blur/blur_reference.h"
#include "../control.h"
#include "convolve_cases.h"
#include "convolve_reference.h"
#include "picture/formats.h"

namespace test {
namespace {

using namespace coalesce;

const Size kSize{70, 45};

struct Blurred {
  double sigma = 8;
  Border border = Border::replicate;
  int border_value = 0;
  bool luma_only = false, filter_alpha = false;
};

// A mapped frame as the kernels see it.
template <class Image>
Image image_of(const GstVideoFrame &frame, const PixelFormat &format) {
  Image image = {format, frame.info.width, frame.info.height, false, {}};
  for (int p = 0; p < format.planes; p++)
    image.plane[p] = {static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)),
                      static_cast<int>(row_bytes(format, p, frame.info.width)),
                      plane_rows(format, p, frame.info.height),
                      static_cast<gsize>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p))};
  return image;
}

// What stands behind the rows may differ.
bool same_rows(GstBuffer *a, GstBuffer *b, const GstVideoInfo &info) {
  const PixelFormat format = pixel_format(info.finfo->name);
  GstVideoFrame frames[2];
  fail_unless(gst_video_frame_map(&frames[0], &info, a, GST_MAP_READ));
  fail_unless(gst_video_frame_map(&frames[1], &info, b, GST_MAP_READ));
  const Image first = image_of<Image>(frames[0], format),
              second = image_of<Image>(frames[1], format);
  bool same = true;
  for (int p = 0; p < format.planes; p++)
    for (int y = 0; y < first.plane[p].height; y++)
      same = same && std::memcmp(first.plane[p].row(y), second.plane[p].row(y),
                                 static_cast<gsize>(first.plane[p].width)) == 0;
  for (GstVideoFrame &frame : frames)
    gst_video_frame_unmap(&frame);
  return same;
}

void push_and_check_blur(Harness &harness, const std::string &caps, const Blurred &blurred,
                         guint32 seed = 1) {
  const GstVideoInfo info = video_info(caps);
  const PixelFormat format = pixel_format(info.finfo->name);
  const BufferRef in(random_frame(info, {}, seed)), expected(random_frame(info, {}, seed + 1));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  const BufferRef out = harness.pull();
  fail_unless(out != nullptr, "%s", caps.c_str());
  Blur blur;
  fail_unless(make_blur(blurred.sigma, sample_depth(format), &blur).ok());
  const BlurParams params = {&blur, blurred.border, blurred.border_value, blurred.luma_only,
                             blurred.filter_alpha};
  GstVideoFrame from, wanted;
  fail_unless(gst_video_frame_map(&from, &info, in.get(), GST_MAP_READ));
  fail_unless(gst_video_frame_map(&wanted, &info, expected.get(), GST_MAP_READWRITE));
  coalesce::test::blur_reference(params, image_of<ConstImage>(from, format),
                                 image_of<Image>(wanted, format));
  for (GstVideoFrame *frame : {&from, &wanted})
    gst_video_frame_unmap(frame);
  fail_unless(same_rows(expected.get(), out.get(), info), "%s, sigma %g", caps.c_str(),
              blurred.sigma);
}

GST_START_TEST(every_format_blurred) {
  const SampleFormat &format = sample_formats()[static_cast<gsize>(__i__)];
  for (const auto &[text, sigma] : {std::pair("8", 8.0), std::pair("20.5", 20.5)}) {
    const std::string caps = video_caps(format.name, kSize);
    Harness harness("sepconvolve", {{"preset", "blur"}, {"sigma", text}});
    fail_unless(harness.set_input(caps));
    push_and_check_blur(harness, caps, {sigma});
    fail_unless(harness.take_warning().empty());
    harness.expect_no_error();
  }
}
GST_END_TEST;

// One property at a time, while frames flow.
GST_START_TEST(changes_of_a_blur) {
  const std::string caps = video_caps("AYUV", kSize);
  Harness harness("sepconvolve", {{"preset", "blur"}, {"sigma", "50"}});
  fail_unless(harness.set_input(caps));
  Blurred b{50};
  push_and_check_blur(harness, caps, b);
  const struct {
    const char *name, *value;
    void (*apply)(Blurred &);
  } steps[] = {
      {"sigma", "8", [](Blurred &b) { b.sigma = 8; }},
      {"sigma", "100", [](Blurred &b) { b.sigma = 100; }},
      {"border", "reflect-101", [](Blurred &b) { b.border = Border::reflect_101; }},
      {"border", "constant", [](Blurred &b) { b.border = Border::constant; }},
      {"border-value", "77", [](Blurred &b) { b.border_value = 77; }},
      {"filter-alpha", "true", [](Blurred &b) { b.filter_alpha = true; }},
      {"planes", "luma", [](Blurred &b) { b.luma_only = true; }},
      {"sigma", "16", [](Blurred &b) { b.sigma = 16; }},
  };
  guint32 seed = 1;
  for (const auto &[name, value, apply] : steps) {
    set(harness, name, value);
    apply(b);
    push_and_check_blur(harness, caps, b, ++seed);
    push_and_check_blur(harness, caps, b, ++seed);
  }
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// Between a blur without coefficients, one with them, and other filters.
GST_START_TEST(blur_and_coefficients) {
  const std::string caps = video_caps("NV12", kSize);
  Harness harness("sepconvolve", {{"horizontal", "1 3"}, {"vertical", "1"}});
  GstElement *element = harness.element();
  fail_unless(harness.set_input(caps));
  push_and_check(harness, caps, {2, 1, {1, 3}, 4});
  set(harness, "sigma", "12");
  set(harness, "preset", "blur");
  push_and_check_blur(harness, caps, {12});
  expect_nick(element, "algorithm", "pyramid");
  // They are not used, and stay.
  expect_text(element, "horizontal", "1 3");
  expect_text(element, "vertical", "1");
  set(harness, "preset", "none");
  push_and_check(harness, caps, {2, 1, {1, 3}, 4});
  expect_nick(element, "algorithm", "direct");
  set(harness, "preset", "blur");
  push_and_check_blur(harness, caps, {12});
  set(harness, "horizontal", "1 1");
  expect_nick(element, "preset", "none");
  push_and_check(harness, caps, {2, 1, {1, 1}, 2});
  // A text that is wrong leaves all as it was.
  set(harness, "preset", "blur");
  set(harness, "horizontal", "1 x");
  push_and_check_blur(harness, caps, {12});
  fail_unless(contains(harness.take_warning(), "horizontal=\"1 x\""));
  set(harness, "preset", "blur");
  push_and_check_blur(harness, caps, {12});
  fail_unless(harness.take_warning().empty());
  // So it does where it counts again.
  for (int times = 0; times < 2; times++) {
    set(harness, "preset", "none");
    push_and_check_blur(harness, caps, {12});
    const std::string warning = harness.take_warning();
    fail_unless(contains(warning, "horizontal=\"1 x\"") == (times == 0), "%s", warning.c_str());
  }
  set(harness, "horizontal", "1 3");
  push_and_check(harness, caps, {2, 1, {1, 3}, 4});
  fail_unless(harness.take_warning().empty());
  harness.expect_no_error();
}
GST_END_TEST;

// Below 8 it is the Gaussian.
GST_START_TEST(small_blur) {
  const std::string caps = video_caps("I420_10LE", kSize);
  const GstVideoInfo info = video_info(caps);
  const BufferRef in(random_frame(info, {}, 1));
  for (const char *sigma : {"0", "0.1", "2.5", "7.99"}) {
    BufferRef out[2];
    for (int i = 0; i < 2; i++) {
      // What has no effect on a blur.
      Harness harness("sepconvolve", {{"preset", i == 0 ? "blur" : "gaussian"}, {"sigma", sigma}});
      if (i == 0) {
        set(harness, "bias", "100");
        set(harness, "divisor", "3");
        set(harness, "anchor-x", "0");
        set(harness, "absolute", "true");
      }
      fail_unless(harness.set_input(caps));
      fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
      out[i] = harness.pull();
      if (i == 0) fail_if(g_strcmp0(get_text(harness.element(), "horizontal").c_str(), "1") == 0);
    }
    fail_unless(same_rows(out[0].get(), out[1].get(), info), "sigma=%s", sigma);
  }
}
GST_END_TEST;

GST_START_TEST(no_effect_on_a_blur) {
  const struct {
    const char *name, *value, *words;
  } cases[] = {
      {"size", "5", "size=5 has no effect with preset=blur"},
      {"anchor-x", "0", "anchor-x has no effect with preset=blur"},
      {"anchor-y", "1", "anchor-y has no effect with preset=blur"},
      {"correlate", "true", "correlate has no effect with preset=blur"},
      {"normalize", "false", "normalize=false has no effect with preset=blur"},
      {"divisor", "3", "divisor has no effect with preset=blur"},
      {"bias", "7", "bias has no effect with preset=blur"},
      {"absolute", "true", "absolute has no effect with preset=blur"},
  };
  const std::string caps = video_caps("GRAY8", kSize);
  for (const auto &[name, value, words] : cases) {
    Harness harness("sepconvolve", {{"preset", "blur"}, {"sigma", "9"}, {name, value}});
    const std::string warning = harness.take_warning();
    fail_unless(contains(warning, words), "\"%s\" in \"%s\"", words, warning.c_str());
    fail_unless(harness.take_warning().empty(), "a second warning");
    fail_unless(harness.set_input(caps));
    push_and_check_blur(harness, caps, {9});
    harness.expect_no_error();
  }
}
GST_END_TEST;

// Sigma follows the time of the frames.
GST_START_TEST(controlled_blur) {
  const std::string caps = video_caps("GRAY8", kSize);
  Harness harness("sepconvolve", {{"preset", "blur"}, {"sigma", "8"}});
  control(harness.element(), "sigma", {10, 90});
  fail_unless(harness.set_input(caps));
  const BufferRef in(random_frame(video_info(caps), {}, 1));
  std::vector<BufferRef> out;
  for (int tenths : {0, 5, 5, 10}) {
    BufferRef frame(gst_buffer_copy_deep(in.get()));
    GST_BUFFER_PTS(frame.get()) = static_cast<GstClockTime>(tenths) * GST_SECOND / 10;
    fail_unless_equals_int(harness.push(frame.release()), GST_FLOW_OK);
    out.push_back(harness.pull());
  }
  const GstVideoInfo info = video_info(caps);
  const auto same = [&](gsize a, gsize b) { return same_rows(out[a].get(), out[b].get(), info); };
  fail_unless(same(1, 2) && !same(0, 1) && !same(2, 3));
  harness.expect_no_error();
}
GST_END_TEST;

}  // namespace

void add_convolve_blur_cases(Suite *suite) {
  TCase *blur = new_case(suite, "blur");
  tcase_add_loop_test(blur, every_format_blurred, 0, static_cast<int>(sample_formats().size()));
  tcase_add_test(blur, changes_of_a_blur);
  tcase_add_test(blur, blur_and_coefficients);
  tcase_add_test(blur, small_blur);
  tcase_add_test(blur, no_effect_on_a_blur);
  tcase_add_test(blur, controlled_blur);
}

}  // namespace test
