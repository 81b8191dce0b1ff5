// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cuda_job.h"

#include "../tables/parts.h"

namespace coalesce::jpeg {

Tiling make_tiling(const CodingPlan &plan) {
  const std::int64_t interval = std::int64_t{plan.restart_interval} * plan.blocks_of_mcu;
  Tiling tiling = {};
  tiling.interval_blocks = static_cast<int>(interval);
  if (interval <= kTileBlocks) {
    tiling.intervals_of_tile = static_cast<int>(kTileBlocks / interval);
    tiling.tiles = static_cast<int>(parts(plan.blocks(), interval * tiling.intervals_of_tile));
    return tiling;
  }
  tiling.tiles_of_interval = static_cast<int>(parts<std::int64_t>(interval, kTileBlocks));
  const std::int64_t whole = plan.blocks() / interval;
  tiling.tiles =
      static_cast<int>(whole) * tiling.tiles_of_interval +
      static_cast<int>(parts<std::int64_t>(plan.blocks() - whole * interval, kTileBlocks));
  return tiling;
}

SlotArrays place_arrays(const EncoderParams &params, const CodingPlan &plan, Layout *layout) {
  const std::size_t numbers = static_cast<std::size_t>(plan.blocks()) * kCoefficients;
  const auto tiles = static_cast<std::size_t>(make_tiling(plan).tiles);
  SlotArrays a = {};
  a.coefficients = layout->at<std::int16_t>(numbers);
  if (params.max_bytes != 0) a.unquantised = layout->at<std::int16_t>(numbers);
  a.scan = layout->at<std::uint8_t>(plan.most_scan_bytes() + 2);
  // 64 bits for the ticket, so that what follows it is aligned.
  const std::size_t cleared =
      sizeof(std::uint64_t) + tiles * sizeof(TileWords) + 2 * sizeof(Statistics);
  auto *const first = layout->at<std::uint8_t>(cleared);
  a.ticket = reinterpret_cast<std::uint32_t *>(first);
  a.words = reinterpret_cast<TileWords *>(first + sizeof(std::uint64_t));
  a.statistics =
      reinterpret_cast<Statistics *>(first + sizeof(std::uint64_t) + tiles * sizeof(TileWords));
  a.codes = layout->at<CodeTable>(2);
  return a;
}

}  // namespace coalesce::jpeg
