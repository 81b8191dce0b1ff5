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

using Launch = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, CUstream, void **, void **);
using ContextId = CUresult (*)(CUcontext, unsigned long long *);

struct Driver {
  Launch launch = reinterpret_cast<Launch>(driver_function("cuLaunchKernel"));
  ContextId context_id = reinterpret_cast<ContextId>(driver_function("cuCtxGetId"));
};

// What a kernel is in a context, which has a number that no other context gets.
struct Known {
  const void *kernel;
  unsigned long long context;
  std::size_t granted;  // bytes of shared memory
  CUfunction function;
};

constexpr std::size_t kSharedBytesOfAny = 48 * 1024;

Status grant(const void *kernel, std::size_t shared_bytes) {
  if (shared_bytes <= kSharedBytesOfAny) return {};
  return cuda_checked(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(shared_bytes)));
}

// Of the current context; nullptr if it cannot be told, or is not granted so much.
CUfunction function_of(const void *kernel, std::size_t shared_bytes, ContextId context_id) {
  constexpr std::uintptr_t kPlaces = 64;
  static thread_local Known places[kPlaces];  // a kernel that finds its place taken takes it over
  unsigned long long context = 0;
  if (context_id(nullptr, &context) != CUDA_SUCCESS) return nullptr;
  Known &known = places[(reinterpret_cast<std::uintptr_t>(kernel) / 16 + context) % kPlaces];
  if (known.kernel == kernel && known.context == context && shared_bytes <= known.granted)
    return known.function;
  cudaFunction_t function = nullptr;
  if (!cuda_checked(cudaGetFuncBySymbol(&function, kernel)).ok()) return nullptr;
  if (!grant(kernel, shared_bytes).ok()) return nullptr;
  known = {kernel, context, std::max(shared_bytes, kSharedBytesOfAny), function};
  return function;
}

}  // namespace

Status count_multiprocessors(int *count) {
  constexpr int kDevices = 64;
  static std::atomic<int> known[kDevices];
  int device = 0;
  if (Status s = cuda_checked(cudaGetDevice(&device)); !s.ok()) return s;
  if (device < kDevices && (*count = known[device].load(std::memory_order_relaxed)) > 0) return {};
  if (Status s =
          cuda_checked(cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device));
      !s.ok())
    return s;
  if (device < kDevices) known[device].store(*count, std::memory_order_relaxed);
  return {};
}

// The runtime looks a kernel up in the context at every launch, which takes a tenth of it. (The
// errors of driver and runtime have the same numbers.)
Status launch_kernel(const void *kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                     cudaStream_t stream, void **arguments) {
  static const Driver driver;
  CUfunction function = nullptr;
  if (driver.launch != nullptr && driver.context_id != nullptr)
    function = function_of(kernel, shared_bytes, driver.context_id);
  if (function == nullptr) {
    if (Status s = grant(kernel, shared_bytes); !s.ok()) return s;
    return cuda_checked(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
  }
  return cuda_status(static_cast<cudaError_t>(
      driver.launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                    static_cast<unsigned>(shared_bytes), stream, arguments, nullptr)));
}

}  // namespace coalesce
