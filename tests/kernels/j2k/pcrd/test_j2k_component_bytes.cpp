// SPDX-License-Identifier: LGPL-2.1-or-later
// Limits of components beside the target of the whole codestream.
#include <algorithm>
#include <cstring>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../../support/small_run.h"
#include "../codestream/j2k_markers.h"
#include "../encoder/j2k_encode.h"
#include "../judges/j2k_stream_decoder.h"
#include "j2k_targets.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;
using Bytes = std::vector<std::uint8_t>;

EncoderParams parted(int tile) {
  EncoderParams params;
  params.coding.image = {0, 0, 250, 190};
  params.coding.tile_width = params.coding.tile_height = tile;
  params.coding.num_components = 3;
  params.coding.levels = 3;
  params.coding.block_x = params.coding.block_y = 4;
  params.wavelet = Wavelet::irreversible_97;
  params.progression = Progression::cprl;
  params.tile_parts = TileParts::component;
  params.targets = {{Kind::bytes, 20000}};
  return params;
}

// Noise in the first components, a little of it in the others.
Picture uneven(const EncoderParams &params, int loud, Random &random) {
  Picture p = picture(params.coding, random);
  for (int c = 0; c < 3; ++c)
    for (std::uint16_t &sample : p.plane[c])
      sample = static_cast<std::uint16_t>(c < loud ? random.below(256)
                                                   : 112 + sample / 16 + random.below(12));
  return p;
}

struct Lengths {
  std::uint64_t all, component[3];
};

// By SOT: the tile-parts of a tile are one of each component.
Lengths lengths_of(const EncoderParams &params, const Picture &p, ThreadPool *pool, Bytes *bytes) {
  std::unique_ptr<Encoder> encoder;
  Status s = Encoder::make(params, &encoder);
  if (s.ok()) s = encoder->encode(AllSamples(p).at, pool, bytes);
  REQUIRE_MESSAGE(s.ok(), s.message());
  REQUIRE(decode_stream(*bytes).complaint == "");
  Lengths lengths = {bytes->size(), {}};
  constexpr std::size_t kSotBytes = 12, kEndBytes = 2;
  std::size_t at = find_marker(*bytes, 0xFF90);
  while (at + kSotBytes <= bytes->size()) {
    ByteReader part(bytes->data() + at + 6, bytes->size() - at - 6);
    const std::uint32_t length = part.u32();
    const unsigned component = part.u8();
    REQUIRE(component < 3);
    lengths.component[component] += length;
    at += length;
  }
  CHECK(at + kEndBytes == bytes->size());
  return lengths;
}

bool is_nearly(std::uint64_t used, std::uint64_t limit) {
  return used <= limit && used * 100 >= limit * 98;
}

// One component that would like nearly everything: it gets its limit, the others what is left.
void test_one(int tile, bool plt) {
  Random random(80);
  ThreadPool pool(3);
  EncoderParams params = parted(tile);
  params.plt = plt;
  const Picture p = uneven(params, 1, random);
  Bytes bytes, again;
  const Lengths wanted = lengths_of(params, p, nullptr, &bytes);
  params.component_bytes = 16000;
  CHECK(wanted.component[0] > 17000);
  bytes.clear();
  const Lengths got = lengths_of(params, p, nullptr, &bytes);
  CHECK_MESSAGE(is_nearly(got.component[0], 16000), got.component[0]);
  CHECK_MESSAGE(is_nearly(got.all, 20000), got.all);
  for (std::size_t c = 1; c < 3; ++c)
    CHECK_MESSAGE((got.component[c] > wanted.component[c] && got.component[c] <= 16000),
                  "component ", c);
  lengths_of(params, p, &pool, &again);
  CHECK_MESSAGE(again == bytes, "threads");
}

// Who keeps to the limit anyway is not touched.
TEST_CASE("none") {
  Random random(81);
  EncoderParams params = parted(0);
  const Picture p = uneven(params, 3, random);
  Bytes bytes, limited;
  lengths_of(params, p, nullptr, &bytes);
  params.component_bytes = 16000;
  lengths_of(params, p, nullptr, &limited);
  CHECK_MESSAGE(bytes == limited, "not the same bytes");
}

// What the first ones leave is too much for another: all have their limit, or all they have.
void test_all(Kind kind) {
  Random random(82);
  EncoderParams params = parted(0);
  params.targets = {{kind, 100000}};
  const Picture p = uneven(params, 2, random);
  params.component_bytes = 12000;
  Bytes bytes;
  const Lengths got = lengths_of(params, p, nullptr, &bytes);
  for (std::size_t c = 0; c < 3; ++c)
    CHECK_MESSAGE(is_nearly(got.component[c], 12000), "component ", c, ": ", got.component[c]);
}

// Where no bytes are the target, components that keep to the limit do not change.
TEST_CASE("others") {
  Random random(83);
  EncoderParams params = parted(0);
  const Picture p = uneven(params, 1, random);
  for (const LayerBudget &target :
       {LayerBudget{Kind::slope, kSlopeOne - 512}, LayerBudget{Kind::error, 3000000}}) {
    params.targets = {target};
    params.component_bytes = std::uint64_t{1} << 40;
    Bytes bytes;
    const Lengths wanted = lengths_of(params, p, nullptr, &bytes);
    params.component_bytes = wanted.component[0] / 2;
    bytes.clear();
    const Lengths got = lengths_of(params, p, nullptr, &bytes);
    CHECK_MESSAGE(is_nearly(got.component[0], params.component_bytes), got.component[0], " of ",
                  params.component_bytes);
    for (std::size_t c = 1; c < 3; ++c)
      CHECK_MESSAGE(got.component[c] == wanted.component[c], "component ", c);
  }
}

// Whatever is wanted and allowed: what has to be given up is used elsewhere.
TEST_CASE("by chance") {
  Random random = random_of_run(84);
  for (int i = 0; i < few_of(16); ++i) {
    EncoderParams params = parted(random.pick({0, 100}));
    params.plt = random.below(2) == 0;
    const Picture p = uneven(params, random.below(4), random);
    const auto limit = static_cast<std::uint64_t>(random.between(3000, 60000));
    params.targets = {{Kind::bytes, limit}};
    Bytes bytes, limited;
    const Lengths wanted = lengths_of(params, p, nullptr, &bytes);
    params.component_bytes = limit * static_cast<unsigned>(random.between(20, 90)) / 100;
    const Lengths got = lengths_of(params, p, nullptr, &limited);
    bool fits = true, all_limited = true;
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK_MESSAGE(got.component[c] <= params.component_bytes, i, ": component ", c);
      fits = fits && wanted.component[c] <= params.component_bytes;
      all_limited = all_limited && is_nearly(got.component[c], params.component_bytes);
    }
    CHECK_MESSAGE((!fits || bytes == limited), i, ": not the same bytes");
    CHECK_MESSAGE((all_limited || got.all >= std::min(wanted.all, limit) * 98 / 100), i, ": ",
                  got.all, " bytes, ", wanted.all, " without limits of components");
    CHECK_MESSAGE(got.all <= limit, i, ": ", got.all, " of ", limit, " bytes");
  }
}

TEST_CASE("errors") {
  const auto refused = [](const char *word, auto &&change) {
    EncoderParams params = parted(0);
    params.component_bytes = 10000;
    change(params);
    std::unique_ptr<Encoder> encoder;
    const Status s = Encoder::make(params, &encoder);
    CHECK_MESSAGE(
        (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), word) != nullptr),
        word, ": ", s.message());
  };
  refused("tile-parts by component", [](EncoderParams &p) { p.tile_parts = TileParts::one; });
  refused("with a target", [](EncoderParams &p) { p.targets.clear(); });
  refused("one layer", [](EncoderParams &p) {
    p.layers = 2;
    p.targets.insert(p.targets.begin(), {Kind::automatic, 0});
  });
  refused("empty packets", [](EncoderParams &p) { p.component_bytes = 14 + 3; });  // of four
}

TEST_CASE("one") {
  for (const bool plt : {false, true}) {
    test_one(0, plt);
    test_one(100, plt);
  }
}

TEST_CASE("all, and a limit in bytes") {
  test_all(Kind::bytes);
}

TEST_CASE("all, without another limit") {
  test_all(Kind::everything);
}

}  // namespace
}  // namespace coalesce::test
