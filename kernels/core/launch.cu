// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cuda.h>

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
  CUfunction function;
};

// Of the current context; nullptr if it cannot be told.
CUfunction function_of(const void *kernel, ContextId context_id) {
  constexpr std::uintptr_t kPlaces = 64;
  static thread_local Known places[kPlaces];  // a kernel that finds its place taken takes it over
  unsigned long long context = 0;
  if (context_id(nullptr, &context) != CUDA_SUCCESS) return nullptr;
  Known &known = places[(reinterpret_cast<std::uintptr_t>(kernel) / 16 + context) % kPlaces];
  if (known.kernel == kernel && known.context == context) return known.function;
  cudaFunction_t function = nullptr;
  if (cudaGetFuncBySymbol(&function, kernel) != cudaSuccess) {
    (void)cudaGetLastError();
    return nullptr;
  }
  known = {kernel, context, function};
  return function;
}

}  // namespace

// The runtime looks a kernel up in the context at every launch, which takes a tenth of it. (The
// errors of driver and runtime have the same numbers.)
Status launch_kernel(const void *kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                     cudaStream_t stream, void **arguments) {
  static const Driver driver;
  CUfunction function = nullptr;
  if (driver.launch != nullptr && driver.context_id != nullptr)
    function = function_of(kernel, driver.context_id);
  if (function == nullptr)
    return cuda_checked(cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream));
  return cuda_status(static_cast<cudaError_t>(
      driver.launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                    static_cast<unsigned>(shared_bytes), stream, arguments, nullptr)));
}

}  // namespace coalesce
