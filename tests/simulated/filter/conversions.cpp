// SPDX-License-Identifier: LGPL-2.1-or-later
// rgb2yuv (and yuv2yuv where it has no work) with backend=cuda: the bytes of backend=cpu, for each
// pair of formats in each mix of CUDA and system memory, and exactly the transfers and waits that
// the mix needs. (What the bytes have to be is tested without a GPU: tests/check/rgb2yuv_*.cpp.)
#include "../support.h"

using namespace simulated;

namespace {

constexpr const char *kRgb[] = {"RGB",  "BGR",  "RGBx", "BGRx", "xRGB", "xBGR", "RGBA",
                                "BGRA", "ARGB", "ABGR", "GBR",  "RGBP", "BGRP"};
constexpr const char *kYuv[] = {"Y444", "AYUV", "VUYA", "Y42B", "I420", "YV12",
                                "NV12", "NV21", "YUY2", "UYVY", "GRAY8"};
constexpr const char *kYuv420[] = {"I420", "YV12", "NV12", "NV21"};
constexpr const char *kMemories[] = {kSystem, kCuda};

struct Case {
  const char *in_memory, *out_memory;
  const char *rgb, *yuv;
  int width, height;
  const char *mode = "progressive";
  std::vector<bool> flagged = {false, false};  // interlaced, says each buffer
};

std::string caps_text(const Case &c, const char *memory, const char *format) {
  return video_caps(memory, format, c.width, c.height) + ",interlace-mode=" + c.mode;
}

GstBuffer *flag(GstBuffer *buffer, bool interlaced) {
  if (interlaced) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  return buffer;
}

// The first byte that differs; the last row of the odd field only where the picture has one.
std::string different(GstBuffer *got, GstBuffer *expected, const GstVideoInfo &info) {
  GstVideoFrame a, b;
  if (!gst_video_frame_map(&a, &info, got, GST_MAP_READ)) return "not mapped";
  fail_unless(gst_video_frame_map(&b, &info, expected, GST_MAP_READ));
  std::string where;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info) && where.empty(); p++)
    for (gint y = 0; y < (GST_VIDEO_FRAME_IS_INTERLACED(&b) ? layout_rows : rows)(info, int(p));
         y++)
      for (int x = 0; x < row_bytes(info, int(p)); x++) {
        const auto at = [p, x, y](const GstVideoFrame &frame) {
          return static_cast<const guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(
              &frame, p))[static_cast<gsize>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p) + x];
        };
        if (at(a) != at(b) && where.empty())
          where = "plane " + std::to_string(p) + ", row " + std::to_string(y) + ", byte " +
                  std::to_string(x) + ": " + std::to_string(at(a)) + ", on the CPU " +
                  std::to_string(at(b));
      }
  gst_video_frame_unmap(&a);
  gst_video_frame_unmap(&b);
  return where;
}

void check_traffic(const Case &c, GstElement *element) {
  const guint64 frames = c.flagged.size();
  const guint64 uploads = c.in_memory == kCuda ? 0 : frames;
  const guint64 downloads = c.out_memory == kCuda ? 0 : frames;
  const FakecudaCounts now = counts();
  fail_unless_equals_uint64(stat(element, "frames"), frames);
  fail_unless_equals_uint64(stat(element, "uploads"), uploads);
  fail_unless_equals_uint64(stat(element, "downloads"), downloads);
  fail_unless_equals_uint64(now.bytes_htod, stat(element, "upload-bytes"));
  fail_unless_equals_uint64(now.bytes_dtoh, stat(element, "download-bytes"));
  fail_unless_equals_uint64(now.copies_dtod + now.copies_htoh, 0);
  fail_unless_equals_uint64(now.launches, frames);
  fail_unless_equals_uint64(
      now.stream_syncs + now.event_syncs + now.context_syncs + now.implicit_syncs, 0);
}

void check_case(const Case &c) {
  const std::string in_text = caps_text(c, c.in_memory, c.rgb),
                    out_text = caps_text(c, c.out_memory, c.yuv);
  const GstVideoInfo in = video_info(in_text), out = video_info(out_text);
  Bench gpu("rgb2yuv backend=cuda"), cpu("rgb2yuv backend=cpu");
  gpu.negotiate(in_text, out_text);
  cpu.negotiate(caps_text(c, kSystem, c.rgb), caps_text(c, kSystem, c.yuv));
  GstBufferPool *pool = proposed_pool(gpu.harness(), in_text.c_str());
  fail_unless(pool != nullptr);
  std::vector<GstBuffer *> inputs;
  for (unsigned n = 0; n < c.flagged.size(); n++)
    inputs.push_back(flag(pool_buffer(pool, in, n), c.flagged[n]));
  fakecuda_reset_counts();
  for (GstBuffer *input : inputs)
    fail_unless_equals_int(gpu.push(input), GST_FLOW_OK);
  check_traffic(c, gpu.element());
  for (unsigned n = 0; n < c.flagged.size(); n++) {
    fail_unless_equals_int(cpu.push(flag(system_buffer(in, n), c.flagged[n])), GST_FLOW_OK);
    GstBuffer *got = gpu.pull(), *expected = cpu.pull();
    fail_unless(is_cuda(got) == (c.out_memory == kCuda));
    const std::string where = different(got, expected, out);
    fail_unless(where.empty(), "%s to %s, frame %u: %s", in_text.c_str(), out_text.c_str(), n,
                where.c_str());
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
  }
  fail_unless(gpu.errors().empty() && cpu.errors().empty());
  drop_pool(pool);
}

void in_all_memories(Case c) {
  for (const char *in : kMemories)
    for (const char *out : kMemories) {
      c.in_memory = in;
      c.out_memory = out;
      check_case(c);
    }
}

void all_clean() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

GST_START_TEST(every_pair_of_formats) {
  for (const char *yuv : kYuv)
    in_all_memories({nullptr, nullptr, kRgb[__i__], yuv, 9, 5});
  all_clean();
}
GST_END_TEST

GST_START_TEST(sizes) {
  for (auto [width, height] : {std::pair{1, 1}, {1, 3}, {3, 1}, {2, 2}, {33, 18}, {641, 35}})
    for (const char *yuv : {"NV12", "I420", "UYVY", "AYUV"})
      in_all_memories({nullptr, nullptr, "RGB", yuv, width, height});
  all_clean();
}
GST_END_TEST

GST_START_TEST(interlaced) {
  for (const char *yuv : kYuv420)
    for (int height : {1, 2, 5, 6, 8})
      in_all_memories({nullptr, nullptr, "xBGR", yuv, 9, height, "interleaved"});
  all_clean();
}
GST_END_TEST

// Of mixed video the buffer says what it is, and an uploaded copy must not forget it.
GST_START_TEST(mixed) {
  for (const char *mode : {"mixed", "progressive", "interleaved"})
    for (const char *yuv : {"NV12", "YV12"})
      for (int height : {6, 8})
        in_all_memories(
            {nullptr, nullptr, "BGRA", yuv, 9, height, mode, {true, false, true, true, false}});
  all_clean();
}
GST_END_TEST

// 720x486: the 244th row of chroma belongs to the last line alone. Lines white and black, line 484
// green, line 485 blue.
GST_START_TEST(ntsc) {
  for (const char *in_memory : kMemories)
    for (const char *out_memory : kMemories)
      for (const char *yuv : kYuv420) {
        const Case c{in_memory, out_memory, "RGB", yuv, 720, 486, "interleaved"};
        const std::string in_text = caps_text(c, in_memory, "RGB"),
                          out_text = caps_text(c, out_memory, yuv);
        const GstVideoInfo in = video_info(in_text), out = video_info(out_text);
        Bench bench("rgb2yuv backend=cuda");
        bench.negotiate(in_text, out_text);
        GstBufferPool *pool =
            in_memory == kCuda ? proposed_pool(bench.harness(), in_text.c_str()) : nullptr;
        GstBuffer *input = pool ? pool_buffer(pool, in, 0) : system_buffer(in, 0);
        GstVideoFrame frame;
        fail_unless(gst_video_frame_map(&frame, &in, input, GST_MAP_WRITE));
        for (int y = 0; y < 486; y++)
          for (int x = 0; x < 720; x++) {
            auto *pixel = static_cast<guint8 *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)) +
                          y * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0) + 3 * x;
            pixel[0] = y < 484 && y % 2 == 0 ? 255 : 0;
            pixel[1] = y < 485 && y % 2 == 0 ? 255 : 0;
            pixel[2] = y == 485 || (y < 484 && y % 2 == 0) ? 255 : 0;
          }
        gst_video_frame_unmap(&frame);
        if (pool) to_device(input);
        fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
        GstBuffer *output = bench.pull();
        fail_unless(gst_video_frame_map(&frame, &out, output, GST_MAP_READ));
        const auto sample_of = [&frame](int component, int x, int row) {
          return int(static_cast<const guint8 *>(GST_VIDEO_FRAME_COMP_DATA(
              &frame, component))[row * GST_VIDEO_FRAME_COMP_STRIDE(&frame, component) +
                                  x * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, component)]);
        };
        const struct {
          int row, u, v;
        } expected[] = {{0, 128, 128}, {241, 128, 128}, {242, 54, 34}, {243, 240, 110}};
        for (const auto &[row, u, v] : expected)
          for (int x : {0, 1, 359}) {
            fail_unless_equals_int(sample_of(1, x, row), u);
            fail_unless_equals_int(sample_of(2, x, row), v);
          }
        gst_video_frame_unmap(&frame);
        gst_buffer_unref(output);
        drop_pool(pool);
      }
  all_clean();
}
GST_END_TEST

// Memory of libgstcuda's own allocator is read where it is, too.
GST_START_TEST(plain_cuda_memory) {
  GstCudaContext *context = new_context();
  for (GstVideoFormat format : {GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx, GST_VIDEO_FORMAT_GBR,
                                GST_VIDEO_FORMAT_BGRP, GST_VIDEO_FORMAT_ARGB}) {
    const GstVideoInfo in = video_info(format, 65, 9),
                       out = video_info(GST_VIDEO_FORMAT_NV12, 65, 9);
    const char *name = gst_video_format_to_string(format);
    Bench gpu("rgb2yuv"), cpu("rgb2yuv backend=cpu");
    give_context(gpu.element(), context);
    gpu.negotiate(video_caps(kCuda, name, 65, 9), video_caps(kCuda, "NV12", 65, 9));
    cpu.negotiate(video_caps(kSystem, name, 65, 9), video_caps(kSystem, "NV12", 65, 9));
    fail_unless_equals_int(gpu.push(plain_cuda_buffer(context, in, 7)), GST_FLOW_OK);
    fail_unless_equals_int(cpu.push(system_buffer(in, 7)), GST_FLOW_OK);
    GstBuffer *got = gpu.pull(), *expected = cpu.pull();
    const std::string where = different(got, expected, out);
    fail_unless(where.empty(), "%s: %s", name, where.c_str());
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
    fail_unless_equals_uint64(stat(gpu.element(), "uploads"), 0);
  }
  gst_object_unref(context);
  all_clean();
}
GST_END_TEST

// Formats, sizes and colours change while frames are in flight.
GST_START_TEST(renegotiation) {
  const struct {
    const char *rgb, *yuv, *colorimetry;
    int width, height;
  } steps[] = {{"RGB", "NV12", "bt601", 33, 17},
               {"xRGB", "NV12", "bt709", 33, 17},
               {"xRGB", "AYUV", "bt709", 5, 40},
               {"BGRP", "I420", "bt2020", 64, 2},
               {"BGRP", "GRAY8", "1:4:0:0", 64, 2}};
  Bench gpu("rgb2yuv backend=cuda"), cpu("rgb2yuv backend=cpu");
  for (unsigned n = 0; n < 2 * G_N_ELEMENTS(steps); n++) {
    const auto &step = steps[n % G_N_ELEMENTS(steps)];
    const auto out_caps = [&step](const char *memory) {
      return video_caps(memory, step.yuv, step.width, step.height) + ",colorimetry=(string)" +
             step.colorimetry;
    };
    const std::string in_text = video_caps(kSystem, step.rgb, step.width, step.height);
    for (Bench *bench : {&gpu, &cpu}) {
      gst_harness_set_sink_caps_str(bench->harness(),
                                    out_caps(bench == &gpu ? kCuda : kSystem).c_str());
      gst_harness_push_upstream_event(bench->harness(), gst_event_new_reconfigure());
      gst_harness_set_src_caps_str(bench->harness(), in_text.c_str());
      fail_unless_equals_int(bench->push(system_buffer(video_info(in_text), n)), GST_FLOW_OK);
    }
  }
  for (unsigned n = 0; n < 2 * G_N_ELEMENTS(steps); n++) {
    const auto &step = steps[n % G_N_ELEMENTS(steps)];
    GstBuffer *got = gpu.pull(), *expected = cpu.pull();
    const std::string where = different(
        got, expected, video_info(video_caps(kSystem, step.yuv, step.width, step.height)));
    fail_unless(where.empty(), "step %u: %s", n, where.c_str());
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
  }
  fail_unless(gpu.errors().empty());
  assert_clean();
}
GST_END_TEST

// The same buffer, where format and memory stay; a copy out of CUDA memory, where only that does
// not.
GST_START_TEST(nothing_to_convert) {
  GstCudaContext *context = new_context();
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_NV12, 49, 18);
  const std::string cuda = video_caps(kCuda, "NV12", 49, 18),
                    system = video_caps(kSystem, "NV12", 49, 18);
  for (const std::string &out_caps : {cuda, system}) {
    Bench bench("yuv2yuv");
    give_context(bench.element(), context);
    bench.negotiate(cuda, out_caps);
    GstBuffer *in = gst_buffer_ref(plain_cuda_buffer(context, info, 7));
    fakecuda_reset_counts();
    fail_unless_equals_int(bench.push(in), GST_FLOW_OK);
    GstBuffer *got = bench.pull();
    fail_unless((got == in) == (out_caps == cuda));
    fail_unless_equals_uint64(counts().launches, out_caps == cuda ? 0 : 1);
    GstBuffer *expected = system_buffer(info, 7);
    const std::string where = different(got, expected, info);
    fail_unless(where.empty(), "%s: %s", out_caps.c_str(), where.c_str());
    for (GstBuffer *buffer : {in, got, expected})
      gst_buffer_unref(buffer);
  }
  gst_object_unref(context);
  all_clean();
}
GST_END_TEST

static Suite *conversions_suite() {
  Suite *suite = suite_create("conversions");
  TCase *tests = new_case(suite, "rgb2yuv");
  add_sampled_loop_test(tests, every_pair_of_formats, G_N_ELEMENTS(kRgb));
  tcase_add_test(tests, sizes);
  tcase_add_test(tests, interlaced);
  tcase_add_test(tests, mixed);
  tcase_add_test(tests, ntsc);
  tcase_add_test(tests, plain_cuda_memory);
  tcase_add_test(tests, renegotiation);
  tcase_add_test(tests, nothing_to_convert);
  return suite;
}
SIMULATED_MAIN(conversions)
