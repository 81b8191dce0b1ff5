// SPDX-License-Identifier: LGPL-2.1-or-later
// Regions of interest: which coefficients they depend on, found by changing each; max-shift.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../guarded_plane.h"
#include "j2k/canvas/interval.h"
#include "j2k/transform/roi.h"
#include "j2k_wavelet_reference.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// The bands of a picture, LL first.
template <class Body>
void for_bands(int levels, Body body) {
  body(Band::ll, levels);
  for (int level = levels; level >= 1; --level)
    for (Band band : {Band::hl, Band::lh, Band::hh})
      body(band, level);
}

// The coefficients of a band of a row into whose basis function samples of `region` fall: the
// inverse transform is followed step by step, each of which spreads a sample to its neighbours.
// (What a basis function is there may be 0: it crosses 0 between two samples of a level, and at an
// edge its mirrored end may take back the rest.)
Interval reached(Wavelet wavelet, Interval row, Interval region, bool high, int level) {
  const int steps = wavelet == Wavelet::reversible_53 ? 2 : 4;
  const Interval low = low_after(row, level - 1);
  const Interval band = level == 0 ? row : high ? high_half(low) : low_half(low);
  Interval all = {INT32_MAX, 0};
  for (int k = band.first; k < band.end; ++k) {
    std::vector<char> has(static_cast<std::size_t>(band.size()), 0);
    has[static_cast<std::size_t>(k - band.first)] = 1;
    int first = band.first;
    for (int n = level; n >= 1; --n) {
      const Interval samples = low_after(row, n - 1);
      std::vector<char> above(static_cast<std::size_t>(samples.size()) + 2, 0);  // one at each side
      const int at = samples.first - 1;
      const int odd = high && n == level;
      for (int i = 0; i < static_cast<int>(has.size()); ++i)
        above[static_cast<std::size_t>(2 * (first + i) + odd - at)] =
            has[static_cast<std::size_t>(i)];
      for (int step = 0; step < steps; ++step)
        for (int i = samples.first; i < samples.end; ++i)
          if (i % 2 == step % 2) {
            const auto here = static_cast<std::size_t>(i - at);
            above[here] |= above[here - 1] | above[here + 1];
          }
      has.assign(above.begin() + 1, above.end() - 1);
      first = samples.first;
    }
    for (int i = region.first; i < region.end; ++i)
      if (row.contains(i) && has[static_cast<std::size_t>(i - row.first)])
        all = {std::min(all.first, k), k + 1};
  }
  return all;
}

std::string text_of(const Rect &r) {
  return std::to_string(r.x0) + ", " + std::to_string(r.y0) + " - " + std::to_string(r.x1) + ", " +
         std::to_string(r.y1);
}

// What the region depends on: if any other coefficient is changed, the region is not; and the
// rectangle is that of the basis functions that reach into it. (At a single level they are not 0
// there, so each of its sides has a coefficient that matters.)
template <class T>
void test_region(Wavelet wavelet, Random &random) {
  for (int i = 0; i < 12; ++i) {
    const int x = random.below(4), y = random.below(4);
    const Rect tc = {x, y, x + random.between(1, 30), y + random.between(1, 30)};
    Rect region = {random.between(0, tc.x1), random.between(0, tc.y1), 0, 0};
    region.x1 = region.x0 + random.between(0, 9);
    region.y1 = region.y0 + random.between(0, 9);
    const int levels = random.between(0, 3);
    for_bands(levels, [&](Band band, int level) {
      const Rect r = band_rect(tc, band, level), low = band_rect(tc, Band::ll, level);
      const Rect inside = roi_in_band(wavelet, tc, region, band, level);
      const std::string where = text_of(region) + " of " + text_of(tc) + " in band " +
                                std::to_string(static_cast<int>(band)) + " of level " +
                                std::to_string(level);
      const Interval across =
          reached(wavelet, {tc.x0, tc.x1}, {region.x0, region.x1}, high_across(band), level);
      const Interval down =
          reached(wavelet, {tc.y0, tc.y1}, {region.y0, region.y1}, high_down(band), level);
      const Rect reaching = across.empty() || down.empty()
                                ? Rect{}
                                : Rect{across.first, down.first, across.end, down.end};
      CHECK_MESSAGE(inside == reaching, where, ": ", text_of(inside), " instead of ",
                    text_of(reaching));
      Rect needed = {INT32_MAX, INT32_MAX, 0, 0};
      for (int v = r.y0; v < r.y1; ++v)
        for (int u = r.x0; u < r.x1; ++u) {
          ReferencePicture<T> p = {
              tc, std::vector<T>(static_cast<std::size_t>(tc.width() * tc.height()))};
          p((high_across(band) ? low.width() : 0) + u - r.x0,
            (high_down(band) ? low.height() : 0) + v - r.y0) = T(1 << 24);
          p.inverse(levels);
          bool matters = false;
          for (int b = std::max(region.y0, tc.y0); b < std::min(region.y1, tc.y1); ++b)
            for (int a = std::max(region.x0, tc.x0); a < std::min(region.x1, tc.x1); ++a)
              matters = matters || p(a - tc.x0, b - tc.y0) != 0;
          if (matters)
            needed = {std::min(needed.x0, u), std::min(needed.y0, v), std::max(needed.x1, u + 1),
                      std::max(needed.y1, v + 1)};
        }
      const bool all_inside = needed.empty() || (needed.x0 >= inside.x0 && needed.y0 >= inside.y0 &&
                                                 needed.x1 <= inside.x1 && needed.y1 <= inside.y1);
      CHECK_MESSAGE(all_inside, where, ": ", text_of(needed), " matters, not ", text_of(inside));
      if (level <= 1)
        CHECK_MESSAGE((needed.empty() ? inside == Rect{} : inside == needed), where, ": ",
                      text_of(inside), ", and ", text_of(needed), " matters");
    });
  }
}

TEST_CASE("max shift") {
  Random random = random_of_run(11);
  const GuardedPlane<std::int32_t> band(5, 4, random);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x)
      band.at(x, y) = (x - 2) * 64 + (x < 2 ? -63 : 63);
  CHECK_MESSAGE(max_shift(band.plane(), {1, 1, 4, 3}, 10, 6, nullptr).ok(), "sound");
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) {
      const bool in = x >= 1 && x < 4 && y >= 1 && y < 3;
      CHECK_MESSAGE(band.at(x, y) == (x - 2) * (in ? 1024 : 1), band.at(x, y), " at ", x, ", ", y);
    }
  CHECK_MESSAGE(band.guards_hold(), "guards");
  CHECK_MESSAGE((max_shift(band.plane(), {}, 10, 0, nullptr).ok() && band.at(2, 2) == 0),
                "nothing inside");
  CHECK_MESSAGE(!max_shift(band.plane(), {1, 1, 6, 3}, 10, 6, nullptr).ok(), "outside");
  CHECK_MESSAGE(!max_shift(band.plane(), {1, 1, 2, 2}, 31, 6, nullptr).ok(), "shift");
  CHECK_MESSAGE((check_max_shift(15).ok() && !check_max_shift(16).ok()), "planes");
}

TEST_CASE("region of 5/3") {
  Random random = random_of_run(12);
  test_region<std::int32_t>(Wavelet::reversible_53, random);
}

TEST_CASE("region of 9/7") {
  Random random = random_of_run(13);
  test_region<double>(Wavelet::irreversible_97, random);
}

}  // namespace
}  // namespace coalesce::test
