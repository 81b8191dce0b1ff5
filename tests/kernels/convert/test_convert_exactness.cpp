// SPDX-License-Identifier: LGPL-2.1-or-later
// How near convert is to its formula in float64: what docs/numerics.md claims. Prints the worst.
//   --all   all 2^24 colours, instead of every 51st plane of them
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "convert_reference.h"
#include "owned_picture.h"

namespace coalesce::test {
namespace {

constexpr double kEqual = 0.99;
constexpr double kMean = 0.02;

void run(const ConvertParams &params, const OwnedPicture &in, const OwnedPicture &out) {
  const Status s = convert(params, in.image(), out.image(), Queue::cpu());
  REQUIRE_MESSAGE(s.ok(), s.message());
}

struct Count {
  long samples = 0, unequal = 0, sum = 0;
  int furthest = 0;

  void add(int got, int expected) {
    const int difference = got - expected;
    ++samples;
    unequal += difference != 0;
    sum += difference;
    furthest = std::max(furthest, std::abs(difference));
  }
  double equal_share() const {
    return 1 - static_cast<double>(unequal) / static_cast<double>(samples);
  }
  double mean() const { return static_cast<double>(sum) / static_cast<double>(samples); }
};

struct Worst {
  double equal = 1, mean = 0;
  int furthest = 0;

  void add(const Count &count, const std::string &what) {
    CHECK_MESSAGE(count.equal_share() >= kEqual, count.equal_share(), ", ", what);
    CHECK_MESSAGE(std::abs(count.mean()) < kMean, count.mean(), ", ", what);
    CHECK_MESSAGE(count.furthest <= 1, count.furthest, ", ", what);
    equal = std::min(equal, count.equal_share());
    mean = std::max(mean, std::abs(count.mean()));
    furthest = std::max(furthest, count.furthest);
  }
  void print(const char *what) const {
    std::printf("%s: at least %.3f %% equal, mean difference at most %.4f, off by %d at most\n",
                what, 100 * equal, mean, furthest);
  }
};

int rounded(double value, int maximum) {
  return static_cast<int>(std::clamp(std::floor(value + 0.5), 0.0, static_cast<double>(maximum)));
}

// Every matrix with every pair of ranges.
std::vector<ConvertParams> all_params() {
  std::vector<ConvertParams> all;
  for (int i = 0; i < 20; ++i) {
    ConvertParams params;
    params.matrix = static_cast<YuvMatrix>(i / 4);
    params.in_range = static_cast<SampleRange>(i / 2 % 2);
    params.out_range = static_cast<SampleRange>(i % 2);
    all.push_back(params);
  }
  return all;
}

// The formula as docs/numerics.md has it, of 8 bits.
void rgb_of(const ConvertParams &params, int y, int u, int v, double (&rgb)[3]) {
  static const double shares[][2] = {
      {0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}, {0.212, 0.087}, {0.30, 0.11}};
  const double kr = shares[static_cast<int>(params.matrix)][0];
  const double kb = shares[static_cast<int>(params.matrix)][1];
  const bool from_full = params.in_range == SampleRange::full;
  const bool to_full = params.out_range == SampleRange::full;
  const double luma = (y - (from_full ? 0 : 16)) / (from_full ? 255.0 : 219.0);
  const double cb = (u - 128) / (from_full ? 255.0 : 224.0);
  const double cr = (v - 128) / (from_full ? 255.0 : 224.0);
  rgb[0] = luma + 2 * (1 - kr) * cr;
  rgb[2] = luma + 2 * (1 - kb) * cb;
  rgb[1] = (luma - kr * rgb[0] - kb * rgb[2]) / (1 - kr - kb);
  for (double &value : rgb)
    value = value * (to_full ? 255 : 219) + (to_full ? 0 : 16);
}

TEST_CASE("yuv to rgb") {
  Worst worst;
  const OwnedPicture in("Y444", 256, 256),
      out("RGBP", 256, 256);  // a column for each U, a row for each V
  for (const ConvertParams &params : all_params()) {
    Count count;
    for (int y = 0; y < 256; y += all() ? 1 : 51) {
      for (int i = 0; i < 65536; ++i) {
        in.plane(0)[i] = static_cast<std::uint8_t>(y);
        in.plane(1)[i] = static_cast<std::uint8_t>(i % 256);
        in.plane(2)[i] = static_cast<std::uint8_t>(i / 256);
      }
      run(params, in, out);
      for (int i = 0; i < 65536; ++i) {
        double rgb[3];
        rgb_of(params, y, i % 256, i / 256, rgb);
        for (int c = 0; c < 3; ++c)
          count.add(out.plane(c)[i], rounded(rgb[c], 255));
      }
    }
    worst.add(count, text(params));
  }
  worst.print(all() ? "every colour of 8 bits" : "every 51st luma of 8 bits");
}

// Of any depth and with filtered chroma, by chance.
TEST_CASE("depths") {
  Random random = random_of_run(1);
  Worst to_rgb, to_yuv, between;
  const auto compare = [&](const char *from, const char *to, Worst *worst) {
    const bool interlaced = random.below(2) == 0;
    OwnedPicture in(from, 64, 64, interlaced);
    const OwnedPicture out(to, 64, 64, interlaced);
    for (ConvertParams params : all_params()) {
      params.in_site = {random.below(2) == 0, random.below(2) == 0};
      params.out_site = {random.below(2) == 0, random.below(2) == 0};
      in.fill(random);
      run(params, in, out);
      const ConvertReference exact(params, in.image(), out.image().format, Weights::exact);
      Count count;
      for (int i = 0; i < out.image().format.components; ++i) {
        const PixelComponent &c = out.image().format.component[i];
        for (int y = 0; y < 64 >> c.log2_height; ++y)
          for (int x = 0; x < 64 >> c.log2_width; ++x)
            count.add(sample_of(out.image(), c, x, y),
                      rounded(exact.real(c, x, y), (1 << c.bits) - 1));
      }
      worst->add(count, std::string(from) + " to " + to + ", " + text(params));
    }
  };
  const char *const yuv[] = {"NV12",      "Y41B", "Y42B",      "v210",
                             "P010_10LE", "Y410", "I422_12LE", "AYUV64"};
  const char *const rgb[] = {"RGBA", "GBR_10LE", "GBR_12LE", "ARGB64"};
  for (const char *a : yuv) {
    for (const char *b : rgb) {
      compare(a, b, &to_rgb);
      compare(b, a, &to_yuv);
    }
    for (const char *b : yuv)
      compare(a, b, &between);
  }
  to_rgb.print("YUV of 8 to 16 bits to RGB of 8 to 16");
  to_yuv.print("RGB of 8 to 16 bits to YUV of 8 to 16");
  between.print("YUV to YUV of 8 to 16 bits");
}

// RGB to YUV and back, of 4:4:4 and the full range.
TEST_CASE("round trip") {
  const OwnedPicture in("RGBP", 256, 256), yuv("Y444", 256, 256), back("RGBP", 256, 256);
  for (int matrix = 0; matrix < 5; ++matrix) {
    ConvertParams params;
    params.matrix = static_cast<YuvMatrix>(matrix);
    long colours = 0, equal = 0;
    int furthest = 0;
    for (int red = 0; red < 256; red += all() ? 1 : 51) {
      for (int i = 0; i < 65536; ++i) {
        in.plane(0)[i] = static_cast<std::uint8_t>(red);
        in.plane(1)[i] = static_cast<std::uint8_t>(i / 256);
        in.plane(2)[i] = static_cast<std::uint8_t>(i % 256);
      }
      run(params, in, yuv);
      run(params, yuv, back);
      for (int i = 0; i < 65536; ++i) {
        int difference = 0;
        for (int c = 0; c < 3; ++c)
          difference = std::max(difference, std::abs(back.plane(c)[i] - in.plane(c)[i]));
        ++colours;
        equal += difference == 0;
        furthest = std::max(furthest, difference);
      }
    }
    CHECK_MESSAGE(furthest <= 1, text(params));
    std::printf("round trip, %s: %ld colours, %.2f %% equal, off by %d at most\n",
                text(params).c_str(), colours,
                100 * static_cast<double>(equal) / static_cast<double>(colours), furthest);
  }
}

}  // namespace
}  // namespace coalesce::test
