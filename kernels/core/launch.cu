// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "cuda_status.h"
#include "driver_function.h"

namespace coalesce {

void *driver_function(const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
}

namespace {

using Launch = CUresult (*)(const CUlaunchConfig *, CUfunction, void **, void **);
using ContextId = CUresult (*)(CUcontext, unsigned long long *);

struct Driver {
  Launch launch = reinterpret_cast<Launch>(driver_function("cuLaunchKernelEx"));
  ContextId context_id = reinterpret_cast<ContextId>(driver_function("cuCtxGetId"));
};

// What a kernel is in a context, which has a number that no other context gets.
struct Known {
  const void *kernel;
  unsigned long long context;
  std::size_t granted;  // bytes of shared memory
  CUfunction function;
  bool can_be_early;
};

constexpr std::size_t kSharedBytesOfAny = 48 * 1024;

// Of the current device.
template <cudaDeviceAttr attribute>
Status device_attribute(int *value) {
  constexpr int kDevices = 64;
  static std::atomic<int> known[kDevices];
  int device = 0;
  if (Status s = cuda_checked(cudaGetDevice(&device)); !s.ok()) return s;
  if (device < kDevices && (*value = known[device].load(std::memory_order_relaxed)) > 0) return {};
  if (Status s = cuda_checked(cudaDeviceGetAttribute(value, attribute, device)); !s.ok()) return s;
  if (device < kDevices) known[device].store(*value, std::memory_order_relaxed);
  return {};
}

// All threads of a context share what a kernel is granted, and its launches may differ: so it is
// always all there is. (A kernel that has more than that only together with its static memory sees
// to it itself.)
Status grant(const void *kernel, std::size_t shared_bytes) {
  if (shared_bytes <= kSharedBytesOfAny) return {};
  cudaFuncAttributes attributes = {};
  if (Status s = cuda_checked(cudaFuncGetAttributes(&attributes, kernel)); !s.ok()) return s;
  int most = 0;
  if (Status s = device_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>(&most); !s.ok())
    return s;
  return cuda_checked(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           most - static_cast<int>(attributes.sharedSizeBytes)));
}

// Do this device's grids start early, and does the kernel's code for it wait then?
bool can_be_early(const void *kernel) {
  int device = 0, major = 0;
  cudaFuncAttributes attributes = {};
  return cuda_checked(cudaGetDevice(&device)).ok() &&
         cuda_checked(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device))
             .ok() &&
         cuda_checked(cudaFuncGetAttributes(&attributes, kernel)).ok() && major >= 9 &&
         attributes.ptxVersion >= 90;
}

// In the current context; nullptr if it cannot be told, or is not granted so much.
const Known *known_kernel(const void *kernel, std::size_t shared_bytes, ContextId context_id) {
  constexpr std::uintptr_t kPlaces = 64;
  static thread_local Known places[kPlaces];  // a kernel that finds its place taken takes it over
  unsigned long long context = 0;
  if (context_id(nullptr, &context) != CUDA_SUCCESS) return nullptr;
  Known &known = places[(reinterpret_cast<std::uintptr_t>(kernel) / 16 + context) % kPlaces];
  if (known.kernel == kernel && known.context == context && shared_bytes <= known.granted)
    return &known;
  cudaFunction_t function = nullptr;
  if (!cuda_checked(cudaGetFuncBySymbol(&function, kernel)).ok()) return nullptr;
  if (!grant(kernel, shared_bytes).ok()) return nullptr;
  known = {kernel, context, std::max(shared_bytes, kSharedBytesOfAny), function,
           can_be_early(kernel)};
  return &known;
}

}  // namespace

Status count_multiprocessors(int *count) {
  return device_attribute<cudaDevAttrMultiProcessorCount>(count);
}

Status count_shared_bytes(int *of_block, int *of_multiprocessor) {
  if (Status s = device_attribute<cudaDevAttrMaxSharedMemoryPerBlockOptin>(of_block); !s.ok())
    return s;
  return device_attribute<cudaDevAttrMaxSharedMemoryPerMultiprocessor>(of_multiprocessor);
}

// The runtime looks a kernel up in the context at every launch, which takes a tenth of it. (The
// errors of driver and runtime have the same numbers.)
Status launch_kernel(const void *kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                     cudaStream_t stream, bool early, void **arguments) {
  static const Driver driver{};
  const Known *known = nullptr;
  if (driver.launch != nullptr && driver.context_id != nullptr)
    known = known_kernel(kernel, shared_bytes, driver.context_id);
  if (known == nullptr) {
    if (Status s = grant(kernel, shared_bytes); !s.ok()) return s;
    return cuda_checked(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
  }
  CUlaunchAttribute serialization = {};
  serialization.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  serialization.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config = {};
  config.gridDimX = grid.x;
  config.gridDimY = grid.y;
  config.gridDimZ = grid.z;
  config.blockDimX = block.x;
  config.blockDimY = block.y;
  config.blockDimZ = block.z;
  config.sharedMemBytes = static_cast<unsigned>(shared_bytes);
  config.hStream = stream;
  config.attrs = &serialization;
  config.numAttrs = early && known->can_be_early ? 1 : 0;
  return cuda_status(
      static_cast<cudaError_t>(driver.launch(&config, known->function, arguments, nullptr)));
}

}  // namespace coalesce
