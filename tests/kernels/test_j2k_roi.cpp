// SPDX-License-Identifier: LGPL-2.1-or-later
// Regions of interest: which coefficients they depend on, found by changing each; max-shift.
#include <algorithm>
#include <vector>

#include "../support/doctest.h"
#include "../support/random.h"
#include "guarded_plane.h"
#include "j2k/roi.h"
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

// What the region depends on: if any other coefficient is changed, the region is not; and the
// rectangle is no larger than it must be.
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
      CHECK_MESSAGE((needed.empty() ? inside == Rect{} : inside == needed), region.x0, ", ",
                    region.y0, " - ", region.x1, ", ", region.y1, " in band ",
                    static_cast<int>(band), " of level ", level, ": ", inside.x0, ", ", inside.y0,
                    " - ", inside.x1, ", ", inside.y1, " instead of ", needed.x0, ", ", needed.y0,
                    " - ", needed.x1, ", ", needed.y1);
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

// (Of other regions, at an edge, a coefficient may cancel itself out; then it seems not to matter.)
TEST_CASE("region of 5/3") {
  Random random(12);
  test_region<std::int32_t>(Wavelet::reversible_53, random);
}

TEST_CASE("region of 9/7") {
  Random random(13);
  test_region<double>(Wavelet::irreversible_97, random);
}

}  // namespace
}  // namespace coalesce::test
