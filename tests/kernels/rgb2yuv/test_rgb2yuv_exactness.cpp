// SPDX-License-Identifier: LGPL-2.1-or-later
// How near rgb2yuv is to its formula in float64: what docs/numerics.md claims. Prints the worst.
//   test-rgb2yuv-exactness [--all]   all 2^24 colours instead of every 17th red of them
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../../support/doctest.h"
#include "../../support/random.h"
#include "../plane_sizes.h"
#include "picture/formats.h"
#include "rgb2yuv_reference.h"

namespace coalesce::test {
namespace {

constexpr double kEqual = 0.995;
constexpr double kMean = 0.003;
constexpr double kFiltered = 0.51;  // rounding alone takes 0.5 of it

// Every matrix with every pair of ranges.
std::vector<Rgb2yuvParams> all_params() {
  std::vector<Rgb2yuvParams> all;
  for (int i = 0; i < 20; ++i) {
    Rgb2yuvParams params;
    params.matrix = static_cast<YuvMatrix>(i / 4);
    params.in_range = static_cast<SampleRange>(i / 2 % 2);
    params.out_range = static_cast<SampleRange>(i % 2);
    all.push_back(params);
  }
  return all;
}

std::string text(const Rgb2yuvParams &params) {
  static const char *const matrix[] = {"bt601", "bt709", "bt2020", "smpte240m", "fcc"};
  static const char *const range[] = {"full", "limited"};
  return std::string(matrix[static_cast<int>(params.matrix)]) + ", " +
         range[static_cast<int>(params.in_range)] + " to " +
         range[static_cast<int>(params.out_range)];
}

// Pixels of rgb and what they become.
class Picture {
 public:
  Picture(int width, int height)
      : width_(width), height_(height), in_(static_cast<std::size_t>(3 * width * height)) {}

  std::vector<std::uint8_t> &bytes() { return in_; }  // R G B R G B ...
  ConstImage rgb(bool interlaced = false) const {
    return {pixel_format("RGB"),
            width_,
            height_,
            interlaced,
            {{in_.data(), 3 * width_, height_, pitch(3 * width_)}}};
  }
  const Image &convert(const Rgb2yuvParams &params, const char *format = "Y444",
                       bool interlaced = false) {
    yuv_ = {pixel_format(format), width_, height_, interlaced, {}};
    const std::vector<PlaneSize> sizes = plane_sizes(yuv_.format, width_, height_);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const PlaneSize &size = sizes[i];
      out_[i].assign(pitch(size.row_bytes) * static_cast<std::size_t>(size.height), 0);
      yuv_.plane[i] = {out_[i].data(), size.row_bytes, size.height, pitch(size.row_bytes)};
    }
    const Status s = rgb2yuv(params, rgb(interlaced), yuv_, Queue::cpu());
    CHECK_MESSAGE(s.ok(), s.message());
    return yuv_;
  }

 private:
  static std::size_t pitch(int row_bytes) { return static_cast<std::size_t>(row_bytes); }

  int width_, height_;
  std::vector<std::uint8_t> in_, out_[3];
  Image yuv_;
};

// The formula as docs/numerics.md has it, for samples from 0 to 255.
struct Formula {
  double kr, kg, kb, black, levels, y_offset, y_levels, c;

  explicit Formula(const Rgb2yuvParams &params) {
    static const double shares[][2] = {
        {0.299, 0.114}, {0.2126, 0.0722}, {0.2627, 0.0593}, {0.212, 0.087}, {0.30, 0.11}};
    kr = shares[static_cast<int>(params.matrix)][0];
    kb = shares[static_cast<int>(params.matrix)][1];
    kg = 1 - kr - kb;
    const bool from_full = params.in_range == SampleRange::full;
    const bool to_full = params.out_range == SampleRange::full;
    black = from_full ? 0 : 16;
    levels = from_full ? 255 : 219;
    y_offset = to_full ? 0 : 16;
    y_levels = to_full ? 255 : 219;
    c = to_full ? 255 : 224;
  }
};

double saturated(double value) {
  return std::min(std::max(value, 0.0), 255.0);
}

// floor(value + 0.5): of what is not negative, the conversion is the floor.
std::uint8_t rounded(double value) {
  return static_cast<std::uint8_t>(static_cast<int>(saturated(value) + 0.5));
}

struct Count {
  long samples = 0;
  long unequal = 0;
  long far = 0;  // off by more than 1
  long sum = 0;  // of differences

  void add(const std::uint8_t *got, const std::uint8_t *expected, int n) {
    int row_unequal = 0, row_far = 0, row_sum = 0;
    for (int i = 0; i < n; ++i) {
      const int difference = got[i] - expected[i];
      row_unequal += difference != 0;
      row_far += difference > 1 || difference < -1;
      row_sum += difference;
    }
    samples += n;
    unequal += row_unequal;
    far += row_far;
    sum += row_sum;
  }
  double equal_share() const {
    return 1 - static_cast<double>(unequal) / static_cast<double>(samples);
  }
  double mean() const { return static_cast<double>(sum) / static_cast<double>(samples); }
};

// All blues of a red and a green.
void add_row(Count counts[3], const Formula &f, int red, int green, const Image &got) {
  std::uint8_t y[256], u[256], v[256];
  const double r = (red - f.black) / f.levels;
  const double g = (green - f.black) / f.levels;
  for (int blue = 0; blue < 256; ++blue) {
    const double b = (blue - f.black) / f.levels;
    const double luma = f.kr * r + f.kg * g + f.kb * b;
    y[blue] = rounded(f.y_offset + f.y_levels * luma);
    u[blue] = rounded(128 + f.c * (b - luma) / (2 * (1 - f.kb)));
    v[blue] = rounded(128 + f.c * (r - luma) / (2 * (1 - f.kr)));
  }
  counts[0].add(got.plane[0].row(green), y, 256);
  counts[1].add(got.plane[1].row(green), u, 256);
  counts[2].add(got.plane[2].row(green), v, 256);
}

// --all: every red, not one of 17.
TEST_CASE("colours") {
  const int red_step = all() ? 1 : 17;
  double least_equal = 1;
  double worst_mean = 0;
  Picture picture(256, 256);  // of one red: a row for each green, a column for each blue
  for (const Rgb2yuvParams &params : all_params()) {
    const Formula formula(params);
    Count counts[3];
    for (int red = 0; red < 256; red += red_step) {
      for (std::size_t i = 0; i < 65536; ++i) {
        picture.bytes()[3 * i] = static_cast<std::uint8_t>(red);
        picture.bytes()[3 * i + 1] = static_cast<std::uint8_t>(i / 256);
        picture.bytes()[3 * i + 2] = static_cast<std::uint8_t>(i % 256);
      }
      const Image &got = picture.convert(params);
      for (int green = 0; green < 256; ++green)
        add_row(counts, formula, red, green, got);
    }
    for (int i = 0; i < 3; ++i) {
      const Count &c = counts[i];
      CHECK_MESSAGE(c.far == 0, c.far, " of ", std::string(1, "YUV"[i]), ", ", text(params));
      CHECK_MESSAGE(c.equal_share() >= kEqual, c.equal_share(), " of ", std::string(1, "YUV"[i]),
                    ", ", text(params));
      CHECK_MESSAGE(std::abs(c.mean()) < kMean, c.mean(), " of ", std::string(1, "YUV"[i]), ", ",
                    text(params));
      least_equal = std::min(least_equal, c.equal_share());
      worst_mean = std::max(worst_mean, std::abs(c.mean()));
    }
  }
  std::printf("every %s of the colours: at least %.3f %% equal, mean difference at most %.4f\n",
              red_step == 1 ? "one" : "17th red", 100 * least_equal, worst_mean);
}

TEST_CASE("greys") {
  Picture picture(256, 1);
  for (std::size_t i = 0; i < picture.bytes().size(); ++i)
    picture.bytes()[i] = static_cast<std::uint8_t>(i / 3);
  for (const Rgb2yuvParams &params : all_params()) {
    const Image &got = picture.convert(params);
    for (int level = 0; level < 256; ++level)
      CHECK_MESSAGE((got.plane[1].data[level] == 128 && got.plane[2].data[level] == 128), "grey ",
                    level, " becomes ", got.plane[1].data[level], ", ", got.plane[2].data[level],
                    ": ", text(params));
    const Formula f(params);
    const int black = got.plane[0].data[static_cast<int>(f.black)];
    const int white = got.plane[0].data[static_cast<int>(f.black + f.levels)];
    CHECK_MESSAGE(black == f.y_offset, black, ": ", text(params));
    CHECK_MESSAGE(white == f.y_offset + f.y_levels, white, ": ", text(params));
  }
}

// The numbers that everyone knows, of JPEG files.
TEST_CASE("jpeg") {
  Picture picture(64, 64);
  std::vector<std::uint8_t> expected[3];
  for (int i = 0; i < 4096; ++i) {
    const int rgb[] = {i / 256 * 17, i / 16 % 16 * 17, i % 16 * 17};
    for (int c = 0; c < 3; ++c)
      picture.bytes()[static_cast<std::size_t>(3 * i + c)] = static_cast<std::uint8_t>(rgb[c]);
    const auto [r, g, b] = rgb;
    expected[0].push_back(rounded(0.299 * r + 0.587 * g + 0.114 * b));
    expected[1].push_back(rounded(-0.168736 * r - 0.331264 * g + 0.5 * b + 128));
    expected[2].push_back(rounded(0.5 * r - 0.418688 * g - 0.081312 * b + 128));
  }
  Rgb2yuvParams params;
  params.out_range = SampleRange::full;
  const Image &got = picture.convert(params);
  for (int c = 0; c < 3; ++c) {
    Count count;
    count.add(got.plane[c].data, expected[c].data(), 4096);
    CHECK_MESSAGE((count.far == 0 && count.equal_share() >= kEqual), std::string(1, "YUV"[c]), ": ",
                  count.equal_share());
  }
}

struct Site {
  const char *format;
  bool interlaced;
  Rgb2yuvParams params;
};

// The sites of every format that has less chroma than luma, progressive and interlaced.
std::vector<Site> all_sites(Rgb2yuvParams params) {
  std::vector<Site> all;
  for (const char *format : {"Y42B", "I420"}) {
    for (int i = 0; i < 8; ++i) {
      params.h_cosited = i % 2 != 0;
      params.v_cosited = i / 2 % 2 != 0;
      all.push_back({format, i / 4 != 0, params});
    }
  }
  return all;
}

// Filtered chroma against the filtered formula, before it is rounded.
TEST_CASE("filtered") {
  Random random = random_of_run(1);
  double worst = 0;
  for (const auto &[width, height] : {std::pair{1, 1}, {2, 2}, {7, 5}, {33, 6}, {40, 19}}) {
    Picture picture(width, height);
    for (const Rgb2yuvParams &ranges : all_params()) {
      const bool extremes = random.below(2) == 0;
      for (std::uint8_t &byte : picture.bytes())
        byte = static_cast<std::uint8_t>(extremes ? 255 * random.below(2) : random.below(256));
      for (const auto &[format, interlaced, params] : all_sites(ranges)) {
        const YuvComponents exact = yuv_formula(params);
        const Image &got = picture.convert(params, format, interlaced);
        const RgbPicture source(params, picture.rgb(interlaced), got.format);
        for (int c = 0; c < got.plane[1].width; ++c) {
          for (int y = 0; y < got.plane[1].height; ++y) {
            const double u = saturated(source.chroma(exact.u, c, y));
            const double v = saturated(source.chroma(exact.v, c, y));
            worst = std::max({worst, std::abs(got.plane[1].row(y)[c] - u),
                              std::abs(got.plane[2].row(y)[c] - v)});
          }
        }
      }
    }
  }
  CHECK(worst <= kFiltered);
  std::printf("filtered chroma: at most %.4f from what it is before rounding\n", worst);
}

// However much chroma there is and wherever it sits, that of one colour is the same.
TEST_CASE("flat") {
  Random random = random_of_run(2);
  Picture pixel(1, 1);
  Picture picture(9, 7);
  for (int i = 0; i < 30; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      pixel.bytes()[c] = static_cast<std::uint8_t>(random.bits());
    for (std::size_t j = 0; j < picture.bytes().size(); ++j)
      picture.bytes()[j] = pixel.bytes()[j % 3];
    for (const Rgb2yuvParams &ranges : all_params()) {
      const Image &colour = pixel.convert(ranges);
      for (const Site &site : all_sites(ranges)) {
        const Image &got = picture.convert(site.params, site.format, site.interlaced);
        for (int p = 0; p < 3; ++p) {
          const std::uint8_t *first = got.plane[p].data;
          const std::uint8_t *end = got.plane[p].row(got.plane[p].height);
          CHECK_MESSAGE(std::count(first, end, *colour.plane[p].data) == end - first, "plane ", p,
                        ": ", text(site.params));
        }
      }
    }
  }
}

}  // namespace
}  // namespace coalesce::test
