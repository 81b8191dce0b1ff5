// SPDX-License-Identifier: LGPL-2.1-or-later
// What the CPU back end of convert does with rows of samples. Everything is inlined into functions
// for one machine or another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../core/simd.h"
#include "convert_job.h"

namespace coalesce {

template <bool kWide>
using FilteredOf = std::conditional_t<kWide, std::uint32_t, std::uint16_t>;
template <bool kWide>
using SumOf = std::conditional_t<kWide, std::int64_t, std::int32_t>;

// Loops are over units of so many samples, the last of which reaches beyond a row: so there are no
// single samples left over.
constexpr int kUnit = 16;

// ---- Filters ------------------------------------------------------------------------------------

// The samples of the input that samples of the output are made of.
struct Reach {
  int first, count;
};

inline Reach reach(const ChromaTaps &taps, int first, int count) {
  int least = taps.phase[0].first, most = least;
  for (int p = 1; p < 1 << taps.up; ++p) {
    least = std::min<int>(least, taps.phase[p].first);
    most = std::max<int>(most, taps.phase[p].first);
  }
  const int begin = (first >> taps.up) << taps.down;
  const int end = (((first + count - 1) >> taps.up) << taps.down) + 1;
  return {begin + least, end - begin + most - least + taps.count - 1};
}

// in * tap, or that in addition to what is there.
template <bool kAdd, class Filtered>
COALESCE_INLINE void weigh_row(const std::uint16_t *__restrict in, int count, int tap,
                               Filtered *__restrict out) {
  const auto weight = static_cast<Filtered>(tap);
  for (int i = 0; i < count; i += kUnit)
    for (int k = i; k < i + kUnit; ++k)
      out[k] = static_cast<Filtered>((kAdd ? out[k] : 0) + in[k] * weight);
}

// Twice as many: pairs of phases.
template <class Filtered>
COALESCE_INLINE void double_row(const ChromaTaps &taps, const Filtered *__restrict in, int count,
                                Filtered *__restrict out) {
  const ChromaTaps::Phase &even = taps.phase[0], &odd = taps.phase[1];
  const Filtered *__restrict a = in + even.first, *__restrict b = in + odd.first;
  const Filtered a0 = even.tap[0], a1 = even.tap[1], b0 = odd.tap[0], b1 = odd.tap[1];
  for (int i = 0; 2 * i < count; i += kUnit) {
    for (int k = i; k < i + kUnit; ++k) {
      out[2 * k] = static_cast<Filtered>(a0 * a[k] + a1 * a[k + 1]);
      out[2 * k + 1] = static_cast<Filtered>(b0 * b[k] + b1 * b[k + 1]);
    }
  }
}

// As many, or half or a quarter of them. (Where every second sample is taken, GCC makes good code
// of long loops alone.)
template <int kDown, class Filtered>
COALESCE_INLINE void gather_row(const ChromaTaps &taps, const Filtered *__restrict in, int count,
                                Filtered *__restrict out) {
  in += taps.phase[0].first;
  const int padded = (count + kUnit - 1) & -kUnit;
  for (int tap = 0; tap < taps.count; ++tap) {
    const Filtered weight = taps.phase[0].tap[tap];
    const Filtered *__restrict from = in + tap;
    if (tap == 0)
      for (int i = 0; i < padded; ++i)
        out[i] = static_cast<Filtered>(weight * from[i << kDown]);
    else
      for (int i = 0; i < padded; ++i)
        out[i] = static_cast<Filtered>(out[i] + weight * from[i << kDown]);
  }
}

// Samples `first` and on of the output; in[0]: number `origin` of the row.
template <class Filtered>
COALESCE_INLINE void filter_across(const ChromaTaps &taps, int first, int count, int origin,
                                   const Filtered *in, Filtered *out) {
  in += ((first >> taps.up) << taps.down) - origin;
  if (taps.up == 1) return double_row(taps, in, count, out);
  if (taps.down == 1) return gather_row<1>(taps, in, count, out);
  if (taps.down == 2) return gather_row<2>(taps, in, count, out);
  if (taps.up == 0) return gather_row<0>(taps, in, count, out);
  for (int i = 0; i < count; ++i) {
    const ChromaTaps::Phase &phase = taps.phase[i & 3];
    const Filtered *from = in + (i >> 2) + phase.first;
    out[i] = static_cast<Filtered>(phase.tap[0] * from[0] + phase.tap[1] * from[1]);
  }
}

// ---- Sums ---------------------------------------------------------------------------------------

// What is added before the shift, along a row: eight numbers by turns. Blocks begin at multiples of
// eight samples.
template <bool kWide>
struct Offsets {
  SumOf<kWide> at[kUnit];

  Offsets() = default;
  Offsets(const ConvertSum &sum, int row) {
    for (int i = 0; i < kUnit; ++i)
      at[i] = static_cast<SumOf<kWide>>(sum.offset +
                                        (sum.dithered ? dither_threshold(i, row, sum.shift) : 0));
  }
};

template <bool kWide>
COALESCE_INLINE std::uint16_t rounded(SumOf<kWide> sum, int shift, SumOf<kWide> most) {
  sum >>= shift;
  sum = sum < 0 ? 0 : sum;
  return static_cast<std::uint16_t>(sum < most ? sum : most);
}

// One component, which needs no weight. Sums fit 16 bits.
template <int kBytes>
COALESCE_INLINE void shift_row(const std::uint16_t *in, int count, const ConvertSum &sum,
                               const Offsets<false> &offsets, std::uint16_t *out) {
  using Numbers = typename Vector<kBytes>::Uint16;
  const auto most = static_cast<std::uint16_t>(sum.maximum);
  const int shift = sum.shift;
  Numbers offset = {};
  for (int k = 0; k < kBytes / 2; ++k)
    offset[k] = static_cast<std::uint16_t>(offsets.at[k]);
  for (int i = 0; i < count; i += kBytes / 2) {
    Numbers value;
    std::memcpy(&value, in + i, kBytes);
    value = (value + offset) >> shift;
    value = value > most ? value * 0 + most : value;
    std::memcpy(out + i, &value, kBytes);
  }
}
inline bool fits_shift(const ConvertSum &sum) {
  return sum.weight[0] == 1 && sum.offset >= 0 &&
         sum.offset + (sum.dithered ? std::int64_t{1} << sum.shift : 0) <= INT16_MAX;
}

// One component.
template <bool kWide>
COALESCE_INLINE void scale_row(const FilteredOf<kWide> *__restrict in, int count,
                               const ConvertSum &sum, const Offsets<kWide> &offsets,
                               std::uint16_t *__restrict out) {
  using Sum = SumOf<kWide>;
  const Sum weight = sum.weight[0], most = sum.maximum;
  const int shift = sum.shift;
  for (int i = 0; i < count; i += kUnit)
    for (int k = 0; k < kUnit; ++k)
      out[i + k] =
          rounded<kWide>(weight * static_cast<Sum>(in[i + k]) + offsets.at[k], shift, most);
}

// Three components, the first of which counts 2^bits times.
template <bool kWide>
COALESCE_INLINE void matrix_row(const FilteredOf<kWide> *__restrict a,
                                const FilteredOf<kWide> *__restrict b,
                                const FilteredOf<kWide> *__restrict c, int bits, int count,
                                const ConvertSum &sum, const Offsets<kWide> &offsets,
                                std::uint16_t *__restrict out) {
  using Sum = SumOf<kWide>;
  const Sum wa = sum.weight[0] * (Sum{1} << bits), wb = sum.weight[1], wc = sum.weight[2];
  const Sum most = sum.maximum;
  const int shift = sum.shift;
  for (int i = 0; i < count; i += kUnit) {
    for (int k = 0; k < kUnit; ++k) {
      const Sum value = wa * static_cast<Sum>(a[i + k]) + wb * static_cast<Sum>(b[i + k]) +
                        wc * static_cast<Sum>(c[i + k]);
      out[i + k] = rounded<kWide>(value + offsets.at[k], shift, most);
    }
  }
}

// Do weights and samples fit 16 bits and sign, so that one instruction multiplies two pairs?
COALESCE_INLINE bool fits_pairs(const ConvertJob &job) {
  const auto fits = [](std::int32_t weight) { return weight >= INT16_MIN && weight <= INT16_MAX; };
  bool all = !job.wide && job.to_rgb;
  for (int c = 0; c < 3; ++c) {
    const ConvertSum &s = job.sum[c];
    all = all && s.maximum <= INT16_MAX && fits(s.weight[0]) && fits(s.weight[1]) &&
          fits(s.weight[2]);
  }
  const PixelComponent &y = job.in.format.component[0];
  return all && ((1 << y.bits) - 1) << job.filter_bits <= INT16_MAX;
}

// As two numbers of 16 bits.
COALESCE_INLINE std::int32_t pair_of(std::int32_t low, std::int32_t high) {
  return static_cast<std::int32_t>((static_cast<std::uint32_t>(low) & 0xFFFF) |
                                   static_cast<std::uint32_t>(high) << 16);
}

// The pair of vectors that V::interleave() leads to, between 0 and `most`.
template <int kBytes>
COALESCE_INLINE void store_numbers(const typename Vector<kBytes>::Int32 &low,
                                   const typename Vector<kBytes>::Int32 &high, std::int16_t most,
                                   std::uint16_t *out) {
  typename Vector<kBytes>::Int16 value;
  Vector<kBytes>::join(low, high, value);
  value = value > most ? value * 0 + most : value;
  value = value < 0 ? value * 0 : value;
  std::memcpy(out, &value, kBytes);
}

// R, G and B, as matrix_row() has them.
template <int kBytes>
COALESCE_INLINE void rgb_rows(const ConvertJob &job, const Offsets<false> *const (&offsets)[3],
                              const std::uint16_t *__restrict y, const std::uint16_t *__restrict u,
                              const std::uint16_t *__restrict v, int count,
                              std::uint16_t *__restrict red, std::uint16_t *__restrict green,
                              std::uint16_t *__restrict blue) {
  using V = Vector<kBytes>;
  using Int16 = typename V::Int16;
  using Int32 = typename V::Int32;
  const ConvertSum &r = job.sum[0], &g = job.sum[1], &b = job.sum[2];
  const Int16 r_weights = reinterpret_cast<Int16>(Int32{} + pair_of(r.weight[0], r.weight[2]));
  const Int16 b_weights = reinterpret_cast<Int16>(Int32{} + pair_of(b.weight[0], b.weight[1]));
  const Int16 gu_weights = reinterpret_cast<Int16>(Int32{} + pair_of(g.weight[0], g.weight[1]));
  const Int16 gv_weights = reinterpret_cast<Int16>(Int32{} + pair_of(0, g.weight[2]));
  const int bits = job.filter_bits, shift = r.shift;
  // Of the lower and the upper four of eight samples, as V::interleave() parts them.
  Int32 offset[3][2] = {};
  for (int c = 0; c < 3; ++c)
    for (int half = 0; half < 2; ++half)
      for (int k = 0; k < kBytes; k += 16)
        std::memcpy(reinterpret_cast<std::uint8_t *>(&offset[c][half]) + k,
                    offsets[c]->at + 4 * half, 16);
  const auto most = static_cast<std::int16_t>(r.maximum);
  for (int i = 0; i < count; i += kBytes / 2) {
    Int16 luma, cb, cr;
    std::memcpy(&luma, y + i, kBytes);
    std::memcpy(&cb, u + i, kBytes);
    std::memcpy(&cr, v + i, kBytes);
    luma <<= bits;
    Int16 low_v, high_v, low_u, high_u;
    V::interleave(luma, cr, low_v, high_v);
    V::interleave(luma, cb, low_u, high_u);
    Int32 low, high, more_low, more_high;
    V::multiply_add(low_v, r_weights, low);
    V::multiply_add(high_v, r_weights, high);
    store_numbers<kBytes>((low + offset[0][0]) >> shift, (high + offset[0][1]) >> shift, most,
                          red + i);
    V::multiply_add(low_u, gu_weights, low);
    V::multiply_add(high_u, gu_weights, high);
    V::multiply_add(low_v, gv_weights, more_low);
    V::multiply_add(high_v, gv_weights, more_high);
    store_numbers<kBytes>((low + more_low + offset[1][0]) >> shift,
                          (high + more_high + offset[1][1]) >> shift, most, green + i);
    V::multiply_add(low_u, b_weights, low);
    V::multiply_add(high_u, b_weights, high);
    store_numbers<kBytes>((low + offset[2][0]) >> shift, (high + offset[2][1]) >> shift, most,
                          blue + i);
  }
}

}  // namespace coalesce
