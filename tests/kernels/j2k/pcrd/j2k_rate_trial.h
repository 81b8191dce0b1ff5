// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate allocation, called as the tests mostly do.
#pragma once

#include <vector>

#include "../../../support/doctest.h"
#include "j2k/pcrd/rate.h"
#include "j2k_rate_tables.h"

namespace coalesce::test {

using Row = std::vector<std::uint8_t>;

struct NoHeaders : j2k::PacketHeaders {
  void count(int, unsigned, const j2k::PassTable &, std::uint64_t *) override {}
};

inline j2k::RateAllocator allocated(const Blocks &blocks,
                                    const std::vector<j2k::LayerBudget> &targets,
                                    j2k::PacketHeaders *headers, ThreadPool *pool = nullptr) {
  j2k::RateAllocator rate;
  const Status prepared =
      rate.prepare(blocks.blocks.size(), blocks.most_passes(), static_cast<int>(targets.size()));
  const Status done = rate.allocate(blocks.blocks.data(), targets.data(), headers, pool);
  CHECK_MESSAGE((prepared.ok() && done.ok()), done.message());
  return rate;
}

inline Row row_of(const j2k::RateAllocator &rate, int layer) {
  const j2k::PassTable table = rate.table();
  return {table.layer(layer), table.layer(layer) + table.blocks};
}

}  // namespace coalesce::test
