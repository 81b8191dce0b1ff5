// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation on passes made by chance: optimal, within its limits, layer upon layer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../../support/small_run.h"
#include "j2k/pcrd/hull.h"
#include "j2k/pcrd/rate.h"
#include "j2k_rate_tables.h"
#include "j2k_rate_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

// Passes without bytes are not for themselves.
bool is_cut(const RateBlock &block, int passes) {
  if (passes == 0) return true;
  const std::uint32_t length = length_of(block, passes);
  return length > 0 && (passes == block.num_passes || length_of(block, passes + 1) > length);
}

// What a byte spent on the way from one cut of a block to another gains.
long double slope(const RateBlock &block, int from, int to) {
  return (gain_of(block, to) - gain_of(block, from)) /
         static_cast<long double>(length_of(block, to) - length_of(block, from));
}

// The steepest way on from a cut; 0 if none gains. And the flattest way back; none: infinity.
long double steepest_on(const RateBlock &block, int passes) {
  long double best = 0;
  for (int to = passes + 1; to <= block.num_passes; ++to)
    if (is_cut(block, to) && length_of(block, to) > length_of(block, passes))
      best = std::max(best, slope(block, passes, to));
  return best;
}
long double flattest_back(const RateBlock &block, int passes) {
  long double least = HUGE_VALL;
  for (int from = 0; from < passes; ++from)
    if (is_cut(block, from) && length_of(block, passes) > length_of(block, from))
      least = std::min(least, slope(block, from, passes));
  return least;
}

// A layer of a slope is the best there is for its bytes: nothing that was left out is steeper than
// anything that was taken. Its bytes are counted as they are.
TEST_CASE("slope targets") {
  Random random = random_of_run(1);
  for (int i = 0; i < few_of(300); ++i) {
    const Blocks blocks =
        random_blocks(random, i % 2 == 0 ? Passes::likely : Passes::unlikely, 12, 8);
    const auto target = static_cast<std::uint64_t>(kSlopeOne + random.between(-1500, 3500));
    const Row row = row_of(allocated(blocks, {{Kind::slope, target}}, nullptr), 0);
    const long double threshold = std::exp2((static_cast<long double>(target) - kSlopeOne) / 256);
    for (std::size_t b = 0; b < row.size(); ++b) {
      const long double on = steepest_on(blocks.blocks[b], row[b]);
      const long double back = flattest_back(blocks.blocks[b], row[b]);
      CHECK_MESSAGE(on < threshold * (1 + 1e-6L), "block ", b, ": ", on, " is left, from ",
                    threshold, " on");
      CHECK_MESSAGE(back > threshold * (1 - 1e-6L), "block ", b, ": ", back, " is in, from ",
                    threshold, " on");
    }
    check_counted_bytes(blocks, row);
  }
}

// The most that so many bytes can gain, and no more passes than those, by trying everything.
long double best_gain(const Blocks &blocks, const Row &most, std::size_t from, std::uint64_t room) {
  if (from == blocks.blocks.size()) return 0;
  const RateBlock &block = blocks.blocks[from];
  long double best = -HUGE_VALL;
  for (int n = 0; n <= most[from] && length_of(block, n) <= room; ++n)
    if (is_cut(block, n))
      best = std::max(
          best, gain_of(block, n) + best_gain(blocks, most, from + 1, room - length_of(block, n)));
  return best;
}

Row all_passes_of(const Blocks &blocks) {
  Row row;
  for (const RateBlock &block : blocks.blocks)
    row.push_back(static_cast<std::uint8_t>(block.num_passes));
  return row;
}

// Without headers, no pass fits into what is left of the limit, if that is more than 2 %. With more
// bytes counted than the blocks have, some would.
void check_rest(const Blocks &blocks, const Row &row, std::uint64_t limit) {
  const std::uint64_t left = limit - bytes_of(blocks, row.data());
  if (left <= limit / 50) return;
  for (std::size_t b = 0; b < row.size(); ++b) {
    const RateBlock &block = blocks.blocks[b];
    CHECK_MESSAGE((row[b] == block.num_passes ||
                   length_of(block, row[b] + 1) - length_of(block, row[b]) > left),
                  "block ", b, ": the next pass fits into ", left, " of ", limit, " bytes");
  }
}

// Blocks of few passes: what is lost against the optimum is less than one step of a hull gains, but
// for what passes lose that came when less than 98 % were used.
TEST_CASE("against everything") {
  Random random = random_of_run(2);
  int optimal = 0, trials = 0;
  for (int i = 0; i < few_of(400); ++i) {
    const Blocks blocks = random_blocks(random, i % 2 == 0 ? Passes::likely : Passes::unlikely,
                                        random.between(1, 4), 3);
    std::uint64_t all = 0;
    for (const RateBlock &block : blocks.blocks)
      all += length_of(block, block.num_passes);
    const auto limit = static_cast<std::uint64_t>(random.below(static_cast<int>(all) + 3));
    NoHeaders headers;
    const RateAllocator rate = allocated(blocks, {{Kind::bytes, limit}}, &headers);
    const Row row = row_of(rate, 0);
    CHECK_MESSAGE(bytes_of(blocks, row.data()) <= limit, "more than ", limit, " bytes");
    check_rest(blocks, row, limit);
    const long double best = best_gain(blocks, all_passes_of(blocks), 0, limit);
    const long double gain = gain_of(blocks, row.data());
    if (all <= limit) {
      for (std::size_t b = 0; b < row.size(); ++b)
        CHECK_MESSAGE(row[b] == blocks.blocks[b].num_passes, "all would fit");
      continue;
    }
    long double step = 0;
    for (const RateBlock &block : blocks.blocks)
      for (int a = 0; a < block.num_passes; ++a)
        for (int b = a + 1; b <= block.num_passes; ++b)
          step = std::max(step, gain_of(block, b) - gain_of(block, a));
    const long double before = best_gain(blocks, row, 0, limit * 98 / 100);
    CHECK_MESSAGE(std::max(gain, before) >= best - step - best * 1e-12L, gain, " of ", best);
    ++trials;
    optimal += gain >= best * (1 - 1e-12L);
  }
  std::printf("%d of %d tiny cases are optimal\n", optimal, trials);
  CHECK_MESSAGE(optimal * 2 > trials, optimal, " of ", trials);
}

// A step of a hull, by definition.
struct Step {
  long double slope;
  std::uint32_t bytes;
  bool whole;  // the row has it
};

// The steps of all hulls, the steepest first, in floats.
std::vector<Step> steps_of(const Blocks &blocks, const Row &row) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < blocks.blocks.size(); ++i) {
    const RateBlock &block = blocks.blocks[i];
    int at = 0;
    while (steepest_on(block, at) > 0) {
      int next = at;
      long double steepest = 0;
      for (int to = at + 1; to <= block.num_passes; ++to)
        if (length_of(block, to) > length_of(block, at) && slope(block, at, to) >= steepest) {
          steepest = slope(block, at, to);
          next = to;
        }
      steps.push_back({steepest, length_of(block, next) - length_of(block, at), row[i] >= next});
      at = next;
    }
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step &a, const Step &b) { return a.slope > b.slope; });
  return steps;
}

// Steps taken as far as they fit. The fraction of the step that does not fit any more counts, so no
// allocation gains more.
long double upper_bound(const std::vector<Step> &steps, std::uint64_t body) {
  long double gain = 0;
  for (const Step &step : steps) {
    const std::uint64_t bytes = std::min<std::uint64_t>(step.bytes, body);
    gain += step.slope * static_cast<long double>(bytes);
    body -= bytes;
  }
  return gain;
}

// By how much an allocation may gain less than that. The steepest step that is missing decides:
//
// - All steeper ones are there, as in the upper bound.
// - Slopes are kept as 256 to an octave. Within one, steps come in any order. So those that are
//   there may be flatter than those that are missing, by 1 - 2^(-1/256).
// - When the first of its slope did not fit, less was left than it needs, with a guess of up to 3
//   bytes for its header. All that came later has no more bytes than that. The upper bound has that
//   many of the steepest missing slope instead; at worst, they gained nothing.
//
// (Stages that are repeated with less room could add as much again. None of 7,000 trials did, and
// at most 0.57 of this was lost.)
long double most_lost(const std::vector<Step> &steps) {
  const auto missing =
      std::find_if(steps.begin(), steps.end(), [](const Step &step) { return !step.whole; });
  if (missing == steps.end()) return 0;
  const long double same = std::exp2(-1 / 256.0L);
  long double there = 0, longest = 0;
  for (const Step &step : steps)
    if (step.slope <= missing->slope && step.slope >= missing->slope * same) {
      if (step.whole)
        there += step.bytes;
      else
        longest = std::max<long double>(longest, step.bytes);
    }
  constexpr int kHeader = 3;
  return missing->slope * (longest + kHeader + there * (1 - same));
}

// With headers: the limit holds, almost all is used, and for the bytes that blocks have nothing is
// better by more than one step.
TEST_CASE("limits") {
  Random random = random_of_run(3);
  int calls = 0, trials = 0;
  double least_used = 1, least_gain = 1;
  for (int i = 0; i < few_of(120); ++i) {
    const Blocks blocks = random_blocks(random, Passes::likely, random.between(150, 600), 9);
    const Row all_passes = row_of(allocated(blocks, {{}}, nullptr), 0);
    const std::uint64_t all = bytes_of(blocks, all_passes.data());
    ModelHeaders headers(blocks, random.between(1, 20));
    const std::uint64_t limit = all / 50 + random.bits() % all;
    const RateAllocator rate = allocated(blocks, {{Kind::bytes, limit}}, &headers);
    const Row row = row_of(rate, 0);
    const std::uint64_t body = bytes_of(blocks, row.data());
    const std::uint64_t total = body + headers.all(rate.table());
    CHECK_MESSAGE((total <= limit && total == body + headers.answered(0, rate.table())), total,
                  " bytes of ", limit);
    if (row == all_passes) continue;
    least_used = std::min(least_used, static_cast<double>(total) / static_cast<double>(limit));
    const std::vector<Step> steps = steps_of(blocks, row);
    const long double best = upper_bound(steps, body), gain = gain_of(blocks, row.data());
    least_gain = std::min(least_gain, static_cast<double>(gain / best));
    CHECK_MESSAGE(best - gain <= most_lost(steps) + best * 1e-12L, "lost: ", best - gain, " of ",
                  best, ", more than ", most_lost(steps));
    calls += headers.calls;
    ++trials;
  }
  std::printf("%d limits: at least %.4f used, %.6f of the gain there can be, %.1f calls\n", trials,
              least_used, least_gain, static_cast<double>(calls) / trials);
  CHECK_MESSAGE(least_used > 0.99, least_used, " used");
  CHECK_MESSAGE(calls < 6 * trials, calls, " calls");
}

// The error that is left is what was asked for, or less; one threshold lower it would be more.
TEST_CASE("error targets") {
  Random random = random_of_run(4);
  for (int i = 0; i < few_of(100); ++i) {
    const Blocks blocks = random_blocks(random, Passes::likely, 40, 8);
    long double all = 0, finest = 0;
    for (const RateBlock &b : blocks.blocks) {
      const long double left = std::ldexp(
          static_cast<long double>(b.final_error) * b.weight.mantissa, b.weight.exponent - 6);
      all += gain_of(b, b.num_passes) + left;
      finest += left;
    }
    const auto target = static_cast<std::uint64_t>(
        (finest + (all - finest) * std::exp2(-random.between(0, 12))) * kErrorUnits);
    const RateAllocator rate = allocated(blocks, {{Kind::error, target}}, nullptr);
    const long double error = all - gain_of(blocks, row_of(rate, 0).data());
    CHECK(error * kErrorUnits <= static_cast<long double>(target) + 50);
    const int slope = slope_of(blocks, row_of(rate, 0).data());
    if (slope > kMaxSlope) continue;
    const RateAllocator less =
        allocated(blocks, {{Kind::slope, static_cast<std::uint64_t>(slope) + 1}}, nullptr);
    const long double more = all - gain_of(blocks, row_of(less, 0).data());
    CHECK_MESSAGE(more * kErrorUnits > static_cast<long double>(target) - 50, "less would do");
  }
}

// By how much all passes leave of the usual error: with more than that the target is `value`, with
// nothing against it `concentrated`, and half of it half way.
TEST_CASE("concentrated errors") {
  Random random = random_of_run(5);
  for (int i = 0; i < few_of(50); ++i) {
    const Blocks blocks = random_blocks(random, Passes::likely, 40, 8);
    std::int64_t left = 0, all = 0;
    for (const RateBlock &b : blocks.blocks) {
      std::vector<HullStep> steps(static_cast<std::size_t>(b.num_passes));
      const Hull hull = convex_hull(b, steps.data());
      all += hull.error;
      left +=
          hull.error - (hull.steps > 0 ? steps[static_cast<std::size_t>(hull.steps - 1)].gain : 0);
    }
    if (left <= 0) continue;
    const auto low = static_cast<std::uint64_t>(left + (all - left) / 64), high = 8 * low;
    const auto usual = static_cast<std::uint64_t>(left);
    const auto row = [&](const LayerBudget &target) {
      return row_of(allocated(blocks, {target}, nullptr), 0);
    };
    const Row at_low = row({Kind::error, low}), at_high = row({Kind::error, high});
    CHECK_MESSAGE(at_low != at_high, "there is nothing to tell apart");
    CHECK_MESSAGE(row({Kind::error, high, low, usual}) == at_high, "all of the usual error");
    CHECK_MESSAGE(row({Kind::error, high, low, usual << 10}) ==
                      row({Kind::error, low + ((high - low) >> 10)}),
                  "little of it");
    CHECK_MESSAGE(
        row({Kind::error, high, low, usual * 2}) == row({Kind::error, low + (high - low) / 2}),
        "half of it");
  }
}

// By how much error fine blocks could have: as much as `value` leaves it at that, nothing of it
// makes it `smooth`, and half of it is half way. What they do have does not matter.
TEST_CASE("smooth pictures") {
  Random random = random_of_run(6);
  for (int i = 0; i < few_of(50); ++i) {
    Blocks blocks = random_blocks(random, Passes::likely, 40, 8);
    std::int64_t fine = 0, all = 0;
    std::vector<HullStep> steps(kMaxPasses);
    for (std::size_t b = 0; b < blocks.blocks.size(); ++b) {
      RateBlock &block = blocks.blocks[b];
      const std::int64_t error = convex_hull(block, steps.data()).error;
      all += error;
      block.is_fine = b % 2 == 0;
      if (block.is_fine) fine += error;
    }
    const auto row = [&](std::uint64_t value, std::uint64_t smooth) {
      LayerBudget target = {Kind::error, value};
      target.smooth = smooth;
      return row_of(allocated(blocks, {target}, nullptr), 0);
    };
    const auto value = static_cast<std::uint64_t>(fine), low = value / 4;
    CHECK_MESSAGE(row(value, low) == row(value, 0), "as much as is wanted");
    CHECK_MESSAGE(row(2 * value, low) == row(low + (2 * value - low) / 2, 0), "half of it");
    for (RateBlock &block : blocks.blocks)
      block.is_fine = false;
    CHECK_MESSAGE(row(value, low) == row(low, 0), "nothing");
    CHECK_MESSAGE((row(value, low) != row(value, 0) || value >= static_cast<std::uint64_t>(all)),
                  "there is nothing to tell apart");
  }
}

void expect_refused(const char *text, const Blocks &blocks, std::vector<LayerBudget> targets,
                    PacketHeaders *headers, std::size_t passes) {
  RateAllocator rate;
  Status s = rate.prepare(blocks.blocks.size(), passes, static_cast<int>(targets.size()));
  if (s.ok()) s = rate.allocate(blocks.blocks.data(), targets.data(), headers, nullptr);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), text) != nullptr), "\"",
      s.message(), "\" does not say \"", text, "\"");
}

// Headers of empty layers that grow, which is against the contract.
struct GrowingHeaders : PacketHeaders {
  void count(int layer, unsigned, const PassTable &, std::uint64_t *bytes) override {
    bytes[0] += static_cast<std::uint64_t>(10 + 90 * layer);
  }
};

TEST_CASE("refusals") {
  Random random = random_of_run(8);
  const Blocks blocks = random_blocks(random, Passes::likely, 20, 5);
  const std::size_t most = blocks.most_passes();
  ModelHeaders headers(blocks, 1);
  GrowingHeaders growing;
  NoHeaders no_headers;
  expect_refused("automatic", blocks, {{Kind::automatic, 0}}, &headers, most);
  expect_refused("headers of a layer", blocks, {{Kind::bytes, 1000}, {}}, nullptr, most);
  expect_refused("more passes", blocks, {{}}, nullptr, most - 1);
  expect_refused("empty packets require", blocks, {{Kind::bytes, 19}}, &headers, most);
  expect_refused("empty packets require", blocks, {{Kind::automatic, 0}, {Kind::bytes, 39}},
                 &headers, most);
  expect_refused("what they were", blocks, {{Kind::automatic, 0}, {Kind::bytes, 60}}, &growing,
                 most);
  expect_refused("65535", blocks, {}, nullptr, most);
  const std::uint64_t limits[] = {1000, 1000};
  RateAllocator limited;
  CHECK_MESSAGE(limited.prepare(blocks.blocks.size(), most, 2, {limits, 2}).code() ==
                    StatusCode::invalid_argument,
                "limits of components in two layers");
  const LayerBudget everything;
  CHECK_MESSAGE((limited.prepare(blocks.blocks.size(), most, 1, {limits, 2}).ok() &&
                 limited.allocate(blocks.blocks.data(), &everything, nullptr, nullptr).code() ==
                     StatusCode::invalid_argument),
                "limits of components, and nobody counts headers");
  const RateAllocator least = allocated(blocks, {{Kind::bytes, 20}}, &headers);
  CHECK_MESSAGE((body_of(least, blocks, 0) == 0 && headers.answered(0, least.table()) == 20),
                "empty packets");
  const RateAllocator none = allocated({}, {{Kind::automatic, 0}, {Kind::bytes, 0}}, &no_headers);
  // Any byte that was counted would be above the limit, and an error.
  CHECK_MESSAGE((none.table().layers == 2 && none.table().blocks == 0), "no blocks");
}

}  // namespace
}  // namespace coalesce::test
