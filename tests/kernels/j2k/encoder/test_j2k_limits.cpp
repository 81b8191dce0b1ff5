// SPDX-License-Identifier: LGPL-2.1-or-later
// Limits of bytes: kept, and used as far as anything fits, which is tried by writing it.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "../../../support/doctest.h"
#include "../../../support/small_run.h"
#include "../pcrd/j2k_targets.h"
#include "j2k_encode.h"
#include "j2k_limit_check.h"
#include "j2k_random_params.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

constexpr int kUses = 4;
using UseCounts = int[kUses];

// Pictures of a few thousand samples, most of them in many small blocks and some in many layers,
// for there bytes are left: next to what headers take, passes are few and long.
EncoderParams difficult_params(std::uint64_t seed, Random &random) {
  const bool large = seed % 8 == 0;
  EncoderParams params = random_params(random, large ? 128 * 128 : 5000);
  if (!large && seed % 2 == 1) {
    params.coding.block_x = random.between(2, 4);
    params.coding.block_y = random.between(2, 4);
  }
  if (random.below(4) == 0) params.layers = random.between(10, 20);
  params.tile_parts = TileParts::one;  // of any number of layers
  return params;
}

// Several limits of one picture: it is coded once.
void test_limits(std::uint64_t seed, UseCounts &uses) {
  Random random(seed);
  EncoderParams params = difficult_params(seed, random);
  const Picture p = picture(params.coding, random);
  const LengthRange range = length_range(params, p);
  params.targets = random_targets(params.layers, range, random);
  std::unique_ptr<Encoder> encoder;
  Status s = Encoder::make(params, &encoder);
  if (s.ok()) s = encoder->code(AllSamples(p).at, nullptr);
  for (int i = 0; i < 10 && s.ok(); ++i) {
    params.targets = random_targets(params.layers, range, random);
    s = encoder->set_targets(params.targets);
    if (s.ok()) s = encoder->allocate(nullptr);
    if (s.ok()) ++uses[static_cast<int>(check_limit(params, encoder.get()))];
  }
  CHECK_MESSAGE(s.ok(), s.message(), ": ", describe(params));
}

// The same with limits of components, some of which may have less to code than they are allowed.
void test_component_limits(std::uint64_t seed, UseCounts &uses) {
  Random random(seed);
  EncoderParams params;
  params.coding.image = {0, 0, random.between(1, 60), random.between(1, 60)};
  params.coding.num_components = random.between(2, 4);
  params.coding.levels = random.between(0, 4);
  params.coding.block_x = params.coding.block_y = random.between(2, 5);
  if (random.below(2) == 0) params.wavelet = Wavelet::irreversible_97;
  params.plt = random.below(2) == 0;
  params.progression = Progression::cprl;
  params.tile_parts = TileParts::component;
  const Picture p = picture(params.coding, random);
  const LengthRange range = length_range(params, p);
  const auto components = static_cast<unsigned>(params.coding.num_components);
  for (int i = 0; i < 10; ++i) {
    params.targets = random_targets(1, range, random);
    const std::uint64_t share = params.targets.back().value / components;
    params.component_bytes = range.least + share * static_cast<unsigned>(random.below(300)) / 100;
    std::unique_ptr<Encoder> encoder;
    Status s = Encoder::make(params, &encoder);
    if (s.ok()) s = encoder->code(AllSamples(p).at, nullptr);
    if (s.ok()) s = encoder->allocate(nullptr);
    if (s.ok()) ++uses[static_cast<int>(check_limit(params, encoder.get()))];
    CHECK_MESSAGE(s.ok(), s.message(), ": ", describe(params));
  }
}

// Nothing is wasted, and each way that a limit can be used has been seen.
void expect_all_uses(const char *what, const UseCounts &uses) {
  const auto count = [&](LimitUse use) { return uses[static_cast<int>(use)]; };
  const int most = count(LimitUse::most), finest = count(LimitUse::all_there_is),
            none = count(LimitUse::nothing_fits), wasted = count(LimitUse::wasted);
  std::printf("%s: %d used 98 %%, %d were all there is, in %d nothing fitted; %d wasted\n", what,
              most, finest, none, wasted);
  CHECK_MESSAGE(wasted == 0, what);
  // The trials of another seed may lack one of them.
  if (run_seed() == 0) CHECK_MESSAGE((most > 0 && finest > 0 && none > 0), what);
}

TEST_CASE("limits") {
  const int seeds = all() ? 1400 : few_of(400);
  UseCounts uses = {};
  for (int i = 0; i < seeds; ++i) {
    INFO("seed ", i);
    test_limits(seed_of_run(static_cast<unsigned>(i)), uses);
  }
  expect_all_uses("limits", uses);
}

// A pass that makes its packet's header a byte shorter, and fits by that byte.
TEST_CASE("a pass that shortens a header") {
  constexpr std::uint64_t kSuchACase = 137 + std::uint64_t{0x1000003} * 612781230;
  UseCounts uses = {};
  test_component_limits(kSuchACase, uses);
  CHECK(uses[static_cast<int>(LimitUse::wasted)] == 0);
}

TEST_CASE("limits of components") {
  const int seeds = (all() ? 1400 : few_of(400)) / 4;
  UseCounts uses = {};
  for (int i = 0; i < seeds; ++i) {
    INFO("seed ", i);
    test_component_limits(seed_of_run(static_cast<unsigned>(i)), uses);
  }
  expect_all_uses("limits of components", uses);
}

}  // namespace
}  // namespace coalesce::test
