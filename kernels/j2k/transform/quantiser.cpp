// SPDX-License-Identifier: LGPL-2.1-or-later
#include "quantiser.h"

#include <algorithm>
#include <cmath>

#include "../../core/clones.h"
#include "../canvas/geometry.h"
#include "quantiser_sample.h"

namespace coalesce::j2k {
namespace {

constexpr int kMantissaBits = 11;
constexpr int kMaxExponent = 31;

// Irreversible, as a part of what a sample's unit weighs: between one plane and the next, where
// steps are sample units times powers of two. (Between 1 / 4 and 1; which it is mattered little.)
constexpr double kFineWeight = 0.5;

// R_b of E-4.
int dynamic_range(const QuantiserParams &p, Band band) {
  return p.bits + log2_gain(band);
}

// How many bits the largest magnitude needs. Rounding adds less than 2 in each level, and that goes
// through the levels behind it like a sample.
int bits_needed(const QuantiserParams &p, Band band, int level) {
  const double largest = p.colour > 0 ? (1 << p.bits) : (1 << (p.bits - 1));
  const double bound = (largest + 2 * level) * band_gain(Wavelet::reversible_53, band, level);
  return std::ilogb(bound) + 1;
}

int reversible_exponent(const QuantiserParams &p, Band band, int level) {
  const int nominal = dynamic_range(p, band) + (p.colour > 0);
  return std::max(nominal, bits_needed(p, band, level) - p.guard_bits + 1);
}

double energy(const QuantiserParams &p, Band band, int level) {
  return band_energy(p.wavelet, band, level) *
         (p.colour >= 0 ? colour_energy(p.wavelet, p.colour) : 1);
}

struct StepSize {
  int exponent, mantissa;
};

// E-3 the other way round: step = 2^(range - exponent) * (1 + mantissa / 2^11), to the nearest.
// `least`: the smallest exponent allowed.
StepSize nearest_step(double step, int range, int guard_bits, int least) {
  int power;
  const double fraction = std::frexp(step, &power);  // 0.5 to less than 1
  int mantissa = static_cast<int>(std::floor((2 * fraction - 1) * (1 << kMantissaBits) + 0.5));
  int exponent = range - (power - 1);
  if (mantissa == 1 << kMantissaBits) {
    mantissa = 0;
    --exponent;
  }
  // The sum of planes and fraction is at most 31 bits: an int32 without its sign.
  const int most = std::min(kMaxExponent, 31 - kFractionBitsOf97 - guard_bits + 1);
  if (exponent > most) return {most, 0};
  if (exponent < least) return {least, (1 << kMantissaBits) - 1};
  return {exponent, mantissa};
}

StepSize irreversible_step(const QuantiserParams &p, Band band, int level) {
  const Band of = p.derived ? Band::ll : band;
  const int of_level = p.derived ? p.levels : level;
  const double colour = p.colour >= 0 ? colour_energy(p.wavelet, 0) : 1;
  const double wanted = p.base_step / std::sqrt(band_energy(p.wavelet, of, of_level) * colour);
  // With derived steps the exponent of level 1 is levels - 1 below that of LL.
  const int least = (p.guard_bits == 0) + (p.derived ? std::max(p.levels - 1, 0) : 0);
  StepSize step = nearest_step(wanted, dynamic_range(p, of), p.guard_bits, least);
  if (p.derived) step.exponent -= p.levels - level;
  return step;
}

COALESCE_CLONES
void quantise_row(const float *__restrict in, std::int32_t *__restrict out, int width, float factor,
                  float limit) {
  for (int x = 0; x < width; ++x)
    out[x] = quantised(in[x], factor, limit);
}

}  // namespace

DistortionWeight distortion_weight(double value) {
  int power;
  const double fraction = std::frexp(value, &power);
  int mantissa = static_cast<int>(std::floor(fraction * 65536 + 0.5));
  if (mantissa == 65536) {
    mantissa = 32768;
    ++power;
  }
  return {static_cast<std::uint16_t>(mantissa), static_cast<std::int16_t>(power - 16)};
}

double fine_base_step(bool colour_transform) {
  return colour_transform ? std::sqrt(colour_energy(Wavelet::irreversible_97, 0)) / 4 : 0.5;
}

QuantiserParams quantiser_params(const EncoderParams &p, int component) {
  return {p.wavelet,
          p.coding.levels,
          p.coding.component[static_cast<std::size_t>(component)].bits,
          p.colour_transform && component < 3 ? component : -1,
          p.guard_bits,
          p.base_step,
          p.derived};
}

Status check_quantiser(const QuantiserParams &p) {
  if (p.wavelet > Wavelet::irreversible_97) return invalid_argument("j2k: no such wavelet");
  if (p.levels < 0 || p.levels > kMaxLevels)
    return invalid_argument("j2k: the number of resolutions is not 1 to 11");
  if (p.bits < 1 || p.bits > kMaxBits)
    return invalid_argument("j2k: the bits of a component are not 1 to 16");
  if (p.colour < -1 || p.colour > 2)
    return invalid_argument("j2k: the component transform has three components");
  if (p.guard_bits < 0 || p.guard_bits > 7)
    return invalid_argument("j2k: the number of guard bits is not 0 to 7");
  if (!(p.base_step > 0 && std::isfinite(p.base_step)))
    return invalid_argument("j2k: the quantiser's step is not above 0");
  return {};
}

BandQuantiser band_quantiser(const QuantiserParams &p, Band band, int level, double visual) {
  BandQuantiser q = {};
  q.step = 1;
  if (p.wavelet == Wavelet::reversible_53) {
    q.exponent = reversible_exponent(p, band, level);
  } else {
    const StepSize step = irreversible_step(p, band, level);
    q.exponent = step.exponent;
    q.mantissa = step.mantissa;
    q.step = std::ldexp(static_cast<float>((1 << kMantissaBits) + q.mantissa),
                        dynamic_range(p, band) - q.exponent - kMantissaBits);
  }
  q.planes = p.guard_bits + q.exponent - 1;
  const double step = static_cast<double>(q.step);
  q.weight = distortion_weight(step * step * energy(p, band, level));
  q.visual_slope = static_cast<int>(std::floor(2 * 256 * std::log2(visual) + 0.5));
  if (p.wavelet == Wavelet::irreversible_97)
    for (double w = step * step * band_energy(p.wavelet, band, level); w < kFineWeight; w *= 4)
      ++q.fine_planes;
  return q;
}

Status quantise(const BandQuantiser &band, const Plane<const float> &in,
                const Plane<std::int32_t> &out, ThreadPool *pool) {
  if (Status s = check_plane(in); !s.ok()) return s;
  if (Status s = check_plane(out); !s.ok()) return s;
  if (in.width != out.width || in.height != out.height)
    return invalid_argument("j2k: planes of the quantiser differ in size");
  const float factor = quantiser_factor(band.step);
  const float limit = quantiser_limit(band.planes);
  const int grain = std::max(1, (1 << 14) / in.width);
  for_ranges(pool, in.height, grain, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      quantise_row(in.row(y), out.row(y), in.width, factor, limit);
  });
  return {};
}

}  // namespace coalesce::j2k
