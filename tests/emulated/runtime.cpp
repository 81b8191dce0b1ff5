// SPDX-License-Identifier: LGPL-2.1-or-later
// The runtime and the driver: one device, whose memory is the host's, and whose streams run at
// once.
#include <cuda.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include "../support/random.h"
#include "grid.h"

namespace {

constexpr int kMultiprocessors = 3;
constexpr std::size_t kFence = 256;  // bytes before and behind an allocation
constexpr std::size_t kDeviceBytes = std::size_t{2} << 30;
constexpr std::size_t kSharedBytesOfAny = 48 * 1024;

struct Kernel {
  emulated::Call call = nullptr;
  std::size_t granted = kSharedBytesOfAny;
};

std::mutex mutex;
std::map<const void *, Kernel> kernels;
struct Allocation {
  std::size_t bytes;
  bool of_device;
};
std::map<const void *, Allocation> allocations;
std::size_t device_bytes = 0;  // in use
char launch_error[512];

std::uint8_t fence_byte(std::size_t i) {
  return static_cast<std::uint8_t>(0xF1 + 7 * i);
}

std::size_t room_for(std::size_t bytes) {
  return (bytes + 2 * kFence + kFence - 1) / kFence * kFence;
}

cudaError_t allocate(void **memory, std::size_t bytes, bool of_device) {
  const std::lock_guard lock(mutex);
  if (of_device && bytes > kDeviceBytes - device_bytes) return cudaErrorMemoryAllocation;
  const std::size_t room = room_for(bytes);
  auto *begin = static_cast<std::uint8_t *>(std::aligned_alloc(kFence, room));
  if (begin == nullptr) return cudaErrorMemoryAllocation;
  for (std::size_t i = 0; i < room; ++i)
    begin[i] = fence_byte(i);  // also what is not written yet
  *memory = begin + kFence;
  emulated::poison(begin, kFence);
  emulated::poison(begin + kFence + bytes, room - kFence - bytes);
  allocations[*memory] = {bytes, of_device};
  if (of_device) device_bytes += bytes;
  return cudaSuccess;
}

cudaError_t release(void *memory) {
  if (memory == nullptr) return cudaSuccess;
  const std::lock_guard lock(mutex);
  const auto found = allocations.find(memory);
  if (found == allocations.end()) return cudaErrorInvalidValue;
  const std::size_t bytes = found->second.bytes, room = room_for(bytes);
  if (found->second.of_device) device_bytes -= bytes;
  allocations.erase(found);
  std::uint8_t *begin = static_cast<std::uint8_t *>(memory) - kFence;
  emulated::unpoison(begin, room);
  for (std::size_t i = 0; i < room; ++i)
    if ((i < kFence || i >= kFence + bytes) && begin[i] != fence_byte(i)) {
      std::fprintf(stderr, "FAIL byte %td of an allocation of %zu bytes was written\n",
                   static_cast<std::ptrdiff_t>(i - kFence), bytes);
      std::abort();
    }
  std::free(begin);
  return cudaSuccess;
}

// The same order of threads whenever the same launch is tried again.
std::uint64_t seed_of(const dim3 &grid, const dim3 &block) {
  std::uint64_t seed = coalesce::test::run_seed();
  for (const unsigned size : {grid.x, grid.y, grid.z, block.x, block.y, block.z})
    seed = (seed ^ size) * 0x9e3779b97f4a7c15u;
  return seed;
}

cudaError_t launch(const void *kernel, dim3 grid, dim3 block, void **arguments,
                   std::size_t shared_bytes, bool early) {
  Kernel known;
  {
    const std::lock_guard lock(mutex);
    known = kernels[kernel];
  }
  if (known.call == nullptr) return cudaErrorInvalidDeviceFunction;
  const auto is_size = [](const dim3 &size, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return size.x > 0 && size.x <= x && size.y > 0 && size.y <= y && size.z > 0 && size.z <= z;
  };
  if (!is_size(grid, 0x7FFFFFFF, 65535, 65535) || !is_size(block, 1024, 1024, 64) ||
      std::uint64_t{block.x} * block.y * block.z > 1024)
    return cudaErrorInvalidConfiguration;
  if (shared_bytes > known.granted) return cudaErrorInvalidValue;
  const std::string wrong = emulated::run(
      {grid, block, shared_bytes, known.call, kernel, arguments, early}, seed_of(grid, block));
  if (wrong.empty()) return cudaSuccess;
  const std::lock_guard lock(mutex);
  launch_error[wrong.copy(launch_error, sizeof launch_error - 1)] = '\0';
  return cudaErrorLaunchFailure;
}

CUresult launch_kernel_ex(const CUlaunchConfig *config, CUfunction function, void **arguments,
                          void **) {
  return static_cast<CUresult>(launch(reinterpret_cast<const void *>(function),
                                      dim3(config->gridDimX, config->gridDimY, config->gridDimZ),
                                      dim3(config->blockDimX, config->blockDimY, config->blockDimZ),
                                      arguments, config->sharedMemBytes, config->numAttrs > 0));
}

CUresult context_id(CUcontext, unsigned long long *id) {
  *id = 1;
  return CUDA_SUCCESS;
}

}  // namespace

void emulated::remember_kernel(const void *kernel, Call call) {
  const std::lock_guard lock(mutex);
  kernels[kernel].call = call;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             std::size_t shared_bytes, cudaStream_t) {
  return launch(kernel, grid, block, arguments, shared_bytes, false);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *kernel) {
  *function = static_cast<cudaFunction_t>(const_cast<void *>(kernel));
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *) {
  attributes->ptxVersion = COALESCE_EMULATED / 10;
  attributes->sharedSizeBytes = 0;  // static memory is elsewhere
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute, int value) {
  if (value < 0 || static_cast<std::size_t>(value) > emulated::kMaxSharedBytes)
    return cudaErrorInvalidValue;
  const std::lock_guard lock(mutex);
  kernels[kernel].granted = static_cast<std::size_t>(value);
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult *found) {
  const std::string wanted = name;
  *function = wanted == "cuLaunchKernelEx" ? reinterpret_cast<void *>(launch_kernel_ex)
              : wanted == "cuCtxGetId"     ? reinterpret_cast<void *>(context_id)
              : wanted == "cuTensorMapEncodeTiled" && COALESCE_EMULATED >= 900
                  ? reinterpret_cast<void *>(cuTensorMapEncodeTiled)
                  : nullptr;
  *found = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorInvalidValue:
      return "invalid argument";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDeviceFunction:
      return "invalid device function: no launch() has seen this kernel";
    case cudaErrorLaunchFailure:
      return launch_error;
    default:
      return "operation not supported";
  }
}

cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  std::snprintf(properties->name, sizeof properties->name, "emulated, compute capability %d.%d",
                COALESCE_EMULATED / 100, COALESCE_EMULATED / 10 % 10);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount      ? kMultiprocessors
           : attribute == cudaDevAttrComputeCapabilityMajor ? COALESCE_EMULATED / 100
                                                            : int{emulated::kMaxSharedBytes};
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t *free_bytes, std::size_t *all) {
  const std::lock_guard lock(mutex);
  *free_bytes = kDeviceBytes - device_bytes;
  *all = kDeviceBytes;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, std::size_t bytes) {
  return allocate(memory, bytes, true);
}

cudaError_t cudaFree(void *memory) {
  return release(memory);
}

cudaError_t cudaHostAlloc(void **memory, std::size_t bytes, unsigned) {
  return allocate(memory, bytes, false);
}

cudaError_t cudaFreeHost(void *memory) {
  return release(memory);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t cudaMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from,
                              std::size_t from_pitch, std::size_t row, std::size_t rows,
                              cudaMemcpyKind, cudaStream_t) {
  for (std::size_t y = 0; y < rows; ++y)
    std::memcpy(static_cast<std::uint8_t *>(to) + y * to_pitch,
                static_cast<const std::uint8_t *>(from) + y * from_pitch, row);
  return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                         std::size_t row, std::size_t rows, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, row, rows, kind, nullptr);
}

cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t) {
  if (bytes > 0) std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemset(void *to, int value, std::size_t bytes) {
  if (bytes > 0) std::memset(to, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  static int some;
  *stream = reinterpret_cast<cudaStream_t>(&some);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  static int some;
  *event = reinterpret_cast<cudaEvent_t>(&some);
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, 0);
}

cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t) {
  return cudaErrorNotSupported;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  return cudaErrorNotSupported;
}

cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *) {
  return cudaErrorNotSupported;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long) {
  return cudaErrorNotSupported;
}

cudaError_t cudaGraphDestroy(cudaGraph_t) {
  return cudaErrorNotSupported;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) {
  return cudaErrorNotSupported;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) {
  return cudaErrorNotSupported;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *data, const cuuint64_t *size, const cuuint64_t *pitch,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  if (rank != 2 || reinterpret_cast<std::uintptr_t>(data) % 16 != 0 || pitch[0] % 16 != 0 ||
      pitch[0] >= std::uint64_t{1} << 40 || steps[0] != 1 || steps[1] != 1)
    return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 2; ++i)
    if (size[i] == 0 || size[i] > std::uint64_t{1} << 32 || box[i] == 0 || box[i] > 256)
      return CUDA_ERROR_INVALID_VALUE;
  const int element = type == CU_TENSOR_MAP_DATA_TYPE_UINT64 ? 8 : 4;
  if (box[0] * element % 16 != 0) return CUDA_ERROR_INVALID_VALUE;
  *map = {static_cast<const std::uint8_t *>(data),
          static_cast<std::ptrdiff_t>(pitch[0]),
          static_cast<int>(size[0]),
          static_cast<int>(size[1]),
          static_cast<int>(box[0]),
          static_cast<int>(box[1]),
          element};
  return CUDA_SUCCESS;
}
