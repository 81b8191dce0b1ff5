// SPDX-License-Identifier: LGPL-2.1-or-later
// Vectors, for the few loops in which the compiler does not find the instruction that everything
// hangs on.
#pragma once

#include <math.h>

#include <cstdint>
#include <cstring>

#include "clones.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define COALESCE_INLINE [[gnu::always_inline]] inline

// COALESCE_AVX2 marks a function that is called only if __builtin_cpu_supports("avx2"). Vector<32>
// is for templates that are always inlined into one: GCC looks at the target only then. (clang
// looks at it before, so there it is left out; under a sanitizer it takes the compiler minutes.)
#if defined(__x86_64__) && !defined(__clang__) && !defined(COALESCE_SANITIZED)
#define COALESCE_AVX2 __attribute__((target("avx2")))
// How vectors are passed depends on the target: none is passed anywhere.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace coalesce {

// Vectors of 16 or 32 bytes. Beside the compiler's own operations:
//   add_pairs     the sums of neighbours: a[0] + a[1], a[2] + a[3], ..., b[0] + b[1], ...
//   add_distances sums[i] += the distances of eight bytes of memory each, which follow each other
//   roots         of as many numbers of memory (sqrtf() may report errors, so it is no vector)
// and with kMultipliesPairs (elsewhere the compiler makes good code of plain loops):
//   multiply_add  out[i] = a[2i] * b[2i] + a[2i + 1] * b[2i + 1]
//   saturate      the numbers of four vectors as bytes
//   interleave    a[0], b[0], a[1], b[1], ... of each half of a vector: the lower ones, the upper
//   join          the numbers of such a pair as one vector of 16 bits, saturated, in their order
//   widen         as many bytes of memory as numbers of 16 bits
template <int kBytes>
struct Vector;

template <>
struct Vector<16> {
  typedef std::int16_t Int16 __attribute__((vector_size(16)));
  typedef std::uint16_t Uint16 __attribute__((vector_size(16)));
  typedef std::int32_t Int32 __attribute__((vector_size(16)));
  typedef std::uint32_t Uint32 __attribute__((vector_size(16)));
  typedef std::int64_t Int64 __attribute__((vector_size(16)));
  typedef std::uint64_t Uint64 __attribute__((vector_size(16)));

  COALESCE_INLINE static void add_pairs(const Uint32 &a, const Uint32 &b, Uint32 &out) {
    out = __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }

  static constexpr int kFloats = 4;

#if defined(__x86_64__)
  static constexpr bool kMultipliesPairs = true;

  COALESCE_INLINE static void roots(const float *from, float *to) {
    _mm_storeu_ps(to, _mm_sqrt_ps(_mm_loadu_ps(from)));
  }

  COALESCE_INLINE static void multiply_add(const Int16 &a, const Int16 &b, Int32 &out) {
    out = reinterpret_cast<Int32>(__builtin_ia32_pmaddwd128(a, b));
  }

  COALESCE_INLINE static void interleave(const Int16 &a, const Int16 &b, Int16 &low, Int16 &high) {
    low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }

  COALESCE_INLINE static void join(const Int32 &low, const Int32 &high, Int16 &out) {
    out = reinterpret_cast<Int16>(__builtin_ia32_packssdw128(low, high));
  }

  COALESCE_INLINE static void widen(const std::uint8_t *in, Int16 &out) {
    std::uint8_t bytes __attribute__((vector_size(8)));
    std::memcpy(&bytes, in, sizeof bytes);
    out = __builtin_convertvector(bytes, Int16);
  }

  COALESCE_INLINE static void add_distances(const std::uint8_t *a, const std::uint8_t *b,
                                            Int64 &sums) {
    char from __attribute__((vector_size(16))), to __attribute__((vector_size(16)));
    std::memcpy(&from, a, sizeof from);
    std::memcpy(&to, b, sizeof to);
    sums += reinterpret_cast<Int64>(__builtin_ia32_psadbw128(from, to));
  }

  COALESCE_INLINE static void saturate(const Int32 (&in)[4], std::uint8_t *out) {
    const auto bytes = __builtin_ia32_packuswb128(__builtin_ia32_packssdw128(in[0], in[1]),
                                                  __builtin_ia32_packssdw128(in[2], in[3]));
    std::memcpy(out, &bytes, sizeof bytes);
  }
#else
  static constexpr bool kMultipliesPairs = false;

  COALESCE_INLINE static void roots(const float *from, float *to) {
    for (int i = 0; i < kFloats; ++i)
      to[i] = sqrtf(from[i]);
  }

  COALESCE_INLINE static void add_distances(const std::uint8_t *a, const std::uint8_t *b,
                                            Int64 &sums) {
    for (int i = 0; i < 16; ++i)
      sums[i / 8] += a[i] < b[i] ? b[i] - a[i] : a[i] - b[i];
  }
#endif
};

#if defined(COALESCE_AVX2)
// The instructions work on each half of a vector for itself; what they leave is put in order.
template <>
struct Vector<32> {
  typedef std::int16_t Int16 __attribute__((vector_size(32)));
  typedef std::uint16_t Uint16 __attribute__((vector_size(32)));
  typedef std::int32_t Int32 __attribute__((vector_size(32)));
  typedef std::uint32_t Uint32 __attribute__((vector_size(32)));
  typedef std::int64_t Int64 __attribute__((vector_size(32)));
  typedef std::uint64_t Uint64 __attribute__((vector_size(32)));
  static constexpr bool kMultipliesPairs = true;

  COALESCE_INLINE static void add_pairs(const Uint32 &a, const Uint32 &b, Uint32 &out) {
    const Uint32 sums = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
                        __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
    out = __builtin_shufflevector(sums, sums, 0, 1, 4, 5, 2, 3, 6, 7);
  }

  COALESCE_INLINE static void multiply_add(const Int16 &a, const Int16 &b, Int32 &out) {
    out = reinterpret_cast<Int32>(__builtin_ia32_pmaddwd256(a, b));
  }

  COALESCE_INLINE static void interleave(const Int16 &a, const Int16 &b, Int16 &low, Int16 &high) {
    low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
    high =
        __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15, 31);
  }

  COALESCE_INLINE static void join(const Int32 &low, const Int32 &high, Int16 &out) {
    out = reinterpret_cast<Int16>(__builtin_ia32_packssdw256(low, high));
  }

  COALESCE_INLINE static void widen(const std::uint8_t *in, Int16 &out) {
    char bytes __attribute__((vector_size(16)));
    std::memcpy(&bytes, in, sizeof bytes);
    out = reinterpret_cast<Int16>(__builtin_ia32_pmovzxbw256(bytes));
  }

  COALESCE_INLINE static void add_distances(const std::uint8_t *a, const std::uint8_t *b,
                                            Int64 &sums) {
    char from __attribute__((vector_size(32))), to __attribute__((vector_size(32)));
    std::memcpy(&from, a, sizeof from);
    std::memcpy(&to, b, sizeof to);
    sums += reinterpret_cast<Int64>(__builtin_ia32_psadbw256(from, to));
  }

  COALESCE_INLINE static void saturate(const Int32 (&in)[4], std::uint8_t *out) {
    const auto packed = __builtin_ia32_packuswb256(__builtin_ia32_packssdw256(in[0], in[1]),
                                                   __builtin_ia32_packssdw256(in[2], in[3]));
    const Int32 words = reinterpret_cast<Int32>(packed);
    const Int32 bytes = __builtin_shufflevector(words, words, 0, 4, 1, 5, 2, 6, 3, 7);
    std::memcpy(out, &bytes, sizeof bytes);
  }
};
#pragma GCC diagnostic pop
#endif

}  // namespace coalesce
