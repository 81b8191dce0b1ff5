// SPDX-License-Identifier: LGPL-2.1-or-later
// Initialisation, devices, contexts, and handles in the wrong place.

#include <functional>
#include <thread>

#include "selftest.h"

namespace selftest {

namespace {

TEST_CASE("env:before init" * doctest::skip()) {
  int count = 7, version = 0;
  CUcontext context = nullptr;
  CHECK_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_ERROR_NOT_INITIALIZED);
  CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_NOT_INITIALIZED);
  CHECK_OK(cuDriverGetVersion(&version));
  CHECK_EQ(version, 13000);
  CHECK_EQ(counts().bad_calls, 3);
}

TEST_CASE("env:none" * doctest::skip()) {
  int count = 7;
  CHECK_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
  CHECK_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
}

TEST_CASE("env:three" * doctest::skip()) {
  int count = 0;
  CHECK_OK(cuInit(0));
  CHECK_OK(cuDeviceGetCount(&count));
  CHECK_EQ(count, 3);
}

TEST_CASE("number of devices") {
  CHECK_EQ(run_again("env:none", "COALESCE_FAKECUDA_DEVICES", "0"), 0);
  CHECK_EQ(run_again("env:three", "COALESCE_FAKECUDA_DEVICES", "3"), 0);
  CHECK_EQ(run_again("env:three", "COALESCE_FAKECUDA_DEVICES", "2"), 1);
}

TEST_CASE("devices") {
  Session session;
  int count = 0, major = 0, minor = -1, align = 0, can = -1;
  CUdevice device = -1;
  char name[32];
  CHECK_OK(cuDeviceGetCount(&count));
  CHECK_EQ(count, 2);
  CHECK_OK(cuDeviceGet(&device, 1));
  CHECK_OK(cuDeviceGetName(name, sizeof name, device));
  CHECK(std::strcmp(name, "Simulated GPU 1") == 0);
  CHECK_OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  CHECK_OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
  CHECK_OK(cuDeviceGetAttribute(&align, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, device));
  CHECK_EQ(major * 10 + minor, 90);
  CHECK_EQ(align, 512);
  CUuuid first, second;
  CHECK_OK(cuDeviceGetUuid(&first, 0));
  CHECK_OK(cuDeviceGetUuid(&second, 1));
  CHECK(std::memcmp(&first, &second, sizeof first) != 0);
  CHECK_OK(cuDeviceCanAccessPeer(&can, 0, 1));
  CHECK_EQ(can, 1);
  CHECK_OK(cuDeviceCanAccessPeer(&can, 1, 1));
  CHECK_EQ(can, 0);
  CHECK_EQ(cuDeviceGet(&device, 2), CUDA_ERROR_INVALID_DEVICE);
  CHECK_EQ(cuDeviceGet(&device, -1), CUDA_ERROR_INVALID_DEVICE);
  session.bad_calls = 2;
}

TEST_CASE("the stack") {
  Session session;
  CUcontext top = nullptr, other = nullptr;
  CUdevice device = -1;
  CHECK_EQ(fakecuda_stack_depth(), 1);
  CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
  CHECK_EQ(fakecuda_stack_depth(), 2);
  CHECK_OK(cuCtxGetDevice(&device));
  CHECK_EQ(device, 1);
  CHECK_OK(cuCtxPushCurrent_v2(session.context));
  CHECK_OK(cuCtxGetDevice(&device));
  CHECK_EQ(device, 0);
  CHECK_OK(cuCtxPopCurrent_v2(&top));
  CHECK(top == session.context);
  CHECK_OK(cuCtxGetCurrent(&top));
  CHECK(top == other);
  CHECK_OK(cuCtxSetCurrent(session.context));
  CHECK_EQ(fakecuda_stack_depth(), 2);
  CHECK_OK(cuCtxSetCurrent(other));
  // Destroying the current context takes it from the stack.
  CHECK_OK(cuCtxDestroy_v2(other));
  CHECK_OK(cuCtxGetCurrent(&top));
  CHECK(top == session.context);
  CHECK_EQ(cuCtxPushCurrent_v2(other), CUDA_ERROR_INVALID_CONTEXT);
  CHECK_EQ(cuCtxDestroy_v2(other), CUDA_ERROR_INVALID_CONTEXT);
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  CHECK_EQ(cuCtxPopCurrent_v2(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  CHECK_OK(cuCtxGetCurrent(&top));
  CHECK(top == nullptr);
  session.bad_calls = 3;
}

TEST_CASE("nothing works without a context") {
  Session session;
  StreamHandle stream;
  EventHandle event;
  CUdeviceptr pointer = 0, device = 0;
  std::size_t pitch;
  void *host;
  char byte = 0;
  CUstream new_stream;
  CUevent new_event;
  CUDA_MEMCPY2D copy{};
  CHECK_OK(cuMemAlloc_v2(&device, 10));
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  const std::vector<std::function<int()>> calls = {
      [&] { return cuMemAlloc_v2(&pointer, 10); },
      [&] { return cuMemAllocPitch_v2(&pointer, &pitch, 10, 10, 16); },
      [&] { return cuMemFree_v2(device); },
      [&] { return cuMemAllocHost_v2(&host, 10); },
      [&] { return cuMemFreeHost(&byte); },
      [&] { return cuMemHostRegister_v2(&byte, 1, 0); },
      [&] { return cuMemcpy2D_v2(&copy); },
      [&] { return cuMemcpy2DAsync_v2(&copy, stream); },
      [&] { return cuMemcpyHtoDAsync_v2(device, &byte, 1, stream); },
      [&] { return cuMemsetD8Async(device, 0, 1, stream); },
      [&] { return cuStreamCreate(&new_stream, 0); },
      [&] { return cuStreamDestroy(stream); },
      [&] { return cuStreamSynchronize(stream); },
      [&] { return cuStreamWaitEvent(stream, event, 0); },
      [&] { return cuEventCreate(&new_event, 0); },
      [&] { return cuEventDestroy(event); },
      [&] { return cuEventRecord(event, stream); },
      [&] { return cuEventQuery(event); },
      [&] { return cuEventSynchronize(event); },
      [&] { return cuCtxSynchronize(); },
      [&] { return cuCtxEnablePeerAccess(session.context, 0); },
      [&] { return add_one(stream, nullptr); },
      [&] { return fakecuda_check_access(&byte, 1, 1, 1); },
  };
  for (const auto &call : calls)
    CHECK_EQ(call(), CUDA_ERROR_INVALID_CONTEXT);
  session.bad_calls = calls.size();
  CHECK_OK(cuCtxPushCurrent_v2(session.context));
  CHECK_OK(cuMemFree_v2(device));
}

TEST_CASE("handles of other contexts") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle stream;
  EventHandle event;
  DeviceBytes device(10);
  char byte = 0;
  CUcontext other;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 0));
  {
    StreamHandle theirs;
    DeviceBytes their_bytes(10);
    CHECK_EQ(cuEventRecord(event, theirs), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuEventRecord(event, nullptr), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(add_one(stream, &ran), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuMemcpyHtoDAsync_v2(their_bytes.pointer, &byte, 1, stream),
             CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuMemsetD8Async(their_bytes.pointer, 0, 1, stream), CUDA_ERROR_INVALID_HANDLE);
    CHECK_EQ(cuCtxEnablePeerAccess(session.context, 0), CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
    CHECK_EQ(cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_INVALID_CONTEXT);
    CHECK_EQ(cuCtxDisablePeerAccess(session.context), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    // Both of the other context, and it need not be current.
    CHECK_OK(cuEventRecord(event, stream));
    CHECK_OK(cuStreamSynchronize(stream));
    CHECK_OK(cuEventSynchronize(event));
  }
  CHECK_OK(cuCtxDestroy_v2(other));
  CHECK_EQ(ran, 0);
  session.bad_calls = 6;
}

TEST_CASE("destroyed handles") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  CUstream stream;
  CUevent event;
  CHECK_OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -1));
  CHECK_OK(cuEventCreate(&event, 0));
  CHECK_OK(cuStreamDestroy(stream));
  CHECK_OK(cuEventDestroy(event));
  StreamHandle new_stream;
  EventHandle new_event;
  CHECK_EQ(add_one(stream, &ran), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuEventRecord(new_event, stream), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuEventRecord(event, new_stream), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuEventDestroy(event), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuStreamWaitEvent(new_stream, event, 0), CUDA_ERROR_INVALID_HANDLE);
  session.bad_calls = 7;
}

TEST_CASE("leaks are counted") {
  Session session;
  CUcontext other;
  CUstream stream;
  CUevent event;
  CUdeviceptr pointer;
  void *host;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
  CHECK_OK(cuStreamCreate(&stream, 0));
  CHECK_OK(cuEventCreate(&event, 0));
  CHECK_OK(cuMemAlloc_v2(&pointer, 10));
  CHECK_OK(cuMemAllocHost_v2(&host, 10));
  CHECK_EQ(counts().streams_live, 1);
  CHECK_EQ(counts().events_live, 1);
  CHECK_EQ(counts().contexts_live, 2);
  CHECK_OK(cuCtxDestroy_v2(other));
  FakecudaCounts c = counts();
  CHECK_EQ(c.leaked_streams, 1);
  CHECK_EQ(c.leaked_events, 1);
  CHECK_EQ(c.leaked_allocations, 1);
  CHECK_EQ(c.leaked_host_allocations, 1);
  CHECK_EQ(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuMemFree_v2(pointer), CUDA_ERROR_INVALID_VALUE);
  session.leaked = 4;
  session.bad_calls = 2;
}

TEST_CASE("threads have their own stacks") {
  Session session;
  CUcontext other;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  int answer[3] = {-1, -1, -1};
  std::thread([&] {
    answer[0] = cuCtxSynchronize();
    cuCtxPushCurrent_v2(other);
    std::thread([&] { cuCtxDestroy_v2(other); }).join();
    answer[1] = cuCtxSynchronize();
    answer[2] = fakecuda_stack_depth();
  }).join();
  CHECK_EQ(answer[0], CUDA_ERROR_INVALID_CONTEXT);
  CHECK_EQ(answer[1], CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_EQ(answer[2], 1);
  CHECK_EQ(counts().unbalanced_threads, 1);
  CHECK_EQ(counts().pushes, counts().pops + 2);
  session.unbalanced_threads = 1;
  session.bad_calls = 2;
  session.lost_pushes = 1;
}

TEST_CASE("destroying pops only the top") {
  Session session;
  CUcontext other;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
  CHECK_OK(cuCtxPushCurrent_v2(session.context));
  CHECK_OK(cuCtxDestroy_v2(other));
  CHECK_OK(cuCtxSynchronize());
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  CHECK_OK(cuCtxSynchronize());
  session.bad_calls = 1;
}

TEST_CASE("peer access ends with the peer") {
  Session session;
  CUcontext other;
  for (int i = 0; i < 3; ++i) {
    CHECK_OK(cuCtxCreate_v2(&other, 0, 1));
    CHECK_OK(cuCtxPopCurrent_v2(nullptr));
    CHECK_OK(cuCtxEnablePeerAccess(other, 0));
    CHECK_EQ(cuCtxEnablePeerAccess(other, 0), CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
    CHECK_OK(cuCtxDestroy_v2(other));
  }
}

TEST_CASE("a reset keeps what lives") {
  Session session;
  StreamHandle stream;
  EventHandle event;
  DeviceBytes device(10);
  HostBytes host(20, 0);
  char registered[1];
  CHECK_OK(cuMemHostRegister_v2(registered, 1, 0));
  CHECK_OK(cuMemsetD8Async(device.pointer, 0, 1, stream));
  fakecuda_reset_counts();
  FakecudaCounts c = counts();
  CHECK_EQ(c.contexts_live, 1);
  CHECK_EQ(c.streams_live, 1);
  CHECK_EQ(c.events_live, 1);
  CHECK_EQ(c.allocations_live, 1);
  CHECK_EQ(c.bytes_live, 10);
  CHECK_EQ(c.host_allocations_live, 1);
  CHECK_EQ(c.host_bytes_live, 20);
  CHECK_EQ(c.host_registrations_live, 1);
  CHECK_EQ(c.pending, 1);
  CHECK_EQ(c.contexts + c.streams + c.events + c.allocations + c.bytes + c.memsets + c.pushes, 0);
  CHECK_OK(cuMemHostUnregister(registered));
  // The session pushed its context before the reset.
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  fakecuda_reset_counts();
  CHECK_OK(cuCtxPushCurrent_v2(session.context));
}

TEST_CASE("names of errors") {
  const char *text = nullptr;
  CHECK_OK(cuGetErrorName(CUDA_ERROR_NOT_READY, &text));
  CHECK(std::strcmp(text, "CUDA_ERROR_NOT_READY") == 0);
  CHECK_OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(std::strcmp(text, "out of memory") == 0);
  CHECK_EQ(cuGetErrorString(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  CHECK(text == nullptr);
}

TEST_CASE("what is not there") {
  CUmodule module;
  unsigned count;
  CHECK_EQ(cuModuleLoadData(&module, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  CHECK_EQ(cuGLGetDevices_v2(&count, nullptr, 0, 1), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE("before init") {
  CHECK_EQ(run_again("env:before init", "UNUSED", ""), 0);
}

}  // namespace

}  // namespace selftest
