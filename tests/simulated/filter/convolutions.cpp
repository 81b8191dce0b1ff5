// SPDX-License-Identifier: LGPL-2.1-or-later
// convolve and sepconvolve with backend=cuda: the bytes of backend=cpu, for each format in each mix
// of CUDA and system memory, changes of the mask between frames included. (What the bytes have to
// be is tested without a GPU: tests/check/convolve_*.cpp.)
#include "../support.h"

using namespace simulated;

namespace {

constexpr const char *kFormats[] = {
    "GRAY8", "GRAY16_LE", "I420",      "YV12",      "NV12",      "NV21",      "Y42B",
    "Y444",  "P010_10LE", "I420_10LE", "I422_10LE", "Y444_10LE", "Y444_16LE", "RGB",
    "BGR",   "RGBx",      "BGRx",      "xRGB",      "xBGR",      "RGBA",      "BGRA",
    "ARGB",  "ABGR",      "AYUV",      "VUYA",      "GBR",       "RGBP",      "BGRP",
    "UYVY",  "Y210",      "v210",      "UYVP",      "Y410",      "RGB10A2_LE"};

struct Case {
  const char *element;
  const char *format;
  int width, height;
  std::string more;
};

std::string caps_of(const Case &c, const char *memory) {
  return video_caps(memory, c.format, c.width, c.height) + c.more;
}

// The second frame is in flight, perhaps not even begun, when the mask for the third is set.
void check_case(const Case &c, const char *in_memory, const char *out_memory) {
  const std::string in = caps_of(c, in_memory), out = caps_of(c, out_memory);
  const GstVideoInfo info = video_info(caps_of(c, kSystem));
  Bench gpu((std::string(c.element) + " backend=cuda").c_str()),
      cpu((std::string(c.element) + " backend=cpu").c_str());
  gpu.negotiate(in, out);
  cpu.negotiate(caps_of(c, kSystem), caps_of(c, kSystem));
  GstBufferPool *pool = in_memory == kCuda ? proposed_pool(gpu.harness(), in.c_str()) : nullptr;
  for (unsigned n = 0; n < 3; n++) {
    if (n == 2)
      for (Bench *bench : {&gpu, &cpu})
        gst_util_set_object_arg(G_OBJECT(bench->element()), "preset", "box");
    GstBuffer *input = pool ? pool_buffer(pool, info, n) : system_buffer(info, n);
    fail_unless_equals_int(gpu.push(input), GST_FLOW_OK);
    fail_unless_equals_int(cpu.push(system_buffer(info, n)), GST_FLOW_OK);
  }
  for (unsigned n = 0; n < 3; n++) {
    GstBuffer *got = gpu.pull(), *expected = cpu.pull();
    fail_unless(is_cuda(got) == (out_memory == kCuda));
    fail_unless(picture(got, info) == picture(expected, info), "%s: %s to %s, frame %u", c.element,
                in.c_str(), out.c_str(), n);
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
  }
  fail_unless(gpu.errors().empty() && cpu.errors().empty());
  drop_pool(pool);
}

void in_all_memories(const Case &c) {
  for (const char *in : {kSystem, kCuda})
    for (const char *out : {kSystem, kCuda})
      check_case(c, in, out);
}

void all_clean() {
  assert_clean();
  assert_nothing_lives();
}

}  // namespace

GST_START_TEST(every_format) {
  const char *format = kFormats[__i__];
  in_all_memories({"convolve mask=\"1 2 3; 4 5 6\" filter-alpha=true", format,
                   possible_width(format, 9), 5, ""});
  in_all_memories(
      {"sepconvolve horizontal=\"1 0 -1\" vertical=\"1 2 1\" border=wrap", format, 8, 6, ""});
  in_all_memories({"sepconvolve preset=blur sigma=9 border=reflect", format, 36, 20, ""});
  all_clean();
}
GST_END_TEST

// 4:2:0 of two fields has a row of chroma more than half of the lines. (GStreamer's P010 has not.)
GST_START_TEST(fields) {
  for (const char *format : {"I420", "YV12", "NV12", "NV21"})
    for (int height : {1, 2, 6, 8})
      in_all_memories(
          {"convolve preset=binomial", format, 8, height, ",interlace-mode=interleaved"});
  all_clean();
}
GST_END_TEST

// Samples of two bytes at odd addresses, in rows of an odd number of bytes: of CUDA memory, too,
// they are copied before the kernels see them.
GST_START_TEST(odd_addresses) {
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_GRAY16_LE, 9, 5);
  const Case c = {"convolve preset=sharpen backend=cuda", "GRAY16_LE", 9, 5, ""};
  GstCudaContext *context = new_context();
  const auto odd = [&info](GstBuffer *room, unsigned seed) {
    gsize offset[4] = {3};
    gint stride[4] = {37};
    if (GstMeta *meta = reinterpret_cast<GstMeta *>(gst_buffer_get_video_meta(room)))
      gst_buffer_remove_meta(room, meta);
    gst_buffer_add_video_meta_full(room, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY16_LE, 9,
                                   5, 1, offset, stride);
    fill(room, info, seed);
    if (is_cuda(room)) to_device(room);
    return room;
  };
  Bench cpu("convolve preset=sharpen backend=cpu");
  cpu.negotiate(caps_of(c, kSystem), caps_of(c, kSystem));
  for (const char *in : {kSystem, kCuda})
    for (const char *out : {kSystem, kCuda}) {
      GstAllocationParams params;
      gst_allocation_params_init(&params);
      params.prefix = 13;
      Bench gpu(c.element);
      gst_harness_set_propose_allocator(gpu.harness(), nullptr, &params);
      give_context(gpu.element(), context);
      gpu.negotiate(caps_of(c, in), caps_of(c, out));
      for (unsigned n = 0; n < 3; n++) {
        GstBuffer *input =
            in == kCuda ? plain_cuda_buffer(context, video_info(GST_VIDEO_FORMAT_RGBA, 64, 1), 0)
                        : gst_buffer_new_allocate(nullptr, 512, nullptr);
        fail_unless_equals_int(gpu.push(odd(input, n)), GST_FLOW_OK);
        fail_unless_equals_int(cpu.push(system_buffer(info, n)), GST_FLOW_OK);
      }
      for (unsigned n = 0; n < 3; n++) {
        GstBuffer *got = gpu.pull(), *expected = cpu.pull();
        fail_unless(picture(got, info) == picture(expected, info), "%s to %s", in, out);
        gst_buffer_unref(got);
        gst_buffer_unref(expected);
      }
      fail_unless(gpu.errors().empty());
    }
  gst_object_unref(context);
  all_clean();
}
GST_END_TEST

// From system memory to system memory: only what is heavy goes to the GPU by itself.
GST_START_TEST(worth_the_trip) {
  const struct {
    const char *element;
    int width, height;
    const char *backend;
  } cases[] = {{"convolve preset=sharpen", 1920, 1080, "cpu"},
               {"convolve preset=laplacian-of-gaussian size=15", 640, 360, "cpu"},
               {"convolve preset=laplacian-of-gaussian size=15", 1920, 1080, "cuda"},
               {"convolve preset=gaussian size=31", 1920, 1080, "cpu"},
               {"sepconvolve preset=gaussian size=63", 3840, 2160, "cuda"},
               {"median size=5", 1920, 1080, "cpu"},
               {"median size=15", 1920, 1080, "cuda"},
               {"bilateral radius=1", 1920, 1080, "cpu"},
               {"bilateral radius=2", 1920, 1080, "cuda"},
               {"cartoon", 1920, 1080, "cuda"},
               {"oilpaint", 320, 240, "cpu"},
               {"oilpaint", 1920, 1080, "cuda"},
               {"linedetect", 1920, 1080, "cpu"},
               {"linedetect", 3840, 2160, "cuda"},
               {"canny", 3840, 2160, "cpu"}};
  for (const auto &[element, width, height, backend] : cases) {
    Bench bench(element);
    const std::string caps = video_caps(kSystem, "GRAY8", width, height);
    bench.negotiate(caps, caps);
    expect_string(active_backend(bench.element()), backend);
  }
  all_clean();
}
GST_END_TEST

// A mask that turns bad while frames are in flight: a warning, once, and the last good one stays.
GST_START_TEST(bad_mask) {
  Bench gpu("convolve backend=cuda mask=\"1 1\""), cpu("convolve backend=cpu mask=\"1 1\"");
  const std::string caps = video_caps(kCuda, "NV12", 16, 8),
                    plain = video_caps(kSystem, "NV12", 16, 8);
  const GstVideoInfo info = video_info(caps);
  gpu.negotiate(caps, caps);
  cpu.negotiate(plain, plain);
  GstBufferPool *pool = proposed_pool(gpu.harness(), caps.c_str());
  for (unsigned n = 0; n < 3; n++) {
    fail_unless_equals_int(gpu.push(pool_buffer(pool, info, n)), GST_FLOW_OK);
    fail_unless_equals_int(cpu.push(system_buffer(info, n)), GST_FLOW_OK);
    fail_unless_equals_int(static_cast<int>(gpu.warnings().size()), n == 0 ? 0 : 1);
    g_object_set(gpu.element(), "mask", "1 x", nullptr);
  }
  for (unsigned n = 0; n < 3; n++) {
    GstBuffer *got = gpu.pull(), *expected = cpu.pull();
    fail_unless(picture(got, info) == picture(expected, info), "frame %u", n);
    gst_buffer_unref(got);
    gst_buffer_unref(expected);
  }
  fail_unless(gpu.errors().empty() && cpu.errors().empty() && cpu.warnings().empty());
  drop_pool(pool);
  assert_clean();
}
GST_END_TEST

static Suite *convolutions_suite() {
  Suite *suite = suite_create("simulated-convolutions");
  TCase *cases = new_case(suite, "convolutions");
  add_sampled_loop_test(cases, every_format, G_N_ELEMENTS(kFormats));
  tcase_add_test(cases, fields);
  tcase_add_test(cases, odd_addresses);
  tcase_add_test(cases, worth_the_trip);
  tcase_add_test(cases, bad_mask);
  return suite;
}

SIMULATED_MAIN(convolutions)
