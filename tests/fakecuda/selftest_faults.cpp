// SPDX-License-Identifier: LGPL-2.1-or-later
// Faults on demand.

#include <csignal>
#include <functional>

#include "selftest.h"

namespace selftest {

namespace {

constexpr int code = 77;

TEST_CASE("every function fails on demand") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle stream;
  EventHandle event;
  DeviceBytes device(10);
  char bytes[10] = {};
  const std::pair<FakecudaFunction, std::function<int()>> calls[] = {
      {FAKECUDA_INIT, [] { return cuInit(0); }},
      {FAKECUDA_CTX_CREATE,
       [] {
         CUcontext context;
         CUresult result = cuCtxCreate_v2(&context, 0, 1);
         return result != CUDA_SUCCESS ? result : cuCtxDestroy_v2(context);
       }},
      {FAKECUDA_ALLOC,
       [] {
         CUdeviceptr pointer;
         CUresult result = cuMemAlloc_v2(&pointer, 10);
         return result != CUDA_SUCCESS ? result : cuMemFree_v2(pointer);
       }},
      {FAKECUDA_ALLOC_PITCH,
       [] {
         CUdeviceptr pointer;
         std::size_t pitch;
         CUresult result = cuMemAllocPitch_v2(&pointer, &pitch, 10, 10, 4);
         return result != CUDA_SUCCESS ? result : cuMemFree_v2(pointer);
       }},
      {FAKECUDA_ALLOC_HOST,
       [] {
         void *pointer;
         CUresult result = cuMemHostAlloc(&pointer, 10, 0);
         return result != CUDA_SUCCESS ? result : cuMemFreeHost(pointer);
       }},
      {FAKECUDA_HOST_REGISTER,
       [&] {
         CUresult result = cuMemHostRegister_v2(bytes, 10, 0);
         return result != CUDA_SUCCESS ? result : cuMemHostUnregister(bytes);
       }},
      {FAKECUDA_COPY, [&] { return cuMemcpyDtoH_v2(bytes, device.pointer, 10); }},
      {FAKECUDA_MEMSET, [&] { return cuMemsetD8Async(device.pointer, 0, 10, stream); }},
      {FAKECUDA_LAUNCH, [&] { return add_one(stream, &ran); }},
      {FAKECUDA_STREAM_CREATE,
       [] {
         CUstream new_stream;
         CUresult result = cuStreamCreate(&new_stream, 0);
         return result != CUDA_SUCCESS ? result : cuStreamDestroy(new_stream);
       }},
      {FAKECUDA_STREAM_WAIT, [&] { return cuStreamWaitEvent(stream, event, 0); }},
      {FAKECUDA_EVENT_CREATE,
       [] {
         CUevent new_event;
         CUresult result = cuEventCreate(&new_event, 0);
         return result != CUDA_SUCCESS ? result : cuEventDestroy(new_event);
       }},
      {FAKECUDA_EVENT_RECORD, [&] { return cuEventRecord(event, stream); }},
      {FAKECUDA_SYNCHRONIZE, [&] { return cuCtxSynchronize(); }},
      {FAKECUDA_SYNCHRONIZE, [&] { return cuStreamSynchronize(stream); }},
      {FAKECUDA_SYNCHRONIZE, [&] { return cuEventSynchronize(event); }},
      {FAKECUDA_QUERY, [&] { return cuEventQuery(event); }},
      {FAKECUDA_QUERY, [&] { return cuStreamQuery(stream); }},
  };
  for (const auto &[function, call] : calls) {
    fakecuda_fail(function, 2, code);
    CHECK_OK(call());
    CHECK_EQ(call(), code);
    CHECK_OK(call());
    CHECK_OK(cuCtxSynchronize());
    ++session.injected_faults;
  }
  CHECK_EQ(ran, 2);
}

// A refusal that the test asked for is not the program's fault.
TEST_CASE("faults are not bad calls") {
  Session session;
  fakecuda_fail(FAKECUDA_SYNCHRONIZE, 1, CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(cuCtxSynchronize(), CUDA_ERROR_INVALID_HANDLE);
  CHECK_EQ(counts().bad_calls, 0);
  session.injected_faults = 1;
}

TEST_CASE("some faults stay") {
  Session session;
  CUstream stream = nullptr;
  fakecuda_fail_how(FAKECUDA_STREAM_CREATE, 2, code, FAKECUDA_ALWAYS);
  CHECK_OK(cuStreamCreate(&stream, 0));
  CHECK_OK(cuStreamDestroy(stream));
  for (int i = 0; i < 3; ++i)
    CHECK_EQ(cuStreamCreate(&stream, 0), code);
  CHECK_OK(cuCtxSynchronize());
  fakecuda_reset_faults();
  CHECK_OK(cuStreamCreate(&stream, 0));
  CHECK_OK(cuStreamDestroy(stream));
  session.injected_faults = 3;
}

TEST_CASE("a lost device") {
  Session session;
  int ran = 0, count = 0;
  CUstream stream;
  CUevent event;
  CUdeviceptr pointer, other;
  CUcontext context;
  CHECK_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK_OK(cuEventCreate(&event, 0));
  CHECK_OK(cuMemAlloc_v2(&pointer, 10));
  CHECK_OK(add_one(stream, &ran));
  CHECK_OK(cuEventRecord(event, stream));
  fakecuda_fail_how(FAKECUDA_LAUNCH, 1, code, FAKECUDA_LOST);
  CHECK_EQ(add_one(stream, &ran), code);
  CHECK_EQ(cuEventQuery(event), code);
  CHECK_EQ(cuEventSynchronize(event), code);
  CHECK_EQ(cuMemAlloc_v2(&other, 10), code);
  CHECK_EQ(cuDeviceGetCount(&count), code);
  CHECK_EQ(cuInit(0), code);
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 1), code);
  // What gives things back still does.
  CHECK_OK(cuCtxPushCurrent_v2(session.context));
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  CHECK_EQ(cuMemFree_v2(pointer), code);
  CHECK_EQ(cuEventDestroy(event), code);
  CHECK_EQ(cuStreamDestroy(stream), code);
  CHECK_EQ(counts().allocations_live, 0);
  CHECK_EQ(ran, 0);
  fakecuda_reset_faults();
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(ran, 0);
  session.injected_faults = 1;
}

TEST_CASE("failing work breaks its context") {
  int ran = 0;  // outlives what the session still runs at its end
  Session session;
  StreamHandle stream;
  EventHandle event;
  CUcontext other;
  CHECK_OK(cuCtxCreate_v2(&other, 0, 0));
  CHECK_OK(cuCtxPopCurrent_v2(nullptr));
  fakecuda_fail(FAKECUDA_EXECUTE, 2, CUDA_ERROR_LAUNCH_FAILED);
  for (int i = 0; i < 3; ++i)
    CHECK_OK(add_one(stream, &ran));
  CHECK_OK(cuEventRecord(event, stream));
  CHECK_EQ(cuEventSynchronize(event), CUDA_ERROR_LAUNCH_FAILED);
  CHECK_EQ(ran, 1);
  CHECK_EQ(add_one(stream, &ran), CUDA_ERROR_LAUNCH_FAILED);
  CHECK_EQ(cuEventQuery(event), CUDA_ERROR_LAUNCH_FAILED);
  CHECK_OK(cuCtxPushCurrent_v2(other));
  CHECK_OK(cuCtxSynchronize());
  CHECK_OK(cuCtxDestroy_v2(other));
  fakecuda_reset_faults();
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(ran, 1);
  // What was queued when it broke, and nobody waited for, is not done after a reset either.
  StreamHandle bystander;
  CHECK_OK(add_one(bystander, &ran));
  fakecuda_fail(FAKECUDA_EXECUTE, 1, CUDA_ERROR_LAUNCH_FAILED);
  CHECK_OK(add_one(stream, &ran));
  CHECK_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  CHECK_EQ(counts().pending, 1);
  fakecuda_reset_faults();
  CHECK_OK(cuCtxSynchronize());
  CHECK_EQ(ran, 1);
  session.injected_faults = 2;
}

TEST_CASE("env:init fails once" * doctest::skip()) {
  CHECK_EQ(cuInit(0), 999);
  CHECK_OK(cuInit(0));
}

TEST_CASE("env:two faults" * doctest::skip()) {
  CHECK_OK(cuInit(0));
  CUcontext context;
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 0), 2);
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 0), 2);
  CHECK_EQ(cuInit(0), 3);
  CHECK_EQ(cuInit(0), 3);
  CHECK_EQ(cuCtxCreate_v2(&context, 0, 0), 3);
}

TEST_CASE("faults by environment") {
  constexpr const char *variable = "COALESCE_FAKECUDA_FAIL";
  CHECK_EQ(run_again("env:init fails once", variable, "init:1:999"), 0);
  CHECK_EQ(run_again("env:init fails once", variable, "init:2:999"), 1);
  CHECK_EQ(run_again("env:two faults", variable, "ctx_create:1:2:always,init:2:3:lost"), 0);
  CHECK_EQ(run_again("env:two faults", variable, "ctx_creat:1:2"), 128 + SIGABRT);
  CHECK_EQ(run_again("env:two faults", variable, "init:0:2"), 128 + SIGABRT);
  CHECK_EQ(run_again("env:two faults", variable, "init:1:2:sometimes"), 128 + SIGABRT);
}

}  // namespace

}  // namespace selftest
