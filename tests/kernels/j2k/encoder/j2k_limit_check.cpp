// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_limit_check.h"

#include <vector>

#include "../../../support/fail.h"
#include "../codestream/j2k_markers.h"
#include "j2k/canvas/geometry.h"
#include "j2k_random_params.h"

namespace coalesce::test {
namespace {

using namespace j2k;

// Of a codestream that was written.
struct Written {
  std::uint64_t all = 0;
  std::uint64_t component[kMaxComponents] = {};  // in their tile-parts
};

Written write(Encoder *encoder, bool component_parts) {
  std::vector<std::uint8_t> bytes;
  const Status s = encoder->write(&bytes);
  if (!s.ok()) fail(s.message());
  Written written;
  written.all = bytes.size();
  if (!component_parts) return written;
  constexpr unsigned kSot = 0xFF90, kMarkerAndLength = 4;
  for (std::size_t at = find_marker(bytes, kSot); at + 2 < bytes.size();) {
    ByteReader sot(bytes.data() + at + kMarkerAndLength, bytes.size() - at - kMarkerAndLength);
    (void)sot.u16();  // the tile
    const std::uint32_t length = sot.u32();
    written.component[sot.u8()] += length;
    at += length;
  }
  return written;
}

// Components of the blocks, as LayerPasses has them.
std::vector<int> components_of_blocks(const CodingParams &coding) {
  std::vector<int> result;
  for (int i = 0; i < tile_count(coding); ++i) {
    const TileGeometry tile = tile_geometry(coding, i);
    for (const BlockPlace &block : tile.blocks)
      result.push_back(tile.bands[static_cast<std::size_t>(block.band)].component);
  }
  return result;
}

// What PLT may take is counted as if its segments were as short as they can be.
std::uint64_t plt_slack(const EncoderParams &params) {
  constexpr std::uint64_t kSegmentHead = 5, kLeastPackets = 13107;
  if (!params.plt) return 0;
  std::uint64_t slack = 0;
  for (int i = 0; i < tile_count(params.coding); ++i)
    slack += tile_geometry(params.coding, i).precincts.size() *
             static_cast<unsigned>(params.layers) / kLeastPackets * kSegmentHead;
  return slack;
}

bool is_most(std::uint64_t used, std::uint64_t limit) {
  return used * 100 >= limit * 98;
}

LimitUse use_of(const EncoderParams &params, Encoder *encoder) {
  const std::uint64_t limit = params.targets.back().value, own = params.component_bytes;
  const Written now = write(encoder, own != 0);
  for (const std::uint64_t used : now.component)
    if (own != 0 && used > own) return LimitUse::wasted;
  if (now.all > limit) return LimitUse::wasted;
  if (is_most(now.all, limit)) return LimitUse::most;
  const std::vector<int> components = components_of_blocks(params.coding);
  LayerPasses &layers = *encoder->layers();
  LimitUse use = LimitUse::all_there_is;
  for (std::size_t b = 0; b < layers.blocks; ++b) {
    std::uint8_t &passes = layers.at(layers.layers - 1, b);
    if (passes == encoder->blocks()[b].coded.passes) continue;
    use = LimitUse::nothing_fits;
    const int component = components[b];
    if (own != 0 && is_most(now.component[component], own)) continue;
    ++passes;
    const Written more = write(encoder, own != 0);
    --passes;
    if (more.all + plt_slack(params) <= limit && (own == 0 || more.component[component] <= own))
      return LimitUse::wasted;
  }
  return use;
}

}  // namespace

LimitUse check_limit(const EncoderParams &params, Encoder *encoder) {
  const LimitUse use = use_of(params, encoder);
  if (use == LimitUse::wasted)
    fail("a limit of ", params.targets.back().value, " bytes, ", params.component_bytes,
         " of a component, is wasted: ", describe(params));
  return use;
}

}  // namespace coalesce::test
