// SPDX-License-Identifier: LGPL-2.1-or-later
// The bytes of uyvy2y: every pair of formats, many sizes, any layout of either buffer.
#include "../../support/elements/elements.h"
#include "uyvy2y_cases.h"
#include "uyvy2y_reference.h"

namespace test {
namespace {

const char *const kSinkFormats[] = {"UYVY", "YUY2", "YVYU", "VYUY"};
const char *const kSrcFormats[] = {"GRAY8", "NV12", "I420"};
const Size kSizes[] = {{1, 1},   {3, 1},     {1, 3},       {2, 2},
                       {33, 17}, {640, 357}, {1920, 1080}, {16384, 2}};

bool too_big(Size size) {
  return small_run() && size.width * size.height > 1000;
}

// Pushes a frame of that layout and judges what comes back.
BufferRef convert(Harness &harness, const GstVideoInfo &in_info, Layout layout, guint32 seed) {
  BufferRef in(random_frame(in_info, layout, seed));
  fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
  BufferRef out = harness.pull();
  fail_unless(out != nullptr);
  const GstVideoInfo out_info = harness.output_info();
  fail_unless_equals_int(out_info.width, in_info.width);
  fail_unless_equals_int(out_info.height, in_info.height);
  check_uyvy2y(in.get(), in_info, out.get(), out_info);
  return out;
}

void start(Harness &harness, const std::string &in_caps, const char *out_format) {
  harness.accept(std::string("video/x-raw, format=") + out_format);
  fail_unless(harness.set_input(in_caps), "%s to %s", in_caps.c_str(), out_format);
}

GST_START_TEST(every_format_and_size) {
  const char *sink = kSinkFormats[__i__];
  for (const char *src : kSrcFormats)
    for (Size size : kSizes) {
      if (too_big(size)) continue;
      Harness harness("uyvy2y");
      const std::string caps = video_caps(sink, size);
      start(harness, caps, src);
      expect_string(harness.output_info().finfo->name, src);
      const BufferRef out = convert(harness, video_info(caps), {}, 1);
      fail_unless_equals_int(gst_buffer_get_size(out.get()), harness.output_info().size);
      harness.expect_no_error();
    }
}
GST_END_TEST;

// More than 8 bits, in any range: the numbers of luma at the top of 16 bits.
GST_START_TEST(wide_formats) {
  for (const char *sink : {"v210", "UYVP", "Y210", "Y212_LE", "Y216_LE"})
    for (const char *src : {"GRAY16_LE", "GRAY10_LE16"}) {
      const bool known = gst_video_format_from_string(sink) != GST_VIDEO_FORMAT_UNKNOWN &&
                         gst_video_format_from_string(src) != GST_VIDEO_FORMAT_UNKNOWN;
      if (!known || (src[4] == '1' && src[5] == '0' && !contains("v210 UYVP Y210", sink))) continue;
      for (Size size : {Size{1, 1}, Size{3, 1}, Size{5, 4}, Size{6, 2}, Size{47, 3}, Size{48, 2},
                        Size{49, 5}, Size{641, 35}})
        for (const char *more : {"colorimetry=bt709", "colorimetry=(string)1:3:5:1"}) {
          Harness harness("uyvy2y");
          const std::string caps = video_caps(sink, size, more);
          start(harness, caps, src);
          convert(harness, video_info(caps), {}, 1);
          convert(harness, video_info(caps), {6, 3, 1, true}, 2);
          harness.expect_no_error();
        }
    }
}
GST_END_TEST;

GST_START_TEST(any_input_layout) {
  const char *sink = kSinkFormats[__i__];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{5, 4}, Size{33, 17}, Size{640, 35}}) {
    if (too_big(size)) continue;
    const std::string caps = video_caps(sink, size);
    const GstVideoInfo info = video_info(caps);
    Harness harness("uyvy2y");
    start(harness, caps, "GRAY8");
    guint32 seed = 1;
    for (int extra : {0, 1, 3, 16, 61})
      for (gsize offset : {0, 1, 6, 256})
        for (gsize misalign : {0, 1, 3, 8})
          convert(harness, info, {extra, offset, misalign, true}, seed++);
    // Misaligned without a GstVideoMeta too.
    for (gsize misalign = 1; misalign < 16; misalign++)
      convert(harness, info, {.misalign = misalign}, seed++);
  }
}
GST_END_TEST;

GST_START_TEST(any_output_layout) {
  const char *src = kSrcFormats[__i__];
  for (Size size : {Size{1, 1}, Size{3, 1}, Size{1, 3}, Size{5, 4}, Size{33, 17}, Size{641, 35}}) {
    if (too_big(size)) continue;
    const std::string caps = video_caps("UYVY", size);
    Harness harness("uyvy2y");
    const Owned<GstBufferPool> pool(odd_pool_new());
    offer_pool(harness, pool.get(), true);
    start(harness, caps, src);
    for (guint32 seed = 1; seed <= 3; seed++) {
      const BufferRef out = convert(harness, video_info(caps), {5, 3, 1, true}, seed);
      fail_unless(gst_buffer_get_video_meta(out.get())->stride[0] == size.width + 7,
                  "the pool that downstream offered was not used as it is");
      check_guards(out.get(), harness.output_info());
    }
    harness.expect_no_error();
  }
}
GST_END_TEST;

// Downstream that does not say it reads GstVideoMeta must get rows where the caps put them.
GST_START_TEST(no_odd_layout_unasked) {
  const std::string caps = video_caps("UYVY", {33, 17});
  Harness harness("uyvy2y");
  const Owned<GstBufferPool> pool(odd_pool_new());
  offer_pool(harness, pool.get(), false);
  start(harness, caps, kSrcFormats[__i__]);
  const BufferRef out = convert(harness, video_info(caps), {}, 1);
  const GstVideoInfo info = harness.output_info();
  fail_unless_equals_int(gst_buffer_get_size(out.get()), info.size);
  if (const GstVideoMeta *meta = gst_buffer_get_video_meta(out.get()))
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
      fail_unless_equals_int(meta->stride[p], info.stride[p]);
      fail_unless_equals_int(meta->offset[p], info.offset[p]);
    }
}
GST_END_TEST;

GST_START_TEST(any_number_of_threads) {
  const char *const threads[] = {"1", "2", "0", "7"};
  for (Size size : {Size{1, 1}, Size{33, 17}, Size{641, 357}, Size{1920, 1080}}) {
    if (too_big(size)) continue;
    const std::string caps = video_caps("YVYU", size);
    Harness harness("uyvy2y", {{"n-threads", threads[__i__]}});
    start(harness, caps, "I420");
    // convert() compares with the serial expectation, so all numbers of threads agree.
    for (guint32 seed = 1; seed <= 3; seed++)
      convert(harness, video_info(caps), {}, seed);
  }
}
GST_END_TEST;

// One frame in two pieces of memory.
GST_START_TEST(split_buffer) {
  const std::string caps = video_caps("UYVY", {33, 17});
  const GstVideoInfo info = video_info(caps);
  Harness harness("uyvy2y");
  start(harness, caps, "NV12");
  const BufferRef whole(random_frame(info, {}, 1));
  GstBuffer *split = gst_buffer_copy_region(whole.get(), GST_BUFFER_COPY_MEMORY, 0, 101);
  split = gst_buffer_append(
      split, gst_buffer_copy_region(whole.get(), GST_BUFFER_COPY_MEMORY, 101, info.size - 101));
  fail_unless_equals_int(gst_buffer_n_memory(split), 2);
  fail_unless_equals_int(harness.push(split), GST_FLOW_OK);
  check_uyvy2y(whole.get(), info, harness.pull().get(), harness.output_info());
}
GST_END_TEST;

// GStreamer's layouts of interlaced 4:2:0 may have a row of chroma more than progressive ones.
GST_START_TEST(interlaced_chroma) {
  const std::string caps = video_caps("UYVY", {16, 6}, "interlace-mode=interleaved");
  for (const char *src : {"I420", "NV12"}) {
    Harness harness("uyvy2y");
    start(harness, caps, src);
    const BufferRef out = convert(harness, video_info(caps), {}, 1);
    fail_unless_equals_int(gst_buffer_get_size(out.get()), 16 * 6 + 2 * 8 * 4);
    const std::vector<guint8> neutral(2 * 8 * 4, 128);
    fail_unless(gst_buffer_memcmp(out.get(), 16 * 6, neutral.data(), neutral.size()) == 0);
  }
}
GST_END_TEST;

// What a camera took.
GST_START_TEST(real_picture) {
  const Owned<char> file(
      g_build_filename(g_getenv("COALESCE_TEST_DATA_DIR"), "camera_320x180.uyvy", nullptr));
  gchar *bytes = nullptr;
  gsize size = 0;
  fail_unless(g_file_get_contents(file.get(), &bytes, &size, nullptr), "%s", file.get());
  const std::string caps = video_caps("UYVY", {320, 180});
  const GstVideoInfo info = video_info(caps);
  const BufferRef in(gst_buffer_new_wrapped(bytes, size));
  fail_unless_equals_int(size, info.size);
  for (const char *src : kSrcFormats) {
    Harness harness("uyvy2y");
    start(harness, caps, src);
    fail_unless_equals_int(harness.push(gst_buffer_ref(in.get())), GST_FLOW_OK);
    check_uyvy2y(in.get(), info, harness.pull().get(), harness.output_info());
  }
}
GST_END_TEST;

}  // namespace

void add_pixel_cases(Suite *suite) {
  TCase *pixels = new_case(suite, "pixels");
  tcase_add_loop_test(pixels, every_format_and_size, 0, G_N_ELEMENTS(kSinkFormats));
  tcase_add_test(pixels, wide_formats);
  tcase_add_loop_test(pixels, any_input_layout, 0, G_N_ELEMENTS(kSinkFormats));
  tcase_add_loop_test(pixels, any_output_layout, 0, G_N_ELEMENTS(kSrcFormats));
  tcase_add_loop_test(pixels, no_odd_layout_unasked, 0, G_N_ELEMENTS(kSrcFormats));
  tcase_add_loop_test(pixels, any_number_of_threads, 0, 4);
  tcase_add_test(pixels, split_buffer);
  tcase_add_test(pixels, interlaced_chroma);
  tcase_add_test(pixels, real_picture);
}

}  // namespace test
