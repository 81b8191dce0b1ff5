// SPDX-License-Identifier: LGPL-2.1-or-later
// Sparse 8-bit matrix products of a warp group: compute capability 9.0 alone, compiled for sm_90a.
#pragma once

#include <cstdint>

#include "instructions.cuh"

namespace coalesce {

constexpr int kGroupPositions = 64;  // columns of B
#if !defined(COALESCE_EMULATED)

// Where in shared memory B lies: of each column 16 terms in a row, then those of the next column;
// `pitch` bytes further on (a multiple of 16), the next 16 terms of all columns. B that lies
// 16 bytes further on is described by one more.
__device__ __forceinline__ std::uint32_t sparse_address(std::uint32_t address, int pitch) {
  return address >> 4 | static_cast<std::uint32_t>(pitch >> 4) << 16;
}

__device__ __forceinline__ std::uint64_t sparse_operand(std::uint32_t address) {
  constexpr std::uint64_t kEightColumns = 128;
  return kEightColumns >> 4 << 32 | address;
}

// d = a * b, or d + a * b: 64 x 64 sums over 64 terms, of which a has 32: two of each four.
// Warp w has rows 16 w on. Lane 4 g + t holds
//   of a  rows g (even words) and g + 8 of the warp's, what there is of terms 8 t on, 8 of them,
//         and of 32 + 8 t on (the last two words)
//   of d  the same rows, columns 8 j + 2 t and the next: d[4 j] on
// places: of row g + 8 * (t % 2) and 32 terms, those from 32 * (t / 2) on: where the two of each
// four are, in two bits each, the first lowest.
template <bool kSigned>
__device__ __forceinline__ void multiply_sparse(int (&d)[32], const std::uint32_t (&a)[4],
                                                std::uint64_t b, std::uint32_t places, bool add) {
#define COALESCE_MULTIPLY(A)                                                                       \
  asm volatile(                                                                                    \
      "{.reg .pred p; setp.ne.b32 p, %38, 0;"                                                      \
      "wgmma.mma_async.sp.sync.aligned.m64n64k64.s32." A                                           \
      ".u8 "                                                                                       \
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"                                    \
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31},"                          \
      "{%32,%33,%34,%35}, %36, %37, 0, p;}"                                                        \
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]),        \
        "+r"(d[7]), "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]),    \
        "+r"(d[14]), "+r"(d[15]), "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), \
        "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), \
        "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31])                                         \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(places),                           \
        "r"(static_cast<int>(add)))
  if constexpr (kSigned)
    COALESCE_MULTIPLY("s8");
  else
    COALESCE_MULTIPLY("u8");
#undef COALESCE_MULTIPLY
}

// Before products whose operands in registers have been touched.
__device__ __forceinline__ void start_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Until all but the latest kPending groups of products are there, d among them.
template <int kPending>
__device__ __forceinline__ void wait_for_products(int (&d)[32]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
#pragma unroll
  for (int i = 0; i < 32; ++i)
    asm volatile("" : "+r"(d[i])::"memory");  // not read before
}

// Four matrices of 8 columns of 16 bytes, lane 8 * i + c giving the address of column c of matrix
// i. words[i]: of columns 2 * (lane % 4) and the next, bytes 2 * (lane / 4) and the next.
__device__ __forceinline__ void store_transposed(std::uint32_t address,
                                                 const std::uint32_t (&words)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

// An address in shared memory, in a register of the warp and not worked out anew where it is used.
__device__ __forceinline__ void *same_in_all_lanes(void *shared) {
  return __cvta_shared_to_generic(__shfl_sync(0xffffffff, shared_address(shared), 0));
}

// True in one lane of the warp.
__device__ __forceinline__ bool elect_lane() {
  std::uint32_t is_elected;
  asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}"
               : "=r"(is_elected));
  return is_elected != 0;
}

// Waits for the 64 threads that call it with the same number, 0 or 1.
__device__ __forceinline__ void sync_two_warps(int number) {
  if (number == 0)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
}
#endif

}  // namespace coalesce
