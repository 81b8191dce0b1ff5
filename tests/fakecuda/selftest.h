// SPDX-License-Identifier: LGPL-2.1-or-later
// The simulated driver's own tests: a session that every case works in. A case of which the name
// starts with "env:" requires an environment, which run_again() makes: it is skipped otherwise.
#pragma once

#include <cstring>

#include "../support/doctest.h"
#include "driver_abi.h"
#include "fakecuda.h"

namespace selftest {

#define CHECK_OK(call) CHECK_EQ(call, CUDA_SUCCESS)

inline FakecudaCounts counts() {
  FakecudaCounts c;
  fakecuda_snapshot(&c);
  return c;
}

// A context on device 0, current. At the end everything must have been given back, and nothing
// done wrong, but for what the case said it would do.
class Session {
 public:
  Session();
  ~Session();
  CUcontext context = nullptr;
  // What the case does wrong on purpose.
  std::uint64_t bad_accesses = 0, bad_calls = 0, guard_violations = 0, use_after_free = 0;
  std::uint64_t padding_writes = 0, injected_faults = 0;
  std::uint64_t leaked = 0, unbalanced_threads = 0, lost_pushes = 0;
};

// Device and page-locked memory that frees itself, and a stream and an event that do.
struct DeviceBytes {
  explicit DeviceBytes(std::size_t size) { CHECK_OK(cuMemAlloc_v2(&pointer, size)); }
  ~DeviceBytes() { CHECK_OK(cuMemFree_v2(pointer)); }
  DeviceBytes(const DeviceBytes &) = delete;
  CUdeviceptr pointer = 0;
};
struct HostBytes {
  explicit HostBytes(std::size_t size, int value) {
    CHECK_OK(cuMemAllocHost_v2(reinterpret_cast<void **>(&data), size));
    std::memset(data, value, size);
  }
  ~HostBytes() { CHECK_OK(cuMemFreeHost(data)); }
  HostBytes(const HostBytes &) = delete;
  unsigned char *data = nullptr;
};
struct StreamHandle {
  explicit StreamHandle(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CHECK_OK(cuStreamCreate(&stream, flags));
  }
  ~StreamHandle() { CHECK_OK(cuStreamDestroy_v2(stream)); }
  StreamHandle(const StreamHandle &) = delete;
  operator CUstream() const { return stream; }
  CUstream stream = nullptr;
};
struct EventHandle {
  EventHandle() { CHECK_OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING)); }
  ~EventHandle() { CHECK_OK(cuEventDestroy_v2(event)); }
  EventHandle(const EventHandle &) = delete;
  operator CUevent() const { return event; }
  CUevent event = nullptr;
};

// A kernel that adds one to an int on the host: tells what has run.
inline int add_one(CUstream stream, int *counter) {
  return fakecuda_launch(
      stream, [](void *arg) { ++*static_cast<int *>(arg); }, counter, nullptr);
}

// What a synchronous copy on the default stream reads from the device.
int peek(CUdeviceptr pointer);

// Runs one case of this program again, in a process of its own with this environment, and returns
// its exit status: 128 and the signal's number, if one ended it.
int run_again(const char *case_name, const char *variable, const char *value);

}  // namespace selftest
