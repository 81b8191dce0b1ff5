// SPDX-License-Identifier: LGPL-2.1-or-later
// Applications beside our elements: they map frames, share a context or bring several, and work on
// streams of their own. And the other way round, planted: what must not work is seen not to.
#include <cuda.h>
#include <dlfcn.h>

#include "gray.h"

using namespace simulated;
using namespace coalesce::gst;

extern "C" {
CUresult cuInit(unsigned flags);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);
CUresult cuCtxPopCurrent_v2(CUcontext *context);
}

namespace {

// Enqueues a copy of all the bytes from one buffer of CUDA memory to another.
void copy_on(CUstream stream, GstBuffer *from, GstBuffer *to) {
  GstMapInfo in, out;
  fail_unless(gst_buffer_map(from, &in, GstMapFlags(kForeignCuda)));
  fail_unless(gst_buffer_map(to, &out, GstMapFlags(GST_MAP_WRITE | GST_MAP_CUDA)));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = reinterpret_cast<CUdeviceptr>(in.data);
  copy.dstDevice = reinterpret_cast<CUdeviceptr>(out.data);
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = in.size;
  copy.Height = 1;
  fail_unless_equals_int(cuda_driver()->memcpy_2d_async(&copy, stream), CUDA_SUCCESS);
  gst_buffer_unmap(to, &out);
  gst_buffer_unmap(from, &in);
}

GstBuffer *buffer_of(GstMemory *memory, const GstVideoInfo &info, gsize *offsets, gint *strides) {
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
                                 GST_VIDEO_INFO_N_PLANES(&info), offsets, strides);
  return buffer;
}

// A function that the libgstcuda of 1.22 lacks.
template <class Function>
Function function(const char *name) {
  void *symbol = dlsym(RTLD_DEFAULT, name);
  fail_unless(symbol != nullptr, "libgstcuda lacks %s", name);
  return reinterpret_cast<Function>(symbol);
}

}  // namespace

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
      Bench a("coalesceinvert delay=100");
      Bench b((std::string("coalesceinvert delay=100 ") + c.more).c_str());
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
    give_context(line.pipeline(), context);
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

// Memory of libgstcuda's that the application writes on a stream of its own, and hands on without
// waiting: ours come behind every blocking stream. Not behind a non-blocking one, which shows that
// there was something to come behind.
GST_START_TEST(application_stream) {
  GstCudaContext *context = new_context();
  for (CUstream_flags flags : {CU_STREAM_DEFAULT, CU_STREAM_NON_BLOCKING}) {
    const std::string caps = video_caps(kCuda, "RGBA", 64, 4);
    const GstVideoInfo rgba = video_info(GST_VIDEO_FORMAT_RGBA, 64, 4);
    GstBuffer *source = plain_cuda_buffer(context, rgba, 1);
    GstBuffer *input = plain_cuda_buffer(context, rgba, 2);
    Bench reader("convolve mask=1");
    give_context(reader.element(), context);
    reader.negotiate(caps, caps);
    CUstream stream = nullptr;
    {
      ContextScope scope(context);
      fail_unless_equals_int(cuda_driver()->stream_create(&stream, flags), CUDA_SUCCESS);
      copy_on(stream, source, input);
    }
    fail_unless_equals_int(reader.push(input), GST_FLOW_OK);
    GstBuffer *output = reader.pull();
    const bool behind = picture(output, rgba) == picture(source, rgba);
    fail_unless(behind == (flags == CU_STREAM_DEFAULT), "flags %d", int(flags));
    gst_buffer_unref(output);
    gst_buffer_unref(source);
    ContextScope scope(context);
    fail_unless_equals_int(cuda_driver()->stream_destroy(stream), CUDA_SUCCESS);
  }
  gst_object_unref(context);
}
GST_END_TEST

// Someone reads our frame on a stream of his own, gives it back to its pool at once, and we fill it
// again: the reader comes first.
GST_START_TEST(read_after_it_was_given_back) {
  Bench bench("coalesceinvert");
  bench.negotiate(kSystemGray, kCudaGray);
  GstCudaContext *context = nullptr;
  CUstream stream = nullptr;
  std::vector<GstBuffer *> copies;
  for (unsigned seed = 1; seed <= 6; seed++) {
    fail_unless_equals_int(bench.push(timed_buffer(seed)), GST_FLOW_OK);
    GstBuffer *frame = bench.pull();
    GstMemory *memory = gst_buffer_peek_memory(frame, 0);
    if (context == nullptr)
      context = GST_CUDA_CONTEXT(gst_object_ref(GST_CUDA_MEMORY_CAST(memory)->context));
    gsize offsets[GST_VIDEO_MAX_PLANES];
    gint strides[GST_VIDEO_MAX_PLANES];
    GstMemory *other = fenced_memory_alloc(context, gray(), offsets, strides);
    GstBuffer *copy = buffer_of(other, gray(), offsets, strides);
    ContextScope scope(context);
    if (stream == nullptr)
      fail_unless_equals_int(cuda_driver()->stream_create(&stream, CU_STREAM_DEFAULT),
                             CUDA_SUCCESS);
    copy_on(stream, frame, copy);
    gst_buffer_unref(frame);
    copies.push_back(copy);
  }
  {
    ContextScope scope(context);
    fail_unless_equals_int(cuda_driver()->stream_synchronize(stream), CUDA_SUCCESS);
    fail_unless_equals_int(cuda_driver()->stream_destroy(stream), CUDA_SUCCESS);
  }
  for (unsigned seed = 1; seed <= 6; seed++)
    check_frame(copies[seed - 1], seed, 0xFF);
  gst_object_unref(context);
}
GST_END_TEST

// From GStreamer 1.24 on: memory that names the stream on which its writes are in flight. Ours come
// behind them, and nobody waits.
GST_START_TEST(memory_with_a_stream) {
  if (!running_on(1, 23)) return;
  const auto stream_new = function<void *(*)(GstCudaContext *)>("gst_cuda_stream_new");
  const auto handle_of = function<CUstream (*)(void *)>("gst_cuda_stream_get_handle");
  const auto alloc =
      function<GstMemory *(*)(GstCudaAllocator *, GstCudaContext *, void *, const GstVideoInfo *)>(
          "gst_cuda_allocator_alloc");
  GstCudaContext *context = new_context();
  void *stream = stream_new(context);
  std::vector<GstBuffer *> inputs;  // kept: libgstcuda waits for the stream when it frees memory
  {
    const GstVideoInfo rgba = video_info(GST_VIDEO_FORMAT_RGBA, 64, 4);
    const std::string caps = video_caps(kCuda, "RGBA", 64, 4);
    Bench reader("convolve mask=1");
    give_context(reader.element(), context);
    reader.negotiate(caps, caps);
    for (unsigned seed = 1; seed <= 4; seed++) {
      GstBuffer *source = plain_cuda_buffer(context, rgba, seed);
      GstMemory *memory = alloc(nullptr, context, stream, &rgba);
      GstVideoInfo &layout = GST_CUDA_MEMORY_CAST(memory)->info;
      GstBuffer *input = buffer_of(memory, rgba, layout.offset, layout.stride);
      {
        ContextScope scope(context);
        copy_on(handle_of(stream), source, input);
      }
      fakecuda_reset_counts();
      fail_unless_equals_int(reader.push(gst_buffer_ref(input)), GST_FLOW_OK);
      inputs.push_back(input);
      const FakecudaCounts now = counts();
      fail_unless_equals_uint64(now.stream_syncs + now.event_syncs + now.context_syncs, 0);
      GstBuffer *output = reader.pull();
      fail_unless(picture(output, rgba) == picture(source, rgba), "picture %u", seed);
      gst_buffer_unref(output);
      gst_buffer_unref(source);
    }
  }
  for (GstBuffer *input : inputs)
    gst_buffer_unref(input);
  gst_mini_object_unref(GST_MINI_OBJECT_CAST(stream));
  gst_object_unref(context);
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
  TCase *tests = tcase_create("applications");
  suite_add_tcase(suite, tests);
  tcase_add_checked_fixture(tests, nullptr, done);
  tcase_add_test(tests, appsink_maps_for_cuda);
  tcase_add_test(tests, two_contexts);
  tcase_add_test(tests, application_context);
  tcase_add_test(tests, application_stream);
  tcase_add_test(tests, read_after_it_was_given_back);
  tcase_add_test(tests, memory_with_a_stream);
  tcase_add_test(tests, detects_reading_before_the_fence);
  tcase_add_test(tests, detects_writing_before_the_reader);
  return suite;
}
GST_CHECK_MAIN(applications)
