// SPDX-License-Identifier: LGPL-2.1-or-later
// uyvy2y with backend=cuda: each mix of CUDA and system memory, each format, odd sizes. Right
// bytes, and exactly the transfers and waits that the mix needs.
#include "../support.h"

using namespace simulated;

namespace {

constexpr int kFrames = 3;
constexpr struct { int width, height; } kSizes[] = {{1, 1}, {3, 1}, {33, 17}, {640, 357}};
constexpr GstVideoFormat kInputs[] = {GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_YUY2,
                                      GST_VIDEO_FORMAT_YVYU, GST_VIDEO_FORMAT_VYUY};
constexpr GstVideoFormat kOutputs[] = {GST_VIDEO_FORMAT_GRAY8, GST_VIDEO_FORMAT_NV12,
                                       GST_VIDEO_FORMAT_I420};

struct Case {
  const char *in_memory, *out_memory;
  GstVideoInfo in, out;
};

gsize frame_bytes(const GstVideoInfo &info) {
  gsize bytes = 0;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); p++)
    bytes += row_bytes(info, p) * rows(info, p);
  return bytes;
}

std::string caps_of(const char *memory, const GstVideoInfo &info) {
  return video_caps(memory, GST_VIDEO_INFO_NAME(&info), GST_VIDEO_INFO_WIDTH(&info),
                    GST_VIDEO_INFO_HEIGHT(&info));
}

// What the driver and the element counted for kFrames frames, before anyone looked at them.
void check_traffic(const Case &c, GstElement *element) {
  const guint64 uploads = c.in_memory == kCuda ? 0 : kFrames;
  const guint64 downloads = c.out_memory == kCuda ? 0 : kFrames;
  const FakecudaCounts now = counts();
  fail_unless_equals_uint64(stat(element, "frames"), kFrames);
  fail_unless_equals_uint64(stat(element, "uploads"), uploads);
  fail_unless_equals_uint64(stat(element, "downloads"), downloads);
  fail_unless_equals_uint64(stat(element, "synchronizations"), 0);
  fail_unless_equals_uint64(now.bytes_htod, stat(element, "upload-bytes"));
  fail_unless_equals_uint64(now.bytes_dtoh, stat(element, "download-bytes"));
  fail_unless_equals_uint64(stat(element, "download-bytes"), downloads * frame_bytes(c.out));
  // The last odd pixel's missing neighbour need not travel.
  const guint64 most = uploads * frame_bytes(c.in);
  fail_unless(stat(element, "upload-bytes") <= most);
  fail_unless(stat(element, "upload-bytes") + uploads * rows(c.in, 0) >= most);
  fail_unless_equals_uint64(now.copies_dtod + now.copies_htoh, 0);
  fail_unless_equals_uint64(now.launches, kFrames);
  fail_unless_equals_uint64(
      now.stream_syncs + now.event_syncs + now.context_syncs + now.implicit_syncs, 0);
}

void check_case(const Case &c) {
  Bench bench("uyvy2y backend=cuda");
  bench.negotiate(caps_of(c.in_memory, c.in), caps_of(c.out_memory, c.out));
  // The pool lives on, so that no input's memory is freed, which would wait for the GPU.
  GstBufferPool *pool =
      c.in_memory == kCuda ? proposed_pool(bench.harness(), caps_of(kCuda, c.in).c_str()) : nullptr;
  fail_unless(c.in_memory == kSystem || pool != nullptr);
  std::vector<GstBuffer *> inputs;
  for (unsigned seed = 1; seed <= kFrames; seed++)
    inputs.push_back(pool ? pool_buffer(pool, c.in, seed) : system_buffer(c.in, seed));
  fakecuda_reset_counts();
  for (GstBuffer *input : inputs)
    fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
  check_traffic(c, bench.element());
  fail_unless(active_backend(bench.element()) == "cuda");
  for (unsigned seed = 1; seed <= kFrames; seed++) {
    GstBuffer *output = bench.pull();
    fail_unless(is_cuda(output) == (c.out_memory == kCuda));
    assert_luma(output, c.out, GST_VIDEO_INFO_FORMAT(&c.in), seed);
    gst_buffer_unref(output);
  }
  // The first look at a frame waits for it, wherever it is, if it is not there yet.
  fail_unless(stat(bench.element(), "synchronizations") <= kFrames);
  fail_unless(bench.errors().empty());
  drop_pool(pool);
  assert_clean();
}

void check_all(const char *in_memory, const char *out_memory) {
  constexpr int kNumInputs = std::size(kInputs);
  for (const auto &size : kSizes)
    for (int i = first_sample(kNumInputs); i < kNumInputs; i += sample_step())
      for (GstVideoFormat out : kOutputs)
        check_case({in_memory, out_memory, video_info(kInputs[i], size.width, size.height),
                    video_info(out, size.width, size.height)});
  assert_nothing_lives();
}

}  // namespace

GST_START_TEST(cuda_to_cuda) {
  check_all(kCuda, kCuda);
}
GST_END_TEST
GST_START_TEST(system_to_cuda) {
  check_all(kSystem, kCuda);
}
GST_END_TEST
GST_START_TEST(cuda_to_system) {
  check_all(kCuda, kSystem);
}
GST_END_TEST
GST_START_TEST(system_to_system) {
  check_all(kSystem, kSystem);
}
GST_END_TEST

// Memory of libgstcuda's own allocator is read where it is, too.
GST_START_TEST(plain_cuda_memory) {
  GstCudaContext *context = new_context();
  for (GstVideoFormat format : {GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_YUY2}) {
    const GstVideoInfo in = video_info(format, 641, 9),
                       out = video_info(GST_VIDEO_FORMAT_GRAY8, 641, 9);
    Bench bench("uyvy2y");
    give_context(bench.element(), context);
    bench.negotiate(caps_of(kCuda, in), caps_of(kCuda, out));
    // The second is a copy, which libgstcuda leaves in flight on the default stream.
    GstBuffer *original = plain_cuda_buffer(context, in, 7);
    for (bool copied : {false, true}) {
      GstBuffer *input = copied ? gst_buffer_copy_deep(original) : gst_buffer_ref(original);
      fail_unless_equals_int(bench.push(input), GST_FLOW_OK);
      GstBuffer *output = bench.pull();
      assert_luma(output, out, format, 7);
      gst_buffer_unref(output);
    }
    gst_buffer_unref(original);
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), 0);
  }
  gst_object_unref(context);
  assert_clean();
  assert_nothing_lives();
}
GST_END_TEST

static Suite *combinations_suite() {
  Suite *suite = suite_create("combinations");
  TCase *tests = new_case(suite, "memory");
  tcase_add_test(tests, cuda_to_cuda);
  tcase_add_test(tests, system_to_cuda);
  tcase_add_test(tests, cuda_to_system);
  tcase_add_test(tests, system_to_system);
  tcase_add_test(tests, plain_cuda_memory);
  return suite;
}
SIMULATED_MAIN(combinations)
