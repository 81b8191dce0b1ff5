// SPDX-License-Identifier: LGPL-2.1-or-later
// What Tier-2 on a GPU needs of a format, prepared once on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../core/layout.h"
#include "../tier2/packet_format.h"
#include "encoder_plan.h"

namespace coalesce::j2k {

class PacketTables {
 public:
  // Errors: unsupported for formats whose packets could have more than 32-bit numbers count.
  // Allocates.
  Status make(const EncoderPlan &plan);

  // To be copied to where the tables are to lie, which must be aligned to 16 bytes.
  const std::vector<std::uint8_t> &image() const { return image_; }
  // The tables, if the image lies there.
  PacketFormat format_at(const std::uint8_t *image) const;

  // Scratch memory of a frame, which need not be cleared.
  PacketScratch place_scratch(Layout *l) const;
  std::size_t main_bytes() const { return main_header_.size(); }
  // What a codestream has at most beside the bytes of blocks.
  std::size_t most_beside() const;

 private:
  void add_tile(const EncoderPlan &plan, const TilePlan &tile);
  void add_parts(const EncoderPlan &plan, const TilePlan &tile);
  std::uint64_t pool_words(const EncoderPlan &plan) const;
  Status check(const EncoderPlan &plan, std::uint64_t pool) const;

  std::vector<FlatBand> bands_;
  std::vector<FlatPrecinct> precincts_;
  std::vector<FlatPart> parts_;
  std::vector<std::uint32_t> order_, layer_of_, part_of_, precinct_of_;
  std::vector<std::uint8_t> main_header_;
  std::size_t tlm_ = 0;  // in the main header
  PacketFormat format_ = {};
  std::size_t pool_ = 0;  // words
  std::vector<std::uint8_t> image_;
};

}  // namespace coalesce::j2k
