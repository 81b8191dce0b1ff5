// SPDX-License-Identifier: LGPL-2.1-or-later
// Tile-parts and changes of the progression, as the validator finds them; and that it finds what is
// wrong with them.
#include <algorithm>
#include <utility>

#include "../../../support/doctest.h"
#include "../encoder/j2k_encode.h"
#include "../judges/j2k_expect.h"
#include "../judges/j2k_stream_decoder.h"
#include "j2k_markers.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

// Two tiles; two tile-parts of each component, because the largest resolution is last.
EncoderParams parted() {
  EncoderParams params;
  params.coding.image = {0, 0, 60, 50};
  params.coding.tile_width = 40;
  params.coding.tile_height = 50;
  params.coding.num_components = 3;
  params.coding.levels = 2;
  params.layers = 3;
  params.progression = Progression::cprl;
  params.largest_last = true;
  params.tile_parts = TileParts::component;
  params.plt = params.tlm = true;
  return params;
}

Bytes parted_stream() {
  Random random(63);
  const EncoderParams params = parted();
  return encode(params, picture(params.coding, random), nullptr, random);
}

TEST_CASE("poc") {
  const Bytes bytes = parted_stream();
  const Bytes expected = {0xFF, 0x5F, 0, 16, 0, 0, 0, 3, 2, 3, 4, 2, 0, 0, 3, 3, 3, 4, 0xFF, 0x55};
  const std::size_t at = find_marker(bytes, 0xFF5F);
  CHECK_MESSAGE(
      (at + expected.size() < bytes.size() &&
       std::equal(expected.begin(), expected.end(), bytes.begin() + static_cast<long>(at))),
      "POC");
  const Stream stream = read_markers(bytes);
  CHECK_MESSAGE((stream.tlm.size() == 12 && stream.tiles.size() == 2), stream.tlm.size());
  for (const StreamTile &tile : stream.tiles) {
    CHECK_MESSAGE(tile.parts.size() == 6, tile.parts.size(), " tile-parts");
    for (std::size_t i = 0; i < tile.parts.size(); ++i)  // two resolutions, then one
      CHECK_MESSAGE(tile.parts[i].packet_lengths.size() == (i < 3 ? 6 : 3), "tile-part ", i);
  }
}

// Of a tile with one precinct a resolution: how often the index changes when the loops of B.12.1
// run over two layers, three resolutions and four components.
TEST_CASE("tile parts") {
  constexpr std::size_t kParts[][4] = {// one, resolution, layer, component
                                       {1, 6, 2, 24},
                                       {1, 3, 6, 24},
                                       {1, 3, 24, 12},
                                       {1, 12, 24, 4},
                                       {1, 12, 24, 4}};
  Random random(64);
  EncoderParams params;
  params.coding.image = {0, 0, 50, 40};
  params.coding.num_components = 4;
  params.coding.levels = 2;
  params.layers = 2;
  for (std::size_t order = 0; order < 5; ++order)
    for (std::size_t kind = 0; kind < 4; ++kind) {
      params.progression = static_cast<Progression>(order);
      params.tile_parts = static_cast<TileParts>(kind);
      const Picture p = picture(params.coding, random);
      const Bytes bytes = encode(params, p, nullptr, random);
      const std::size_t parts = read_markers(bytes).tiles[0].parts.size();
      CHECK_MESSAGE(parts == kParts[order][kind], "order ", order, ", kind ", kind, ": ", parts);
      expect_identical(params, p, decode_stream(bytes), "own decoder");
    }
}

// A tile-part, of which the SOT is at `sot`, begins some bytes later, or earlier.
Bytes with_moved_part(Bytes bytes, std::size_t before, std::size_t sot, int by) {
  const auto at = [&](std::size_t i) { return bytes.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t body = find_marker(bytes, 0xFF93, sot) + 2;
  const std::size_t moved = sot + static_cast<std::size_t>(by);
  if (by > 0)
    std::rotate(at(sot), at(body), at(body + static_cast<std::size_t>(by)));
  else
    std::rotate(at(moved), at(sot), at(body));
  for (const auto &[part, more] : {std::pair{before, by}, std::pair{moved, -by}}) {
    const int length = (bytes[part + 8] << 8 | bytes[part + 9]) + more;
    bytes[part + 8] = static_cast<std::uint8_t>(length >> 8);
    bytes[part + 9] = static_cast<std::uint8_t>(length);
  }
  return bytes;
}

void planted(const char *what, const Bytes &bad) {
  const std::string complaint = decode_stream(bad).complaint;
  CHECK_MESSAGE(complaint.find(what) != std::string::npos, what, ": ", complaint);
}

TEST_CASE("plant in parts") {
  const auto changed = [](Bytes bytes, std::size_t at, int by) {
    bytes[at] = static_cast<std::uint8_t>(bytes[at] + by);
    return bytes;
  };
  const Bytes good = parted_stream();
  const std::size_t second = find_marker(good, 0xFF90, find_marker(good, 0xFF90) + 2);
  planted("SOT: tile-parts are not in their order", changed(good, second + 10, 1));
  planted("SOT: number of tile-parts", changed(good, second + 11, 1));
  planted("SOT: number of tile-parts", changed(good, find_marker(good, 0xFF90) + 11, -6));
  planted("SOT: tiles are not in their order", changed(good, second + 5, 1));
  const std::size_t tlm = find_marker(good, 0xFF55);
  planted("TLM and SOT differ", changed(good, tlm + 6 + 6 + 1, 1));
  planted("TLM and SOT differ", changed(good, tlm + 6 + 6 + 5, 1));
  planted("PLT: number", changed(good, find_marker(good, 0xFF58, second) + 4, 1));
  const std::size_t poc = find_marker(good, 0xFF5F);
  planted("POC: packets that never come", changed(good, poc + 16, -1));
  planted("POC: layers", changed(good, poc + 7, 1));
  planted("POC: resolutions", changed(good, poc + 15, 5));
  planted("POC: resolutions", changed(good, poc + 11, 1));
  planted("POC: components", changed(good, poc + 9, 1));
  planted("POC: order", changed(good, poc + 10, 1));
  CHECK_MESSAGE(!decode_stream(changed(good, poc + 10, -4)).complaint.empty(), "another order");
}

TEST_CASE("plant in lengths") {
  EncoderParams params = parted();
  params.tlm = false;
  Random random(66);
  const Picture p = picture(params.coding, random);
  const Bytes good = encode(params, p, nullptr, random);
  const std::size_t first = find_marker(good, 0xFF90),
                    second = find_marker(good, 0xFF90, first + 2);
  const std::vector<StreamPart> parts = read_markers(good).tiles[0].parts;
  const auto next = static_cast<int>(parts[1].packet_lengths.front());
  const auto last = static_cast<int>(parts[0].packet_lengths.back());
  planted("PLT and a packet differ", with_moved_part(good, first, second, next));
  planted("PLT: packets", with_moved_part(good, first, second, -last));
  params.plt = false;
  const Bytes bare = encode(params, p, nullptr, random);
  std::vector<std::size_t> sots;
  for (std::size_t at = find_marker(bare, 0xFF90); at < bare.size();
       at = find_marker(bare, 0xFF90, at + 2))
    sots.push_back(at);
  CHECK(sots.size() == 12);
  planted("a packet goes beyond its tile-part", with_moved_part(bare, sots[0], sots[1], 1));
  const auto rest = static_cast<int>(bare.size() - 2 - (sots[11] + 14));
  planted("a tile-part without packets", with_moved_part(bare, sots[10], sots[11], rest));
}

// A segment more, or a line more or less.
TEST_CASE("plant segments") {
  const Bytes good = parted_stream();
  const auto at = [](Bytes &bytes, std::size_t i) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const std::size_t poc = find_marker(good, 0xFF5F), tlm = find_marker(good, 0xFF55);
  Bytes bad = good;
  bad[tlm + 3] = static_cast<std::uint8_t>(bad[tlm + 3] + 6);
  bad.insert(at(bad, tlm + 6 + 12 * 6), 6, 0);
  planted("TLM: tile-parts", bad);
  bad = good;
  bad.insert(at(bad, poc), good.begin() + static_cast<std::ptrdiff_t>(poc),
             good.begin() + static_cast<std::ptrdiff_t>(poc + 18));
  planted("POC comes twice", bad);
  bad = good;
  bad[poc + 3] = 9;
  bad.erase(at(bad, poc + 11), at(bad, poc + 18));
  planted("POC: no change", bad);
}

}  // namespace
}  // namespace coalesce::test
