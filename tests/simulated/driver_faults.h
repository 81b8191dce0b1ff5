// SPDX-License-Identifier: LGPL-2.1-or-later
// The calls of the driver that fail in turn, and how.
#pragma once

#include <cuda.h>

#include "fakecuda.h"
#include "support.h"

namespace simulated {

constexpr int kLaunchFailure = 719;

struct DriverFault {
  FakecudaFunction function;
  const char *name;
  int code;
};
constexpr DriverFault kDriverFaults[] = {
    {FAKECUDA_CTX_CREATE, "ctx_create", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_ALLOC, "alloc", CUDA_ERROR_OUT_OF_MEMORY},  // beside the frames
    {FAKECUDA_ALLOC_PITCH, "alloc_pitch", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_ALLOC_HOST, "alloc_host", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_COPY, "copy", kLaunchFailure},
    {FAKECUDA_LAUNCH, "launch", kLaunchFailure},
    {FAKECUDA_STREAM_CREATE, "stream_create", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_STREAM_WAIT, "stream_wait", kLaunchFailure},
    {FAKECUDA_EVENT_CREATE, "event_create", CUDA_ERROR_OUT_OF_MEMORY},
    {FAKECUDA_EVENT_RECORD, "event_record", kLaunchFailure},
    {FAKECUDA_SYNCHRONIZE, "synchronize", kLaunchFailure},
    {FAKECUDA_EXECUTE, "execute", kLaunchFailure},
};

inline std::string fault_text(const char *name, int nth, FakecudaFault how) {
  static const char *hows[] = {"once", "always", "lost"};
  return std::string(name) + " number " + std::to_string(nth) + " fails " + hows[how];
}

// A GPU that works on while no one can wait for it does not exist, and no one could survive it.
inline bool can_happen(FakecudaFunction function, FakecudaFault how) {
  const bool waits = function == FAKECUDA_SYNCHRONIZE || function == FAKECUDA_QUERY;
  return !waits || how != FAKECUDA_ALWAYS;
}

// Fails the first call, another one, and so on, while `check(nth)` meets one. How often it did.
template <class Check>
int fail_calls_in_turn(const Check &check) {
  int met = 0;
  for (int nth = 1; check(nth); nth = next_fault(nth))
    met++;
  return met;
}

// Under valgrind one mix of memories that has a call is enough.
inline bool is_enough(int met) {
  return met > 0 && sample_step() >= 27;
}

// For tests that are run in a loop, one turn for each way to fail: FakecudaFault(__i__).
#define add_fault_test(tests, test) \
  tcase_add_loop_test(tests, test, FAKECUDA_ONCE, FAKECUDA_LOST + 1)

}  // namespace simulated
