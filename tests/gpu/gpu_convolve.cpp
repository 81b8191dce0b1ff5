// SPDX-License-Identifier: LGPL-2.1-or-later
// convolve and sepconvolve as they ship, on a real GPU: the bytes of their CPU back end, which
// tests/check has judged.
#include <gst/check/gstcheck.h>

#include "gpu_support.h"

using namespace gpu_test;

namespace {

const char *const kFormats[] = {
    "GRAY8",     "GRAY16_LE", "I420",      "YV12",      "NV12", "NV21", "Y42B", "Y444", "P010_10LE",
    "I420_10LE", "I422_10LE", "Y444_10LE", "Y444_16LE", "RGB",  "BGR",  "RGBx", "BGRx", "RGBA",
    "BGRA",      "ARGB",      "ABGR",      "AYUV",      "VUYA", "GBR",  "RGBP", "BGRP"};
const char *const kBorders[] = {"replicate", "reflect", "reflect-101", "wrap", "constant"};
const char *const kFilters[] = {
    "convolve mask=1",
    "convolve mask=\"1 2 3; 0 5 7; 4 1 2\"",
    "convolve mask=\"0.3 -0.7; 0.11 2.5\" filter-alpha=true correlate=true",
    "convolve preset=sobel-x",
    "convolve preset=gaussian sigma=1.5",
    "convolve preset=emboss planes=all absolute=true",
    "convolve preset=laplacian-of-gaussian size=15",
    "convolve preset=unsharp size=31",
    "convolve mask=\"1 1 1 1\" anchor-x=3 bias=10",
    "sepconvolve horizontal=\"1 4 6 4 1\"",
    "sepconvolve preset=gaussian size=63 filter-alpha=true",
    "sepconvolve preset=gaussian-y sigma=2",
};

struct Case {
  std::string filter;
  const char *format;
  int width, height;
  bool in_cuda = true, out_cuda = true;
};

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
  const auto caps = [&c](bool cuda) { return caps_text(c.format, c.width, c.height, cuda); };
  GstHarness *gpu = harness((c.filter + " backend=cuda").c_str(), caps(c.in_cuda), caps(c.out_cuda),
                            Context::shared);
  GstHarness *cpu =
      harness((c.filter + " backend=cpu").c_str(), caps(false), caps(false), Context::shared);
  GstBufferPool *gpu_pool = proposed_pool(gpu), *cpu_pool = proposed_pool(cpu);
  fail_unless(gpu_pool != nullptr && cpu_pool != nullptr);
  const GstVideoInfo info = info_of(gpu->srcpad);
  for (int i = 0; i < frames; i++)
    for (auto [h, pool] : {std::pair{gpu, gpu_pool}, {cpu, cpu_pool}}) {
      GstBuffer *buffer = acquire(pool);
      fill(buffer, info, 1000u * static_cast<unsigned>(i));
      fail_unless_equals_int(gst_harness_push(h, buffer), GST_FLOW_OK);
    }
  for (int i = 0; i < frames; i++) {
    GstBuffer *got = gst_harness_pull(gpu), *expected = gst_harness_pull(cpu);
    const auto a = bytes_of(got, info), b = bytes_of(expected, info);
    const auto first = std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
    fail_unless(a == b, "frame %d, byte %zd of %zu: %s on %s", i, first, a.size(), c.filter.c_str(),
                caps(c.in_cuda).c_str());
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
  }
  drop_pool(gpu_pool);
  drop_pool(cpu_pool);
  gst_harness_teardown(gpu);
  gst_harness_teardown(cpu);
}

}  // namespace

GST_START_TEST(formats_borders_and_masks) {
  for (const char *format : kFormats)
    for (const char *border : kBorders)
      for (const char *filter : kFilters)
        for (auto [width, height] : {std::pair{3, 2}, {67, 35}})
          run_case(
              {std::string(filter) + " border-value=77 border=" + border, format, width, height});
}
GST_END_TEST

GST_START_TEST(large_frames) {
  for (const char *format : {"GRAY8", "NV12", "RGB", "RGBA", "P010_10LE", "Y444_16LE"})
    for (const char *filter : kFilters)
      run_case({filter, format, 1921, 1079});
}
GST_END_TEST

GST_START_TEST(memory_combinations) {
  for (bool in_cuda : {false, true})
    for (bool out_cuda : {false, true})
      for (const char *format : kFormats)
        run_case({"convolve preset=sharpen", format, 641, 359, in_cuda, out_cuda}, 8);
}
GST_END_TEST

// A mask set between two frames does not reach the one that is in flight.
GST_START_TEST(changes_in_flight) {
  const std::string caps = caps_text("NV12", 3840, 2160, true);
  GstHarness *gpu = harness("convolve backend=cuda", caps, caps, Context::shared);
  GstHarness *cpu = harness("convolve backend=cpu", caps_text("NV12", 3840, 2160, false),
                            caps_text("NV12", 3840, 2160, false), Context::shared);
  GstBufferPool *gpu_pool = proposed_pool(gpu), *cpu_pool = proposed_pool(cpu);
  const GstVideoInfo info = info_of(gpu->srcpad);
  const char *const masks[] = {"1 2 1; 2 4 2; 1 2 1", "0 -1 0; -1 5 -1; 0 -1 0", "1 1 1 1 1", "1",
                               "0.5; 0.25; 0.1"};
  GstBuffer *gpu_in = acquire(gpu_pool), *cpu_in = acquire(cpu_pool);
  fill(gpu_in, info, 1);
  fill(cpu_in, info, 1);
  for (const char *mask : masks)
    for (auto [h, buffer] : {std::pair{gpu, gpu_in}, {cpu, cpu_in}}) {
      GstElement *element = gst_harness_find_element(h, "convolve");
      g_object_set(element, "mask", mask, nullptr);
      gst_object_unref(element);
      fail_unless_equals_int(gst_harness_push(h, gst_buffer_ref(buffer)), GST_FLOW_OK);
    }
  for (const char *mask : masks) {
    GstBuffer *got = gst_harness_pull(gpu), *expected = gst_harness_pull(cpu);
    fail_unless(bytes_of(got, info) == bytes_of(expected, info), "%s", mask);
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
  }
  gst_buffer_unref(gpu_in);
  gst_buffer_unref(cpu_in);
  drop_pool(gpu_pool);
  drop_pool(cpu_pool);
  gst_harness_teardown(gpu);
  gst_harness_teardown(cpu);
}
GST_END_TEST

static Suite *gpu_convolve_suite() {
  Suite *suite = suite_create("gpu_convolve");
  TCase *tests = tcase_create("gpu");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, formats_borders_and_masks);
  tcase_add_test(tests, large_frames);
  tcase_add_test(tests, memory_combinations);
  tcase_add_test(tests, changes_in_flight);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(int argc, char **argv) {
  gst_check_init(&argc, &argv);
  require_gpu();
  // A CUDA context does not survive a fork.
  g_setenv("CK_FORK", "no", TRUE);
  return gst_check_run_suite(gpu_convolve_suite(), "gpu_convolve", __FILE__);
}
