// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that early_loads.py must report: each reads, writes or branches before it waits, or reads
// through the read-only path.
#include <cstdint>

namespace coalesce::test {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ void wait() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#else
__device__ __forceinline__ void wait() {}
#endif

__global__ void reads_first(const volatile std::uint32_t *in, std::uint32_t *out) {
  const std::uint32_t value = in[threadIdx.x];
  wait();
  out[threadIdx.x] = value;
}

__global__ void reads_read_only(const std::uint32_t *in, std::uint32_t *out) {
  wait();
  out[threadIdx.x] = __ldg(in + threadIdx.x);
}

__global__ void writes_first(volatile std::uint32_t *out) {
  out[threadIdx.x] = 1;
  wait();
}

__global__ void adds_first(unsigned *sum, std::uint32_t *out) {
  const unsigned before = atomicAdd(sum + threadIdx.x % 7, 1u);
  wait();
  out[threadIdx.x] = before;
}

__device__ __noinline__ std::uint32_t called(std::uint32_t x) {
  for (std::uint32_t i = 0; i < x; ++i)
    x ^= x << (i % 5);
  return x;
}

__global__ void calls_first(std::uint32_t x, std::uint32_t *out) {
  x = called(x);
  wait();
  out[threadIdx.x] = x;
}

__global__ void waits_in_some_threads(std::uint32_t *out, int n) {
  if (threadIdx.x % 3 == 0) out[n + threadIdx.x] = clock();
  wait();
  out[threadIdx.x] = n;
}

}  // namespace coalesce::test
