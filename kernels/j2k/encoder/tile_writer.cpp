// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tile_writer.h"

namespace coalesce::j2k {

Status append_tile(const EncoderParams &params, const TilePlan &tile, const Packets &packets,
                   std::size_t tlm, std::vector<std::uint8_t> *out) {
  const int count = static_cast<int>(tile.part_ends.size());
  std::size_t first = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t end = tile.part_ends[static_cast<std::size_t>(i)];
    const PacketLengths lengths(packets.lengths().data() + first, end - first);
    std::uint64_t length = tile_part_header_length(params.plt, lengths);
    if (length == 0)
      return {StatusCode::unsupported,
              "j2k: a tile-part has more packets than plt can list; use plt=false"};
    for (const std::uint64_t packet : lengths)
      length += packet;
    if (length > UINT32_MAX)
      return {StatusCode::unsupported,
              "j2k: a tile-part has more than 4 GiB; use smaller tiles (tile-width, tile-height)"};
    const TilePart part = {tile.geometry.index, i, count, static_cast<std::uint32_t>(length)};
    if (params.tlm) set_tlm_entry(tile.first_part + static_cast<std::size_t>(i), part, tlm, out);
    put_tile_part_header(part, params.plt, lengths, out);
    packets.append_to(first, end, out);
    first = end;
  }
  return {};
}

}  // namespace coalesce::j2k
