// SPDX-License-Identifier: LGPL-2.1-or-later
// NPP's nearest functions to uyvy2y: packed 4:2:2 to planes. They write chroma too, so each is set
// against a copy of its own bytes. Meson builds this where it finds NPP; by hand:
//   nvcc -O3 -std=c++17 -arch=native -Itests tests/kernels/bench_npp.cu tests/support/device.cu
//        -lnppicc -lnppc -o bench-npp
#include <cuda_runtime.h>
#include <npp.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "support/device.h"

namespace {

using coalesce::test::DeviceGraph;
using coalesce::test::DeviceMemory;

constexpr std::size_t kFootprint = std::size_t{400} << 20;
constexpr int kRepeats = 15;

void check(bool good, const char *what) {
  if (!good) throw std::runtime_error(what);
}

NppStreamContext context() {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, 0) == cudaSuccess, "cudaGetDeviceProperties");
  NppStreamContext c = {};
  c.hStream = static_cast<cudaStream_t>(coalesce::test::device_stream());
  c.nMultiProcessorCount = p.multiProcessorCount;
  c.nMaxThreadsPerMultiProcessor = p.maxThreadsPerMultiProcessor;
  c.nMaxThreadsPerBlock = p.maxThreadsPerBlock;
  c.nSharedMemPerBlock = p.sharedMemPerBlock;
  c.nCudaDevAttrComputeCapabilityMajor = p.major;
  c.nCudaDevAttrComputeCapabilityMinor = p.minor;
  check(cudaStreamGetFlags(c.hStream, &c.nStreamFlags) == cudaSuccess, "cudaStreamGetFlags");
  return c;
}

struct Function {
  const char *name;
  NppStatus (*call)(const Npp8u *, int, Npp8u *[3], int[3], NppiSize, NppStreamContext);
  int luma_offset;
  int chroma_height_divisor;
};

const Function kFunctions[] = {
    {"nppiYCbCr422_8u_C2P3R (YUY2 -> Y42B)", nppiYCbCr422_8u_C2P3R_Ctx, 0, 1},
    {"nppiCbYCr422ToYCbCr420_8u_C2P3R (UYVY -> I420)", nppiCbYCr422ToYCbCr420_8u_C2P3R_Ctx, 1, 2},
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void time(const Function &f, int width, int height, const NppStreamContext &npp) {
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  const std::size_t out_bytes = pixels + pixels / static_cast<std::size_t>(f.chroma_height_divisor);
  const std::size_t moved = 2 * pixels + out_bytes;
  const int buffers = static_cast<int>(std::max<std::size_t>(2, kFootprint / moved + 1));
  const int runs = std::max(buffers, 32);
  std::vector<DeviceMemory> in, out;
  for (int i = 0; i < buffers; ++i) {
    in.emplace_back(2 * pixels);
    in.back().fill_random(static_cast<std::uint64_t>(i));
    out.emplace_back(2 * pixels);
  }
  const auto run = [&](int i) {
    const std::size_t chroma = (out_bytes - pixels) / 2;
    Npp8u *planes[3] = {out[i].data(), out[i].data() + pixels, out[i].data() + pixels + chroma};
    int steps[3] = {width, width / 2, width / 2};
    check(f.call(in[i].data(), 2 * width, planes, steps, {width, height}, npp) == NPP_SUCCESS,
          f.name);
  };

  run(0);
  std::vector<std::uint8_t> from(in[0].size()), to(out[0].size());
  in[0].download(from.data());
  out[0].download(to.data());
  for (std::size_t i = 0; i < pixels; ++i)
    check(to[i] == from[2 * i + static_cast<std::size_t>(f.luma_offset)], "luma differs");

  DeviceGraph operation([&] {
    for (int i = 0; i < runs; ++i)
      run(i % buffers);
  });
  DeviceGraph copy([&] {
    for (int i = 0; i < runs; ++i)
      coalesce::test::device_copy_async(out[i % buffers].data(), in[i % buffers].data(), moved / 2);
  });
  operation.milliseconds();
  copy.milliseconds();
  std::vector<double> us, copy_us;
  for (int i = 0; i < kRepeats; ++i) {
    us.push_back(1e3 * operation.milliseconds() / runs);
    copy_us.push_back(1e3 * copy.milliseconds() / runs);
  }
  std::printf("%-50s %5dx%-5d %9.2f us, copy %9.2f us, ratio %.2f\n", f.name, width, height,
              median(us), median(copy_us), median(copy_us) / median(us));
}

}  // namespace

int main() {
  if (!coalesce::test::device_usable()) {
    std::printf("SKIP: %s\n", coalesce::test::device_text().c_str());
    return 77;
  }
  std::printf("NPP on %s\n", coalesce::test::device_text().c_str());
  try {
    const NppStreamContext npp = context();
    const int sizes[][2] = {{1920, 1080}, {3840, 2160}, {4096, 4096}, {16384, 16384}};
    for (const Function &f : kFunctions)
      for (const auto &size : sizes)
        time(f, size[0], size[1], npp);
  } catch (const std::exception &e) {
    std::printf("FAIL %s\n", e.what());
    return 1;
  }
  return 0;
}
