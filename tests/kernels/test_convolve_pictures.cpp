// SPDX-License-Identifier: LGPL-2.1-or-later
// Whole pictures against the formula in float64: never more than 1 off, at 8 bits nearly always
// equal.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "convolve_pictures.h"
#include "convolve_random.h"
#include "convolve_settings.h"
#include "expect.h"

namespace coalesce::test {
namespace {

constexpr SampleDepth kSomeDepths[] = {{8, 0}, {10, 6}, {16, 0}};
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

// The luma of a real picture, every second sample each way of its middle; empty if there is none.
Picture real_luma() {
  const char *folder = std::getenv("COALESCE_TEST_DATA");
  if (folder == nullptr) return {};
  std::FILE *file = std::fopen((std::string(folder) + "/camera_1920x1080.uyvy").c_str(), "rb");
  if (file == nullptr) return {};
  std::vector<std::uint8_t> uyvy(1920 * 1080 * 2);
  const std::size_t read = std::fread(uyvy.data(), 1, uyvy.size(), file);
  std::fclose(file);
  if (read != uyvy.size()) throw std::runtime_error("camera_1920x1080.uyvy is cut short");
  return picture(kWidth, kHeight, [&](int x, int y) {
    const int from_x = 960 - kWidth + 2 * x, from_y = 540 - kHeight + 2 * y;
    return uyvy[static_cast<std::size_t>(2 * (from_y * 1920 + from_x) + 1)];
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
  const Picture real = real_luma();
  if (!real.samples.empty())
    all["real picture"] = real;
  else
    std::printf("SKIP: COALESCE_TEST_DATA names no folder with camera_1920x1080.uyvy\n");
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
  for (const auto &[name, in] : pictures)
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
        EXPECT(count.worst <= 1, "%s on %s at %d bits: %d off", mask.name.c_str(), name.c_str(),
               depth.bits, count.worst);
        if (depth.bits != 8) continue;
        if (count.equal() < 99.9)
          std::printf("%s on %s: %.3f %% equal\n", mask.name.c_str(), name.c_str(), count.equal());
        EXPECT(count.equal() >= kEachEqual, "%s on %s", mask.name.c_str(), name.c_str());
        sums[name].off += count.off;
        sums[name].all += count.all;
      }
  for (const auto &[name, count] : sums) {
    std::printf("%s, %s: %.4f %% equal at 8 bits\n", what, name.c_str(), count.equal());
    EXPECT(count.equal() >= kAllEqual, "%s, %s", what, name.c_str());
  }
}

}  // namespace
}  // namespace coalesce::test

int main() {
  using namespace coalesce::test;
  try {
    const std::map<std::string, Picture> in = pictures();
    test_all("presets", presets(), in);
    test_all("random masks", random_masks(), in);
  } catch (const std::exception &e) {
    EXPECT(false, "%s", e.what());
  }
  std::printf("%s\n", failures == 0 ? "ok" : "FAILED");
  return failures == 0 ? 0 : 1;
}
