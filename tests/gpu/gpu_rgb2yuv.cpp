// SPDX-License-Identifier: LGPL-2.1-or-later
// rgb2yuv as it ships, on a real GPU: the bytes of its CPU back end, which tests/check has judged.
#include <gst/check/gstcheck.h>

#include "gpu_support.h"

using namespace gpu_test;

namespace {

const char *const kRgb[] = {"RGB",  "BGR",  "RGBx", "BGRx", "xRGB", "xBGR", "RGBA",
                            "BGRA", "ARGB", "ABGR", "GBR",  "RGBP", "BGRP"};
const char *const kYuv[] = {"Y444", "AYUV", "VUYA", "Y42B", "I420", "YV12",
                            "NV12", "NV21", "YUY2", "UYVY", "GRAY8"};

struct Case {
  const char *in, *out;
  int width, height;
  bool in_cuda = true, out_cuda = true;
  std::string in_more = {}, out_more = {};  // further fields of the caps
};

std::string in_caps(const Case &c, bool cuda) {
  return caps_text(c.in, c.width, c.height, cuda) + c.in_more;
}

std::string out_caps(const Case &c, bool cuda) {
  return caps_text(c.out, c.width, c.height, cuda) + c.out_more;
}

GstVideoInfo info_of(GstPad *pad) {
  GstVideoInfo info;
  GstCaps *caps = gst_pad_get_current_caps(pad);
  fail_unless(caps != nullptr && gst_video_info_from_caps(&info, caps));
  gst_caps_unref(caps);
  return info;
}

// Calls visit(row, bytes) for every row of every plane, the last chroma row of the odd field too.
template <class Visit>
void each_row(GstBuffer *buffer, const GstVideoInfo &info, GstMapFlags flags, Visit visit) {
  GstVideoFrame frame;
  fail_unless(gst_video_frame_map(&frame, &info, buffer, flags));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++) {
    gint component[GST_VIDEO_MAX_COMPONENTS];
    gst_video_format_info_component(info.finfo, p, component);
    int rows = GST_VIDEO_INFO_COMP_HEIGHT(&info, component[0]), bytes = 0;
    if (rows < info.height && GST_VIDEO_INFO_IS_INTERLACED(&info)) rows = GST_ROUND_UP_2(rows);
    for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS(&info); c++)
      if (GST_VIDEO_INFO_COMP_PLANE(&info, c) == p)
        bytes = std::max(
            bytes, GST_VIDEO_INFO_COMP_WIDTH(&info, c) * GST_VIDEO_INFO_COMP_PSTRIDE(&info, c));
    for (int y = 0; y < rows; y++)
      visit(static_cast<std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&frame, p)) +
                std::size_t(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&frame, p),
            std::size_t(bytes));
  }
  gst_video_frame_unmap(&frame);
}

std::vector<std::uint8_t> bytes_of(GstBuffer *buffer, const GstVideoInfo &info) {
  std::vector<std::uint8_t> all;
  each_row(buffer, info, GST_MAP_READ, [&all](std::uint8_t *row, std::size_t bytes) {
    all.insert(all.end(), row, row + bytes);
  });
  return all;
}

void fill(GstBuffer *buffer, const GstVideoInfo &info, unsigned seed) {
  each_row(buffer, info, GST_MAP_WRITE, [&seed](std::uint8_t *row, std::size_t bytes) {
    const auto random = random_bytes(bytes, seed++);
    std::copy(random.begin(), random.end(), row);
  });
}

GstBuffer *acquire(GstBufferPool *pool) {
  GstBuffer *buffer = nullptr;
  fail_unless_equals_int(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr), GST_FLOW_OK);
  return buffer;
}

void drop_pool(GstBufferPool *pool) {
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

// All frames are pushed before the first is looked at, so that their work is in flight together.
void run_case(const Case &c, int frames = 2) {
  GstHarness *gpu = harness("rgb2yuv backend=cuda", in_caps(c, c.in_cuda), out_caps(c, c.out_cuda),
                            Context::shared);
  GstHarness *cpu = harness("rgb2yuv backend=cpu", in_caps(c, false), out_caps(c, false));
  GstBufferPool *gpu_pool = proposed_pool(gpu), *cpu_pool = proposed_pool(cpu);
  fail_unless(gpu_pool != nullptr && cpu_pool != nullptr);
  const GstVideoInfo in = info_of(gpu->srcpad);
  for (int i = 0; i < frames; i++)
    for (auto [h, pool] : {std::pair{gpu, gpu_pool}, {cpu, cpu_pool}}) {
      GstBuffer *buffer = acquire(pool);
      fill(buffer, in, 1000u * static_cast<unsigned>(i));
      fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
    }
  const GstVideoInfo out = info_of(gpu->sinkpad);
  for (int i = 0; i < frames; i++) {
    GstBuffer *got = gst_harness_pull(gpu), *expected = gst_harness_pull(cpu);
    const auto a = bytes_of(got, out), b = bytes_of(expected, out);
    const auto first = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
    fail_unless(a == b, "frame %d, byte %zd of %zu: %s to %s", i, first, a.size(),
                in_caps(c, c.in_cuda).c_str(), out_caps(c, c.out_cuda).c_str());
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
  }
  drop_pool(gpu_pool);
  drop_pool(cpu_pool);
  gst_harness_teardown(gpu);
  gst_harness_teardown(cpu);
}

}  // namespace

GST_START_TEST(formats_and_sizes) {
  for (const char *in : kRgb)
    for (const char *out : kYuv)
      for (auto [width, height] : {std::pair{1, 1}, {3, 2}, {33, 17}, {642, 35}})
        run_case({in, out, width, height});
}
GST_END_TEST

GST_START_TEST(large_frames) {
  for (const char *in : {"RGB", "BGRx", "ARGB", "GBR"})
    for (const char *out : kYuv)
      run_case({in, out, 1921, 1079});
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *in : {"RGB", "xBGR", "BGRP"})
        for (const char *out : {"NV12", "I420", "Y444", "AYUV", "UYVY", "GRAY8"})
          run_case({in, out, 641, 359, in_cuda, out_cuda}, 8);
}
GST_END_TEST

GST_START_TEST(frames_in_flight) {
  run_case({"RGB", "NV12", 3840, 2160}, 12);
}
GST_END_TEST

GST_START_TEST(colours) {
  for (const char *in_range : {"1", "2"})
    for (const char *out_range : {"1", "2"})
      for (const char *matrix : {"2", "3", "4", "5", "6"})
        for (const char *out : {"Y444", "NV12"})
          run_case({"RGB", out, 258, 34, true, true,
                    std::string(",colorimetry=(string)") + in_range + ":1:7:1",
                    std::string(",colorimetry=(string)") + out_range + ":" + matrix + ":7:1"});
}
GST_END_TEST

// 720x486 has a row of chroma more in interlaced 4:2:0, in every memory.
GST_START_TEST(sites_and_fields) {
  for (const char *mode : {"progressive", "interleaved"})
    for (const char *site : {"jpeg", "mpeg2", "cosited", "v-cosited"})
      for (const char *out : {"I420", "YV12", "NV12", "NV21", "Y42B", "YUY2"})
        for (auto [width, height] : {std::pair{33, 5}, {720, 486}})
          for (bool cuda : {false, true}) {
            const std::string fields = std::string(",interlace-mode=") + mode;
            run_case(
                {"BGR", out, width, height, cuda, cuda, fields, fields + ",chroma-site=" + site});
          }
}
GST_END_TEST

static Suite *gpu_rgb2yuv_suite() {
  Suite *suite = suite_create("gpu_rgb2yuv");
  TCase *tests = tcase_create("gpu");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, formats_and_sizes);
  tcase_add_test(tests, large_frames);
  tcase_add_test(tests, memory_combinations);
  tcase_add_test(tests, frames_in_flight);
  tcase_add_test(tests, colours);
  tcase_add_test(tests, sites_and_fields);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  require_gpu();
  // A CUDA context does not survive a fork.
  g_setenv("CK_FORK", "no", TRUE);
  return gst_check_run_suite(gpu_rgb2yuv_suite(), "gpu_rgb2yuv", __FILE__);
}
