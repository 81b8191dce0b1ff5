// SPDX-License-Identifier: LGPL-2.1-or-later
#include "profile.h"

#include <cuda_profiler_api.h>

#include <stdexcept>

#include "core/cuda_status.h"
#include "support/device.h"

namespace coalesce::test {
namespace {

__global__ void profile_mark() {}

void check(const Status &status) {
  if (!status.ok()) throw std::runtime_error(std::string("profile: ") + status.message());
}

}  // namespace

void device_profile(const std::function<void()> &enqueue) {
  device_synchronize();
  check(cuda_checked(cudaProfilerStart()));
  check(launch(profile_mark, dim3(1), dim3(1), static_cast<cudaStream_t>(device_stream())));
  enqueue();
  device_synchronize();
  check(cuda_checked(cudaProfilerStop()));
}

}  // namespace coalesce::test
