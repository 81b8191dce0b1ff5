// SPDX-License-Identifier: LGPL-2.1-or-later
// The preset laplacian-of-gaussian, whose sum must be nothing however little is left of its values.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "convolve_filter.h"
#include "convolve_settings.h"

namespace coalesce::test {
namespace {

// Sigma from 0.1 to 100, in steps of 1 % and in quarters.
std::vector<double> all_sigmas() {
  std::vector<double> sigmas;
  for (double sigma = kMinSigma; sigma < kMaxSigma; sigma *= 1.01)
    sigmas.push_back(sigma);
  for (int quarters = 1; quarters <= 400; ++quarters)
    sigmas.push_back(quarters / 4.0);
  return sigmas;
}

// The formula of docs/numerics.md, in long double.
std::vector<long double> laplacian_of_gaussian(int size, long double sigma) {
  std::vector<long double> h;
  long double sum = 0, mean = 0;
  for (int i = 0; i < size * size; ++i) {
    const int dx = i % size - size / 2, dy = i / size - size / 2;
    const long double r2 = dx * dx + dy * dy, s2 = sigma * sigma, g = std::exp(-r2 / (2 * s2));
    h.push_back(g * (r2 - 2 * s2) / (s2 * s2));
    sum += g;
    mean += h.back() / (size * size);
  }
  for (long double &x : h)
    x = (x - mean) / sum;
  return h;
}

// Of every size and sigma: the sum is nothing, mirrored elements are equal, all are the formula's.
TEST_CASE("laplacian of gaussian") {
  for (int size = 1; size <= kMaxMaskSize; size += 2)
    for (double sigma : all_sigmas()) {
      Mask mask;
      std::string error;
      CHECK_MESSAGE(preset_mask(MaskPreset::laplacian_of_gaussian, size, sigma, &mask, &error),
                    error);
      const auto expected = laplacian_of_gaussian(size, sigma);
      long double sum = 0, absolute = 0, off = 0, most = 0;
      bool mirrored = true;
      for (std::size_t i = 0; i < mask.at.size(); ++i) {
        sum += mask.at[i];
        absolute += std::abs(mask.at[i]);
        off = std::max(off, std::abs(mask.at[i] - expected[i]));
        most = std::max(most, std::abs(expected[i]));
        mirrored = mirrored && mask.at[i] == mask.at[mask.at.size() - 1 - i];
      }
      CHECK_MESSAGE(std::abs(sum) <= 1e-15L * absolute, "size ", size, ", sigma ", sigma, ": ", sum,
                    " of ", absolute);
      CHECK_MESSAGE(off <= 1e-12L * most, "size ", size, ", sigma ", sigma, ": ", off, " of ", most,
                    " off");
      CHECK_MESSAGE((mirrored && (size == 1 || most > 0)), "size ", size, ", sigma ", sigma);
    }
}

// A Laplacian of a Gaussian leaves a flat area in the middle of the range, whatever its size.
TEST_CASE("flat laplacians") {
  for (int size = 1; size <= kMaxMaskSize; size += 2)
    for (double sigma = kMinSigma; sigma <= kMaxSigma; sigma *= 1.07)
      for (SampleDepth depth : {k8, SampleDepth{10, 0}}) {
        FilterSettings s;
        std::string error;
        CHECK_MESSAGE(preset_mask(MaskPreset::laplacian_of_gaussian, size, sigma, &s.mask, &error),
                      error);
        const Filter filter = make(s, depth);
        const Sums weights = sums(filter);
        CHECK_MESSAGE(weights.up + weights.down == 0, "size ", size, ", sigma ", sigma);
        CHECK_MESSAGE(filter.level.after == filter.divisor * (2 * depth.middle() + 1) / 2, "size ",
                      size, ", sigma ", sigma, ", ", depth.bits, " bits: not around the middle");
      }
}

}  // namespace
}  // namespace coalesce::test
