// SPDX-License-Identifier: LGPL-2.1-or-later
// For the tests of rate allocation: blocks' passes by chance, headers, and sums over a table.
#pragma once

#include <cstdint>
#include <vector>

#include "../../../support/random.h"
#include "j2k/pcrd/rate.h"

namespace coalesce::test {

struct Blocks {
  std::vector<std::vector<j2k::Pass>> passes;
  std::vector<j2k::RateBlock> blocks;  // point to passes

  std::size_t most_passes() const;
};

enum class Passes {
  likely,   // as of a picture: each is worth less for its bytes than the one before, mostly
  unlikely  // anything that j2k::Pass allows: no bytes, no gain, losses, all planes
};
Blocks random_blocks(Random &random, Passes kind, int count, int most_planes);

// Of a block cut behind so many passes: exact up to 2^64.
std::uint32_t length_of(const j2k::RateBlock &block, int passes);
long double gain_of(const j2k::RateBlock &block, int passes);  // in squared errors
// Of all blocks.
std::uint64_t bytes_of(const Blocks &blocks, const std::uint8_t *row);
long double gain_of(const Blocks &blocks, const std::uint8_t *row);

// Of the flattest step of a hull that the row has; kMaxSlope + 1 if it has none.
int slope_of(const Blocks &blocks, const std::uint8_t *row);

// What packet headers take (T.800 B.10), but for the tag trees, in place of which a block's first
// inclusion costs some bits; so many blocks are a packet. It also sees to it that calls come as
// they are promised.
class ModelHeaders : public j2k::PacketHeaders {
 public:
  ModelHeaders(const Blocks &blocks, int packet_blocks);
  void count(int layer, unsigned components, const j2k::PassTable &table,
             std::uint64_t *bytes) override;
  // The headers of all layers.
  std::uint64_t all(const j2k::PassTable &table) const;
  // The answer for this layer of the table. Fails if it was never asked for.
  std::uint64_t answered(int layer, const j2k::PassTable &table) const;

  int calls = 0;

 private:
  struct Answer {
    std::vector<std::uint8_t> rows;  // up to the layer
    std::uint64_t bytes;
  };

  std::uint64_t of_layer(int layer, const j2k::PassTable &table) const;

  const Blocks &blocks_;
  int packet_blocks_;
  int layer_ = 0;
  std::vector<std::uint8_t> seen_;  // the rows up to layer_, when it was asked for last
  std::vector<Answer> answers_;
};

}  // namespace coalesce::test
