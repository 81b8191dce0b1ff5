// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../core/clones.h"

// Into each of the copies that COALESCE_CLONES makes.
#define COALESCE_INLINE [[gnu::always_inline]] inline

namespace coalesce {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class Sample, class T>
COALESCE_INLINE void widen_samples(const Sample *from, SampleDepth depth, int channels, int count,
                                   T *__restrict line) {
  const int shift = depth.shift, mask = depth.max();
  const auto sample = [=](Sample stored) {
    return sizeof(Sample) == 1 ? U16{stored} : static_cast<U16>((stored >> shift) & mask);
  };
  for (int i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, SamplePair>)
      line[i] = {sample(from[i]), sample(from[i + channels])};
    else
      line[i] = sample(from[i]);
  }
}

template <class T>
COALESCE_INLINE void widen_any(const void *samples, SampleDepth depth, int channels, int count,
                               T *line) {
  if (depth.bytes() == 1)
    widen_samples(static_cast<const std::uint8_t *>(samples), depth, channels, count, line);
  else
    widen_samples(static_cast<const U16 *>(samples), depth, channels, count, line);
}

// What 16-bit values are multiplied as: an int, which they would become, must not overflow.
template <class T>
using Product = std::conditional_t<std::is_same_v<T, U16>, U32, T>;

// A constant number of terms: their lines and weights stay in registers, and the compiler makes
// straight vector code of the loop.
template <int kTerms, bool kOnto, class T>
COALESCE_INLINE void add_few(const Term<T> *terms, int count, T *__restrict sums) {
  const T *line[kTerms];
  T weight[kTerms];
  for (int k = 0; k < kTerms; ++k) {
    line[k] = terms[k].line;
    weight[k] = terms[k].weight;
  }
  for (int i = 0; i < count; ++i) {
    T sum = kOnto ? sums[i] : T{0};
    for (int k = 0; k < kTerms; ++k)
      sum = static_cast<T>(sum + Product<T>{line[k][i]} * weight[k]);
    sums[i] = sum;
  }
}

template <bool kOnto, class T>
COALESCE_INLINE void add_up_to_8(const Term<T> *terms, int number, int count, T *sums) {
  switch (number) {
    case 1:
      return add_few<1, kOnto>(terms, count, sums);
    case 2:
      return add_few<2, kOnto>(terms, count, sums);
    case 3:
      return add_few<3, kOnto>(terms, count, sums);
    case 4:
      return add_few<4, kOnto>(terms, count, sums);
    case 5:
      return add_few<5, kOnto>(terms, count, sums);
    case 6:
      return add_few<6, kOnto>(terms, count, sums);
    case 7:
      return add_few<7, kOnto>(terms, count, sums);
    default:
      return add_few<8, kOnto>(terms, count, sums);
  }
}

template <class T>
COALESCE_INLINE void add_any(const Term<T> *terms, int number, int count, bool onto, T *sums) {
  if (!onto && number == 0) std::fill_n(sums, count, T{0});
  int done = 0;
  if (!onto && number > 0) {
    done = std::min(number, 8);
    add_up_to_8<false>(terms, done, count, sums);
  }
  for (; done < number; done += 8)
    add_up_to_8<true>(terms + done, std::min(number - done, 8), count, sums);
}

template <bool kAbsolute, class T>
COALESCE_INLINE void add_lines(const T *before, const T *after, int count, T *__restrict sums) {
  for (int i = 0; i < count; ++i) {
    T sum = static_cast<T>(sums[i] + before[i]);
    if constexpr (kAbsolute && std::is_same_v<T, double>) {
      sum = std::fabs(sum);
    } else if constexpr (kAbsolute) {
      const bool negative = static_cast<std::make_signed_t<T>>(sum) < 0;
      sum = static_cast<T>(negative ? T{0} - sum : sum);
    }
    sums[i] = static_cast<T>(sum + after[i]);
  }
}

template <class T>
COALESCE_INLINE void add_offsets_any(const T *before, bool absolute, const T *after, int count,
                                     T *sums) {
  absolute ? add_lines<true>(before, after, count, sums)
           : add_lines<false>(before, after, count, sums);
}

COALESCE_INLINE int quotient(const Divider16 &by, U16 value) {
  return static_cast<int>(U32{value} * by.multiplier >> by.shift);
}

COALESCE_INLINE int quotient(const Divider<std::int32_t> &by, U32 value) {
  return divide(static_cast<std::int32_t>(value), by);
}

COALESCE_INLINE int quotient(const Divider<std::int64_t> &by, U64 value) {
  return static_cast<int>(divide(static_cast<std::int64_t>(value), by));
}

COALESCE_INLINE int quotient(const DividerDouble &by, double value) {
  const int q = static_cast<int>(value * by.inverse);
  const double rest = value - q * by.divisor;
  return q + (rest >= by.divisor ? 1 : 0) - (rest < 0 ? 1 : 0);
}

template <class T>
COALESCE_INLINE bool only_shifts(const RowFinish<T> &f) {
  if constexpr (std::is_same_v<T, double>)
    return false;
  else
    return f.divider.multiplier == 0;
}

template <bool kShift, class T, class Sample>
COALESCE_INLINE void finish_samples(const RowFinish<T> &finish, const T *sums, int count,
                                    Sample *__restrict samples) {
  const RowFinish<T> f = finish;
  for (int i = 0; i < count; ++i) {
    const T sum = static_cast<T>(sums[i] + f.offset);
    const T value = std::min(static_cast<T>(std::max(sum, f.zero) - f.zero), f.limit);
    int q = 0;
    if constexpr (kShift && !std::is_same_v<T, double>)
      q = static_cast<int>(value >> f.divider.shift);
    else
      q = quotient(f.divider, value);
    samples[i] = static_cast<Sample>(q << f.depth.shift);
  }
}

template <class T, class Sample>
COALESCE_INLINE void finish_any(const RowFinish<T> &f, const T *sums, int count, Sample *samples) {
  only_shifts(f) ? finish_samples<true>(f, sums, count, samples)
                 : finish_samples<false>(f, sums, count, samples);
}

template <class T>
COALESCE_INLINE void finish_any(const RowFinish<T> &f, const T *sums, int count, void *samples) {
  if (f.depth.bytes() == 1)
    finish_any(f, sums, count, static_cast<std::uint8_t *>(samples));
  else
    finish_any(f, sums, count, static_cast<U16 *>(samples));
}

}  // namespace

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int channels, int count, SamplePair *line) {
  widen_any(samples, depth, channels, count, line);
}

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int channels, int count, U16 *line) {
  widen_any(samples, depth, channels, count, line);
}

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int channels, int count, U32 *line) {
  widen_any(samples, depth, channels, count, line);
}

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int channels, int count, U64 *line) {
  widen_any(samples, depth, channels, count, line);
}

COALESCE_CLONES
void widen(const void *samples, SampleDepth depth, int channels, int count, double *line) {
  widen_any(samples, depth, channels, count, line);
}

COALESCE_CLONES
void add_terms(const Term<U16> *terms, int number, int count, bool onto, U16 *sums) {
  add_any(terms, number, count, onto, sums);
}

COALESCE_CLONES
void add_terms(const Term<U32> *terms, int number, int count, bool onto, U32 *sums) {
  add_any(terms, number, count, onto, sums);
}

COALESCE_CLONES
void add_terms(const Term<U64> *terms, int number, int count, bool onto, U64 *sums) {
  add_any(terms, number, count, onto, sums);
}

COALESCE_CLONES
void add_terms(const Term<double> *terms, int number, int count, bool onto, double *sums) {
  add_any(terms, number, count, onto, sums);
}

COALESCE_CLONES
void add_offsets(const U16 *before, bool absolute, const U16 *after, int count, U16 *sums) {
  add_offsets_any(before, absolute, after, count, sums);
}

COALESCE_CLONES
void add_offsets(const U32 *before, bool absolute, const U32 *after, int count, U32 *sums) {
  add_offsets_any(before, absolute, after, count, sums);
}

COALESCE_CLONES
void add_offsets(const U64 *before, bool absolute, const U64 *after, int count, U64 *sums) {
  add_offsets_any(before, absolute, after, count, sums);
}

COALESCE_CLONES
void add_offsets(const double *before, bool absolute, const double *after, int count,
                 double *sums) {
  add_offsets_any(before, absolute, after, count, sums);
}

COALESCE_CLONES
void finish_row(const RowFinish<U16> &finish, const U16 *sums, int count, void *samples) {
  finish_any(finish, sums, count, samples);
}

COALESCE_CLONES
void finish_row(const RowFinish<U32> &finish, const U32 *sums, int count, void *samples) {
  finish_any(finish, sums, count, samples);
}

COALESCE_CLONES
void finish_row(const RowFinish<U64> &finish, const U64 *sums, int count, void *samples) {
  finish_any(finish, sums, count, samples);
}

COALESCE_CLONES
void finish_row(const RowFinish<double> &finish, const double *sums, int count, void *samples) {
  finish_any(finish, sums, count, samples);
}

COALESCE_CLONES
void copy_some(const std::uint8_t *__restrict from, const std::uint8_t *__restrict mask, int bytes,
               std::uint8_t *__restrict to) {
  for (int i = 0; i < bytes; ++i)
    to[i] = static_cast<std::uint8_t>((to[i] & ~mask[i]) | (from[i] & mask[i]));
}

}  // namespace coalesce
