// SPDX-License-Identifier: LGPL-2.1-or-later
// Instructions that CUDA C++ has no names for: 8-bit matrix products and what feeds them.
// From compute capability 8.0 on.
#pragma once

#include <cstdint>

#include "../../../core/ptx.cuh"

namespace coalesce {

__device__ __forceinline__ std::uint32_t shared_address(const void *p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

#if !defined(COALESCE_EMULATED)

// d = a * b + c: 16 x 8 sums over 32 terms. A lane holds
//   of a  row lane / 4 and the row 8 below, columns 4 * (lane % 4) and the 3 behind it; in a1 the
//         same 16 columns on
//   of b  column lane / 4, of the rows that a has as columns
//   of d  the rows of a, columns 2 * (lane % 4) and the next
#define COALESCE_MMA_TYPES(A, B)                                                                \
  asm("mma.sync.aligned.m16n8k32.row.col.s32." A "." B                                          \
      ".s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"                             \
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                          \
      : "r"(a0[0]), "r"(a0[1]), "r"(a1[0]), "r"(a1[1]), "r"(b0), "r"(b1), "r"(c[0]), "r"(c[1]), \
        "r"(c[2]), "r"(c[3]))

template <bool kSignedA, bool kSignedB>
__device__ __forceinline__ void mma_32(int (&d)[4], const std::uint32_t (&a0)[2],
                                       const std::uint32_t (&a1)[2], std::uint32_t b0,
                                       std::uint32_t b1, const int (&c)[4]) {
  if constexpr (kSignedA && kSignedB)
    COALESCE_MMA_TYPES("s8", "s8");
  else if constexpr (kSignedA)
    COALESCE_MMA_TYPES("s8", "u8");
  else if constexpr (kSignedB)
    COALESCE_MMA_TYPES("u8", "s8");
  else
    COALESCE_MMA_TYPES("u8", "u8");
}

#undef COALESCE_MMA_TYPES
#define COALESCE_MMA_TYPES(A, B)                        \
  asm("mma.sync.aligned.m16n8k16.row.col.s32." A "." B  \
      ".s32 {%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};" \
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])  \
      : "r"(a[0]), "r"(a[1]), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]))

// The same with 16 terms.
template <bool kSignedA, bool kSignedB>
__device__ __forceinline__ void mma_16(int (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b,
                                       const int (&c)[4]) {
  if constexpr (kSignedA && kSignedB)
    COALESCE_MMA_TYPES("s8", "s8");
  else if constexpr (kSignedA)
    COALESCE_MMA_TYPES("s8", "u8");
  else if constexpr (kSignedB)
    COALESCE_MMA_TYPES("u8", "s8");
  else
    COALESCE_MMA_TYPES("u8", "u8");
}

#undef COALESCE_MMA_TYPES

// Four (kMatrices = 2: two) matrices of 8 rows of 16 bytes, lane 8 * i + r giving the address of
// row r of matrix i. words[i]: of rows 2 * (lane % 4) and the next, bytes 2 * (lane / 4) and the
// next.
template <int kMatrices>
__device__ __forceinline__ void load_transposed(std::uint32_t address, std::uint32_t *words) {
  if constexpr (kMatrices == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "r"(address)
                 : "memory");
}

// Four matrices as load_transposed() has them, but not transposed: words[i] of matrix i is that of
// row lane / 4, bytes 4 * (lane % 4) on. From compute capability 9.0 on.
__device__ __forceinline__ void store_matrices(std::uint32_t address,
                                               const std::uint32_t (&words)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

// Cut to 0 .. 255, the first lowest.
__device__ __forceinline__ std::uint32_t saturate_bytes(int a, int b, int c, int d) {
  std::uint32_t word;
  asm("{.reg .b32 upper; cvt.pack.sat.u8.s32.b32 upper, %4, %3, 0;"
      "cvt.pack.sat.u8.s32.b32 %0, %2, %1, upper;}"
      : "=r"(word)
      : "r"(a), "r"(b), "r"(c), "r"(d));
  return word;
}

// The upper half of a * b + c, all signed: one instruction, where C++ may become four.
__device__ __forceinline__ int upper_half_of_sum(int a, int b, std::int64_t c) {
  std::int64_t product;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return static_cast<int>((product + c) >> 32);
}

#endif

}  // namespace coalesce
