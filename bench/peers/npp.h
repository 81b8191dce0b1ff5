// SPDX-License-Identifier: LGPL-2.1-or-later
// What the comparisons with NPP share: each function against a copy of its own bytes, over the
// buffers and by the clock of bench-kernels.
#pragma once

#include <cuda_runtime.h>
#include <npp.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/support/frames.h"
#include "tests/support/device.h"

namespace coalesce::test {

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

inline Status status_of(NppStatus status) {
  return status == NPP_SUCCESS ? Status()
                               : Status(StatusCode::device_error, "NPP reported an error");
}

// The main() of a comparison: time_all(bench, context) returns whether all results were right.
template <class TimeAll>
int run_npp(const char *program, int argc, char **argv, const TimeAll &time_all) {
  Results results(program, &argc, argv);
  BenchOptions options;
  for (int i = 1; i < argc; i += 2) {
    const std::string arg = argv[i];
    if ((arg != "--operation" && arg != "--size") || i + 1 == argc) {
      std::fprintf(stderr,
                   "usage: %s [--operation TEXT]... [--size WIDTHxHEIGHT]... [--json FILE]\n",
                   program);
      return 2;
    }
    (arg == "--size" ? options.sizes : options.operations).push_back(argv[i + 1]);
  }
  if (!device_usable()) {
    std::printf("SKIP: %s\n", device_text().c_str());
    return 77;
  }
  setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    const NppLibraryVersion *version = nppGetLibVersion();
    results.set_machine(device_text());
    results.set_library("NPP", std::to_string(version->major) + "." +
                                   std::to_string(version->minor) + "." +
                                   std::to_string(version->build));
    Bench bench(options, &results);
    const bool right = time_all(&bench, npp_context());
    return results.write() && right ? 0 : 1;
  } catch (const std::exception &e) {
    std::printf("FAIL %s\n", e.what());
    results.write();
    return 1;
  }
}

inline const Backend &npp_backend() {
  static const Backend backend = {"npp", nullptr, true};
  return backend;
}

// Times what gives right results: correct(in, out) says which do. False, and a line, of others.
template <class Correct>
bool time_right(Bench *bench, const FrameWork &work, const FrameRun &run, const Correct &correct) {
  DeviceMemory in(work.in_bytes), out(work.out_bytes);
  in.fill_random(1);
  const Status status = run(in.data(), out.data());
  device_synchronize();
  if (!status.ok() || !correct(in, out)) {
    std::printf("not timed: %s: %s\n", status.ok() ? "samples differ" : status.message(),
                work.operation.c_str());
    return false;
  }
  time_frames(*bench, npp_backend(), work, run);
  return true;
}

}  // namespace coalesce::test
