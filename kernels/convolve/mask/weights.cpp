// SPDX-License-Identifier: LGPL-2.1-or-later
#include "weights.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "quantize.h"

namespace coalesce {
namespace {

using Reals = std::vector<double>;
using Integers = std::vector<std::int32_t>;

constexpr double kNearly = 1e-12;  // relative: what counts as zero, as rank 1, as the same
constexpr int kLeastQ = 17;        // with 16-bit weights
constexpr int kMostQ = 30;
constexpr double kMostError = 0.999;  // less than 1, so that no result is more than 1 off
// White noise of 8 bits has the standard deviation 73.9, and the mean absolute value of the error
// is 0.8 of its deviation: that share of results rounds differently, one in a thousand.
constexpr double kMostNoise = 0.001 / 59;
constexpr int kNoisy = 255;  // up to these samples it decides whether sums of 31 bits will do

// The sums of samples 0 to max, each times a weight, with `before` and the automatic `after` added.
bool fits_31_bits(const Extent &weights, Int128 divisor, int max) {
  return (std::max(weights.positive, weights.negative) + divisor) * (max + 1) <= INT32_MAX;
}

bool fits_62_bits(const Extent &weights, Int128 divisor, int max) {
  constexpr Int128 kLimit = Int128{1} << 62;
  return weights.absolute() <= kLimit / (max + 1) && divisor <= kLimit / (max + 1);
}

bool fits_16_bits(const Integers &weights) {
  const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  return *least >= 0 ? *most <= UINT16_MAX : *least >= INT16_MIN && *most <= INT16_MAX;
}

// By a power of two, so that the largest is 0.5 to 1. Returns the exponent that has gone.
int scale(Reals *values) {
  int exponent = 0;
  std::frexp(largest(*values), &exponent);
  for (double &x : *values)
    x = std::ldexp(x, -exponent);
  return exponent;
}

template <class T>
bool first_is_negative(const std::vector<T> &values) {
  for (T x : values)
    if (x != 0) return x < 0;
  return false;
}

template <class T>
void negate(std::vector<T> *values) {
  for (T &x : *values)
    x = -x;
}

// Of the largest absolute value, the first.
template <class T>
std::size_t pivot(const std::vector<T> &values) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (std::abs(values[i]) > std::abs(values[at])) at = i;
  return at;
}

// The row and the column through the pivot; false unless the mask is their product (divided by the
// pivot), to `nearly` of the pivot.
template <class Product, class T>
bool split(const std::vector<T> &mask, int width, Product nearly, std::vector<T> *across,
           std::vector<T> *down) {
  const auto columns = static_cast<std::size_t>(width);
  const std::size_t at = pivot(mask);
  const T *row = &mask[at / columns * columns];
  across->assign(row, row + columns);
  down->clear();
  for (std::size_t i = at % columns; i < mask.size(); i += columns)
    down->push_back(mask[i]);
  const Product peak = mask[at], limit = nearly * peak * peak;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const Product off = mask[i] * peak - Product{(*down)[i / columns]} * row[i % columns];
    if (off > limit || off < -limit) return false;
  }
  return true;
}

// Integers without a common divisor (which belongs into odd * 2^exponent): the mask's, or if it is
// of rank 1, the row's and the column's.
struct Primitives {
  std::vector<std::int64_t> mask, across, down;
  Int128 odd = 1;
  int exponent = 0;
};

std::optional<Primitives> primitives(const WeightsSource &source) {
  Primitives result;
  if (source.mask.empty()) {
    auto across = primitive(source.across), down = primitive(source.down);
    if (!across || !down) return {};
    result = {{},
              std::move(across->integers),
              std::move(down->integers),
              Int128{across->odd} * down->odd,
              across->exponent + down->exponent};
  } else {
    auto mask = primitive(source.mask);
    if (!mask) return {};
    result.odd = mask->odd;
    result.exponent = mask->exponent;
    if (!split(mask->integers, source.width, Int128{0}, &result.across, &result.down)) {
      result.mask = std::move(mask->integers);
      return result;
    }
    std::int64_t divisor = 0;
    for (std::int64_t u : result.across)
      divisor = std::gcd(divisor, u);
    const std::int64_t peak = result.across[pivot(result.across)];
    for (std::int64_t &u : result.across)
      u /= divisor;
    for (std::int64_t &v : result.down)
      v /= peak / divisor;
  }
  if (first_is_negative(result.across)) {
    negate(&result.across);
    negate(&result.down);
  }
  return result;
}

// False if one does not fit 31 bits.
bool multiply(const std::vector<std::int64_t> &values, Int128 factor, Integers *result) {
  for (std::int64_t x : values) {
    const Int128 product = x * factor;
    if (product < -INT32_MAX || product > INT32_MAX) return false;
    result->push_back(static_cast<std::int32_t>(product));
  }
  return true;
}

// Integer masks, and what a power of two makes one.
bool exact_weights(const WeightsSource &source, const Divisor &by, int max, Weights *result) {
  constexpr int kLeastExponent = -20;
  const auto integers = primitives(source);
  if (!integers || integers->exponent < kLeastExponent) return false;

  Int128 factor = 1, divisor = 1;
  if (!by.sum) {
    const Primitive d = *primitive({by.value});
    if (d.exponent < kLeastExponent) return false;
    const std::int64_t common = std::gcd(static_cast<std::int64_t>(integers->odd % d.odd), d.odd);
    const int shift = integers->exponent - d.exponent;
    if (integers->odd / common > INT32_MAX || shift > 30 || shift < -62) return false;
    factor = integers->odd / common * d.integers[0] * (Int128{1} << std::max(shift, 0));
    divisor = Int128{d.odd / common} << std::max(-shift, 0);
  }
  Weights weights;
  if (!multiply(integers->mask, factor, &weights.mask) ||
      !multiply(integers->across, 1, &weights.across) ||
      !multiply(integers->down, factor, &weights.down))
    return false;
  if (by.sum) divisor = weights.extent().sum();
  if (divisor <= 0) return false;
  if (!fits_62_bits(weights.extent(), divisor, max)) return false;
  weights.divisor = static_cast<std::int64_t>(divisor);
  *result = std::move(weights);
  return true;
}

// Masks and divisors in decimal fractions. Only as far as 16 bits go: beyond, rounded weights are
// faster and nearly as good.
bool decimal_weights(WeightsSource source, const Divisor &by, int max, Weights *result) {
  const double power =
      take_decimals(&source.mask) * take_decimals(&source.across) * take_decimals(&source.down);
  Reals divisor = {by.value};
  const double divisor_power = take_decimals(&divisor);
  for (double &h : source.mask.empty() ? source.down : source.mask)
    h *= divisor_power;
  if (!(std::abs(divisor[0]) * power <= 0x1p53)) return false;
  Weights weights;
  if (!exact_weights(source, {by.sum, divisor[0] * power}, max, &weights)) return false;
  for (const Integers *row : {&weights.mask, &weights.across, &weights.down})
    if (!row->empty() && !fits_16_bits(*row)) return false;
  *result = std::move(weights);
  return true;
}

// The mask divided by its divisor. Weights of 16 bits are the fast ones, sums of 31 bits the next;
// but they must be good enough.
std::optional<Quantized> narrow_mask(const Reals &values, int max) {
  const auto fits = [max](const Quantized &mask) {
    return fits_31_bits(extent_of(mask.weights), Int128{1} << mask.q, max);
  };
  const auto mask = quantize(values, kMostQ, kLeastQ, [&](const Quantized &q) {
    return fits(q) && fits_16_bits(q.weights) && q.noise <= kMostNoise;
  });
  if (mask) return mask;
  const auto longer = quantize(values, kMostQ, 0, fits);
  return longer && (max > kNoisy || longer->noise <= kMostNoise) ? longer : std::nullopt;
}

std::optional<Quantized> wide_mask(const Reals &values, int max) {
  return quantize(values, kMostQ, 0, [max](const Quantized &mask) {
    return fits_62_bits(extent_of(mask.weights), Int128{1} << mask.q, max);
  });
}

bool rounded_mask(const Reals &values, int max, bool narrow, Weights *result) {
  const auto mask = narrow ? narrow_mask(values, max) : wide_mask(values, max);
  if (!mask || mask->error * max > kMostError) return false;
  *result = {mask->weights, {}, {}, std::int64_t{1} << mask->q, false};
  return true;
}

int bits_of(Int128 value) {
  int bits = 0;
  for (; value > 0; value >>= 1)
    ++bits;
  return bits;
}

// A row (or column) for itself. The rules for q hold for its values times 2^-gain, the sum of whose
// absolute values is 1 to 2. With the other one's weights it must fit 62 bits.
std::optional<Quantized> rounded_row(const Reals &values, int max, bool narrow, int most_q,
                                     const Quantized *other) {
  // Where the sum is a power of two, its last bits must not decide.
  const int gain = std::ilogb(absolute_sum(values) * (1 + kNearly));
  const int spare = 60 - bits_of(max);  // bits for both rows
  int q = kMostQ;
  if (!narrow)
    q = other != nullptr ? spare + 1 - bits_of(extent_of(other->weights).absolute()) : spare / 2;
  const int top = std::min(std::min(q, kMostQ) - gain, most_q);
  return quantize(values, top, top - 64, [&](const Quantized &row) {
    return !narrow || (fits_31_bits(extent_of(row.weights), 0, max) &&
                       (row.q + gain <= kLeastQ || fits_16_bits(row.weights)));
  });
}

// The noise of the products of both, at most.
double product_noise(const Quantized &u, const Quantized &v) {
  const auto size = [](const Quantized &row) {
    double squares = 0;
    for (std::int32_t w : row.weights)
      squares += static_cast<double>(w) * w;
    return std::ldexp(std::sqrt(squares), -row.q);
  };
  return u.noise * size(v) + v.noise * size(u);
}

bool rounded_rows(const Reals &across, const Reals &down, int max, bool narrow, Weights *result) {
  const int most_q = 62 - bits_of(max);
  std::optional<Quantized> u = quantize_dyadic(across), v = quantize_dyadic(down);
  if (!u) u = rounded_row(across, max, narrow, v ? most_q - v->q : most_q, v ? &*v : nullptr);
  if (!u) return false;
  if (!v) v = rounded_row(down, max, narrow, most_q - u->q, &*u);
  if (!v) return false;
  const int q = u->q + v->q;
  Weights weights = {{}, u->weights, v->weights, 0, false};
  if (q < 0 || q > most_q || !fits_62_bits(weights.extent(), Int128{1} << q, max)) return false;
  if (narrow && max <= kNoisy && product_noise(*u, *v) > kMostNoise) return false;
  const double v_absolute = static_cast<double>(extent_of(v->weights).absolute());
  const double error = u->error * std::ldexp(v_absolute, -v->q) + absolute_sum(across) * v->error;
  if (!(error * max <= kMostError)) return false;
  weights.divisor = std::int64_t{1} << q;
  *result = std::move(weights);
  return true;
}

// Whatever is larger is beyond the range.
bool are_moderate(const Reals &values) {
  return largest(values) < 0x1p100;  // no infinity, no NaN
}

// The row is scaled to the sum 1, or if it has none, to the largest value 1; the column takes the
// rest. `exponent`: theirs is the product times a power of two.
bool rounded_product(Reals across, Reals down, int exponent, const Divisor &by, SampleDepth depth,
                     Weights *weights) {
  double scale = exact_sum(across);
  if (!by.sum && std::abs(scale) < kNearly * absolute_sum(across)) {
    scale = largest(across);
    if (first_is_negative(across)) scale = -scale;
  }
  for (double &u : across)
    u /= scale;
  int divisor_exponent = 0;
  const double divisor = by.sum ? exact_sum(down) : std::frexp(by.value, &divisor_exponent);
  for (double &v : down)
    v = by.sum ? v / divisor : std::ldexp(v * scale / divisor, exponent - divisor_exponent);
  if (!are_moderate(across) || !are_moderate(down)) return false;
  // 31 bits leave no room for 16-bit samples.
  return (depth.bits <= 12 && rounded_rows(across, down, depth.max(), true, weights)) ||
         rounded_rows(across, down, depth.max(), false, weights);
}

bool real_weights(const WeightsSource &source, const Divisor &by, SampleDepth depth,
                  Weights *weights) {
  Reals mask = source.mask, across = source.across, down = source.down;
  int exponent = 0;
  bool rank_1 = mask.empty();
  if (rank_1) {
    exponent = scale(&across) + scale(&down);
  } else {
    exponent = scale(&mask);
    rank_1 = split(mask, source.width, kNearly, &across, &down);
    for (const double peak = mask[pivot(mask)]; double &v : down)
      v /= peak;
  }
  if (rank_1 && rounded_product(across, down, exponent, by, depth, weights)) return true;

  if (mask.empty()) {
    if (source.width > kMaxMaskSize || source.height > kMaxMaskSize) return false;
    for (double v : down)
      for (double u : across)
        mask.push_back(v * u);
  }
  int divisor_exponent = 0;
  const double divisor = by.sum ? exact_sum(mask) : std::frexp(by.value, &divisor_exponent);
  for (double &h : mask)
    h = by.sum ? h / divisor : std::ldexp(h / divisor, exponent - divisor_exponent);
  if (!are_moderate(mask)) return false;
  return (depth.bits <= 12 && rounded_mask(mask, depth.max(), true, weights)) ||
         rounded_mask(mask, depth.max(), false, weights);
}

}  // namespace

SourceSums sums_of(const WeightsSource &source) {
  Reals mask = source.mask, across = source.across, down = source.down;
  SourceSums sums;
  if (mask.empty()) {
    scale(&across);
    scale(&down);
    sums = {exact_sum(across) * exact_sum(down), absolute_sum(across) * absolute_sum(down)};
  } else {
    scale(&mask);
    sums = {exact_sum(mask), absolute_sum(mask)};
  }
  if (std::abs(sums.sum) < kNearly * sums.absolute) sums.sum = 0;
  return sums;
}

bool make_weights(const WeightsSource &source, const Divisor &divisor, SampleDepth depth,
                  Weights *weights) {
  return exact_weights(source, divisor, depth.max(), weights) ||
         decimal_weights(source, divisor, depth.max(), weights) ||
         real_weights(source, divisor, depth, weights);
}

}  // namespace coalesce
