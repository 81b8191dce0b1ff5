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

// Of blocks, in this layer and those before.
inline std::uint64_t body_of(const j2k::RateAllocator &rate, const Blocks &blocks, int layer) {
  return bytes_of(blocks, rate.table().layer(layer));
}

// What the search counts for a layer cut at one slope is what the layer has. A limit of so many
// bytes is used up: with a byte more counted, the layer would not fit. It does not fit into a byte
// less: with a byte less counted, it would.
inline void check_counted_bytes(const Blocks &blocks, const Row &row) {
  NoHeaders headers;
  const std::uint64_t bytes = bytes_of(blocks, row.data());
  const j2k::RateAllocator same =
      allocated(blocks, {{j2k::LayerBudget::Kind::bytes, bytes}}, &headers);
  CHECK_MESSAGE(body_of(same, blocks, 0) == bytes, "limit of ", bytes, " bytes");
  if (bytes == 0) return;
  const j2k::RateAllocator less =
      allocated(blocks, {{j2k::LayerBudget::Kind::bytes, bytes - 1}}, &headers);
  CHECK_MESSAGE(body_of(less, blocks, 0) < bytes, "limit of ", bytes - 1, " bytes");
}

}  // namespace coalesce::test
