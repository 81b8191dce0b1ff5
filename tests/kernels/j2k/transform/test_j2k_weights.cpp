// SPDX-License-Identifier: LGPL-2.1-or-later
// Visual weighting: the table, and which bands have what of it.
#include <cmath>

#include "../../../support/doctest.h"
#include "j2k/encoder/encoder_plan.h"
#include "j2k/transform/band_weights.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// By the formula that visual_weight.h has.
TEST_CASE("table") {
  const double a[] = {1.29, 2.45, 1.70}, p[] = {2.86, 0.83, 0.97}, c[] = {1.25, 1.6, 1.5};
  for (int component = 0; component < 3; ++component) {
    CHECK_MESSAGE(
        (visual_weight(component, Band::ll, 5) == 1 && visual_weight(component, Band::hh, 11) == 1),
        "LL");
    for (int level = 1; level <= 10; ++level)
      for (Band band : {Band::hl, Band::lh, Band::hh}) {
        const double f = std::ldexp(band == Band::hh ? c[component] : 1, 1 - level);
        const double exact = std::exp(-a[component] * std::pow(f, p[component]));
        CHECK_MESSAGE(std::abs(visual_weight(component, band, level) - exact) <= 0.5001 / 1024,
                      component, ", ", level);
      }
  }
}

EncoderParams picture(int components) {
  EncoderParams params;
  params.coding.image = {0, 0, 64, 64};
  params.coding.num_components = components;
  params.coding.levels = 1;
  return params;
}

// With visual weighting, fine detail is worth less, and colour less than luma. Errors stay errors.
TEST_CASE("bands") {
  EncoderParams params = picture(3);
  params.colour_transform = true;
  EncoderPlan plain, visual;
  CHECK_MESSAGE(make_plan(params, &plain).ok(), "make");
  params.visual_weighting = true;
  CHECK_MESSAGE(make_plan(params, &visual).ok(), "make");
  int slope[12];  // LL, HL, LH, HH of Y, Cb, Cr
  for (std::size_t b = 0; b < 12; ++b) {
    const BandQuantiser &with = visual.bands[b / 4].bands[b % 4];
    const BandQuantiser &without = plain.bands[b / 4].bands[b % 4];
    slope[b] = with.visual_slope;
    CHECK_MESSAGE((with.weight.mantissa == without.weight.mantissa &&
                   with.weight.exponent == without.weight.exponent && without.visual_slope == 0),
                  "band ", b);
    CHECK_MESSAGE((b % 4 == 0 ? slope[b] == 0 : slope[b] < 0), "band ", b, ": ", slope[b]);
    CHECK_MESSAGE((b % 4 != 3 || slope[b] < slope[b - 1]), "band ", b, ": ", slope[b]);
    CHECK_MESSAGE((b % 4 == 0 || b < 4 || slope[b] < slope[b % 4]), "band ", b, ": ", slope[b]);
  }
}

// Which component of the table a component's bands have, and how many levels further; -1: none.
struct Expected {
  int component, further;
};

void expect_weights(const char *what, const EncoderParams &params,
                    std::initializer_list<Expected> expected) {
  EncoderPlan plan;
  CHECK_MESSAGE(make_plan(params, &plan).ok(), "make");
  std::size_t c = 0;
  for (const Expected &e : expected) {
    for (int b = 0; b < 4; ++b) {
      const double weight =
          e.component < 0 ? 1 : visual_weight(e.component, static_cast<Band>(b), 1 + e.further);
      const int slope = static_cast<int>(std::floor(512 * std::log2(weight) + 0.5));
      const int got = plan.bands[c].bands[static_cast<std::size_t>(b)].visual_slope;
      CHECK_MESSAGE(got == slope, what, ", component ", c, ", band ", b, ": ", got, " instead of ",
                    slope);
    }
    ++c;
  }
}

// Chroma is known by the transform, or by being coarser; alpha and R, G, B are none.
TEST_CASE("components") {
  EncoderParams params = picture(4);
  params.visual_weighting = true;
  const auto with_chroma = [params](int dx, int dy) {
    EncoderParams p = params;
    p.coding.component[1] = p.coding.component[2] = {dx, dy, 8};
    return p;
  };
  expect_weights("4:4:4", params, {{0, 0}, {-1, 0}, {-1, 0}, {-1, 0}});
  expect_weights("4:2:2", with_chroma(2, 1), {{0, 0}, {1, 0}, {2, 0}, {-1, 0}});
  expect_weights("4:2:0", with_chroma(2, 2), {{0, 0}, {1, 1}, {2, 1}, {-1, 0}});
  expect_weights("4:1:1", with_chroma(4, 1), {{0, 0}, {1, 1}, {2, 1}, {-1, 0}});
  params.colour_transform = true;
  expect_weights("RGBA", params, {{0, 0}, {1, 0}, {2, 0}, {-1, 0}});
}

}  // namespace
}  // namespace coalesce::test
