// SPDX-License-Identifier: LGPL-2.1-or-later
// What the comparisons with NPP share.
#pragma once

#include <cuda_runtime.h>
#include <npp.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

#include "support/device.h"

namespace coalesce::test {

constexpr std::size_t kFootprint = std::size_t{400} << 20;
constexpr int kSizes[][2] = {{1920, 1080}, {3840, 2160}, {4096, 4096}, {16384, 16384}};

inline void check(bool good, const char *what) {
  if (!good) throw std::runtime_error(what);
}

inline NppStreamContext npp_context() {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, 0) == cudaSuccess, "cudaGetDeviceProperties");
  NppStreamContext c = {};
  c.hStream = static_cast<cudaStream_t>(device_stream());
  c.nMultiProcessorCount = p.multiProcessorCount;
  c.nMaxThreadsPerMultiProcessor = p.maxThreadsPerMultiProcessor;
  c.nMaxThreadsPerBlock = p.maxThreadsPerBlock;
  c.nSharedMemPerBlock = p.sharedMemPerBlock;
  c.nCudaDevAttrComputeCapabilityMajor = p.major;
  c.nCudaDevAttrComputeCapabilityMinor = p.minor;
  check(cudaStreamGetFlags(c.hStream, &c.nStreamFlags) == cudaSuccess, "cudaStreamGetFlags");
  return c;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Times what works on buffer i of `buffers` by turns with a copy of as many bytes, and prints it.
// What is slow is timed less often.
inline void time_against_copy(const char *name, int width, int height, int buffers,
                              const std::function<void(int)> &run,
                              const std::function<void(int)> &copy) {
  constexpr double kGraphMs = 30;
  const auto turns = [buffers](const std::function<void(int)> &one, int runs) {
    return [&one, buffers, runs] {
      for (int i = 0; i < runs; ++i)
        one(i % buffers);
    };
  };
  DeviceGraph single(turns(run, 1));
  single.milliseconds();
  const double single_ms = std::max(single.milliseconds(), 1e-3);
  const int copies = std::max(buffers, 32);
  const int runs = static_cast<int>(std::clamp(kGraphMs / single_ms, 1.0, 1.0 * copies));
  DeviceGraph operation(turns(run, runs));
  DeviceGraph yardstick(turns(copy, copies));
  operation.milliseconds();
  yardstick.milliseconds();
  std::vector<double> us, copy_us;
  for (int i = 0; i < (single_ms < kGraphMs ? 15 : 5); ++i) {
    us.push_back(1e3 * operation.milliseconds() / runs);
    copy_us.push_back(1e3 * yardstick.milliseconds() / copies);
  }
  std::printf("%-50s %5dx%-5d %9.2f us, copy %9.2f us, ratio %.2f\n", name, width, height,
              median(us), median(copy_us), median(copy_us) / median(us));
}

}  // namespace coalesce::test
