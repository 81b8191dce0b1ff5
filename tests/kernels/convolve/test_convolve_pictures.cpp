// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole pictures against the formula in float64: never more than 1 off, at 8 bits nearly always
// equal.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "../../support/data.h"
#include "../../support/doctest.h"
#include "convolve_pictures.h"
#include "convolve_random.h"
#include "convolve_settings.h"

namespace coalesce::test {
namespace {

constexpr SampleDepth kSomeDepths[] = {{8, 0}, {10, 6}, {12, 4}, {16, 0}};
constexpr int kWidth = 120, kHeight = 72;

// Per cent at 8 bits. Noise of the full range under a large mask is the worst that can be.
constexpr double kAllEqual = 99.9, kEachEqual = 99.7;

struct Named {
  std::string name;
  FilterSettings settings;
};

// All presets in some sizes.
std::vector<Named> presets() {
  std::vector<Named> all;
  for (int preset = 1; preset <= static_cast<int>(MaskPreset::emboss); ++preset)
    for (int size : {0, 3, 5, 7, 15, 31})
      if (const auto s = preset_settings(static_cast<MaskPreset>(preset), size))
        all.push_back({"mask " + std::to_string(preset) + ", size " + std::to_string(size), *s});
  for (int preset = 1; preset <= static_cast<int>(RowPreset::gaussian_y); ++preset)
    for (int size : {0, 9, 31, 63})
      if (const auto s = preset_settings(static_cast<RowPreset>(preset), size))
        all.push_back({"rows " + std::to_string(preset) + ", size " + std::to_string(size), *s});
  return all;
}

// Real masks of sum 1, and signed ones.
std::vector<Named> random_masks() {
  Random random(11);
  std::vector<Named> all;
  for (int i = 0; i < 24; ++i) {
    Named mask = {"random mask " + std::to_string(i), {}};
    const int side = random.pick({2, 3, 5, 7, 9, 15});
    mask.settings.mask = {side, side, {}};
    for (int k = 0; k < side * side; ++k)
      mask.settings.mask.at.push_back(uniform(random) - (i % 2 == 0 ? 0 : 0.4));
    mask.settings.correlate = i % 3 == 0;
    all.push_back(mask);
  }
  return all;
}

// The luma of a real picture, every second sample each way of its middle.
Picture real_luma() {
  std::ifstream file(test_data("camera_320x180.uyvy"), std::ios::binary);
  std::vector<char> uyvy(320 * 180 * 2);
  REQUIRE(file.read(uyvy.data(), static_cast<long>(uyvy.size())).good());
  return picture(kWidth, kHeight, [&](int x, int y) {
    const int from_x = 160 - kWidth + 2 * x, from_y = 90 - kHeight + 2 * y;
    return static_cast<std::uint8_t>(
        uyvy[static_cast<std::size_t>(2 * (from_y * 320 + from_x) + 1)]);
  });
}

// 8-bit pictures; others are scaled from them.
std::map<std::string, Picture> pictures() {
  Random random(12);
  std::map<std::string, Picture> all;
  all["noise"] = picture(kWidth, kHeight, [&](int, int) { return random.below(256); });
  // No slope twice: where sums near a half would repeat, they would count for nothing or for all.
  all["gradient"] = picture(kWidth, kHeight, [](int x, int y) {
    return static_cast<int>(255 * std::pow((x + 0.7 * y) / (kWidth + 0.7 * kHeight), 1.7));
  });
  all["real picture"] = real_luma();
  return all;
}

Picture deepened(const Picture &in, SampleDepth depth, Random &random) {
  const int extra = depth.bits - 8;
  return picture(in.width, in.height,
                 [&](int x, int y) { return in.at(x, y) << extra | random.below(1 << extra); });
}

struct Count {
  int off = 0, all = 0, worst = 0;

  void add(const Picture &result, const std::vector<double> &ideal, SampleDepth depth) {
    for (std::size_t i = 0; i < ideal.size(); ++i) {
      const double rounded = std::clamp(std::floor(ideal[i] + 0.5), 0.0, double(depth.max()));
      const int difference = std::abs(result.samples[i] - static_cast<int>(rounded));
      worst = std::max(worst, difference);
      off += difference != 0;
      ++all;
    }
  }
  double equal() const { return 100.0 * (all - off) / all; }
};

void test_all(const char *what, const std::vector<Named> &masks,
              const std::map<std::string, Picture> &pictures) {
  Random random(13);
  std::map<std::string, Count> sums;
  for (const auto &named : pictures) {
    const std::string &name = named.first;
    const Picture &in = named.second;
    for (const Named &mask : masks)
      for (SampleDepth depth : kSomeDepths) {
        if (depth.bits != 8 && name != "noise") continue;
        const Picture deep = deepened(in, depth, random);
        const Surroundings around = {
            static_cast<Border>(random.below(5)), random.between(0, depth.max()),
            random.below(4) == 0 ? ChannelRole::chroma : ChannelRole::level};
        Count count;
        count.add(filtered(mask.settings, depth, deep, around),
                  ideally_filtered(mask.settings, depth, deep, around), depth);
        CHECK_MESSAGE(count.worst <= 1, mask.name, " on ", name, " at ", depth.bits,
                      " bits: ", count.worst, " off");
        if (depth.bits != 8) continue;
        if (count.equal() < 99.9)
          std::printf("%s on %s: %.3f %% equal\n", mask.name.c_str(), name.c_str(), count.equal());
        CHECK_MESSAGE(count.equal() >= kEachEqual, mask.name, " on ", name);
        sums[name].off += count.off;
        sums[name].all += count.all;
      }
  }
  for (const auto &sum : sums) {
    const std::string &name = sum.first;
    const Count &count = sum.second;
    std::printf("%s, %s: %.4f %% equal at 8 bits\n", what, name.c_str(), count.equal());
    CHECK_MESSAGE(count.equal() >= kAllEqual, what, ", ", name);
  }
}

TEST_CASE("presets") {
  test_all("presets", presets(), pictures());
}

TEST_CASE("random masks") {
  test_all("random masks", random_masks(), pictures());
}

}  // namespace
}  // namespace coalesce::test
