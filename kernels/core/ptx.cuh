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

// sum + four products of bytes: unsigned ones by signed ones.
__device__ __forceinline__ int dp4a(std::uint32_t samples, std::uint32_t weights, int sum) {
  int result;
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(samples), "r"(weights), "r"(sum));
  return result;
}

// sum + two products: signed halves by the lower, or upper, unsigned bytes.
__device__ __forceinline__ int dp2a_lo(std::uint32_t halves, std::uint32_t bytes, int sum) {
  asm("dp2a.lo.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(halves), "r"(bytes));
  return sum;
}
__device__ __forceinline__ int dp2a_hi(std::uint32_t halves, std::uint32_t bytes, int sum) {
  asm("dp2a.hi.s32.u32 %0, %1, %2, %0;" : "+r"(sum) : "r"(halves), "r"(bytes));
  return sum;
}

// Two values cut to 0 .. 255, `low` lowest; above them the lower half of `upper`.
__device__ __forceinline__ std::uint32_t cvt_pack(int low, int high, std::uint32_t upper) {
  std::uint32_t word;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(word) : "r"(high), "r"(low), "r"(upper));
  return word;
}

// 16 bytes that are read once; the cache may fetch 256.
__device__ __forceinline__ uint4 ld_prefetch(const uint4 *from) {
  uint4 v;
  asm("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
      : "l"(from));
  return v;
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
