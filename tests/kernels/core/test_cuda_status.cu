// SPDX-License-Identifier: LGPL-2.1-or-later
// How the runtime's errors become a Status, and that a launch reports its own only.
#include <cstring>

#include "../../support/doctest.h"
#include "../../support/gpu.h"
#include "core/cuda_status.h"

namespace coalesce::test {
namespace {

void expect_code(cudaError_t error, StatusCode code) {
  INFO(cudaGetErrorName(error));
  const Status s = cuda_status(error);
  CHECK(s.code() == code);
  CHECK(std::strlen(s.message()) > 0);
  // A text that stays.
  CHECK((s.message() == cuda_status(error).message()));
}

void expect_ok(const char *what, const Status &s) {
  CHECK_MESSAGE(s.ok(), what, ": ", s.message());
}

__global__ void nothing(int) {}

Status launch_nothing(unsigned threads) {
  return launch(nothing, dim3(1), dim3(threads), cudaStream_t{nullptr}, 1);
}

TEST_CASE("codes") {
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

TEST_CASE("without a device") {
  if (gpu_usable()) return skip("there is a GPU");
  CHECK(launch_nothing(1).code() == StatusCode::unsupported);
}

TEST_CASE("on a device") {
  if (!have_gpu()) return;
  expect_ok("a launch", launch_nothing(1));
  CHECK(launch_nothing(100000).code() == StatusCode::device_error);  // a block that is too large
  CHECK(cudaGetLastError() == cudaSuccess);                          // its error is taken away

  void *huge = nullptr;
  CHECK(cuda_status(cudaMalloc(&huge, std::size_t{1} << 60)).code() == StatusCode::out_of_memory);
  expect_ok("a launch after somebody else's error", launch_nothing(1));
  // In a new context a kernel is to be found anew.
  for (int i = 0; i < 4; ++i) {
    expect_ok("a reset", cuda_checked(cudaDeviceReset()));
    expect_ok("a launch in a new context", launch_nothing(1));
    expect_ok("the new context", cuda_checked(cudaDeviceSynchronize()));
  }
  expect_ok("the device", cuda_checked(cudaDeviceSynchronize()));
}

}  // namespace
}  // namespace coalesce::test
