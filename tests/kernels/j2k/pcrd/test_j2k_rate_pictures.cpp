// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation on pictures that went through all stages before it, and what a decoder makes of
// the result. By hand: test-j2k-rate-pictures FILE, a P5 or P6 of any size.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "../../../support/data.h"
#include "../../../support/doctest.h"
#include "../tier2/j2k_coded_picture.h"
#include "j2k/pcrd/rate.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

struct Trial {
  const char *name;
  const CodedPicture &coded;
  Wavelet wavelet;
  RateAllocator rate = {};

  std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (const RateBlock &b : coded.blocks().blocks)
      sum += length_of(b, b.num_passes);
    return sum;
  }
  void allocate(const std::vector<LayerBudget> &targets, PacketHeaders *headers) {
    const Blocks &blocks = coded.blocks();
    CHECK_MESSAGE(
        rate.prepare(blocks.blocks.size(), blocks.most_passes(), static_cast<int>(targets.size()))
            .ok(),
        "memory");
    const Status s = rate.allocate(blocks.blocks.data(), targets.data(), headers, nullptr);
    CHECK_MESSAGE(s.ok(), name, ": ", s.message());
  }
};

// Not a byte too much, and 98 % used, unless that is all there is.
void test_sizes(Trial &t) {
  for (const int percent : {3, 10, 25, 50, 80, 98, 150}) {
    ModelHeaders headers(t.coded.blocks(), 16);
    const std::uint64_t limit = t.all() * static_cast<unsigned>(percent) / 100 + 100;
    t.allocate({{Kind::bytes, limit}}, &headers);
    const std::uint64_t body = bytes_of(t.coded.blocks(), t.rate.table().layer(0));
    const std::uint64_t total = body + headers.all(t.rate.table());
    CHECK_MESSAGE((total <= limit && (total * 100 >= limit * 98 || body == t.all())), t.name, ": ",
                  total, " of ", limit, " bytes");
    std::printf("%s: %7llu bytes, %.4f used, %d calls, %.2f dB\n", t.name,
                static_cast<unsigned long long>(limit),
                static_cast<double>(total) / static_cast<double>(limit), headers.calls,
                t.coded.psnr(t.coded.error(t.rate.table().layer(0)).exact));
  }
}

// As good as asked on the sums of the passes' distortions, without more than a step to spare; and
// decoded, as near as errors of coefficients add up: `slack` dB.
void test_psnr(Trial &t, double slack) {
  EncoderParams params;
  params.coding = t.coded.params();
  params.wavelet = t.wavelet;
  params.colour_transform = params.coding.num_components == 3;
  for (const double wanted : {28.0, 32.0, 36.0, 40.0, 44.0, 48.0, 52.0}) {
    const std::uint64_t target = target_at_psnr(params, wanted).value;
    t.allocate({{Kind::error, target}}, nullptr);
    const std::uint8_t *row = t.rate.table().layer(0);
    long double left = 0;
    for (std::size_t i = 0; i < t.coded.blocks().blocks.size(); ++i) {
      const RateBlock &b = t.coded.blocks().blocks[i];
      left += gain_of(b, b.num_passes) - gain_of(b, row[i]) +
              std::ldexp(static_cast<long double>(b.final_error) * b.weight.mantissa,
                         b.weight.exponent - 6);
    }
    const double used = static_cast<double>(left * kErrorUnits) / static_cast<double>(target);
    CHECK_MESSAGE((used < 1.0001 && used > std::pow(10, -0.04)), t.name, ": ", wanted,
                  " dB: ", used, " of the error that may be");
    const double psnr = t.coded.psnr(t.coded.error(row).rounded);
    CHECK_MESSAGE(std::abs(psnr - wanted) < slack, t.name, ": ", psnr, " instead of ", wanted,
                  " dB");
    std::printf("%s: %.1f dB: %.3f of the error, %.3f dB decoded\n", t.name, wanted, used, psnr);
  }
}

void test_layers(Trial &t) {
  ModelHeaders headers(t.coded.blocks(), 16);
  const std::uint64_t limit = t.all() / 2;
  std::vector<LayerBudget> targets(6, LayerBudget{Kind::automatic, 0});
  targets.back() = {Kind::bytes, limit};
  t.allocate(targets, &headers);
  double before = 0;
  std::uint64_t body_before = 0;
  for (int l = 0; l < 6; ++l) {
    const std::uint64_t body = bytes_of(t.coded.blocks(), t.rate.table().layer(l));
    const double psnr = t.coded.psnr(t.coded.error(t.rate.table().layer(l)).exact);
    std::printf("%s: layer %d, %llu bytes, %.2f dB\n", t.name, l,
                static_cast<unsigned long long>(body), psnr);
    CHECK_MESSAGE(psnr > before, t.name, ": layer ", l);
    CHECK_MESSAGE((l == 0 || body > body_before), t.name, ": layer ", l);
    before = psnr;
    body_before = body;
  }
  targets.back() = {};
  t.allocate(targets, nullptr);
  const CodedPicture::Error all = t.coded.error(t.rate.table().layer(5));
  CHECK_MESSAGE((t.wavelet == Wavelet::irreversible_97 || all.exact == 0), t.name,
                ": all passes leave an error of ", all.exact);
}

void test(const char *name, const PlainPicture &picture, double slack_97, double slack_53) {
  for (const bool reversible : {false, true}) {
    CodingChoice choice;
    choice.wavelet = reversible ? Wavelet::reversible_53 : Wavelet::irreversible_97;
    choice.block_log2 = picture.width > 300 ? 6 : 4;
    choice.base_step = 0.25;
    const CodedPicture coded(picture, choice);
    const std::string full = std::string(name) + (reversible ? ", 5/3" : ", 9/7");
    Trial t = {full.c_str(), coded, choice.wavelet};
    test_sizes(t);
    test_psnr(t, reversible ? slack_53 : slack_97);
    test_layers(t);
  }
}

// --picture=FILE: another one, a P5 or P6 of any size.
TEST_CASE("photograph") {
  const char *named = option("picture");
  const std::string file = named != nullptr ? named : test_data("photograph_128x128.pgm");
  const PlainPicture picture = read_pnm(file.c_str());
  REQUIRE_MESSAGE(!picture.samples.empty(), "cannot read ", file);
  test("photograph", picture, named != nullptr ? 0.2 : 0.15, 0.6);
}

TEST_CASE("made") {
  test("made", made_picture(400, 300, 3, 1), 0.65, 0.85);
}

}  // namespace
}  // namespace coalesce::test
