// SPDX-License-Identifier: LGPL-2.1-or-later
// What the comparisons with NPP share.
#pragma once

#include <cuda_runtime.h>
#include <npp.h>

#include "bench/peers/peer.h"

namespace coalesce::test {

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

inline Status status_of(NppStatus status) {
  return status == NPP_SUCCESS ? Status()
                               : Status(StatusCode::device_error, "NPP reported an error");
}

// The main() of a comparison: time_all(bench, context) returns whether all results were right.
template <class TimeAll>
int run_npp(const char *program, int argc, char **argv, const TimeAll &time_all) {
  return run_peer(program, argc, argv, [&time_all](Bench *bench, Results *results) {
    const NppLibraryVersion *version = nppGetLibVersion();
    results->set_library("NPP", std::to_string(version->major) + "." +
                                    std::to_string(version->minor) + "." +
                                    std::to_string(version->build));
    return time_all(bench, npp_context());
  });
}

inline const Backend &npp_backend() {
  static const Backend backend = {"npp", nullptr, true};
  return backend;
}

template <class Correct>
bool time_right(Bench *bench, const FrameWork &work, const FrameRun &run, const Correct &correct) {
  return time_right(bench, npp_backend(), work, run, correct);
}

}  // namespace coalesce::test
