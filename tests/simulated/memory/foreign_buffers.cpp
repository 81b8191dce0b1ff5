// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffers of another CUDA context than the element's, in other memory than the caps say, or with a
// GstVideoMeta that is not true.
#include <cstring>

#include "../luma.h"

using namespace simulated;

// Any device will do: the element goes where the buffers are, in the middle of the stream, again
// and again, and leaves nothing behind.
GST_START_TEST(follows_the_buffers) {
  GstCudaContext *contexts[] = {new_context(0), new_context(0), new_context(1)};
  {
    Bench bench("uyvy2y");
    give_context(bench.element(), contexts[0]);
    bench.negotiate(in_caps(), out_caps());
    for (unsigned seed = 1; seed <= 12; seed++) {
      GstCudaContext *theirs = contexts[seed / 2 % 3];
      fail_unless(pass(bench, plain_cuda_buffer(theirs, in_info(), seed), seed) == theirs);
      GstCudaContext *answer = asked(bench.element(), "src");
      fail_unless(answer == theirs);
      gst_object_unref(answer);
    }
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), 0);
    // The element's two streams, however often it moved.
    fail_unless_equals_uint64(counts().streams_live, 2);
    fail_unless(bench.errors().empty());
  }
  for (GstCudaContext *context : contexts)
    gst_object_unref(context);
  done();
}
GST_END_TEST

// A frame still in flight in the old context when the element moves on.
GST_START_TEST(moves_with_frames_in_flight) {
  GstCudaContext *one = new_context(0), *other = new_context(1);
  {
    Bench bench("uyvy2y");
    give_context(bench.element(), one);
    bench.negotiate(in_caps(), out_caps());
    for (unsigned seed = 1; seed <= 4; seed++)
      fail_unless_equals_int(bench.push(plain_cuda_buffer(seed % 2 ? one : other, in_info(), seed)),
                             GST_FLOW_OK);
    for (unsigned seed = 1; seed <= 4; seed++) {
      GstBuffer *output = bench.pull();
      fail_unless(context_of(output) == (seed % 2 ? one : other));
      assert_luma(output, out_info(), GST_VIDEO_FORMAT_UYVY, seed);
      gst_buffer_unref(output);
    }
  }
  gst_object_unref(one);
  gst_object_unref(other);
  done();
}
GST_END_TEST

// What the element needs in the new context cannot be had: one error, and no frame after it.
GST_START_TEST(cannot_move) {
  constexpr FakecudaFunction kNeeded[] = {FAKECUDA_STREAM_CREATE, FAKECUDA_EVENT_CREATE,
                                          FAKECUDA_ALLOC_PITCH, FAKECUDA_LAUNCH};
  for (FakecudaFunction needed : kNeeded) {
    for (const char *out : {kCuda, kSystem}) {
      GstCudaContext *one = new_context(0), *other = new_context(1);
      GstBuffer *moved[] = {plain_cuda_buffer(other, in_info(), 2),
                            plain_cuda_buffer(one, in_info(), 3)};
      Bench bench("uyvy2y");
      give_context(bench.element(), one);
      bench.negotiate(in_caps(), out_caps(out));
      pass(bench, plain_cuda_buffer(one, in_info(), 1), 1);
      fakecuda_fail(needed, 1, 2);
      for (GstBuffer *buffer : moved)
        fail_unless_equals_int(bench.push(buffer), GST_FLOW_ERROR);
      gst_harness_push_event(bench.harness(), gst_event_new_eos());
      fail_unless_equals_int(bench.errors().size(), 1);
      fail_unless_equals_uint64(gst_harness_buffers_in_queue(bench.harness()), 0);
      gst_object_unref(one);
      gst_object_unref(other);
    }
    fakecuda_reset_faults();
    done();
  }
}
GST_END_TEST

// The user named the device: buffers of another one are copied, and counted.
GST_START_TEST(fixed_device_copies) {
  GstCudaContext *own = new_context(0), *other = new_context(1);
  for (const char *out : {kCuda, kSystem}) {
    Bench bench("uyvy2y cuda-device-id=0");
    give_context(bench.element(), own);
    bench.negotiate(in_caps(), out_caps(out));
    for (unsigned seed = 1; seed <= 6; seed++) {
      GstBuffer *input = plain_cuda_buffer(seed % 2 ? own : other, in_info(), seed);
      GstCudaContext *context = pass(bench, input, seed);
      fail_unless(context == (out == kCuda ? own : nullptr));
      fail_unless_equals_uint64(stat(bench.element(), "uploads"), seed / 2);
    }
    fail_unless_equals_uint64(stat(bench.element(), "frames"), 6);
  }
  gst_object_unref(own);
  gst_object_unref(other);
  done();
}
GST_END_TEST

// A CUDA buffer under system caps, and a system buffer under CUDA caps.
GST_START_TEST(memory_is_not_what_the_caps_say) {
  GstCudaContext *context = new_context();
  for (const char *launch : {"uyvy2y", "uyvy2y backend=cuda", "uyvy2y backend=cpu"}) {
    for (const char *out : {kSystem, kCuda}) {
      if (out == kCuda && strstr(launch, "cpu")) continue;
      Bench bench(launch);
      give_context(bench.element(), context);
      bench.negotiate(in_caps(kSystem), out_caps(out));
      pass(bench, system_buffer(in_info(), 1), 1);
      pass(bench, plain_cuda_buffer(context, in_info(), 2), 2);
      pass(bench, system_buffer(in_info(), 3), 3);
      fail_unless(bench.errors().empty());
    }
  }
  for (const char *out : {kSystem, kCuda}) {
    Bench bench("uyvy2y");
    give_context(bench.element(), context);
    bench.negotiate(in_caps(kCuda), out_caps(out));
    pass(bench, plain_cuda_buffer(context, in_info(), 4), 4);
    pass(bench, system_buffer(in_info(), 5), 5);
    fail_unless_equals_uint64(stat(bench.element(), "uploads"), 1);
    fail_unless(bench.errors().empty());
  }
  gst_object_unref(context);
  done();
}
GST_END_TEST

// On our own memory, which is mapped without libgstvideo. (tests/check/bad_buffers.cpp has more of
// them, on system memory.) The next frame is none the worse for it.
GST_START_TEST(meta_is_not_true) {
  const struct {
    void (*lie)(GstVideoMeta *meta, gsize spare);  // bytes behind the last row
    const char *told;
  } cases[] = {
      {[](GstVideoMeta *meta, gsize spare) { meta->offset[0] = spare + 1; }, "needs"},
      {[](GstVideoMeta *meta, gsize) { meta->offset[0] = G_MAXSIZE - 16; }, "needs"},
      {[](GstVideoMeta *meta, gsize spare) { meta->stride[0] += gint(spare) / (kHeight - 1) + 1; },
       "needs"},
      {[](GstVideoMeta *meta, gsize) { meta->stride[0] = G_MAXINT; }, "needs"},
      {[](GstVideoMeta *meta, gsize) { meta->stride[0] = 2 * kWidth - 1; }, "stride of 127"},
      {[](GstVideoMeta *meta, gsize) { meta->stride[0] = -meta->stride[0]; }, "stride of -"},
      {[](GstVideoMeta *meta, gsize) { meta->height--; }, "GstVideoMeta"},
  };
  for (const auto &[lie, told] : cases) {
    Bench bench("uyvy2y");
    bench.negotiate(in_caps(), out_caps());
    GstBufferPool *pool = proposed_pool(bench.harness(), in_caps().c_str());
    GstBuffer *input = pool_buffer(pool, in_info(), 1);
    GstVideoMeta *meta = gst_buffer_get_video_meta(input);
    const gsize needed = gsize(meta->stride[0]) * (kHeight - 1) + 2 * kWidth;
    const GstVideoMeta truth = *meta;
    lie(meta, gst_buffer_get_size(input) - needed);
    fail_unless_equals_int(bench.push(gst_buffer_ref(input)), GST_FLOW_ERROR);
    const std::vector<std::string> errors = bench.errors();
    fail_unless_equals_int(errors.size(), 1);
    fail_unless(errors[0].find(told) != std::string::npos, "%s", errors[0].c_str());
    *meta = truth;
    pass(bench, input, 1);
    drop_pool(pool);
  }
  done();
}
GST_END_TEST

static Suite *foreign_buffers_suite() {
  Suite *suite = suite_create("foreign_buffers");
  TCase *tests = new_case(suite, "foreign_buffers");
  tcase_add_test(tests, follows_the_buffers);
  tcase_add_test(tests, moves_with_frames_in_flight);
  tcase_add_test(tests, cannot_move);
  tcase_add_test(tests, fixed_device_copies);
  tcase_add_test(tests, memory_is_not_what_the_caps_say);
  tcase_add_test(tests, meta_is_not_true);
  return suite;
}
SIMULATED_MAIN(foreign_buffers)
