// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the toolkit's header when kernels are compiled as C++ and run on the CPU: what the
// kernels of this project use of CUDA C++, and of the runtime. It comes before every other header.
#pragma once

#define __CUDACC__ 1
#define __CUDA_ARCH__ COALESCE_EMULATED  // compute capability, times 100
#define CUDART_VERSION 12080

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

// The tag makes an inline function of a device another one than that of the CPU twin: the two may
// have different bodies.
#define __device__ __attribute__((abi_tag("emulated")))
#define __host__
#define __global__
#define __constant__
#define __shared__ static  // one block runs at a time
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint2 {
  unsigned x, y;
} __align__(8);
struct uint3 {
  unsigned x, y, z;
};
struct uint4 {
  unsigned x, y, z, w;
} __align__(16);
struct int2 {
  int x, y;
} __align__(8);
struct int4 {
  int x, y, z, w;
} __align__(16);
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
inline int2 make_int2(int x, int y) {
  return {x, y};
}
inline int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}

// Of the thread that runs.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace emulated {

// Ends the launch, with this text as its error. Called by the threads of a kernel.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The lanes of a warp that `mask` names meet. The last one combines what they have brought, for
// all: lane[i] is the operand of lane i, nullptr if it is not there.
using Combine = void (*)(void *const *lane);
void meet(unsigned mask, void *operand, Combine combine);

// `threads` threads of the block meet, or all that have not ended (0). Returns how many of them
// came with `holds`, and how many came.
struct Votes {
  unsigned holding, all;
};
Votes meet_at_barrier(unsigned number, unsigned threads, bool holds);

// c[row][column] += the sum of a[row][term] * b[column][term]. Sums wrap.
void add_products(int rows, int columns, int terms, const std::int16_t *a, const std::int16_t *b,
                  int *c);

// Of a grid that is launched early, each thread calls it before anything else.
void wait_for_grid_before();

// Lets other threads run; for those that wait for memory to change.
void pause();

// What a thread has asked for, and what is done when it waits for that: copies to shared memory,
// and products of a warp group, in groups.
struct Copy {
  uint4 *to;
  const uint4 *from;
};
struct Product {
  int *d;
  std::uint32_t a[4], places;
  std::uint64_t b;
  bool a_is_signed, add;
};
struct Pending {
  std::vector<Copy> copies;
  std::vector<std::vector<Product>> products;
};
Pending &pending();

// The same of a block: rows that the copy engine brings to shared memory.
struct BulkCopy {
  const void *barrier;
  std::uint8_t *to;
  const std::uint8_t *from;  // nullptr: zeros
  std::size_t bytes;
};
std::vector<BulkCopy> &bulk_copies();

// Shared memory that a launch asks for.
std::uint8_t *dynamic_shared_memory();
// Addresses in shared memory have 32 bits; the first ones are the system's.
std::uint32_t shared_address(const void *p);
void *shared_pointer(std::uint32_t address);

// How a kernel of some type is called.
using Call = void (*)(const void *kernel, void **arguments);
void remember_kernel(const void *kernel, Call call);

template <class... Params, std::size_t... kIndex>
void call_kernel(void (*kernel)(Params...), void **arguments, std::index_sequence<kIndex...>) {
  kernel(*static_cast<std::remove_reference_t<Params> *>(arguments[kIndex])...);
}
template <class... Params>
void remember_kernel(void (*kernel)(Params...)) {
  remember_kernel(reinterpret_cast<const void *>(kernel), [](const void *k, void **arguments) {
    call_kernel(reinterpret_cast<void (*)(Params...)>(const_cast<void *>(k)), arguments,
                std::index_sequence_for<Params...>());
  });
}

// A load or store of a GPU must be aligned to its size.
template <class T>
T *aligned(T *p) {
  if (reinterpret_cast<std::uintptr_t>(p) % sizeof(T) != 0)
    fail("%zu bytes at an address that is no multiple of them", sizeof(T));
  return p;
}

// What a lane gets that asks a lane that does not take part: CUDA does not define it.
constexpr unsigned char kUndefined = 0xD5;

template <class T>
struct Shuffle {
  T value, result;
  int source;  // lane
};
template <class T>
T shuffle(unsigned mask, T value, int source) {
  Shuffle<T> mine = {value, value, source};
  meet(mask, &mine, [](void *const *lane) {
    for (int i = 0; i < 32; ++i)
      if (auto *to = static_cast<Shuffle<T> *>(lane[i])) {
        if (const auto *from = static_cast<const Shuffle<T> *>(lane[to->source]))
          to->result = from->value;
        else
          std::memset(static_cast<void *>(&to->result), kUndefined, sizeof(T));
      }
  });
  return mine.result;
}
inline int lane_number() {
  return static_cast<int>((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) %
                          32);
}

struct Ballot {
  bool holds;
  unsigned result, all;
};
inline Ballot ballot(unsigned mask, bool holds) {
  Ballot mine = {holds, 0, 0};
  meet(mask, &mine, [](void *const *lane) {
    unsigned result = 0, all = 0;
    for (int i = 0; i < 32; ++i)
      if (const auto *from = static_cast<const Ballot *>(lane[i])) {
        all |= 1u << i;
        if (from->holds) result |= 1u << i;
      }
    for (int i = 0; i < 32; ++i)
      if (auto *to = static_cast<Ballot *>(lane[i])) {
        to->result = result;
        to->all = all;
      }
  });
  return mine;
}

}  // namespace emulated

// CUDA C++ Programming Guide, 10.6, 10.19, 10.22.
inline void __syncthreads() {
  emulated::meet_at_barrier(0, 0, false);
}
inline int __syncthreads_and(int holds) {
  const emulated::Votes votes = emulated::meet_at_barrier(0, 0, holds != 0);
  return votes.holding == votes.all;
}
inline void __syncwarp(unsigned mask = ~0u) {
  emulated::meet(mask, &mask, [](void *const *) {});
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return emulated::shuffle(mask, value, (emulated::lane_number() & -width) + (lane & (width - 1)));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int lane = emulated::lane_number(), source = lane ^ bits;
  return emulated::shuffle(mask, value, source < (lane & -width) + width ? source : lane);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = emulated::lane_number(), source = lane - static_cast<int>(distance);
  return emulated::shuffle(mask, value, source >= (lane & -width) ? source : lane);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32) {
  const int lane = emulated::lane_number(), source = lane + static_cast<int>(distance);
  return emulated::shuffle(mask, value, source < (lane & -width) + width ? source : lane);
}
inline unsigned __ballot_sync(unsigned mask, int holds) {
  return emulated::ballot(mask, holds != 0).result;
}
inline int __any_sync(unsigned mask, int holds) {
  return emulated::ballot(mask, holds != 0).result != 0;
}
inline int __all_sync(unsigned mask, int holds) {
  const emulated::Ballot votes = emulated::ballot(mask, holds != 0);
  return votes.result == votes.all;
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  struct Least {
    unsigned value, result;
  } mine = {value, value};
  emulated::meet(mask, &mine, [](void *const *lane) {
    unsigned result = ~0u;
    for (int i = 0; i < 32; ++i)
      if (const auto *from = static_cast<const Least *>(lane[i]))
        result = std::min(result, from->value);
    for (int i = 0; i < 32; ++i)
      if (auto *to = static_cast<Least *>(lane[i])) to->result = result;
  });
  return mine.result;
}

// Threads take turns only where they wait, so nothing comes between.
template <class T>
T atomicAdd(T *at, std::type_identity_t<T> value) {
  return std::exchange(*emulated::aligned(at), *at + value);
}
template <class T>
T atomicMin(T *at, std::type_identity_t<T> value) {
  return std::exchange(*emulated::aligned(at), std::min(*at, value));
}
template <class T>
T atomicMax(T *at, std::type_identity_t<T> value) {
  return std::exchange(*emulated::aligned(at), std::max(*at, value));
}
template <class T>
T atomicOr(T *at, std::type_identity_t<T> value) {
  return std::exchange(*emulated::aligned(at), *at | value);
}

template <class T>
T __ldg(const T *from) {
  return *emulated::aligned(from);
}
template <class T>
T __ldcs(const T *from) {
  return *emulated::aligned(from);
}
template <class T>
void __stcs(T *to, std::type_identity_t<T> value) {
  *emulated::aligned(to) = value;
}
inline std::size_t __cvta_generic_to_shared(const void *p) {
  return emulated::shared_address(p);
}
inline void *__cvta_shared_to_generic(std::size_t address) {
  return emulated::shared_pointer(static_cast<std::uint32_t>(address));
}
inline void __nanosleep(unsigned) {
  emulated::pause();
}
[[noreturn]] inline void __trap() {
  emulated::fail("a trap");
}

inline int __clz(int v) {
  return v == 0 ? 32 : __builtin_clz(static_cast<unsigned>(v));
}
inline int __clzll(long long v) {
  return v == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(v));
}
inline int __ffs(int v) {
  return __builtin_ffs(v);
}
inline unsigned long long __brevll(unsigned long long v) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; ++i)
    reversed |= (v >> i & 1) << (63 - i);
  return reversed;
}
inline int __ffsll(long long v) {
  return __builtin_ffsll(v);
}
inline unsigned __vcmpne4(unsigned a, unsigned b) {
  unsigned different = 0;
  for (int i = 0; i < 32; i += 8)
    different |= ((a ^ b) >> i & 0xff) != 0 ? 0xffu << i : 0;
  return different;
}
inline int __popc(unsigned v) {
  return __builtin_popcount(v);
}
inline int __popcll(unsigned long long v) {
  return __builtin_popcountll(v);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t all = std::uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(all >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
// (Shifts of more than 32 count as 32.)
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
inline unsigned __vmaxu2(unsigned a, unsigned b) {
  return std::max(a & 0xffff, b & 0xffff) | std::max(a >> 16, b >> 16) << 16;
}
inline unsigned __vminu2(unsigned a, unsigned b) {
  return std::min(a & 0xffff, b & 0xffff) | std::min(a >> 16, b >> 16) << 16;
}
inline unsigned __vimax3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(a, __vmaxu2(b, c));
}
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000)), c);
}
inline unsigned __vimin3_u16x2(unsigned a, unsigned b, unsigned c) {
  return __vminu2(a, __vminu2(b, c));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8)
    sum += (a >> i & 255) * (b >> i & 255);
  return sum;
}
inline unsigned __float_as_uint(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
// Two halves of a word by the lower or the upper two bytes of another.
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
  return sum + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
  return __dp2a_lo(a, b >> 16, sum);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned sum) {
  return sum + (a < b ? b - a : a - b);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __viaddmin_s32_relu(int a, int b, int c) {
  const int sum = static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  return std::max(std::min(sum, c), 0);
}

// As CUDA has them: of different types, too.
template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A>>,
          class = std::enable_if_t<std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B, class = std::enable_if_t<std::is_arithmetic_v<A>>,
          class = std::enable_if_t<std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}

// The runtime. One device; streams run at once.
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorStubLibrary = 34,
  cudaErrorInsufficientDriver = 35,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidKernelImage = 200,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorInvalidPtx = 218,
  cudaErrorUnsupportedPtxVersion = 222,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotSupported = 801,
};
using cudaStream_t = struct CUstream_st *;
using cudaEvent_t = struct CUevent_st *;
using cudaFunction_t = struct CUfunc_st *;
using cudaGraph_t = struct CUgraph_st *;
using cudaGraphExec_t = struct CUgraphExec_st *;
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1
};
constexpr unsigned cudaHostAllocDefault = 0, cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;
constexpr unsigned long long cudaEnableDefault = 0;
struct cudaDeviceProp {
  char name[256];
};
struct cudaFuncAttributes {
  std::size_t sharedSizeBytes;
  int ptxVersion;
};

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMemGetInfo(std::size_t *free_bytes, std::size_t *all);
cudaError_t cudaMalloc(void **memory, std::size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaHostAlloc(void **memory, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch,
                         std::size_t row, std::size_t rows, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, std::size_t to_pitch, const void *from,
                              std::size_t from_pitch, std::size_t row, std::size_t rows,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemsetAsync(void *to, int value, std::size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset(void *to, int value, std::size_t bytes);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *kernel);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *kernel);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
template <class... Params>
cudaError_t cudaFuncSetAttribute(void (*kernel)(Params...), cudaFuncAttribute attribute,
                                 int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute, value);
}
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                             std::size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult *found);
template <class T>
cudaError_t cudaMalloc(T **memory, std::size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}

// There are no graphs: they are for benchmarks.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
