// SPDX-License-Identifier: LGPL-2.1-or-later
// What is judged byte by byte: markers and boxes against bytes written down by hand, tag trees
// against the standard's example; and that the validator finds what is wrong.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../../support/small_run.h"
#include "../encoder/j2k_encode.h"
#include "../judges/j2k_expect.h"
#include "../judges/j2k_stream_decoder.h"
#include "j2k/codestream/codestream.h"
#include "j2k/codestream/jp2.h"
#include "j2k/tier2/tag_tree.h"
#include "j2k_markers.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

// T.800 B.10.2, Figure B.12: 6 x 3 leaves. The codes of the first ones, as the text has them.
TEST_CASE("tag tree") {
  constexpr int kLeaves[] = {1, 3, 2, 3, 2, 3, 2, 2, 1, 4, 3, 2, 2, 2, 2, 2, 1, 2};
  TagNode nodes[40];
  CHECK(tag_tree_nodes(6, 3) == 18 + 6 + 2 + 1);
  CHECK_MESSAGE((tag_tree_nodes(0, 3) == 0 && tag_tree_nodes(1, 1) == 1), "empty and single");
  TagTree tree(nodes, 6, 3);
  for (int i = 0; i < 18; ++i)
    tree.set(i, kLeaves[i]);
  tree.start();
  Bytes bytes;
  HeaderBits bits(&bytes);
  tree.encode(0, 0, 2, &bits);  // 01111
  tree.encode(1, 0, 4, &bits);  // 001
  tree.encode(2, 0, 3, &bits);  // 101
  bits.end();
  CHECK_MESSAGE((bytes == Bytes{0x79, 0xA0}), hex(bytes[0]), " ", hex(bytes[1]));
}

TEST_CASE("header bits") {
  Bytes bytes;
  {
    HeaderBits bits(&bytes);
    bits.put(0xFF, 8);
    bits.put(0x7F, 7);
    bits.end();
  }
  CHECK_MESSAGE((bytes == Bytes{0xFF, 0x7F}), "stuffing");
  bytes.clear();
  {
    HeaderBits bits(&bytes);
    bits.put(0xFF, 8);
    bits.end();
  }
  CHECK_MESSAGE((bytes == Bytes{0xFF, 0}), "FF at the end");
}

// What B.10.6 and B.10.7 need for one segment.
int bits_of_passes(int passes, std::uint32_t bytes) {
  const int code = passes == 1 ? 1 : passes == 2 ? 2 : passes <= 5 ? 4 : passes <= 36 ? 9 : 16;
  const int length = std::max(bytes > 0 ? std::ilogb(bytes) + 1 : 0, 3 + std::ilogb(passes));
  return code + (length - 3 - std::ilogb(passes)) + 1 + length;
}

// Of four blocks one has nothing, and costs the others' planes nothing; lengths have no bit that
// they do not need.
TEST_CASE("short header") {
  Random random = random_of_run(64);
  EncoderParams params;
  params.coding.image = {0, 0, 128, 128};
  params.coding.levels = 0;
  Picture p = picture(params.coding, random);
  for (int y = 0; y < 128; ++y)
    for (int x = 0; x < 128; ++x)
      p.plane[0][static_cast<std::size_t>(y * 128 + x)] =
          static_cast<std::uint16_t>(128 + (x < 64 && y < 64 ? 0 : random.below(y < 64 ? 16 : 9)));
  std::unique_ptr<Encoder> encoder;
  const Samples samples[] = {p.samples(0)};
  Bytes bytes;
  CHECK_MESSAGE(
      (Encoder::make(params, &encoder).ok() && encoder->encode(samples, nullptr, &bytes).ok()),
      "encode");
  int bits = 1 + 1 + 4, least = kMaxBandPlanes;  // there is something; which blocks have
  std::size_t body = 0;
  const std::vector<BlockData> &blocks = encoder->blocks();
  for (std::size_t b = 1; b < 4; ++b)
    least = std::min(least, int{blocks[b].coded.zero_planes});
  CHECK_MESSAGE((blocks.size() == 4 && blocks[0].coded.passes == 0 && least > 1), least, " planes");
  bits += least + 1;
  for (std::size_t b = 1; b < 4; ++b) {
    const int passes = blocks[b].coded.passes;
    const std::uint32_t length = blocks[b].passes[passes - 1].length;
    bits += blocks[b].coded.zero_planes - least + 1 + bits_of_passes(passes, length);
    body += length;
  }
  const std::size_t packet = bytes.size() - 2 - (find_marker(bytes, 0xFF93) + 2);
  CHECK_MESSAGE(packet == body + static_cast<std::size_t>(bits + 7) / 8, packet, " bytes, ", bits,
                " bits and ", body);
}

EncoderParams marked() {
  EncoderParams params;
  params.coding.image = {0, 0, 60, 50};
  params.coding.tile_width = 40;
  params.coding.tile_height = 50;
  params.coding.levels = 1;
  params.coding.precinct = {};
  params.coding.precinct[0] = {4, 5};
  params.sop = params.eph = params.plt = params.tlm = true;
  params.profile = 2;
  params.comment = "abc";
  return params;
}

Bytes marked_stream() {
  Random random(60);
  const EncoderParams params = marked();
  return encode(params, picture(params.coding, random), nullptr, random);
}

TEST_CASE("main header") {
  // clang-format off
  const Bytes expected = {
      0xFF, 0x4F,
      0xFF, 0x51, 0, 41, 0, 2, 0, 0, 0, 60, 0, 0, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0,
      0, 0, 0, 40, 0, 0, 0, 50, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7, 1, 1,
      0xFF, 0x52, 0, 14, 7, 0, 0, 1, 0, 1, 4, 4, 0, 1, 0x54, 0xFF,
      0xFF, 0x5C, 0, 7, 0x40, 8 << 3, 9 << 3, 9 << 3, 10 << 3,
      0xFF, 0x64, 0, 7, 0, 1, 'a', 'b', 'c',
      0xFF, 0x55, 0, 16, 0, 0x60, 0, 0,
  };
  // clang-format on
  const Bytes bytes = marked_stream();
  CHECK_MESSAGE((bytes.size() > expected.size() &&
                 std::equal(expected.begin(), expected.end(), bytes.begin())),
                "main header");
}

// More than one TLM, more than one PLT, and SOP's number begins again.
TEST_CASE("many") {
  Random random(62);
  EncoderParams tiles;
  tiles.coding.image = {0, 0, 11000, 1};
  tiles.coding.tile_width = tiles.coding.tile_height = 1;
  tiles.coding.levels = 0;
  tiles.tlm = true;
  EncoderParams packets;
  packets.coding.image = {0, 0, 300, 300};
  packets.coding.levels = 0;
  packets.coding.precinct[0] = {1, 1};
  packets.layers = 3;
  packets.plt = packets.sop = true;
  for (const EncoderParams &params : {tiles, packets}) {
    const Picture p = picture(params.coding, random);
    const Bytes bytes = encode(params, p, nullptr, random);
    expect_identical(params, p, decode_stream(bytes), "own decoder");
  }
  // 65532 bytes of lengths in each of 256 PLT: 5 bytes for a length.
  std::vector<std::uint64_t> lengths(65532 / 5 * 256, std::uint64_t{1} << 34);
  CHECK_MESSAGE(tile_part_header_length(true, lengths) == 14 + 256 * (5 + 65530), "256 PLT");
  lengths.push_back(1 << 7);
  CHECK_MESSAGE(tile_part_header_length(true, lengths) == 14 + 256 * (5 + 65530) + 2,
                "256 full PLT");
  lengths.push_back(1);
  CHECK_MESSAGE(tile_part_header_length(true, lengths) == 0, "257 PLT");
}

TEST_CASE("jp2 header") {
  CodingParams coding;
  coding.image = {2, 1, 66, 33};
  coding.num_components = 2;
  coding.component[1].bits = 1;
  Jp2Params jp2;
  jp2.colour = ColourSpace::grey;
  jp2.alpha = 1;
  jp2.aspect_width = 16;
  jp2.aspect_height = 11;
  CHECK_MESSAGE(check_params(jp2, coding).ok(), "params");
  Bytes bytes;
  CHECK_MESSAGE(put_jp2_header(jp2, coding, 100, &bytes).ok(), "header");
  // clang-format off
  const Bytes expected = {
      0, 0, 0, 12, 'j', 'P', ' ', ' ', 0x0D, 0x0A, 0x87, 0x0A,
      0, 0, 0, 20, 'f', 't', 'y', 'p', 'j', 'p', '2', ' ', 0, 0, 0, 0, 'j', 'p', '2', ' ',
      0, 0, 0, 8 + 22 + 10 + 15 + 22 + 26, 'j', 'p', '2', 'h',
      0, 0, 0, 22, 'i', 'h', 'd', 'r', 0, 0, 0, 32, 0, 0, 0, 64, 0, 2, 255, 7, 0, 0,
      0, 0, 0, 10, 'b', 'p', 'c', 'c', 7, 0,
      0, 0, 0, 15, 'c', 'o', 'l', 'r', 1, 0, 0, 0, 0, 0, 17,
      0, 0, 0, 22, 'c', 'd', 'e', 'f', 0, 2, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0,
      0, 0, 0, 26, 'r', 'e', 's', ' ', 0, 0, 0, 18, 'r', 'e', 's', 'd',
      0, 16, 0, 1, 0, 11, 0, 1, 2, 2,
      0, 0, 0, 108, 'j', 'p', '2', 'c',
  };
  // clang-format on
  CHECK_MESSAGE(bytes == expected, bytes.size(), " bytes");
  Jp2Params multiplied = jp2;
  multiplied.premultiplied = true;
  Bytes other, wanted = expected;
  wanted[find_marker(expected, 'c' << 8 | 'd') + 15] = 2;  // of cdef: opacity, and colours have it
  CHECK_MESSAGE((put_jp2_header(multiplied, coding, 100, &other).ok() && other == wanted),
                "premultiplied");
  CHECK_MESSAGE(put_jp2c_header(0xFFFFFFF8u, &bytes).code() == StatusCode::unsupported, "4 GiB");

  const auto refused = [&](const char *word, const Jp2Params &bad) {
    const Status s = check_params(bad, coding);
    CHECK_MESSAGE((!s.ok() && std::strstr(s.message(), word) != nullptr), word, ": ", s.message());
  };
  Jp2Params bad = jp2;
  bad.colour = ColourSpace::srgb;
  refused("number of components", bad);
  bad = jp2;
  bad.alpha = 0;
  refused("alpha", bad);
  bad = jp2;
  bad.aspect_width = 0;
  refused("pixel-aspect-ratio", bad);
}

// One byte changed here or there: the validator finds it.
TEST_CASE("planted") {
  const Bytes good = marked_stream();
  CHECK(decode_stream(good).complaint == "");
  const auto planted = [&](const char *what, std::size_t at, int by) {
    Bytes bad = good;
    bad[at] = static_cast<std::uint8_t>(bad[at] + by);
    CHECK_MESSAGE(!decode_stream(bad).complaint.empty(), what, " was not found");
  };
  planted("the length of SIZ", 5, 1);
  planted("a tile's length in TLM", find_marker(good, 0xFF55) + 11, 1);
  planted("a tile's number in TLM", find_marker(good, 0xFF55) + 7, 1);
  planted("Isot", find_marker(good, 0xFF90) + 5, 1);
  planted("Psot", find_marker(good, 0xFF90) + 9, -1);
  planted("TNsot", find_marker(good, 0xFF90) + 11, 1);
  planted("the number of a PLT", find_marker(good, 0xFF58) + 4, 1);
  planted("a packet's length in PLT", find_marker(good, 0xFF58) + 5, 1);
  const std::size_t sop = find_marker(good, 0xFF91);
  planted("the number of the second SOP", find_marker(good, 0xFF91, sop + 2) + 5, 1);
  planted("EPH", find_marker(good, 0xFF92) + 1, 1);
  planted("the order", find_marker(good, 0xFF52) + 5, 9);
  planted("EOC", good.size() - 1, 1);
  Bytes longer = good, shorter = good;
  longer.push_back(0);
  shorter.pop_back();
  CHECK_MESSAGE(!decode_stream(longer).complaint.empty(), "a byte behind EOC");
  CHECK_MESSAGE(!decode_stream(shorter).complaint.empty(), "a byte less");
}

// Anything, behind the size of the picture: it ends, with a complaint or without.
TEST_CASE("fuzzed validator") {
  const int count = few_of(2000);
  Random random = random_of_run(61);
  const Bytes good = marked_stream();
  const std::size_t cod = find_marker(good, 0xFF52);
  int complaints = 0;
  for (int i = 0; i < count; ++i) {
    Bytes bad = good;
    for (int n = random.between(1, 4); n > 0; --n) {
      const auto at = cod + static_cast<std::size_t>(random.below(
                                static_cast<int>(i % 2 == 0 ? 120 : good.size() - cod)));
      bad[at] = static_cast<std::uint8_t>(random.below(256));
    }
    if (i % 5 == 0) bad.resize(cod + static_cast<std::size_t>(random.below(1000)));
    complaints += !decode_stream(bad).complaint.empty();
  }
  CHECK_MESSAGE(complaints > count / 3, complaints, " complaints of ", count);
}

}  // namespace
}  // namespace coalesce::test
