// SPDX-License-Identifier: LGPL-2.1-or-later
// j2kenc on the GPU: the bytes are those of the CPU, whatever the memory, the format and the number
// of frames in flight; nothing travels but codestreams, and nothing is made once the stream runs.
#include "j2k.h"

using namespace simulated;

namespace {

constexpr const char *kFields = ",interlace-mode=interleaved,field-order=top-field-first";
constexpr J2kCase kCases[] = {
    kGrey,
    {"NV12", 38, 26, "", "", "image/x-jpc"},
    {"I420", 37, 23, "", "bpp=4 num-layers=3", "image/x-j2c"},
    {"v210", 50, 9, "", "", "image/x-jpc"},
    {"RGB", 33, 17, "", "", "image/jp2"},
    {"BGRx", 33, 17, "", "quality=60", "image/x-jpc"},
    {"ARGB", 20, 20, "", "", "image/jp2"},
    {"P010_10LE", 24, 18, "", "psnr=40", "image/x-jpc"},
    {"GBR_12LE", 24, 18, "", "bpp=12", "image/x-jpc"},
    {"UYVY", 64, 48, "", "tile-width=24 tile-height=20 tlm=true", "image/x-jpc"},
    {"Y444", 48, 40, "", "roi=\"8,8,16,16\" bpp=0.8 code-block-style=bypass+termall",
     "image/x-j2c"},
    {"NV12", 32, 24, kFields, "", "image/x-jpc"},
    {"I420", 16, 22, kFields, "", "image/x-j2c"},  // one field lacks a row of chroma
    {"Y42B", 16, 13, kFields, "bpp=20", "image/x-jpc"},
    {"GRAY8", 16, 7, ",interlace-mode=interleaved,field-order=bottom-field-first", "",
     "image/x-j2c"},
    {"NV12", 32, 24, kFields, "", "image/jp2"},
    {"GRAY8", 1, 1, "", "", "image/x-jpc"},
};
constexpr unsigned kFrames = 5;

}  // namespace

GST_START_TEST(same_bytes) {
  const J2kCase &c = kCases[__i__];
  for (const char *memory : {kCuda, kSystem})
    for (int frames : {0, 1, 2, 16}) {
      J2kBench bench(c, memory, frames);
      fail_unless(active_backend(bench.element()) == "cuda");
      for (unsigned seed = 1; seed <= kFrames; seed++)
        fail_unless_equals_int(bench.push_picture(seed), GST_FLOW_OK);
      bench.end();
      for (unsigned seed = 1; seed <= kFrames; seed++)
        bench.expect(c, seed);
      fail_unless_equals_int(bench.received(), 0);
      fail_unless_equals_uint64(stat(bench.element(), "frames"), kFrames);
      fail_unless(bench.errors().empty() && bench.warnings().empty());
    }
}
GST_END_TEST

// Those that GStreamer 1.24, 1.26 and 1.28 brought, as far as this one goes. (How they get on with
// everything else is a matter of the covering arrays.)
GST_START_TEST(later_formats) {
  int known = 0;
  for (const char *format : {"GBR_16LE", "RBGA", "A444", "A444_12LE", "A444_16LE", "GRAY10_LE16",
                             "Y216_LE", "Y416_LE", "RGB10x2_LE", "BGR10x2_LE"}) {
    if (gst_video_format_from_string(format) == GST_VIDEO_FORMAT_UNKNOWN) continue;
    known++;
    const J2kCase c = {format, 33, 17, "", "", "image/x-jpc"};
    for (const char *memory : {kCuda, kSystem}) {
      J2kBench bench(c, memory, 2);
      fail_unless(active_backend(bench.element()) == "cuda");
      bench.push_pictures(1, 3);
      bench.end();
      bench.expect_pictures(c, 1, 3);
    }
  }
  fail_unless(known >= 5, "%d formats", known);
}
GST_END_TEST

// Buffers that others have made: without page-locked memory, and of libgstcuda's own allocator.
GST_START_TEST(buffers_of_others) {
  GstCudaContext *context = new_context();
  const J2kCase c = {"NV12", 38, 26, "", "", "image/x-jpc"};
  const GstVideoInfo info = video_info(in_caps(c, kSystem));
  for (const char *memory : {kCuda, kSystem}) {
    Bench bench("j2kenc");
    give_context(bench.element(), context);
    bench.negotiate(in_caps(c, memory), c.media);
    for (unsigned seed = 1; seed <= 6; seed++)
      fail_unless_equals_int(bench.push(memory == kCuda ? plain_cuda_buffer(context, info, seed)
                                                        : system_buffer(info, seed)),
                             GST_FLOW_OK);
    gst_harness_push_event(bench.harness(), gst_event_new_eos());
    for (unsigned seed = 1; seed <= 6; seed++)
      fail_unless(take_bytes(bench.pull()) == on_cpu(c, seed), "picture %u", seed);
  }
  gst_object_unref(context);
}
GST_END_TEST

// A layout without the row of chroma that one field would need: the last one stands in for it.
GST_START_TEST(fields_that_lack_a_row) {
  GstCudaContext *context = new_context();
  const J2kCase c = {"NV12", 16, 22, kFields, "", "image/x-jpc"};
  GstVideoInfo whole = video_info(GST_VIDEO_FORMAT_NV12, 16, 22);  // 11 rows of chroma
  const auto lacking = [&](unsigned seed) {
    GstBuffer *buffer = system_buffer(whole, seed);
    gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, 16, 22,
                                   2, whole.offset, whole.stride);
    return buffer;
  };
  // libgstcuda has room behind the last row.
  const auto lacking_in_cuda = [&](unsigned seed) {
    GstBuffer *buffer = plain_cuda_buffer(context, whole, seed);
    const GstVideoMeta *meta = gst_buffer_get_video_meta(buffer);
    gst_buffer_set_size(buffer, gssize(meta->offset[1] + 11 * gsize(meta->stride[1])));
    return buffer;
  };
  for (const char *memory : {kCuda, kSystem}) {
    Bench bench("j2kenc frames-in-flight=2");
    give_context(bench.element(), context);
    bench.negotiate(in_caps(c, memory), c.media);
    for (unsigned seed = 1; seed <= 4; seed++)
      fail_unless_equals_int(bench.push(memory == kCuda ? lacking_in_cuda(seed) : lacking(seed)),
                             GST_FLOW_OK);
    gst_harness_push_event(bench.harness(), gst_event_new_eos());
    for (unsigned seed = 1; seed <= 4; seed++)
      fail_unless(take_bytes(bench.pull()) == on_cpu(c, lacking(seed)), "picture %u", seed);
  }
  gst_object_unref(context);
}
GST_END_TEST

// Memory that is on another device is followed there, or fetched from there.
GST_START_TEST(another_device) {
  GstCudaContext *contexts[] = {new_context(0), new_context(1)};
  const J2kCase c = {"NV12", 38, 26, "", "", "image/x-jpc"};
  const GstVideoInfo info = video_info(in_caps(c, kSystem));
  for (const char *id : {"-1", "0"}) {
    Bench bench((std::string("j2kenc frames-in-flight=3 cuda-device-id=") + id).c_str());
    give_context(bench.element(), contexts[0]);
    bench.negotiate(in_caps(c, kCuda), c.media);
    for (unsigned seed = 1; seed <= 8; seed++)
      fail_unless_equals_int(bench.push(plain_cuda_buffer(contexts[seed / 3 % 2], info, seed)),
                             GST_FLOW_OK);
    gst_harness_push_event(bench.harness(), gst_event_new_eos());
    for (unsigned seed = 1; seed <= 8; seed++)
      fail_unless(take_bytes(bench.pull()) == on_cpu(c, seed), "picture %u", seed);
    fail_unless(bench.errors().empty());
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), *id == '0' ? 3 : 0);
  }
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
}
GST_END_TEST

// The codestream is all that travels, and a running stream makes nothing.
GST_START_TEST(costs_its_codestreams) {
  constexpr unsigned kRun = 60;
  const J2kCase c = {"RGB", 33, 17, "", "", "image/jp2"};
  fakecuda_set_eager(1);
  for (int frames : {1, 4}) {
    J2kBench bench(c, kCuda, frames);
    gsize bytes = 0;
    guint64 downloaded = 0;
    const auto run = [&] {
      bytes = 0;
      downloaded = stat(bench.element(), "download-bytes");
      for (unsigned i = 0; i < kRun; i++) {
        fail_unless_equals_int(bench.push_picture(1), GST_FLOW_OK);
        bench.settle();  // so that outputs come back to their pool
        GstBuffer *output = bench.pull();
        fail_if(is_cuda(output));
        bytes += gst_buffer_get_size(output);
        gst_buffer_unref(output);
      }
    };
    run();
    run_until_steady(run);
    const FakecudaCounts now = counts();
    const gsize boxes =
        kRun * (bytes / kRun - on_cpu({"RGB", 33, 17, "", "", "image/x-jpc"}, 1).size());
    fail_unless_equals_uint64(now.copies_dtoh, kRun);
    fail_unless_equals_uint64(now.bytes_dtoh, bytes - boxes);
    // Pictures are written into the buffers by the CPU, in the test.
    fail_unless_equals_uint64(now.copies_dtod + now.pageable_async_copies, 0);
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), 0);
    fail_unless_equals_uint64(stat(bench.element(), "upload-bytes"), 0);
    fail_unless_equals_uint64(stat(bench.element(), "download-bytes") - downloaded, bytes - boxes);
    fail_unless_equals_uint64(stat(bench.element(), "downloads"), stat(bench.element(), "frames"));
    fail_unless_equals_uint64(stat(bench.element(), "synchronizations"),
                              2 * stat(bench.element(), "frames"));
  }
  fakecuda_set_eager(0);
}
GST_END_TEST

// Behind other elements of ours: CUDA memory between them, unasked, and the bytes of the CPU.
GST_START_TEST(behind_other_elements) {
  const std::string in = video_caps(kCuda, "UYVY", 66, 10);
  const auto line = [](const char *backend) {
    const std::string b = std::string(" backend=") + backend;
    return "uyvy2y" + b + " ! convolve preset=sharpen" + b +
           " ! sepconvolve preset=gaussian sigma=1 name=last" + b + " ! j2kenc name=coder" + b;
  };
  const GstVideoInfo info = video_info(GST_VIDEO_FORMAT_UYVY, 66, 10);
  Bench cpu(line("cpu").c_str()), gpu(line("auto").c_str());
  cpu.negotiate(video_caps(kSystem, "UYVY", 66, 10), "image/x-jpc");
  gpu.negotiate(in, "image/x-jpc");
  GstBufferPool *pool = proposed_pool(gpu.harness(), in.c_str());
  for (unsigned seed = 1; seed <= 8; seed++)
    fail_unless_equals_int(gpu.push(pool_buffer(pool, info, seed)), GST_FLOW_OK);
  gst_harness_push_event(gpu.harness(), gst_event_new_eos());
  for (unsigned seed = 1; seed <= 8; seed++) {
    fail_unless_equals_int(cpu.push(system_buffer(info, seed)), GST_FLOW_OK);
    fail_unless(take_bytes(gpu.pull()) == take_bytes(cpu.pull()), "picture %u", seed);
  }
  for (const char *name : {"last", "coder"}) {
    GstElement *element = gst_bin_get_by_name(GST_BIN(gpu.element()), name);
    fail_unless(active_backend(element) == "cuda");
    fail_unless_equals_uint64(stat(element, "uploads"), 0);
    fail_unless_equals_uint64(stat(element, "downloads"), std::string(name) == "last" ? 0 : 8);
    gst_object_unref(element);
  }
  drop_pool(pool);
}
GST_END_TEST

// System memory is brought to the GPU once, from page-locked memory.
GST_START_TEST(uploads_once) {
  J2kBench bench(kGrey, kSystem, 4);
  fakecuda_reset_counts();
  for (unsigned seed = 1; seed <= 10; seed++)
    fail_unless_equals_int(bench.push_picture(seed), GST_FLOW_OK);
  bench.end();
  const FakecudaCounts now = counts();
  fail_unless_equals_uint64(now.bytes_htod, 10 * 40 * 24);
  fail_unless_equals_uint64(now.pageable_async_copies, 0);
  fail_unless_equals_uint64(stat(bench.element(), "uploads"), 10);
  fail_unless_equals_uint64(stat(bench.element(), "upload-bytes"), 10 * 40 * 24);
  for (unsigned seed = 1; seed <= 10; seed++)
    bench.expect(kGrey, seed);
}
GST_END_TEST

// Where to run: a GPU is worth the trip, and the CPU is never asked for CUDA memory.
GST_START_TEST(back_ends) {
  const struct {
    const char *backend, *memory, *active;
  } cases[] = {{"auto", kSystem, "cuda"},
               {"cuda", kSystem, "cuda"},
               {"cpu", kSystem, "cpu"},
               {"auto", kCuda, "cuda"},
               {"cuda", kCuda, "cuda"}};
  for (const auto &c : cases) {
    Bench bench((std::string("j2kenc frames-in-flight=8 backend=") + c.backend).c_str());
    bench.negotiate(in_caps(kGrey, c.memory), kGrey.media);
    const std::string active = active_backend(bench.element());
    expect_string(active, c.active);
    gst_harness_set_upstream_latency(bench.harness(), 0);
    fail_unless_equals_uint64(gst_harness_query_latency(bench.harness()),
                              std::string(c.active) == "cpu" ? 0 : 7 * GST_SECOND / 25);
  }
  Bench cpu("j2kenc backend=cpu");
  GstPad *sink = gst_element_get_static_pad(cpu.element(), "sink");
  GstCaps *taken = gst_pad_query_caps(sink, nullptr);
  for (guint i = 0; i < gst_caps_get_size(taken); i++)
    fail_if(gst_caps_features_contains(gst_caps_get_features(taken, i), kCuda));
  gst_caps_unref(taken);
  gst_object_unref(sink);
}
GST_END_TEST

static Suite *encoder_suite() {
  return j2k_suite("encoder", [](TCase *tests) {
    add_sampled_loop_test(tests, same_bytes, G_N_ELEMENTS(kCases));
    if (coalesce::gst::running_on(1, 23)) tcase_add_test(tests, later_formats);
    tcase_add_test(tests, buffers_of_others);
    tcase_add_test(tests, fields_that_lack_a_row);
    tcase_add_test(tests, another_device);
    tcase_add_test(tests, costs_its_codestreams);
    tcase_add_test(tests, behind_other_elements);
    tcase_add_test(tests, uploads_once);
    tcase_add_test(tests, back_ends);
  });
}
SIMULATED_MAIN(encoder)
