// SPDX-License-Identifier: LGPL-2.1-or-later
// Applications beside our elements: they map frames, and share a context or bring several. And the
// other way round, planted: what must not work is seen not to.
#include <cuda.h>

#include "../gray.h"

using namespace simulated;
using namespace coalesce::gst;

extern "C" {
CUresult cuInit(unsigned flags);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
}

// An application takes frames in a thread of its own and maps them for CUDA.
GST_START_TEST(appsink_maps_for_cuda) {
  Line line("coalesceinvert name=a delay=200", kSystemGray, kCudaGray);
  line.start();
  for (unsigned seed = 1; seed <= 4; seed++)
    line.push(timed_buffer(seed));
  for (unsigned seed = 1; seed <= 4; seed++) {
    GstBuffer *buffer = line.pull();
    fail_unless(is_cuda(buffer));
    check_frame(buffer, seed, 0xFF, seed % 2 ? kForeignCuda : int(GST_MAP_READ));
  }
  // Waiting for a frame is waiting for those before it; the fourth upload may have waited, too.
  const guint64 waits = stat(line.element("a"), "synchronizations");
  fail_unless(waits >= 1 && waits <= 5, "%u waits", unsigned(waits));
}
GST_END_TEST

// Two elements in two contexts, on one GPU and on two. The second follows the first's buffers
// unless it was told another GPU: then they are copied, and the first's fence is waited for.
GST_START_TEST(two_contexts) {
  constexpr unsigned kFrames = 3;  // as many as can be uploaded without a wait
  const struct {
    guint first, second;
    const char *more;
    bool copied;
  } cases[] = {{0, 0, "", false},
               {0, 1, "", false},
               {0, 0, "cuda-device-id=0", false},
               {0, 1, "cuda-device-id=1", true},
               {1, 0, "cuda-device-id=0", true}};
  for (const auto &c : cases) {
    GstCudaContext *first = new_context(c.first), *second = new_context(c.second);
    {
      Bench a("coalesceinvert delay=2000");
      Bench b((std::string("coalesceinvert delay=2000 ") + c.more).c_str());
      give_context(a.element(), first);
      give_context(b.element(), second);
      a.negotiate(kSystemGray, kCudaGray);
      b.negotiate(kCudaGray, kCudaGray);
      for (unsigned seed = 1; seed <= kFrames; seed++) {
        fail_unless_equals_int(a.push(timed_buffer(seed)), GST_FLOW_OK);
        fail_unless_equals_int(b.push(a.pull()), GST_FLOW_OK);
      }
      fail_unless_equals_uint64(stat(b.element(), "uploads"), c.copied ? kFrames : 0);
      fail_unless_equals_uint64(stat(a.element(), "synchronizations"), c.copied ? kFrames : 0);
      for (unsigned seed = 1; seed <= kFrames; seed++) {
        GstBuffer *output = b.pull();
        fail_unless(GST_CUDA_MEMORY_CAST(gst_buffer_peek_memory(output, 0))->context ==
                    (c.copied ? second : first));
        check_frame(output, seed, 0);
      }
    }
    gst_object_unref(first);
    gst_object_unref(second);
    done();
  }
}
GST_END_TEST

// An application's own context, and its own stream. The context stays the application's.
GST_START_TEST(application_context) {
  fail_unless(gst_cuda_load_library());
  CUcontext handle = nullptr;
  fail_unless_equals_int(cuInit(0), CUDA_SUCCESS);
  fail_unless_equals_int(cuCtxCreate_v2(&handle, 0, 0), CUDA_SUCCESS);
  fail_unless_equals_int(cuCtxPopCurrent_v2(nullptr), CUDA_SUCCESS);
  gst_cuda_memory_init_once();
  GstCudaContext *context = gst_cuda_context_new_wrapped(handle, 0);
  {
    Line line("coalesceinvert delay=20 ! queue ! coalesceinvert backend=cuda", kSystemGray,
              kCudaGray);
    give_context(line.get(), context);
    line.start();
    for (unsigned seed = 1; seed <= 4; seed++)
      line.push(timed_buffer(seed));
    for (unsigned seed = 1; seed <= 4; seed++)
      check_frame(line.pull(), seed, 0);
    fail_unless_equals_uint64(counts().contexts, 1);
  }
  gst_object_unref(context);
  fail_unless_equals_uint64(counts().contexts_live, 1);
  fail_unless_equals_uint64(counts().allocations_live + counts().streams_live, 0);
  fail_unless_equals_int(cuCtxDestroy_v2(handle), CUDA_SUCCESS);
}
GST_END_TEST

// The other way round, planted: whoever maps with our private flag and reads before the fence, or
// writes into a frame that a neighbour still reads, must be seen by these tests, or they prove
// nothing.
GST_START_TEST(detects_reading_before_the_fence) {
  Line line("coalesceinvert name=a delay=2000", kSystemGray, kCudaGray);
  line.start();
  line.push(timed_buffer(1));
  GstBuffer *buffer = line.pull();
  fail_if(wrong_inverted(buffer, gray(), 1, kForeignCuda | MAP_FENCED).empty());
  check_frame(buffer, 1, 0xFF);
}
GST_END_TEST

GST_START_TEST(detects_writing_before_the_reader) {
  Bench bench("coalesceinvert delay=2000");
  bench.negotiate(kCudaGray, kCudaGray);
  GstBufferPool *pool = proposed_pool(bench.harness(), kCudaGray.c_str());
  GstBuffer *input = pool_buffer(pool, gray(), 1);
  fail_unless_equals_int(bench.push(gst_buffer_ref(input)), GST_FLOW_OK);
  GstMapInfo map;
  // GStreamer itself refuses to map the buffer so, as it has two owners; its memory does not.
  GstMemory *memory = gst_buffer_peek_memory(input, 0);
  fail_unless(gst_memory_map(memory, &map, GstMapFlags(kForeignCuda | GST_MAP_WRITE)));
  map.data[0] ^= 1;
  gst_memory_unmap(memory, &map);
  gst_buffer_unref(input);
  GstBuffer *output = bench.pull();
  fail_if(wrong_inverted(output, gray(), 1).empty());
  gst_buffer_unref(output);
  drop_pool(pool);
}
GST_END_TEST

static Suite *applications_suite() {
  register_elements();
  Suite *suite = suite_create("applications");
  TCase *tests = new_case(suite, "applications");
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, appsink_maps_for_cuda);
  tcase_add_test(tests, two_contexts);
  tcase_add_test(tests, application_context);
  tcase_add_test(tests, detects_reading_before_the_fence);
  tcase_add_test(tests, detects_writing_before_the_reader);
  return suite;
}
SIMULATED_MAIN(applications)
