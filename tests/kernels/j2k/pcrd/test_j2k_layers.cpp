// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation of several layers; again and again, on threads, without new memory.
#include <algorithm>
#include <vector>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../../support/small_run.h"
#include "../../counted_allocations.h"
#include "j2k/pcrd/rate.h"
#include "j2k_rate_tables.h"
#include "j2k_rate_trial.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

// Different slopes, which is as many layers as can be told apart; up to `most`.
int ranks_of(const Blocks &blocks, int most) {
  int ranks = 0;
  for (std::uint64_t from = 0; ranks < most; ++ranks) {
    const Row row = row_of(allocated(blocks, {{Kind::slope, from}}, nullptr), 0);
    const int least = slope_of(blocks, row.data());
    if (least > kMaxSlope) break;
    from = static_cast<std::uint64_t>(least) + 1;
  }
  return ranks;
}

LayerBudget random_target(Random &random, std::uint64_t all) {
  switch (random.below(6)) {
    case 0:
      return {Kind::bytes, random.bits() % (all + 100)};
    case 1:
      return {Kind::slope, static_cast<std::uint64_t>(random.below(kMaxSlope))};
    case 2:
      return {Kind::error, random.bits() >> random.between(10, 60)};
    case 3:
      return {Kind::everything, 0};
    default:
      return {};
  }
}

TEST_CASE("layers") {
  Random random = random_of_run(5);
  for (int i = 0; i < few_of(200); ++i) {
    const Blocks blocks = random_blocks(random, i % 4 == 0 ? Passes::unlikely : Passes::likely,
                                        random.between(1, 60), 8);
    const Row all_passes = row_of(allocated(blocks, {{}}, nullptr), 0);
    const std::uint64_t all = bytes_of(blocks, all_passes.data());
    const int layers = random.pick({2, 3, 5, 12, 40});
    std::vector<LayerBudget> targets;
    for (int l = 0; l + 1 < layers; ++l)
      targets.push_back(i % 2 == 0 ? LayerBudget{Kind::automatic, 0} : random_target(random, all));
    ModelHeaders headers(blocks, 8);
    const std::uint64_t empty = (blocks.blocks.size() + 7) / 8;
    const bool limited = i % 3 != 0;
    const std::uint64_t limit = empty * static_cast<unsigned>(layers) + random.bits() % (all + 1);
    targets.push_back(limited ? LayerBudget{Kind::bytes, limit} : LayerBudget{Kind::everything, 0});
    const RateAllocator rate = allocated(blocks, targets, &headers);
    Row before(blocks.blocks.size(), 0);
    int refined = 0;
    for (int l = 0; l < layers; ++l) {
      const Row row = row_of(rate, l);
      for (std::size_t b = 0; b < row.size(); ++b)
        CHECK_MESSAGE((row[b] >= before[b] && row[b] <= all_passes[b]), "layer ", l);
      if (l + 1 < layers) check_counted_bytes(blocks, row);
      refined += row != before;
      before = row;
    }
    const std::uint64_t total = body_of(rate, blocks, layers - 1) + headers.all(rate.table());
    if (limited) {
      CHECK_MESSAGE(total <= limit, total, " of ", limit, " bytes");
    } else {
      CHECK_MESSAGE(before == all_passes, "not everything");
      CHECK_MESSAGE(refined >= ranks_of(blocks, layers), refined, " layers of ", layers);
    }
  }
}

// Of a picture that is large enough: limits of all layers hold and are used, automatic ones double.
TEST_CASE("layer sizes") {
  Random random(6);
  const Blocks blocks = random_blocks(random, Passes::likely, 900, 9);
  ModelHeaders headers(blocks, 12);
  std::vector<LayerBudget> targets;
  for (const std::uint64_t size : {9000, 15000, 22000, 40000, 70000})
    targets.push_back({Kind::bytes, size});
  const RateAllocator rate = allocated(blocks, targets, &headers);
  std::uint64_t spent = 0;
  for (int l = 0; l < 5; ++l) {
    spent += headers.answered(l, rate.table());
    const std::uint64_t total = body_of(rate, blocks, l) + spent;
    const std::uint64_t limit = targets[static_cast<std::size_t>(l)].value;
    CHECK_MESSAGE((total <= limit && total * 100 >= limit * 99), "layer ", l, ": ", total, " of ",
                  limit);
  }
  CHECK_MESSAGE(spent == headers.all(rate.table()), "headers");
  std::vector<LayerBudget> automatic(4, LayerBudget{Kind::automatic, 0});
  automatic.back() = {Kind::slope, 25000};
  const RateAllocator doubling = allocated(blocks, automatic, nullptr);
  for (int l = 0; l < 3; ++l) {
    const double ratio = static_cast<double>(body_of(doubling, blocks, l + 1)) /
                         static_cast<double>(body_of(doubling, blocks, l));
    CHECK_MESSAGE((ratio > 1.98 && ratio < 2.02), "layer ", l + 1, ": ", ratio);
  }
}

// The same from any number of threads, whatever was there before, and without new memory.
TEST_CASE("steady") {
  Random random(7);
  ThreadPool pool(3);
  const Blocks first = random_blocks(random, Passes::likely, 700, 8);
  const Blocks second = random_blocks(random, Passes::unlikely, 700, 8);
  const std::vector<LayerBudget> targets = {
      {Kind::automatic, 0}, {Kind::bytes, 3000}, {Kind::bytes, 12000}};
  RateAllocator rate;
  CHECK_MESSAGE(rate.prepare(700, std::max(first.most_passes(), second.most_passes()), 3).ok(),
                "memory");
  NoHeaders headers;
  for (const Blocks *blocks : {&first, &second, &first}) {
    const long before = allocations();
    REQUIRE(before > 0);  // they are counted
    const Status status = rate.allocate(blocks->blocks.data(), targets.data(), &headers, &pool);
    const long made = allocations() - before;
    CHECK_MESSAGE(status.ok(), status.message());
    CHECK(made == 0);
    const RateAllocator fresh = allocated(*blocks, targets, &headers);
    for (int l = 0; l < 3; ++l)
      CHECK_MESSAGE(row_of(rate, l) == row_of(fresh, l), "layer ", l);
  }
}

}  // namespace
}  // namespace coalesce::test
