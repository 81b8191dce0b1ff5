// SPDX-License-Identifier: LGPL-2.1-or-later
// The half of support.h that needs the simulated driver itself.
#include <cuda.h>

#include "support.h"

extern "C" CUresult cuInit(unsigned flags);

namespace simulated {

GstCudaContext *new_context(guint device) {
  fail_unless(gst_cuda_load_library());
  fail_unless_equals_int(cuInit(0), CUDA_SUCCESS);
  gst_cuda_memory_init_once();
  GstCudaContext *context = gst_cuda_context_new(device);
  fail_unless(context != nullptr);
  return context;
}

GstBuffer *plain_cuda_buffer(GstCudaContext *context, const GstVideoInfo &info, unsigned seed) {
  GstAllocator *allocator = gst_allocator_find(GST_CUDA_MEMORY_TYPE_NAME);
  fail_unless(allocator != nullptr);
  GstMemory *memory =
      coalesce::gst::cuda_allocator_alloc(GST_CUDA_ALLOCATOR_CAST(allocator), context, &info);
  gst_object_unref(allocator);
  fail_unless(memory != nullptr);
  GstVideoInfo layout = GST_CUDA_MEMORY_CAST(memory)->info;
  GstBuffer *buffer = gst_buffer_new();
  gst_buffer_append_memory(buffer, memory);
  gst_buffer_add_video_meta_full(buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info),
                                 GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info),
                                 GST_VIDEO_INFO_N_PLANES(&info), layout.offset, layout.stride);
  fill(buffer, info, seed);
  to_device(buffer);
  return buffer;
}

FakecudaCounts counts() {
  FakecudaCounts result;
  fakecuda_snapshot(&result);
  return result;
}

void assert_clean() {
  const FakecudaCounts now = counts();
  fail_unless_equals_uint64(now.bad_accesses, 0);
  fail_unless_equals_uint64(now.bad_calls, 0);
  fail_unless_equals_uint64(now.guard_violations, 0);
  fail_unless_equals_uint64(now.use_after_free, 0);
  fail_unless_equals_uint64(now.padding_writes, 0);
  fail_unless_equals_uint64(now.foreign_copies, 0);
  fail_unless_equals_uint64(now.unbalanced_threads, 0);
  fail_unless_equals_int(fakecuda_stack_depth(), 0);
}

void assert_nothing_lives(const FakecudaCounts &now) {
  fail_unless_equals_uint64(now.allocations_live, 0);
  fail_unless_equals_uint64(now.host_allocations_live, 0);
  fail_unless_equals_uint64(now.host_registrations_live, 0);
  fail_unless_equals_uint64(now.streams_live, 0);
  fail_unless_equals_uint64(now.events_live, 0);
  fail_unless_equals_uint64(now.contexts_live, 0);
  fail_unless_equals_uint64(
      now.leaked_allocations + now.leaked_host_allocations + now.leaked_streams + now.leaked_events,
      0);
}

bool fault_was_met(const std::string &what) {
  const FakecudaCounts now = counts();
  assert_nothing_lives(now);
  fail_unless(now.bad_calls + now.bad_accesses + now.guard_violations + now.use_after_free == 0,
              "%s: wrong calls", what.c_str());
  fail_unless_equals_int(fakecuda_stack_depth(), 0);
  static guint64 faults_before = 0;
  const bool met = now.injected_faults > faults_before;
  faults_before = now.injected_faults;
  return met;
}

}  // namespace simulated
