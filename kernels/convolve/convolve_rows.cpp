// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "../core/clones.h"

// Into each of the copies that COALESCE_CLONES makes.
#define COALESCE_INLINE [[gnu::always_inline]] inline

namespace coalesce {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class T>
COALESCE_INLINE void widen_row(const void *samples, SampleDepth depth, int count,
                               T *__restrict line) {
  if (depth.bytes() == 1) {
    const auto *from = static_cast<const std::uint8_t *>(samples);
    for (int i = 0; i < count; ++i)
      line[i] = from[i];
  } else {
    const auto *from = static_cast<const U16 *>(samples);
    const int shift = depth.shift, mask = depth.max();
    for (int i = 0; i < count; ++i)
      line[i] = static_cast<T>((from[i] >> shift) & mask);
  }
}

// What 16-bit values are multiplied as: an int, which they would become, must not overflow.
template <class T>
using Product = std::conditional_t<std::is_same_v<T, U16>, U32, T>;

// A constant number of terms: their lines and weights stay in registers, and the compiler makes
// straight vector code of the loop.
template <int kTerms, bool kInPlace, class T>
COALESCE_INLINE void add_few(const T *start, const Term<T> *terms, int count, T *__restrict sums) {
  const T *line[kTerms];
  T weight[kTerms];
  for (int k = 0; k < kTerms; ++k) {
    line[k] = terms[k].line;
    weight[k] = terms[k].weight;
  }
  for (int i = 0; i < count; ++i) {
    T sum = kInPlace ? sums[i] : start[i];
    for (int k = 0; k < kTerms; ++k)
      sum = static_cast<T>(sum + Product<T>{line[k][i]} * weight[k]);
    sums[i] = sum;
  }
}

template <bool kInPlace, class T>
COALESCE_INLINE void add_up_to_8(const T *start, const Term<T> *terms, int number, int count,
                                 T *sums) {
  switch (number) {
    case 1:
      return add_few<1, kInPlace>(start, terms, count, sums);
    case 2:
      return add_few<2, kInPlace>(start, terms, count, sums);
    case 3:
      return add_few<3, kInPlace>(start, terms, count, sums);
    case 4:
      return add_few<4, kInPlace>(start, terms, count, sums);
    case 5:
      return add_few<5, kInPlace>(start, terms, count, sums);
    case 6:
      return add_few<6, kInPlace>(start, terms, count, sums);
    case 7:
      return add_few<7, kInPlace>(start, terms, count, sums);
    default:
      return add_few<8, kInPlace>(start, terms, count, sums);
  }
}

template <class T>
COALESCE_INLINE void add_row(const T *start, const Term<T> *terms, int number, int count, T *sums) {
  int done = 0;
  if (start != sums && number == 0) std::copy_n(start, count, sums);
  if (start != sums && number > 0) {
    done = std::min(number, 8);
    add_up_to_8<false>(start, terms, done, count, sums);
  }
  for (; done < number; done += 8)
    add_up_to_8<true>(start, terms + done, std::min(number - done, 8), count, sums);
}

template <class T>
COALESCE_INLINE void take_absolute(const T *after, int count, T *__restrict sums) {
  for (int i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, double>) {
      sums[i] = std::fabs(sums[i]) + after[i];
    } else {
      const bool negative = static_cast<std::make_signed_t<T>>(sums[i]) < 0;
      sums[i] = static_cast<T>((negative ? T{0} - sums[i] : sums[i]) + after[i]);
    }
  }
}

template <bool kShift>
COALESCE_INLINE U32 quotient(const Finish<U16> &f, U16 value) {
  return kShift ? value >> f.shift : U32{value} * f.multiplier >> f.shift;
}

template <bool kShift>
COALESCE_INLINE U32 quotient(const Finish<U32> &f, U32 value) {
  return kShift ? value >> f.shift : static_cast<U32>(U64{value} * f.multiplier >> f.shift);
}

template <bool kShift>
COALESCE_INLINE U32 quotient(const Finish<U64> &f, U64 value) {
  return static_cast<U32>(kShift ? value >> f.shift : value / f.divisor);
}

template <bool>
COALESCE_INLINE int quotient(const Finish<double> &f, double value) {
  const int q = static_cast<int>(value * f.multiplier);
  const double rest = value - q * f.divisor;
  return q + (rest >= f.divisor ? 1 : 0) - (rest < 0 ? 1 : 0);
}

template <bool kShift, class T, class Sample>
COALESCE_INLINE void finish_samples(const Finish<T> &finish, const T *sums, int count,
                                    Sample *__restrict samples) {
  const Finish<T> f = finish;
  for (int i = 0; i < count; ++i) {
    const T value = std::min<T>(static_cast<T>(std::max(sums[i], f.zero) - f.zero), f.limit);
    samples[i] = static_cast<Sample>(quotient<kShift>(f, value) << f.depth.shift);
  }
}

template <class T, class Sample>
COALESCE_INLINE void finish_any(const Finish<T> &f, const T *sums, int count, Sample *samples) {
  if (f.shifts)
    finish_samples<true>(f, sums, count, samples);
  else
    finish_samples<false>(f, sums, count, samples);
}

template <class T>
COALESCE_INLINE void finish_sums(const Finish<T> &f, const T *after, int count, T *sums,
                                 void *samples) {
  if (after != nullptr) take_absolute(after, count, sums);
  if (f.depth.bytes() == 1)
    finish_any(f, sums, count, static_cast<std::uint8_t *>(samples));
  else
    finish_any(f, sums, count, static_cast<U16 *>(samples));
}

}  // namespace

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int count, U16 *line) {
  widen_row(samples, depth, count, line);
}

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int count, U32 *line) {
  widen_row(samples, depth, count, line);
}

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int count, U64 *line) {
  widen_row(samples, depth, count, line);
}

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int count, double *line) {
  widen_row(samples, depth, count, line);
}

COALESCE_CLONES
void add_terms(const U16 *start, const Term<U16> *terms, int number, int count, U16 *sums) {
  add_row(start, terms, number, count, sums);
}

COALESCE_CLONES
void add_terms(const U32 *start, const Term<U32> *terms, int number, int count, U32 *sums) {
  add_row(start, terms, number, count, sums);
}

COALESCE_CLONES
void add_terms(const U64 *start, const Term<U64> *terms, int number, int count, U64 *sums) {
  add_row(start, terms, number, count, sums);
}

COALESCE_CLONES
void add_terms(const double *start, const Term<double> *terms, int number, int count,
               double *sums) {
  add_row(start, terms, number, count, sums);
}

COALESCE_CLONES
void finish_row(const Finish<U16> &f, const U16 *after, int count, U16 *sums, void *samples) {
  finish_sums(f, after, count, sums, samples);
}

COALESCE_CLONES
void finish_row(const Finish<U32> &f, const U32 *after, int count, U32 *sums, void *samples) {
  finish_sums(f, after, count, sums, samples);
}

COALESCE_CLONES
void finish_row(const Finish<U64> &f, const U64 *after, int count, U64 *sums, void *samples) {
  finish_sums(f, after, count, sums, samples);
}

COALESCE_CLONES
void finish_row(const Finish<double> &f, const double *after, int count, double *sums,
                void *samples) {
  finish_sums(f, after, count, sums, samples);
}

COALESCE_CLONES
void copy_some(const std::uint8_t *__restrict from, const std::uint8_t *__restrict mask, int bytes,
               std::uint8_t *__restrict to) {
  for (int i = 0; i < bytes; ++i)
    to[i] = static_cast<std::uint8_t>((to[i] & ~mask[i]) | (from[i] & mask[i]));
}

}  // namespace coalesce
