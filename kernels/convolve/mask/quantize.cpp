// SPDX-License-Identifier: LGPL-2.1-or-later
#include "quantize.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace coalesce {
namespace {

double scaled_sum(const std::vector<double> &values, bool absolute) {
  constexpr int kBits = 94;  // 2^32 numbers of so many bits fit 127
  int exponent = 0;
  std::frexp(largest(values), &exponent);
  Int128 sum = 0;
  for (double x : values)
    sum += static_cast<Int128>(std::ldexp(absolute ? std::abs(x) : x, kBits - exponent));
  return std::ldexp(static_cast<double>(sum), exponent - kBits);
}

// 0 to count - 1, so that each stretch of the order lies all over the range: steps of the golden
// ratio, each followed by its mirror image.
std::vector<std::size_t> scattered(std::size_t count) {
  const std::size_t pairs = count / 2;
  std::size_t step = std::max<std::size_t>(pairs * 618 / 1000, 1);
  while (std::gcd(step, pairs) > 1)
    ++step;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < pairs; ++i) {
    order.push_back(i * step % pairs);
    order.push_back(count - 1 - order.back());
  }
  if (count % 2 == 1) order.push_back(pairs);
  return order;
}

// The caller has seen to it that the weights fit.
Quantized round_at(const std::vector<double> &values, double sum, int q) {
  Quantized result;
  result.q = q;
  std::vector<double> error;  // of each weight
  std::int64_t excess = -std::llround(std::floor(std::ldexp(sum, q) + 0.5));
  for (double x : values) {
    const double exact = std::ldexp(x, q);
    const double rounded = std::floor(exact + 0.5);
    result.weights.push_back(static_cast<std::int32_t>(rounded));
    error.push_back(rounded - exact);
    excess += result.weights.back();
  }
  // The weights that rounding has moved furthest make up for the excess. Moves are compared in
  // steps of 2^-12, lest the last bit of a value decide. Of equals, opposite ones follow each
  // other, so that what is symmetrical stays so if the excess is even; and they are spread, lest
  // moves on one side add up on pictures that differ from side to side.
  const int step = excess > 0 ? 1 : -1;
  std::vector<std::size_t> order = scattered(values.size());
  if (excess != 0)
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::floor(error[a] * step * 4096 + 0.5) > std::floor(error[b] * step * 4096 + 0.5);
    });
  for (std::size_t i = 0; excess != 0 && i < order.size(); ++i, excess -= step) {
    result.weights[order[i]] -= step;
    error[order[i]] -= step;
  }
  double up = 0, down = 0, squares = 0;
  for (double e : error) {
    (e > 0 ? up : down) += std::abs(e);
    squares += e * e;
  }
  result.error = std::ldexp(std::max(up, down), -q);
  result.noise = std::ldexp(std::sqrt(squares), -q);
  return result;
}

}  // namespace

double largest(const std::vector<double> &values) {
  double most = 0;
  for (double x : values)
    most = std::max(most, std::abs(x));
  return most;
}

double exact_sum(const std::vector<double> &values) {
  return scaled_sum(values, false);
}

double absolute_sum(const std::vector<double> &values) {
  return scaled_sum(values, true);
}

std::optional<Primitive> primitive(const std::vector<double> &values) {
  struct Odd {  // times 2^exponent
    std::int64_t number = 0;
    int exponent = 0;
  };
  std::vector<Odd> parts;
  Primitive result;
  result.odd = 0;
  result.exponent = INT32_MAX;
  for (double x : values) {
    Odd part;
    part.number = std::llround(std::ldexp(std::frexp(x, &part.exponent), 53));
    part.exponent -= 53;
    for (; part.number != 0 && part.number % 2 == 0; ++part.exponent)
      part.number /= 2;
    if (part.number != 0) {
      result.odd = std::gcd(result.odd, part.number);
      result.exponent = std::min(result.exponent, part.exponent);
    }
    parts.push_back(part);
  }
  for (const Odd &part : parts) {
    const std::int64_t number = part.number / result.odd;
    const int shift = number != 0 ? part.exponent - result.exponent : 0;
    if (shift > 53 || std::abs(number) > (std::int64_t{1} << 53 >> shift)) return {};
    result.integers.push_back(number * (std::int64_t{1} << shift));
  }
  return result;
}

double take_decimals(std::vector<double> *values) {
  constexpr double kMost = 1e6;
  for (double power = 1; power <= kMost; power *= 10) {
    std::vector<double> integers;
    for (double x : *values) {
      const double exact = x * power, whole = std::floor(exact + 0.5);
      if (!(std::abs(exact) < INT32_MAX) || std::abs(exact - whole) > 1e-12 * std::abs(exact))
        break;
      integers.push_back(whole);
    }
    if (integers.size() < values->size()) continue;
    *values = std::move(integers);
    return power;
  }
  return 1;
}

std::optional<Quantized> quantize(const std::vector<double> &values, int top, int bottom,
                                  const std::function<bool(const Quantized &)> &accept) {
  const double most = largest(values);
  const double sum = exact_sum(values);
  for (int q = top; q >= bottom; --q) {
    if (!(std::ldexp(most, q) < INT32_MAX - 1)) continue;
    Quantized result = round_at(values, sum, q);
    if (accept(result)) return result;
  }
  return {};
}

std::optional<Quantized> quantize_dyadic(const std::vector<double> &values) {
  const double most = largest(values);
  for (int q = 0; q <= 20 && std::ldexp(most, q) < INT32_MAX; ++q) {
    Quantized result;
    result.q = q;
    for (double x : values) {
      const double exact = std::ldexp(x, q);
      const double rounded = std::floor(exact + 0.5);
      if (std::abs(exact - rounded) > std::ldexp(most, q) * 1e-12) break;
      result.weights.push_back(static_cast<std::int32_t>(rounded));
    }
    if (result.weights.size() == values.size()) return result;
  }
  return {};
}

}  // namespace coalesce
