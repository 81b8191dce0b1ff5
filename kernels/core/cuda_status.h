// SPDX-License-Identifier: LGPL-2.1-or-later
// For .cu files: the runtime's error codes as Status, and launches that return one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

#include "status.h"

namespace coalesce {

// The text is the runtime's own, which is static.
inline Status cuda_status(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return {};
    case cudaErrorMemoryAllocation:
      return {StatusCode::out_of_memory, cudaGetErrorString(error)};
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidKernelImage:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidPtx:
      return {StatusCode::unsupported,
              "the CUDA kernels were not built for this GPU; -Dcuda-archs=portable builds them for "
              "all"};
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorStubLibrary:
      return {StatusCode::unsupported, cudaGetErrorString(error)};
    default:
      return {StatusCode::device_error, cudaGetErrorString(error)};
  }
}

// Checks the result of a runtime call. A failed call also leaves its error where the next
// cudaGetLastError() of this thread would find it: take it away, since it has been told. (An error
// that has broken the context stays, and every later call reports it.)
inline Status cuda_checked(cudaError_t error) {
  if (error != cudaSuccess) (void)cudaGetLastError();
  return cuda_status(error);
}

// Of the current device.
Status count_multiprocessors(int *count);
// The most shared memory that a block may have, and what a multiprocessor has.
Status count_shared_bytes(int *of_block, int *of_multiprocessor);

// kernel<<<grid, block, shared_bytes, stream>>>(arguments) that reports its own failure only, not
// one that some earlier call left behind. A kernel that wants more shared memory than any may have
// is granted it.
// early: the grid may start before the one in front of it in the stream has ended, where device and
// driver can do that. Its kernel begins with wait_for_grid_before() (grid_order.cuh).
Status launch_kernel(const void *kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
                     cudaStream_t stream, bool early, void **arguments);

template <class... Params, class... Args>
Status launch_with(void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared_bytes,
                   cudaStream_t stream, bool early, const Args &...args) {
  static_assert((std::is_same_v<Params, Args> && ...),
                "arguments must have the kernel's own types");
#if defined(COALESCE_EMULATED)
  emulated::remember_kernel(kernel);
#endif
  // (Not written to.)
  void *pointers[] = {const_cast<Args *>(&args)...};
  return launch_kernel(reinterpret_cast<const void *>(kernel), grid, block, shared_bytes, stream,
                       early, pointers);
}

template <class... Params, class... Args>
Status launch_shared(void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared_bytes,
                     cudaStream_t stream, const Args &...args) {
  return launch_with(kernel, grid, block, shared_bytes, stream, false, args...);
}

template <class... Params, class... Args>
Status launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, std::size_t shared_bytes,
                    cudaStream_t stream, const Args &...args) {
  return launch_with(kernel, grid, block, shared_bytes, stream, true, args...);
}

template <class... Params, class... Args>
Status launch(void (*kernel)(Params...), dim3 grid, dim3 block, cudaStream_t stream,
              const Args &...args) {
  return launch_shared(kernel, grid, block, 0, stream, args...);
}

}  // namespace coalesce
