// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_blocks.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <memory>

#include "../../../support/data.h"
#include "../../../support/fail.h"

namespace coalesce::test {
namespace {

using j2k::Band;

constexpr int kPhotographSide = 128, kBandSide = kPhotographSide / 2;

std::vector<std::uint8_t> read_photograph() {
  const std::string path = test_data("photograph_128x128.pgm");
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"),
                                                              std::fclose);
  constexpr std::size_t kHeader = 15, kSize = kPhotographSide * kPhotographSide;
  std::vector<std::uint8_t> bytes(kHeader + kSize);
  if (!file || std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size())
    fail("cannot read ", path);
  bytes.erase(bytes.begin(), bytes.begin() + kHeader);
  return bytes;
}

// One step of the S-transform: means and differences of pairs.
std::vector<std::int32_t> make_band(Band band) {
  static const std::vector<std::uint8_t> photograph = read_photograph();
  const bool across = band == Band::hl || band == Band::hh;
  const bool down = band == Band::lh || band == Band::hh;
  std::vector<std::int32_t> samples;
  for (int y = 0; y < kBandSide; ++y)
    for (int x = 0; x < kBandSide; ++x) {
      int row[2];
      for (int i = 0; i < 2; ++i) {
        const std::uint8_t *pair =
            &photograph[static_cast<std::size_t>((2 * y + i) * kPhotographSide + 2 * x)];
        row[i] = across ? pair[1] - pair[0] : ((pair[0] + pair[1]) >> 1) - 128;
      }
      samples.push_back(down ? row[1] - row[0] : (row[0] + row[1]) >> 1);
    }
  return samples;
}

double unit(Random &random) {
  return static_cast<double>(random.bits() >> 11) * 0x1p-53;
}

std::int32_t sample_of(Random &random, Content content, int planes, int x, int y) {
  const std::int32_t any = static_cast<std::int32_t>(random.bits());
  const int magnitude = static_cast<int>(random.bits() & ((1ull << planes) - 1) & INT_MAX);
  switch (content) {
    case Content::zeros:
    case Content::one:
    case Content::photograph:
      return 0;
    case Content::sparse:
      return random.below(40) != 0 ? 0 : any < 0 ? -magnitude : magnitude;
    case Content::dense:
      return any < 0 ? -magnitude : magnitude;
    case Content::laplacian: {
      const double spread = std::min(std::ldexp(1.0, planes - 3), 1e8);
      const int v = static_cast<int>(-spread * std::log(1 - unit(random)) / 2);
      return any < 0 ? -v : v;
    }
    case Content::gradient:
      return 3 * x - 2 * y;
    case Content::extremes:
      return any % 3 == 0 ? INT_MIN : any % 3 == 1 ? INT_MAX : -INT_MAX;
  }
  return 0;
}

const char *name(Content content) {
  static const char *const kNames[] = {"zeros",     "one",      "sparse",   "dense",
                                       "laplacian", "gradient", "extremes", "photograph"};
  return kNames[static_cast<int>(content)];
}

int random_side(Random &random) {
  switch (random.below(4)) {
    case 0:
      return random.between(1, 9);
    case 1:
      return random.between(1, 70);
    case 2:
      return 4 << random.below(9);
    default:
      return random.between(1, j2k::kMaxBlockSide);
  }
}

}  // namespace

const std::vector<std::int32_t> &photograph_band(Band band) {
  static const std::vector<std::int32_t> bands[] = {make_band(Band::ll), make_band(Band::hl),
                                                    make_band(Band::lh), make_band(Band::hh)};
  return bands[static_cast<int>(band)];
}

j2k::CodeBlock TestBlock::block() const {
  j2k::CodeBlock b = {};
  b.samples = samples.data();
  b.pitch = pitch;
  b.width = width;
  b.height = height;
  b.fraction_bits = fraction_bits;
  b.max_planes = j2k::kMaxPlanes;
  b.band = band;
  b.style = static_cast<std::uint8_t>(style);
  return b;
}

std::string TestBlock::text() const {
  static const char *const kBands[] = {"LL", "HL", "LH", "HH"};
  char text[160];
  std::snprintf(text, sizeof text, "%d x %d, pitch %d, %s, %s, style %u, %d fraction bits", width,
                height, pitch, name(content), kBands[static_cast<int>(band)], style, fraction_bits);
  return text;
}

TestBlock block_of(Random &random, int width, int height, Content content) {
  TestBlock made = {};
  made.width = width;
  made.height = height;
  made.pitch = width + (random.below(2) == 0 ? 0 : random.below(5));
  made.content = content;
  made.band = static_cast<Band>(random.below(4));
  // Half of all have one flag or none.
  made.style = random.below(2) == 0 ? static_cast<unsigned>(random.below(64))
                                    : 1u << random.below(7) & j2k::kAllBlockStyles;
  made.fraction_bits = random.below(2) == 0 ? 0 : random.below(14);
  const int planes = random.below(8) == 0 ? random.between(1, 31) : random.between(1, 12);
  // What lies between the rows must not matter.
  made.samples.assign(static_cast<std::size_t>(made.pitch * height), INT_MAX);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      std::int32_t &sample = made.samples[static_cast<std::size_t>(y * made.pitch + x)];
      sample = sample_of(random, content, planes, x, y);
      if (content == Content::photograph)
        sample =
            photograph_band(
                made.band)[static_cast<std::size_t>(y % kBandSide * kBandSide + x % kBandSide)] *
            (1 << made.fraction_bits);
    }
  if (content == Content::one)
    made.samples[static_cast<std::size_t>(random.below(height) * made.pitch +
                                          random.below(width))] = random.below(2) == 0 ? 1 : -1000;
  return made;
}

TestBlock random_block(Random &random, int most_samples) {
  int width = 0, height = 0;
  do {
    width = random_side(random);
    height = random_side(random);
  } while (width * height > most_samples);
  static constexpr Content kContents[] = {
      Content::zeros,    Content::one,       Content::sparse,
      Content::dense,    Content::laplacian, Content::laplacian,
      Content::gradient, Content::extremes,  Content::photograph};
  return block_of(random, width, height, random.pick(kContents));
}

}  // namespace coalesce::test
