// SPDX-License-Identifier: LGPL-2.1-or-later
// Tier-1 of JPEG 2000: blocks of every kind, size and style, judged by a decoder.
#include <cstdlib>
#include <cstring>
#include <string>

#include "../../../support/doctest.h"
#include "../../../support/small_run.h"
#include "../encoder/j2k_trial.h"
#include "j2k/tier1/tier1.h"
#include "j2k_blocks.h"

namespace coalesce::test {
namespace {

// Through the front door, with buffers of just the size that is asked for.
Encoded encode(j2k::Tier1Coder &coder, const TestBlock &test, int planes) {
  Encoded encoded;
  j2k::CodeBlock block = test.block();
  block.max_planes = planes + 2;
  encoded.planes = planes;
  encoded.passes.resize(static_cast<std::size_t>(planes == 0 ? 0 : 3 * planes - 2));
  encoded.bytes.resize(j2k::tier1_bytes_bound(block.width * block.height, planes, block.style));
  j2k::CodedBlock coded = {};
  const Status status = coder.encode(block, encoded.passes.data(), encoded.bytes.data(),
                                     encoded.bytes.size(), &coded);
  CHECK_MESSAGE(status.ok(), status.message());
  CHECK_MESSAGE(
      (coded.zero_planes == 2 && coded.passes == static_cast<int>(encoded.passes.size()) &&
       coded.length <= encoded.bytes.size()),
      coded.zero_planes, " zero planes, ", coded.passes, " passes, ", coded.length, " bytes");
  encoded.bytes.resize(coded.length);
  return encoded;
}

// The serial model's result is what the decoder wants, and the library's is the same.
void expect_sound(j2k::Tier1Coder &coder, const TestBlock &test, std::uint64_t seed) {
  Encoded serial = encode_serially(test.block());
  std::string wrong = judge(test, serial);
  if (wrong.empty()) wrong = difference(serial, encode_in_parallel(test.block()));
  serial.symbols.clear();
  if (wrong.empty()) wrong = difference(serial, encode(coder, test, serial.planes));
  CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", test.text(), ": ", wrong);
}

TEST_CASE("styles") {
  j2k::Tier1Coder coder;
  for (unsigned style = 0; style < 64; ++style)
    for (int band = 0; band < 4; ++band) {
      Random random = random_of_run(style * 4 + static_cast<unsigned>(band));
      TestBlock test = block_of(random, 19, 22, Content::laplacian);
      test.style = style;
      test.band = static_cast<j2k::Band>(band);
      expect_sound(coder, test, style);
    }
}

// All that a code-block may measure, and what is cut off at the edge of a band.
TEST_CASE("sizes") {
  j2k::Tier1Coder coder;
  static constexpr Content kContents[] = {Content::dense, Content::sparse, Content::laplacian,
                                          Content::photograph};
  for (int x = 2; x <= 10; ++x)
    for (int y = 2; y <= 10 && x + y <= 12; ++y)
      for (int cut : {0, 1, 3}) {
        Random random = random_of_run(static_cast<unsigned>(64 * x + 4 * y + cut));
        const int width = (1 << x) - cut, height = (1 << y) - cut;
        expect_sound(coder, block_of(random, width, height, random.pick(kContents)), 0);
      }
  for (int width = 1; width <= 20; ++width)
    for (int height = 1; height <= 9; ++height) {
      Random random = random_of_run(static_cast<unsigned>(32 * width + height));
      expect_sound(coder, block_of(random, width, height, random.pick(kContents)), 0);
    }
}

void test_random(std::uint64_t first, int count, int most_samples) {
  j2k::Tier1Coder coder;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = seed_of_run(first + static_cast<unsigned>(i));
    Random random(seed);
    expect_sound(coder, random_block(random, most_samples), seed);
  }
}

// Models only, for that is quick.
TEST_CASE("models by chance") {
  for (int i = 0; i < few_of(300); ++i) {
    const std::uint64_t seed = seed_of_run(2000 + static_cast<unsigned>(i));
    Random random(seed);
    const TestBlock test = random_block(random, 4096);
    const std::string wrong =
        difference(encode_serially(test.block()), encode_in_parallel(test.block()));
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", test.text(), ": ", wrong);
  }
}

TestBlock sample_block(unsigned style) {
  Random random(7);
  TestBlock test = block_of(random, 30, 33, Content::laplacian);
  for (std::int32_t &sample : test.samples)
    sample = sample % 2000;
  test.fraction_bits = 0;
  test.style = style;
  test.band = j2k::Band::hl;
  return test;
}

// What is coded as if the style were another: a decoder must notice.
TEST_CASE("planted styles") {
  for (unsigned style : {0u, unsigned{j2k::kBypass}})
    for (unsigned flag = 1; flag < 64; flag *= 2) {
      if (flag == j2k::kBypass) continue;
      const TestBlock test = sample_block(style | flag);
      const Encoded ignored = encode_serially(sample_block(style).block());
      CHECK_MESSAGE(judge(test, encode_serially(test.block())).empty(), "style ", test.style);
      CHECK_MESSAGE(!judge(test, ignored).empty(), "flag ", flag,
                    " is ignored, but nothing is wrong");
    }
}

TEST_CASE("planted results") {
  struct Planted {
    const char *what;
    void (*plant)(Encoded &);
  };
  static constexpr Planted kPlanted[] = {
      {"a length less", [](Encoded &e) { --e.passes[5].length; }},
      {"a length more", [](Encoded &e) { ++e.passes[5].length; }},
      {"the last length less", [](Encoded &e) { --e.passes.back().length, e.bytes.pop_back(); }},
      {"a byte unused", [](Encoded &e) { e.bytes.push_back(0); }},
      {"a bit of a byte", [](Encoded &e) { e.bytes[e.bytes.size() / 2] ^= 1; }},
      {"a distortion more", [](Encoded &e) { ++e.passes.back().distortion; }},
      {"a distortion less", [](Encoded &e) { --e.passes[e.passes.size() - 2].distortion; }},
      {"a pass less", [](Encoded &e) { e.passes.pop_back(); }},
      {"a plane less", [](Encoded &e) { --e.planes; }},
      {"distortions of another plane", [](Encoded &e) { ++e.passes[3].plane; }},
  };
  const TestBlock test = sample_block(0);
  const Encoded sound = encode_serially(test.block());
  CHECK_MESSAGE(judge(test, sound).empty(), "the sound one");
  for (const Planted &planted : kPlanted) {
    Encoded spoiled = sound;
    planted.plant(spoiled);
    CHECK_MESSAGE(!judge(test, spoiled).empty(), planted.what, ", but nothing is wrong");
    spoiled.symbols = sound.symbols;
    CHECK_MESSAGE(!difference(sound, spoiled).empty(), planted.what,
                  ", but there is no difference");
  }
  Encoded spoiled = sound;
  spoiled.symbols[4].back() ^= 2;
  CHECK_MESSAGE(difference(sound, spoiled) == "pass 4: symbols", "another context");
}

// A block that is not quite the one that is judged.
TEST_CASE("planted blocks") {
  const TestBlock test = sample_block(0);
  j2k::CodeBlock block = test.block();
  for (j2k::Band band : {j2k::Band::ll, j2k::Band::hh}) {
    block.band = band;
    CHECK_MESSAGE(!judge(test, encode_serially(block)).empty(), "a band's contexts");
  }
  block = test.block();
  block.fraction_bits = 1;
  CHECK_MESSAGE(!judge(test, encode_serially(block)).empty(), "a fraction bit");
  TestBlock changed = test;
  for (std::int32_t &sample : changed.samples)
    if (sample != 0) {
      sample = -sample;
      break;
    }
  CHECK_MESSAGE(!judge(test, encode_serially(changed.block())).empty(), "a sign");
}

void expect_refused(const char *text, void (*spoil)(j2k::CodeBlock &)) {
  const TestBlock test = sample_block(0);
  j2k::CodeBlock block = test.block();
  spoil(block);
  j2k::Pass passes[j2k::kMaxPasses];
  std::vector<std::uint8_t> bytes(j2k::tier1_bytes_bound(4096, 32, 0));
  j2k::CodedBlock coded;
  j2k::Tier1Coder coder;
  const Status s = coder.encode(block, passes, bytes.data(), bytes.size(), &coded);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), text) != nullptr), "\"",
      s.message(), "\" does not say \"", text, "\"");
}

TEST_CASE("refusals") {
  expect_refused("no samples", [](j2k::CodeBlock &b) { b.samples = nullptr; });
  expect_refused("4096 samples", [](j2k::CodeBlock &b) { b.width = 0; });
  expect_refused("4096 samples", [](j2k::CodeBlock &b) { b.height = -1; });
  expect_refused("4096 samples", [](j2k::CodeBlock &b) { b.width = 1025, b.height = 1; });
  expect_refused("4096 samples", [](j2k::CodeBlock &b) { b.width = 1, b.height = 1025; });
  expect_refused("4096 samples", [](j2k::CodeBlock &b) { b.width = b.height = 65; });
  expect_refused("fraction bits", [](j2k::CodeBlock &b) { b.fraction_bits = 31; });
  expect_refused("fraction bits", [](j2k::CodeBlock &b) { b.fraction_bits = -1; });
  expect_refused("bit-planes are", [](j2k::CodeBlock &b) { b.max_planes = 75; });
  expect_refused("bit-planes are", [](j2k::CodeBlock &b) { b.max_planes = -1; });
  expect_refused("than the band", [](j2k::CodeBlock &b) { b.max_planes = 3; });
  expect_refused("no such band", [](j2k::CodeBlock &b) { b.band = static_cast<j2k::Band>(4); });
  expect_refused("style", [](j2k::CodeBlock &b) { b.style = 64; });

  const TestBlock test = sample_block(0);
  j2k::Pass passes[j2k::kMaxPasses];
  std::uint8_t bytes[100];
  j2k::CodedBlock coded;
  j2k::Tier1Coder coder;
  const Status s = coder.encode(test.block(), passes, bytes, sizeof bytes, &coded);
  CHECK_MESSAGE(std::strstr(s.message(), "room") != nullptr, s.message());
}

TEST_CASE("small blocks by chance") {
  test_random(1, few_of(300), 300);
}

// --blocks=COUNT: so many.
TEST_CASE("blocks by chance") {
  const char *blocks = option("blocks");
  test_random(1000, blocks != nullptr ? std::atoi(blocks) : few_of(40), 4096);
}

}  // namespace
}  // namespace coalesce::test
