// SPDX-License-Identifier: LGPL-2.1-or-later
// Instructions that CUDA C++ has no names for, which several operations use (PTX ISA). Where
// kernels run on the CPU (tests/emulated) they are functions in C++.
#pragma once

#include <cstdint>

#if defined(COALESCE_EMULATED)
#include <ptx.h>

// Memory of a block whose size the launch says.
#define COALESCE_DYNAMIC_SHARED(alignment, type, name) \
  auto *const name = reinterpret_cast<type *>(emulated::dynamic_shared_memory())
#else
#define COALESCE_DYNAMIC_SHARED(alignment, type, name) \
  extern __shared__ __align__(alignment)               \
  type name[]

namespace coalesce::ptx {

// Bytes 0 to 3 of low and 4 to 7 of high: four of them, by the nibbles of the selector. Its upper
// bit repeats the sign of a byte, which __byte_perm() does not know.
__device__ __forceinline__ std::uint32_t prmt(std::uint32_t low, std::uint32_t high,
                                              std::uint32_t selector) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(selector));
  return bytes;
}

// Of four bytes each.
__device__ __forceinline__ std::uint32_t distances(std::uint32_t a, std::uint32_t b) {
  std::uint32_t all;
  asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(all) : "r"(a), "r"(b), "r"(0));
  return all;
}

// sum and the distances of four bytes.
__device__ __forceinline__ std::uint32_t add_distances(std::uint32_t a, std::uint32_t b,
                                                       std::uint32_t sum) {
  std::uint32_t all;
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(all) : "r"(a), "r"(b), "r"(sum));
  return all;
}

// 1 / x, to about 2^-23 of it: for what is corrected afterwards, since the last bit is not defined.
__device__ __forceinline__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Of two halves each. Every result is rounded once, to nearest.
__device__ __forceinline__ std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sums;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sums) : "r"(a), "r"(b));
  return sums;
}
__device__ __forceinline__ std::uint32_t subtract_halves(std::uint32_t a, std::uint32_t b) {
  std::uint32_t differences;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(differences) : "r"(a), "r"(b));
  return differences;
}
__device__ __forceinline__ std::uint32_t fma_halves(std::uint32_t a, std::uint32_t b,
                                                    std::uint32_t c) {
  std::uint32_t sums;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sums) : "r"(a), "r"(b), "r"(c));
  return sums;
}

// 16 bytes to shared memory, not waited for. From compute capability 8.0 on.
__device__ __forceinline__ void cp_async(std::uint32_t to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// For all that this thread has asked for.
__device__ __forceinline__ void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// For so many threads, whose warps need not come together.
template <int kThreads>
__device__ __forceinline__ void barrier_sync(int number) {
  asm volatile("barrier.sync %0, %1;" ::"r"(number), "n"(kThreads) : "memory");
}

}  // namespace coalesce::ptx
#endif
