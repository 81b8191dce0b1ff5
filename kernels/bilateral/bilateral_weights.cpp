// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "bilateral.h"

namespace coalesce {
namespace {

std::uint16_t weight(double distance, double sigma) {
  const double x = distance / sigma;
  return static_cast<std::uint16_t>(std::floor(65535 * std::exp(-x * x / 2) + 0.5));
}

bool is_sigma(double sigma) {
  return sigma >= kMinBilateralSigma && sigma <= kMaxBilateralSigma;
}

}  // namespace

Status make_bilateral(const BilateralSettings &settings, const PixelFormat &format,
                      Bilateral *bilateral) {
  Bilateral b;
  b.depth = sample_depth(format);
  if (b.depth.bits == 0) return invalid_argument("bilateral: no such format");
  if (settings.radius < 1 || settings.radius > kMaxBilateralRadius)
    return invalid_argument("bilateral: the radius must be from 1 to 9");
  if (!is_sigma(settings.sigma_space) || !is_sigma(settings.sigma_range))
    return invalid_argument("bilateral: a sigma must be from 0.1 to 1000");
  b.radius = settings.radius;
  b.rgb = format.has(Role::r);
  for (int i = 0; i <= b.radius; ++i) {
    while (i * i + (b.half[i] + 1) * (b.half[i] + 1) <= b.radius * b.radius)
      ++b.half[i];
    for (int j = 0; j <= b.half[i]; ++j)
      b.space[i][j] = weight(std::sqrt(i * i + j * j), settings.sigma_space);
  }
  const double sigma = settings.sigma_range * b.depth.max() / 255;
  // Up to the first entry that is 0, or the largest distance.
  const int most = b.depth.max() * (b.rgb ? 3 : 1);
  for (b.shift = 0;; ++b.shift) {
    const int end = (most + (1 << b.shift >> 1)) >> b.shift;
    for (b.last = 0;; ++b.last) {
      b.range[b.last] = weight(static_cast<double>(b.last << b.shift), sigma);
      if (b.range[b.last] == 0 || b.last == end || b.last == Bilateral::kEntries - 1) break;
    }
    if (b.range[b.last] == 0 || b.last == end) break;
  }
  *bilateral = b;
  return {};
}

}  // namespace coalesce
