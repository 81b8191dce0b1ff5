// SPDX-License-Identifier: LGPL-2.1-or-later
// Tier-1 of JPEG 2000: blocks of every kind and style, judged by a decoder.
#include <cstdlib>
#include <string>

#include "expect.h"
#include "j2k_blocks.h"
#include "j2k_trial.h"

namespace coalesce::test {
namespace {

void expect_sound(const TestBlock &test, std::uint64_t seed) {
  const Encoded encoded = encode_serially(test.block());
  const std::string wrong = judge(test, encoded);
  EXPECT(wrong.empty(), "seed %llu: %s: %s", static_cast<unsigned long long>(seed),
         test.text().c_str(), wrong.c_str());
}

void test_styles() {
  for (unsigned style = 0; style < 64; ++style)
    for (int band = 0; band < 4; ++band) {
      Random random(style * 4 + static_cast<unsigned>(band));
      TestBlock test = block_of(random, 19, 22, Content::laplacian);
      test.style = style;
      test.band = static_cast<j2k::Band>(band);
      expect_sound(test, style);
    }
}

void test_random(std::uint64_t first, int count, int most_samples) {
  for (std::uint64_t seed = first; seed < first + static_cast<unsigned>(count); ++seed) {
    Random random(seed);
    expect_sound(random_block(random, most_samples), seed);
  }
}

}  // namespace
}  // namespace coalesce::test

// Arguments: a seed, and how many.
int main(int argc, char **argv) {
  using namespace coalesce::test;
  if (argc == 3) {
    test_random(std::strtoull(argv[1], nullptr, 0), std::atoi(argv[2]), 4096);
    return result();
  }
  test_styles();
  test_random(1, 400, 300);
  test_random(1000, 60, 4096);
  return result();
}
