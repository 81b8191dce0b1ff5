// SPDX-License-Identifier: LGPL-2.1-or-later
// How the runtime's errors become a Status, and that a launch reports its own only. The first half
// needs no GPU.
#include <cstdio>
#include <cstring>

#include "core/cuda_status.h"

namespace coalesce {
namespace {

int failures = 0;

void expect(bool good, const char *what, const Status &s) {
  if (good) return;
  ++failures;
  std::printf("FAIL %s: code %d, \"%s\"\n", what, static_cast<int>(s.code()), s.message());
}

void expect_code(cudaError_t error, StatusCode code) {
  const Status s = cuda_status(error);
  expect(s.code() == code && std::strlen(s.message()) > 0, cudaGetErrorName(error), s);
  expect(s.message() == cuda_status(error).message(), "a text that stays", s);
}

__global__ void nothing(int) {}

Status launch_nothing(unsigned threads) {
  return launch(nothing, dim3(1), dim3(threads), cudaStream_t{nullptr}, 1);
}

void test_codes() {
  expect_code(cudaSuccess, StatusCode::ok);
  expect_code(cudaErrorMemoryAllocation, StatusCode::out_of_memory);
  expect_code(cudaErrorNoKernelImageForDevice, StatusCode::unsupported);
  expect_code(cudaErrorUnsupportedPtxVersion, StatusCode::unsupported);
  expect_code(cudaErrorNoDevice, StatusCode::unsupported);
  expect_code(cudaErrorInsufficientDriver, StatusCode::unsupported);
  expect_code(cudaErrorIllegalAddress, StatusCode::device_error);
  expect_code(cudaErrorLaunchFailure, StatusCode::device_error);
  expect_code(cudaErrorInvalidConfiguration, StatusCode::device_error);
}

void test_without_device() {
  const Status s = launch_nothing(1);
  expect(s.code() == StatusCode::unsupported, "a launch without a device", s);
}

void test_on_device() {
  expect(launch_nothing(1).ok(), "a launch", launch_nothing(1));
  const Status bad = launch_nothing(100000);
  expect(bad.code() == StatusCode::device_error, "a block that is too large", bad);
  expect(cudaGetLastError() == cudaSuccess, "its error is taken away", bad);

  void *huge = nullptr;
  const Status full = cuda_status(cudaMalloc(&huge, std::size_t{1} << 60));
  expect(full.code() == StatusCode::out_of_memory, "an exabyte", full);
  const Status after = launch_nothing(1);
  expect(after.ok(), "a launch after somebody else's error", after);
  // In a new context a kernel is to be found anew.
  for (int i = 0; i < 4; ++i) {
    expect(cuda_checked(cudaDeviceReset()).ok(), "a reset", {});
    expect(launch_nothing(1).ok(), "a launch in a new context", launch_nothing(1));
    const Status done = cuda_checked(cudaDeviceSynchronize());
    expect(done.ok(), "the new context", done);
  }
  const Status end = cuda_checked(cudaDeviceSynchronize());
  expect(end.ok(), "the device", end);
}

}  // namespace
}  // namespace coalesce

int main() {
  using namespace coalesce;
  test_codes();
  int count = 0;
  const bool device = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  (void)cudaGetLastError();
  device ? test_on_device() : test_without_device();
  std::printf("%s, %s a device\n", failures == 0 ? "ok" : "FAILED", device ? "with" : "without");
  return failures == 0 ? 0 : 1;
}
