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

void run_until_steady(const std::function<void()> &run) {
  constexpr guint64 kMost = 256;
  for (guint64 made = 1, all = 0; made > 0; all += made) {
    fakecuda_reset_counts();
    run();
    const FakecudaCounts now = counts();
    fail_unless_equals_uint64(now.streams + now.contexts, 0);
    made = now.allocations + now.host_allocations + now.events;
    fail_unless(all + made <= kMost, "made without end: %u allocations and %u events in a run",
                unsigned(now.allocations + now.host_allocations), unsigned(now.events));
  }
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
