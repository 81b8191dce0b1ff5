// SPDX-License-Identifier: LGPL-2.1-or-later
// Integers in place of real numbers; docs/numerics.md, "Quantised", says which.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace coalesce {

__extension__ typedef __int128 Int128;

// The largest absolute value.
double largest(const std::vector<double> &values);

// The sum, as if in infinite precision, then rounded; the same in any order. (Of what is 2^-90 or
// less of the largest, bits are lost.) The caller sees to it that the sum is not beyond a double.
double exact_sum(const std::vector<double> &values);
double absolute_sum(const std::vector<double> &values);

// values[i] = integers[i] * odd * 2^exponent, exactly; the integers have no divisor in common.
struct Primitive {
  std::vector<std::int64_t> integers;
  std::int64_t odd = 1;
  int exponent = 0;
};

// Finite values, not all zero. Nothing where an integer is beyond 2^53.
std::optional<Primitive> primitive(const std::vector<double> &values);

// Values that are integers when multiplied by a power of ten of up to 10^6, to 1e-12 of each,
// become these, and fit 31 bits and sign; returns the least such power. Others are left alone (1).
double take_decimals(std::vector<double> *values);

// Of integer weights.
struct Extent {
  Int128 positive = 0;  // sum of the positive ones
  Int128 negative = 0;  // sum of the others' absolute values

  Int128 sum() const { return positive - negative; }
  Int128 absolute() const { return positive + negative; }
};

template <class T>
Extent extent_of(const std::vector<T> &weights) {
  Extent extent;
  for (T w : weights)
    (w > 0 ? extent.positive : extent.negative) += w > 0 ? Int128{w} : -Int128{w};
  return extent;
}

// Of the products of a column and a row.
inline Extent operator*(const Extent &v, const Extent &u) {
  return {v.positive * u.positive + v.negative * u.negative,
          v.positive * u.negative + v.negative * u.positive};
}

// values[i] = weights[i] / 2^q, about.
struct Quantized {
  std::vector<std::int32_t> weights;
  int q = 0;
  double error = 0;  // at most, of the sum of the values, each times something from 0 to 1
  double noise = 0;  // of that sum, if each is times independent noise of the standard deviation 1
};

// With the largest q, from `top` down to `bottom`, whose weights fit 31 bits and sign and are good
// enough for `accept`. The weights add up to the nearest integer to 2^q times the exact sum.
std::optional<Quantized> quantize(const std::vector<double> &values, int top, int bottom,
                                  const std::function<bool(const Quantized &)> &accept);

// Values that are integers when multiplied by 2^q, to 1e-12 of the largest: the least q from 0 to
// 20. Nothing where there is none, or an integer does not fit 31 bits and sign.
std::optional<Quantized> quantize_dyadic(const std::vector<double> &values);

}  // namespace coalesce
