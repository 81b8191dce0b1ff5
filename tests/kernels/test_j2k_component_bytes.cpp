// SPDX-License-Identifier: LGPL-2.1-or-later
// Limits of components beside the target of the whole codestream.
#include <algorithm>
#include <cstring>

#include "../support/small_run.h"
#include "expect.h"
#include "j2k_encode.h"
#include "j2k_markers.h"
#include "j2k_stream_decoder.h"
#include "j2k_targets.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerTarget::Kind;
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

// As TLM has them, and as measured. (More than 255 tile-parts of a tile are not needed here.)
Lengths lengths_of(const EncoderParams &params, const Picture &p, ThreadPool *pool, Bytes *bytes) {
  std::unique_ptr<Encoder> encoder;
  Status s = Encoder::make(params, &encoder);
  Lengths measured = {};
  if (s.ok()) s = encoder->encode(AllSamples(p).at, pool, bytes);
  if (s.ok()) s = encoder->measure(&measured.all, measured.component);
  EXPECT(s.ok(), "%s", s.message());
  EXPECT(decode_stream(*bytes).complaint.empty(), "%s", decode_stream(*bytes).complaint.c_str());
  EXPECT(bytes->size() == measured.all, "%zu bytes", bytes->size());
  return measured;
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
  EXPECT(wanted.component[0] > 17000, "%llu", static_cast<unsigned long long>(wanted.component[0]));
  bytes.clear();
  const Lengths got = lengths_of(params, p, nullptr, &bytes);
  EXPECT(is_nearly(got.component[0], 16000), "%llu",
         static_cast<unsigned long long>(got.component[0]));
  EXPECT(is_nearly(got.all, 20000), "%llu", static_cast<unsigned long long>(got.all));
  for (std::size_t c = 1; c < 3; ++c)
    EXPECT(got.component[c] > wanted.component[c] && got.component[c] <= 16000, "component %zu", c);
  lengths_of(params, p, &pool, &again);
  EXPECT(again == bytes, "threads");
}

// Who keeps to the limit anyway is not touched.
void test_none() {
  Random random(81);
  EncoderParams params = parted(0);
  const Picture p = uneven(params, 3, random);
  Bytes bytes, limited;
  lengths_of(params, p, nullptr, &bytes);
  params.component_bytes = 16000;
  lengths_of(params, p, nullptr, &limited);
  EXPECT(bytes == limited, "not the same bytes");
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
    EXPECT(is_nearly(got.component[c], 12000), "component %zu: %llu", c,
           static_cast<unsigned long long>(got.component[c]));
}

// Where no bytes are the target, components that keep to the limit do not change.
void test_others() {
  Random random(83);
  EncoderParams params = parted(0);
  const Picture p = uneven(params, 1, random);
  for (const LayerTarget &target :
       {LayerTarget{Kind::slope, kSlopeOne - 512}, LayerTarget{Kind::error, 3000000}}) {
    params.targets = {target};
    params.component_bytes = std::uint64_t{1} << 40;
    Bytes bytes;
    const Lengths wanted = lengths_of(params, p, nullptr, &bytes);
    params.component_bytes = wanted.component[0] / 2;
    bytes.clear();
    const Lengths got = lengths_of(params, p, nullptr, &bytes);
    EXPECT(is_nearly(got.component[0], params.component_bytes), "%llu of %llu",
           static_cast<unsigned long long>(got.component[0]),
           static_cast<unsigned long long>(params.component_bytes));
    for (std::size_t c = 1; c < 3; ++c)
      EXPECT(got.component[c] == wanted.component[c], "component %zu", c);
  }
}

// Whatever is wanted and allowed: what has to be given up is used elsewhere.
void test_by_chance() {
  Random random(84);
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
      EXPECT(got.component[c] <= params.component_bytes, "%d: component %zu", i, c);
      fits = fits && wanted.component[c] <= params.component_bytes;
      all_limited = all_limited && is_nearly(got.component[c], params.component_bytes);
    }
    EXPECT(!fits || bytes == limited, "%d: not the same bytes", i);
    EXPECT(all_limited || got.all >= std::min(wanted.all, limit) * 98 / 100,
           "%d: %llu bytes, %llu without limits of components", i,
           static_cast<unsigned long long>(got.all), static_cast<unsigned long long>(wanted.all));
    EXPECT(got.all <= limit, "%d: %llu of %llu bytes", i, static_cast<unsigned long long>(got.all),
           static_cast<unsigned long long>(limit));
  }
}

void test_errors() {
  const auto refused = [](const char *word, auto &&change) {
    EncoderParams params = parted(0);
    params.component_bytes = 10000;
    change(params);
    std::unique_ptr<Encoder> encoder;
    const Status s = Encoder::make(params, &encoder);
    EXPECT(s.code() == StatusCode::invalid_argument && std::strstr(s.message(), word) != nullptr,
           "%s: %s", word, s.message());
  };
  refused("tile-parts by component", [](EncoderParams &p) { p.tile_parts = TileParts::one; });
  refused("with a target", [](EncoderParams &p) { p.targets.clear(); });
  refused("one layer", [](EncoderParams &p) {
    p.layers = 2;
    p.targets.insert(p.targets.begin(), {Kind::automatic, 0});
  });
  refused("empty packets", [](EncoderParams &p) { p.component_bytes = 14 + 3; });  // of four
}

}  // namespace
}  // namespace coalesce::test

int main() {
  using namespace coalesce::test;
  test_errors();
  for (const bool plt : {false, true}) {
    test_one(0, plt);
    test_one(100, plt);
  }
  test_none();
  test_all(coalesce::j2k::LayerTarget::Kind::bytes);
  test_all(coalesce::j2k::LayerTarget::Kind::everything);
  test_others();
  test_by_chance();
  return result();
}
