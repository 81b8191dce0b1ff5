// SPDX-License-Identifier: LGPL-2.1-or-later
// Norms of the basis functions, steps, bit-planes and weights; the quantiser.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../../support/small_run.h"
#include "../../guarded_plane.h"
#include "j2k/transform/quantiser.h"
#include "j2k_wavelet_reference.h"

namespace coalesce::test {
namespace {

using namespace j2k;

constexpr Band kBands[] = {Band::ll, Band::hl, Band::lh, Band::hh};
constexpr Wavelet kReversible = Wavelet::reversible_53, kIrreversible = Wavelet::irreversible_97;

bool near(double a, double b, double part) {
  return std::abs(a - b) <= part * std::abs(b);
}

// A coefficient in the middle of its band in a picture, and where it is in the plane.
struct Middle {
  int x, y;
};
Middle middle(const Rect &rect, Band band, int level) {
  const Rect r = band_rect(rect, band, level), low = band_rect(rect, Band::ll, level);
  return {(high_across(band) ? low.width() : 0) + r.width() / 2,
          (high_down(band) ? low.height() : 0) + r.height() / 2};
}

// By the inverse transform of the reference, whose integers are made large enough not to be
// rounded.
template <class T>
double measured_energy(Band band, int level, double unit) {
  const Rect rect = {0, 0, 256, 256};
  ReferencePicture<T> p = {rect, std::vector<T>(256 * 256)};
  const Middle m = middle(rect, band, level);
  p(m.x, m.y) = static_cast<T>(unit);
  p.inverse(level);
  double sum = 0;
  for (T v : p.at)
    sum += static_cast<double>(v) / unit * (static_cast<double>(v) / unit);
  return sum;
}

TEST_CASE("energies") {
  for (Band band : kBands)
    for (int level = 1; level <= 4; ++level) {
      const double e53 = band_energy(kReversible, band, level);
      const double e97 = band_energy(kIrreversible, band, level);
      CHECK_MESSAGE(near(measured_energy<std::int32_t>(band, level, 1 << 26), e53, 1e-5), "5/3 ",
                    static_cast<int>(band), " ", level, ": ", e53);
      CHECK_MESSAGE(near(measured_energy<double>(band, level, 1), e97, 1e-9), "9/7 ",
                    static_cast<int>(band), " ", level, ": ", e97);
    }
  // The known norms: (1/2, 1, 1/2) and (-1/8, -1/4, 3/4, -1/4, -1/8).
  CHECK_MESSAGE(near(band_energy(kReversible, Band::ll, 1), 1.5 * 1.5, 1e-12), "LL");
  CHECK_MESSAGE(near(band_energy(kReversible, Band::hh, 1), 0.71875 * 0.71875, 1e-12), "HH");
  for (Band band : kBands)
    for (Wavelet wavelet : {kReversible, kIrreversible}) {
      CHECK_MESSAGE((band_energy(wavelet, band, 0) == 1 && band_gain(wavelet, band, 0) == 1),
                    "level 0");
      // In the limit the norm doubles with each level.
      CHECK_MESSAGE(near(band_energy(wavelet, band, 10), 4 * band_energy(wavelet, band, 9), 0.01),
                    "level 10");
    }
}

// The picture with the largest coefficient is made of the signs of its filter. The filter is found
// by transforming single samples.
TEST_CASE("gains") {
  for (Band band : kBands)
    for (int level = 1; level <= 2; ++level) {
      const Rect rect = {0, 0, 40, 40};
      const Middle m = middle(rect, band, level);
      double sum = 0;
      for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 40; ++x) {
          ReferencePicture<double> p = {rect, std::vector<double>(40 * 40)};
          p(x, y) = 1;
          p.forward(level);
          sum += std::abs(p(m.x, m.y));
        }
      CHECK_MESSAGE(near(sum, band_gain(kIrreversible, band, level), 1e-9), "9/7 ",
                    static_cast<int>(band), " ", level, ": ", sum, ", ",
                    band_gain(kIrreversible, band, level));
    }
  // (-1/8, 1/4, 3/4, 1/4, -1/8) and (-1/2, 1, -1/2).
  CHECK_MESSAGE(near(band_gain(kReversible, Band::ll, 1), 1.5 * 1.5, 1e-12), "LL");
  CHECK_MESSAGE(near(band_gain(kReversible, Band::hh, 1), 2.0 * 2.0, 1e-12), "HH");
}

TEST_CASE("colour") {
  // Y, Cb, Cr of 1 as R, G, B.
  CHECK_MESSAGE((colour_energy(kReversible, 0) == 3 && colour_energy(kIrreversible, 0) == 3), "Y");
  CHECK_MESSAGE((near(colour_energy(kReversible, 1), 11.0 / 16, 1e-12) &&
                 near(colour_energy(kReversible, 2), 11.0 / 16, 1e-12)),
                "5/3");
  CHECK_MESSAGE((near(colour_energy(kIrreversible, 1), 3.2584, 1e-4) &&
                 near(colour_energy(kIrreversible, 2), 2.4756, 1e-4)),
                "9/7");
}

// The bands of a picture, LL first.
template <class Body>
void for_bands(int levels, Body body) {
  body(Band::ll, levels);
  for (int level = levels; level >= 1; --level)
    for (int i = 1; i < 4; ++i)
      body(kBands[i], level);
}

// E-3 and E-2; the exponent is the nominal one, or the smallest with which the bound of
// docs/numerics.md fits.
TEST_CASE("reversible") {
  for (int bits = 1; bits <= 16; ++bits)
    for (int guard = 0; guard <= 7; ++guard)
      for (int colour : {-1, 0, 1})
        for (int levels : {0, 1, 5, 10}) {
          const QuantiserParams p = {kReversible, levels, bits, colour, guard, 1, false};
          CHECK_MESSAGE(check_quantiser(p).ok(), check_quantiser(p).message());
          for_bands(levels, [&](Band band, int level) {
            const BandQuantiser q = band_quantiser(p, band, level);
            const double bound = ((colour == 1 ? 2 : 1) * std::ldexp(1.0, bits - 1) + 2 * level) *
                                 band_gain(kReversible, band, level);
            CHECK_MESSAGE((q.exponent >= 0 && q.exponent <= 31 && q.mantissa == 0 && q.step == 1 &&
                           q.planes == guard + q.exponent - 1 && bound < std::ldexp(1.0, q.planes)),
                          bits, " bits, G ", guard, ": ", q.planes, " planes");
            const int nominal = bits + log2_gain(band) + (colour == 1);
            CHECK_MESSAGE((q.exponent == nominal ||
                           (q.exponent > nominal && bound >= std::ldexp(1.0, q.planes - 1))),
                          bits, " bits, G ", guard, ", level ", level, ": ", q.exponent);
            CHECK_MESSAGE((bits < 8 || guard < 2 || q.exponent == nominal), bits, " bits, G ",
                          guard);
          });
        }
}

double value(const DistortionWeight &w) {
  return std::ldexp(w.mantissa, w.exponent);
}

// Rounded to 16 bits, also up to the next power of two.
TEST_CASE("distortion weight") {
  for (const double v : {1.0, 1.0 - 0x1p-17, 1.0 - 0x1p-30})
    for (const double power : {0x1p-20, 1.0, 0x1p31}) {
      const DistortionWeight w = distortion_weight(v * power);
      CHECK_MESSAGE((w.mantissa == 32768 && value(w) == power), v, ": ", w.mantissa);
    }
  CHECK_MESSAGE(distortion_weight(1 - 0x1p-16).mantissa == 65535, "65535");
}

TEST_CASE("irreversible") {
  Random random = random_of_run(9);
  for (int i = 0; i < few_of(400); ++i) {
    const QuantiserParams p = {
        kIrreversible,         random.below(11),
        random.between(1, 16), random.between(-1, 2),
        random.between(0, 7),  std::ldexp(1 + random.below(1000) / 1000.0, random.between(-5, 5)),
        random.below(2) != 0};
    CHECK_MESSAGE(check_quantiser(p).ok(), check_quantiser(p).message());
    const BandQuantiser ll = band_quantiser(p, Band::ll, p.levels);
    for_bands(p.levels, [&](Band band, int level) {
      const BandQuantiser q = band_quantiser(p, band, level, 0.5);
      // E-3, E-2.
      const double step =
          std::ldexp(1 + q.mantissa / 2048.0, p.bits + log2_gain(band) - q.exponent);
      CHECK_MESSAGE(
          (q.exponent >= 0 && q.exponent <= 31 && q.mantissa >= 0 && q.mantissa < 2048 &&
           static_cast<double>(q.step) == step && q.planes == p.guard_bits + q.exponent - 1 &&
           q.planes >= 0 && q.planes + kFractionBitsOf97 <= 31),
          "trial ", i, ": exponent ", q.exponent, ", mantissa ", q.mantissa, ", step ",
          static_cast<double>(q.step));
      const double energy = band_energy(kIrreversible, band, level);
      const double colour = p.colour < 0 ? 1 : colour_energy(kIrreversible, p.colour);
      CHECK_MESSAGE((near(value(q.weight), step * step * energy * colour, 1.0 / 65536) &&
                     q.weight.mantissa >= 32768 && q.visual_slope == -512),
                    "trial ", i, ": weight ", value(q.weight), ", slopes ", q.visual_slope);
      // The lowest plane that is not fine weighs from 1/2 to 2; it may be the one of the step.
      const double above = std::ldexp(step * step * energy, 2 * q.fine_planes);
      CHECK_MESSAGE((above >= 0.5 && (q.fine_planes == 0 || above < 2)), "trial ", i, ": ",
                    q.fine_planes, " fine planes");
      if (p.derived) {  // E-5
        CHECK_MESSAGE((q.exponent == ll.exponent - p.levels + level && q.mantissa == ll.mantissa),
                      "trial ", i, ": derived");
      } else {
        const double wanted = p.base_step / std::sqrt(energy * (p.colour < 0 ? 1 : 3));
        const bool at_limit =
            q.planes + kFractionBitsOf97 == 31 || q.exponent == (p.guard_bits == 0 ? 1 : 0);
        CHECK_MESSAGE((at_limit || near(step, wanted, 1.0 / 4096)), "trial ", i, ": ", step,
                      " instead of ", wanted);
      }
    });
  }
}

// With a step for a band: sign and floor of the magnitude in doubles, but for the last bit.
TEST_CASE("quantise") {
  Random random = random_of_run(10);
  ThreadPool three(3);
  for (int i = 0; i < few_of(60); ++i) {
    const QuantiserParams p = {kIrreversible,
                               3,
                               8,
                               -1,
                               random.between(1, 3),
                               std::ldexp(1 + random.below(1000) / 1000.0, random.between(-4, 3)),
                               false};
    const BandQuantiser q = band_quantiser(p, kBands[random.below(4)], 3);
    const int w = random.between(1, 300), h = random.between(1, 200);
    const GuardedPlane<float> in(w, h, random);
    const GuardedPlane<std::int32_t> out(w, h, random), shared(w, h, random);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        in.at(x, y) = std::ldexp(static_cast<float>(random.between(-(1 << 20), 1 << 20)),
                                 random.between(-14, i % 4 == 0 ? 8 : -9));
    const Status s = quantise(q, in.plane(), out.plane(), nullptr);
    CHECK_MESSAGE((s.ok() && quantise(q, in.plane(), shared.plane(), &three).ok() &&
                   out == shared && out.guards_hold() && shared.guards_hold()),
                  "trial ", i, ": ", s.message());
    const double limit = std::ldexp(1.0, q.planes + kFractionBitsOf97);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const double exact = static_cast<double>(in.at(x, y)) / static_cast<double>(q.step) * 64;
        const double magnitude = std::abs(static_cast<double>(out.at(x, y)));
        const double slack = 1e-6 * std::abs(exact);
        const bool fits =
            std::abs(exact) >= limit
                ? magnitude < limit && magnitude >= limit * (1 - 1e-6) - 1
                : magnitude <= std::abs(exact) + slack && magnitude > std::abs(exact) - 1 - slack;
        CHECK_MESSAGE((fits && (out.at(x, y) == 0 || (out.at(x, y) < 0) == (exact < 0))), "trial ",
                      i, ": ", out.at(x, y), " of ", exact);
      }
  }
  const BandQuantiser one = {0, 0, 8, 1, {}};
  const float exact[] = {1.0f, -1.0f, 0.999f, -0.02f, 0.0f, 300.0f, -1e9f, 255.75f};
  const std::int32_t expected[] = {64, -64, 63, -1, 0, 16383, -16383, 16368};
  std::int32_t out[8];
  CHECK_MESSAGE(quantise(one, {exact, 8, 1, 32}, {out, 8, 1, 32}, nullptr).ok(), "known");
  for (int i = 0; i < 8; ++i)
    CHECK_MESSAGE(out[i] == expected[i], static_cast<double>(exact[i]), " became ", out[i]);
}

void expect_refused(const char *what, QuantiserParams p) {
  const Status s = check_quantiser(p);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), what) != nullptr), "\"",
      s.message(), "\" does not say \"", what, "\"");
}

TEST_CASE("refused") {
  expect_refused("wavelet", {static_cast<Wavelet>(2), 5, 8, -1, 2, 1, false});
  expect_refused("resolutions", {kIrreversible, 11, 8, -1, 2, 1, false});
  expect_refused("bits of a component", {kIrreversible, 5, 17, -1, 2, 1, false});
  expect_refused("three components", {kIrreversible, 5, 8, 3, 2, 1, false});
  expect_refused("guard bits", {kIrreversible, 5, 8, -1, 8, 1, false});
  expect_refused("guard bits", {kIrreversible, 5, 8, -1, -1, 1, false});
  expect_refused("step", {kIrreversible, 5, 8, -1, 2, 0, false});
  expect_refused("step", {kIrreversible, 5, 8, -1, 2, std::nan(""), false});
  const float in[4] = {};
  std::int32_t out[4];
  CHECK_MESSAGE(!quantise({0, 0, 8, 1, {}}, {in, 2, 2, 8}, {out, 2, 1, 8}, nullptr).ok(), "sizes");
}

}  // namespace
}  // namespace coalesce::test
