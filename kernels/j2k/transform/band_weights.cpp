// SPDX-License-Identifier: LGPL-2.1-or-later
#include "band_weights.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../canvas/geometry.h"

namespace coalesce::j2k {
namespace {

// Forward: odd samples get weight[0] times the sum of their neighbours, even ones weight[1], and so
// on; then odd ones times scale, even ones by scale.
struct Lifting {
  std::vector<double> weight;
  double scale;
};

Lifting lifting(Wavelet wavelet) {
  if (wavelet == Wavelet::reversible_53) return {{-0.5, 0.25}, 1};
  return {{-1.586134342059924, -0.052980118572961, 0.882911075530934, 0.443506852043971},
          1.230174104914001};
}

// The inverse of the transform makes a basis function of a coefficient; its transpose makes the
// filter with which the coefficient was computed.
enum class Way { inverse, transpose };

// One level up, from coefficients of which all but the low-pass or all but the high-pass ones are
// 0.
std::vector<double> one_level(const std::vector<double> &x, bool high, const Lifting &l, Way way) {
  constexpr std::size_t kExtra = 6;  // even; the steps reach four samples further
  std::vector<double> v(2 * x.size() + 2 * kExtra, 0.0);
  const double scale = high == (way == Way::inverse) ? 1 / l.scale : l.scale;
  for (std::size_t i = 0; i < x.size(); ++i)
    v[kExtra + 2 * i + (high ? 1 : 0)] = x[i] * scale;
  for (std::size_t step = l.weight.size(); step-- > 0;) {
    const bool odd = (step % 2 == 0) == (way == Way::inverse);
    const double weight = way == Way::inverse ? -l.weight[step] : l.weight[step];
    for (std::size_t i = odd ? 1 : 2; i + 1 < v.size(); i += 2)
      v[i] += weight * (v[i - 1] + v[i + 1]);
  }
  return v;
}

// Of one dimension, by level.
struct Line {
  double energy = 1, gain = 1;
};
using Lines = std::array<std::array<Line, 2>, kMaxLevels + 1>;  // low-pass, high-pass

Lines measure(Wavelet wavelet) {
  const Lifting l = lifting(wavelet);
  Lines lines;
  for (std::size_t high = 0; high < 2; ++high) {
    for (const Way way : {Way::inverse, Way::transpose}) {
      std::vector<double> x = {1};
      for (std::size_t level = 1; level <= kMaxLevels; ++level) {
        // (The last level's coefficient is the high-pass one; from there up it is low-pass.)
        x = level == 1 ? one_level(x, high != 0, l, way) : one_level(x, false, l, way);
        double sum = 0;
        for (double v : x)
          sum += way == Way::inverse ? v * v : std::abs(v);
        (way == Way::inverse ? lines[level][high].energy : lines[level][high].gain) = sum;
      }
    }
  }
  return lines;
}

const Lines &lines(Wavelet wavelet) {
  static const Lines reversible = measure(Wavelet::reversible_53);
  static const Lines irreversible = measure(Wavelet::irreversible_97);
  return wavelet == Wavelet::reversible_53 ? reversible : irreversible;
}

const Line &across(Wavelet wavelet, Band band, int level) {
  return lines(wavelet)[static_cast<std::size_t>(level)][high_across(band) ? 1 : 0];
}
const Line &down(Wavelet wavelet, Band band, int level) {
  return lines(wavelet)[static_cast<std::size_t>(level)][high_down(band) ? 1 : 0];
}

// By component and level, HL and LH, HH. (A table, since exp() need not be the same everywhere.)
constexpr std::int16_t kWeights[3][kMaxLevels][2] = {
    {{282, 89},
     {857, 732},
     {999, 978},
     {1021, 1017},
     {1024, 1023},
     {1024, 1024},
     {1024, 1024},
     {1024, 1024},
     {1024, 1024},
     {1024, 1024}},
    {{88, 27},
     {258, 134},
     {472, 326},
     {662, 538},
     {801, 713},
     {892, 835},
     {948, 913},
     {980, 960},
     {999, 988},
     {1010, 1003}},
    {{187, 82},
     {430, 283},
     {657, 531},
     {817, 732},
     {912, 863},
     {965, 938},
     {994, 979},
     {1008, 1001},
     {1016, 1012},
     {1020, 1018}},
};

}  // namespace

double band_energy(Wavelet wavelet, Band band, int level) {
  return across(wavelet, band, level).energy * down(wavelet, band, level).energy;
}

double band_gain(Wavelet wavelet, Band band, int level) {
  return across(wavelet, band, level).gain * down(wavelet, band, level).gain;
}

double colour_energy(Wavelet wavelet, int component) {
  if (component == 0) return 3;
  if (wavelet == Wavelet::reversible_53) return 0.75 * 0.75 + 2 * 0.25 * 0.25;
  return component == 1 ? 1.772 * 1.772 + 0.344136 * 0.344136 : 1.402 * 1.402 + 0.714136 * 0.714136;
}

double visual_weight(int component, Band band, int level) {
  if (band == Band::ll || level > kMaxLevels) return 1;
  return kWeights[component][level - 1][band == Band::hh ? 1 : 0] / 1024.0;
}

}  // namespace coalesce::j2k
