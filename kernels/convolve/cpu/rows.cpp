// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "../../core/clones.h"

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
  const int middle = std::is_same_v<T, SamplePair> ? pair_middle(depth) : 0;
  const auto sample = [=](Sample stored) {
    return sizeof(Sample) == 1 ? U16{stored}
                               : static_cast<U16>(((stored >> shift) & mask) - middle);
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

// Samples of quotient(sum), which is saturated.
template <class Sample, class Sum, class Quotient>
COALESCE_INLINE void finish_with(const RowFinish<Sum> &f, const Sum *sums, int count,
                                 Sample *__restrict samples, const Quotient &quotient) {
  const Sum offset = f.offset;
  const auto unit = static_cast<Sample>(1 << f.depth.shift);
  for (int i = 0; i < count; ++i) {
    const auto q = static_cast<Sample>(quotient(static_cast<Sum>(sums[i] + offset)));
    samples[i] = sizeof(Sample) == 1 ? q : static_cast<Sample>(q * unit);
  }
}

// Each step in 16 bits, so that the compiler stays there.
template <class Sample>
COALESCE_INLINE void finish_samples(const RowFinish<U16> &f, const U16 *sums, int count,
                                    Sample *samples) {
  const auto value = [zero = f.zero, limit = f.limit](U16 sum) {
    const U16 above = static_cast<U16>(std::max(sum, zero) - zero);
    return std::min(above, limit);
  };
  const auto [multiplier, shift] = f.divider;
  if (shift == 16) {
    finish_with(f, sums, count, samples, [value, multiplier = multiplier](U16 sum) {
      return static_cast<U16>(U32{value(sum)} * multiplier >> 16);
    });
  } else if (shift == 0) {
    finish_with(f, sums, count, samples, value);
  } else {
    finish_with(f, sums, count, samples, [value, multiplier = multiplier, shift = shift](U16 sum) {
      return U32{value(sum)} * multiplier >> shift;
    });
  }
}

template <class Sample, class Signed, class Sum>
COALESCE_INLINE void finish_divided(const RowFinish<Sum> &f, const Divider<Signed> &by,
                                    const Sum *sums, int count, Sample *samples) {
  const auto value = [limit = static_cast<Signed>(f.limit)](Sum sum) {
    return std::min(std::max(static_cast<Signed>(sum), Signed{0}), limit);
  };
  if (by.multiplier == 0)
    finish_with(f, sums, count, samples,
                [value, shift = by.shift](Sum sum) { return value(sum) >> shift; });
  else
    finish_with(f, sums, count, samples, [value, by](Sum sum) { return divide(value(sum), by); });
}

template <class Sample>
COALESCE_INLINE void finish_samples(const RowFinish<U32> &f, const U32 *sums, int count,
                                    Sample *samples) {
  if (sizeof(Sample) > 1 || !f.divider.has_bytes)
    return finish_divided(f, f.divider.any, sums, count, samples);
  finish_with(f, sums, count, samples, [bytes = f.divider.bytes](U32 sum) {
    return finish_byte(bytes, static_cast<int>(sum), 0) >> 24;
  });
}

template <class Sample>
COALESCE_INLINE void finish_samples(const RowFinish<U64> &f, const U64 *sums, int count,
                                    Sample *samples) {
  finish_divided(f, f.divider, sums, count, samples);
}

template <class Sample>
COALESCE_INLINE void finish_samples(const RowFinish<double> &f, const double *sums, int count,
                                    Sample *samples) {
  finish_with(f, sums, count, samples,
              [zero = f.zero, limit = f.limit, inverse = f.divider.inverse](double sum) {
                const double above = sum > zero ? sum : zero;
                return static_cast<int>((above < limit ? above : limit) * inverse);
              });
}

template <class Sum>
COALESCE_INLINE void finish_any(const RowFinish<Sum> &f, const Sum *sums, int count,
                                void *samples) {
  if (f.depth.bytes() == 1)
    finish_samples(f, sums, count, static_cast<std::uint8_t *>(samples));
  else
    finish_samples(f, sums, count, static_cast<U16 *>(samples));
}

}  // namespace

// A function for each type instead of templates: clang makes no clones of those.

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
void widen(const U32 *__restrict from, int count, double *__restrict to) {
  for (int i = 0; i < count; ++i)
    to[i] = static_cast<std::int32_t>(from[i]);
}

COALESCE_CLONES
void widen(const double *__restrict from, int count, U64 *__restrict to) {
  for (int i = 0; i < count; ++i)
    to[i] = static_cast<U64>(static_cast<std::int64_t>(from[i]));
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
