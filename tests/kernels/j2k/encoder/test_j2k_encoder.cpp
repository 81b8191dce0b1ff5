// SPDX-License-Identifier: LGPL-2.1-or-later
// The whole encoder, with the tests' own decoder as the judge.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../../../support/small_run.h"
#include "../../counted_allocations.h"
#include "../judges/j2k_expect.h"
#include "../judges/j2k_stream_decoder.h"
#include "../pcrd/j2k_targets.h"
#include "j2k_encode.h"
#include "j2k_random_params.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

// Samples of a picture, below which its error may be far from the mean of such pictures.
constexpr std::size_t kFew = 64;

// The same with any threads; and what comes out of the decoder.
void test_codestream(std::uint64_t seed, ThreadPool *pool) {
  Random random(seed);
  const EncoderParams params = random_params(random, 128 * 128);
  const Picture p = picture(params.coding, random);
  Random layers(seed), same_layers(seed);
  const Bytes bytes = encode(params, p, nullptr, layers);
  CHECK_MESSAGE(encode(params, p, pool, same_layers) == bytes, "threads: ", describe(params));
  const Decoded decoded = decode_stream(bytes);
  if (params.wavelet == Wavelet::reversible_53) {
    expect_identical(params, p, decoded, "own decoder");
  } else {
    CHECK_MESSAGE(decoded.complaint.empty(), decoded.complaint, ": ", describe(params));
    // Samples are rounded. Coefficients spread over the dead zone have 4 times the error that is
    // promised. In a picture of few, each may by chance be at the zone's end, whose square is 12
    // times as much; mirrored edges add to that.
    const double promised = params.base_step * params.base_step / 12 + 1.0 / 12;
    const double chance = p.plane[0].size() < kFew ? 18 : 4;
    const double error = mean_squared_error(p, decoded);
    CHECK_MESSAGE(error < (params.derived ? 2 : 1) * chance * promised + 0.5, error, ", ", promised,
                  " promised: ", describe(params));
  }
}

// Layers and those of them that made the picture worse by more than a tenth.
struct LayerCount {
  int all = 0, worse = 0;
};

// Layers with targets, at random: each goes on from the one before. A layer lowers the error of
// coefficients; that of samples, in which these add up and are rounded, it lowers mostly, and of
// few samples by chance.
void test_targets(std::uint64_t seed, ThreadPool *pool, LayerCount *count) {
  Random random(seed);
  EncoderParams params = random_params(random, 128 * 128);
  const Picture p = picture(params.coding, random);
  params.targets = random_targets(params.layers, length_range(params, p), random);
  const Targeted coded = encode_to_targets(params, p, nullptr);
  const std::string text = describe(params);
  CHECK_MESSAGE(encode_to_targets(params, p, pool).bytes == coded.bytes, "threads: ", text);
  CHECK_MESSAGE(coded.lengths.back() == coded.bytes.size(), text);
  CHECK_MESSAGE(std::is_sorted(coded.lengths.begin(), coded.lengths.end()), text);
  double before = HUGE_VAL;
  for (int layers = 1; layers <= params.layers; ++layers) {
    const Decoded decoded = decode_stream(coded.bytes, layers);
    CHECK_MESSAGE(decoded.complaint.empty(), decoded.complaint, ": ", text);
    const double error = mean_squared_error(p, decoded);
    if (p.plane[0].size() >= kFew) {
      CHECK_MESSAGE(error <= 2 * before + 2, "layer ", layers, ": ", error, " after ", before, ": ",
                    text);
      ++count->all;
      count->worse += error > 1.1 * before + 1 ? 1 : 0;
    }
    before = error;
  }
}

EncoderParams rgb(int width, int height) {
  EncoderParams params;
  params.coding.image = {0, 0, width, height};
  params.coding.num_components = 3;
  params.colour_transform = true;
  return params;
}

// 9/7: each coefficient adds step^2 / 12, so does the picture; with a region of interest, too.
TEST_CASE("lossy") {
  Random random(50);
  EncoderParams params = rgb(200, 150);
  params.wavelet = Wavelet::irreversible_97;
  params.coding.levels = 3;
  for (Component &c : params.coding.component)
    c.bits = 12;
  const Picture p = picture(params.coding, random);
  for (const bool roi : {false, true})
    for (const double step : {4.0, 16.0}) {
      if (roi) params.roi = {31, 40, 90, 93};
      params.base_step = step;
      params.guard_bits = 1;
      const Bytes bytes = encode(params, p, nullptr, random);
      const double error = mean_squared_error(p, decode_stream(bytes));
      const double promised = step * step / 12;
      CHECK_MESSAGE((error > 0.8 * promised && error < 1.25 * promised), "step ", step, ": ",
                    error);
    }
}

// With a region of interest, its planes come first: as much as half of the passes leaves little
// error in it.
TEST_CASE("region first") {
  Random random(51);
  EncoderParams params = rgb(160, 160);
  params.coding.levels = 2;
  params.roi = {50, 60, 100, 110};
  const Picture p = picture(params.coding, random);
  std::unique_ptr<Encoder> encoder;
  CHECK_MESSAGE(Encoder::make(params, &encoder).ok(), "make");
  const Samples samples[] = {p.samples(0), p.samples(1), p.samples(2)};
  CHECK_MESSAGE(encoder->code(samples, nullptr).ok(), "code");
  for (std::size_t b = 0; b < encoder->blocks().size(); ++b)
    encoder->layers()->at(0, b) = static_cast<std::uint8_t>(encoder->blocks()[b].coded.passes / 2);
  Bytes bytes;
  CHECK_MESSAGE(encoder->write(&bytes).ok(), "write");
  const Decoded decoded = decode_stream(bytes);
  CHECK(decoded.complaint == "");
  double inside = 0, outside = 0;
  for (int y = 0; y < 160; ++y)
    for (int x = 0; x < 160; ++x) {
      const double error = std::abs(
          decoded.components[0].samples[static_cast<std::size_t>(y * 160 + x)] - p.at(0, x, y));
      (x >= 50 && x < 100 && y >= 60 && y < 110 ? inside : outside) += error;
    }
  inside /= 50 * 50;
  outside /= 160 * 160 - 50 * 50;
  CHECK_MESSAGE(inside < 0.1 * outside, "mean error ", inside, " inside, ", outside, " outside");
}

// An encoder gives the same bytes whatever it coded before; and it allocates nothing any more.
TEST_CASE("again") {
  Random random(52);
  ThreadPool pool(3);
  for (const Wavelet wavelet : {Wavelet::reversible_53, Wavelet::irreversible_97})
    for (const int tile : {0, 30, 75}) {
      EncoderParams params = rgb(150, 100);
      params.wavelet = wavelet;
      params.coding.tile_width = params.coding.tile_height = tile;
      params.layers = 3;
      if (tile > 0)
        params.targets = {{LayerBudget::Kind::bytes, 7000},
                          {LayerBudget::Kind::error, 5 * kErrorUnits * 150 * 100 * 3},
                          {LayerBudget::Kind::bytes, 15000}};
      params.plt = params.tlm = params.sop = true;
      const Picture p = picture(params.coding, random), q = picture(params.coding, random);
      const Samples first[] = {p.samples(0), p.samples(1), p.samples(2)};
      const Samples other[] = {q.samples(0), q.samples(1), q.samples(2)};
      std::unique_ptr<Encoder> encoder;
      CHECK_MESSAGE(Encoder::make(params, &encoder).ok(), "make");
      Bytes a, b, c;
      CHECK_MESSAGE(encoder->encode(first, &pool, &a).ok(), "encode");
      CHECK_MESSAGE(encoder->encode(other, &pool, &b).ok(), "encode");
      c.reserve(a.size());
      const long before = allocations();
      REQUIRE(before > 0);  // they are counted
      const bool encoded = encoder->encode(first, &pool, &c).ok();
      const long made = allocations() - before;
      CHECK(encoded);
      CHECK(made == 0);
      CHECK_MESSAGE((a == c && a != b), "not the same bytes");
    }
}

// Each allocation of an encoder and its first picture fails in turn: the status reports it, nothing
// is thrown, and an encoder that was made encodes the picture at the next attempt.
TEST_CASE("no memory") {
  Random random(54);
  ThreadPool pool(3);
  EncoderParams params = rgb(100, 80);
  params.coding.tile_width = 30;
  params.layers = 2;
  params.targets = {{LayerBudget::Kind::bytes, 3000}, {LayerBudget::Kind::bytes, 6000}};
  params.tlm = params.plt = true;
  for (const Wavelet wavelet : {Wavelet::reversible_53, Wavelet::irreversible_97}) {
    params.wavelet = wavelet;
    const Picture p = picture(params.coding, random);
    const Samples samples[] = {p.samples(0), p.samples(1), p.samples(2)};
    Bytes expected;
    long tried = 0;
    for (long nth = 0; nth <= 1 || allocation_has_failed(); ++nth, ++tried) {
      Bytes bytes;
      std::unique_ptr<Encoder> encoder;
      if (!fail_allocation(nth)) return skip("a sanitizer has its own new");
      Status status = Encoder::make(params, &encoder);
      if (status.ok()) status = encoder->encode(samples, &pool, &bytes);
      const bool failed = allocation_has_failed();
      if (nth == 0) expected = bytes;
      REQUIRE_MESSAGE(status.code() == (failed ? StatusCode::out_of_memory : StatusCode::ok),
                      "allocation ", nth, ": ", status.message());
      REQUIRE_MESSAGE((failed ? bytes.empty() : bytes == expected), "allocation ", nth);
      if (!failed || encoder == nullptr) continue;
      REQUIRE_MESSAGE((encoder->encode(samples, &pool, &bytes).ok() && bytes == expected),
                      "after allocation ", nth);
    }
    fail_allocation(0);
    CHECK_MESSAGE(tried > 50, tried, " allocations");
  }
}

// Status names what is wrong.
TEST_CASE("errors") {
  const auto error = [](const char *word, auto &&change) {
    EncoderParams params = rgb(64, 64);
    change(params);
    std::unique_ptr<Encoder> encoder;
    const Status s = Encoder::make(params, &encoder);
    CHECK_MESSAGE((s.code() == StatusCode::invalid_argument && encoder == nullptr), word);
    CHECK_MESSAGE(std::strstr(s.message(), word) != nullptr, word, ": ", s.message());
  };
  error("layers", [](EncoderParams &p) { p.layers = 0; });
  error("layers", [](EncoderParams &p) { p.layers = 65536; });
  error("2^27 packets", [](EncoderParams &p) {
    p.layers = kMaxLayers;
    p.coding.levels = 0;
    p.coding.precinct[0] = {0, 0};
  });
  error("code-blocks", [](EncoderParams &p) {
    p.layers = kMaxLayers;
    p.coding.image = {0, 0, 400, 400};
    p.coding.levels = 0;
    p.coding.block_x = p.coding.block_y = 2;
  });
  error("4096", [](EncoderParams &p) { p.coding.block_x = 7; });
  error("style", [](EncoderParams &p) { p.block_style = 64; });
  error("largest resolution", [](EncoderParams &p) {
    p.largest_last = true;
    p.coding.levels = 0;
  });
  error("tile-parts", [](EncoderParams &p) { p.tile_parts = static_cast<TileParts>(4); });
  error("255 tile-parts", [](EncoderParams &p) {
    p.progression = Progression::pcrl;
    p.tile_parts = TileParts::layer;
    p.layers = 256;
  });
  error("tlm", [](EncoderParams &p) {  // 44 for each of 65,025 tiles
    p.coding.image = {0, 0, 255, 255};
    p.coding.tile_width = p.coding.tile_height = 1;
    p.coding.num_components = 1;
    p.colour_transform = false;
    p.coding.levels = 0;
    p.tile_parts = TileParts::layer;
    p.layers = 44;
    p.tlm = true;
  });
  error("progression", [](EncoderParams &p) { p.progression = static_cast<Progression>(5); });
  error("guard", [](EncoderParams &p) { p.guard_bits = 8; });
  error("step", [](EncoderParams &p) { p.base_step = 0; });
  error("comment", [](EncoderParams &p) { p.comment.assign(65531, 'x'); });
  error("roi", [](EncoderParams &p) { p.roi = {0, 0, 65, 10}; });
  error("roi", [](EncoderParams &p) { p.roi = {9, 9, 9, 10}; });
  error("three components", [](EncoderParams &p) { p.coding.num_components = 2; });
  error("one kind", [](EncoderParams &p) { p.coding.component[2].bits = 7; });
  error("targets", [](EncoderParams &p) { p.targets.resize(2); });
  error("automatic", [](EncoderParams &p) { p.targets = {{LayerBudget::Kind::automatic, 0}}; });
  error("kind of target", [](EncoderParams &p) {
    p.targets = {{static_cast<LayerBudget::Kind>(5), 0}};
  });
  error("65535 tiles", [](EncoderParams &p) {
    p.coding.image = {0, 0, 1000, 1000};
    p.coding.tile_width = p.coding.tile_height = 3;
  });
  error("roi", [](EncoderParams &p) {  // too many bit-planes
    for (Component &c : p.coding.component)
      c.bits = 16;
    p.roi = {0, 0, 10, 10};
  });

  const EncoderParams params = rgb(64, 64);
  Random random(53);
  const Picture p = picture(params.coding, random);
  Samples samples[] = {p.samples(0), p.samples(1), p.samples(2)};
  samples[1].bits = 7;
  std::unique_ptr<Encoder> encoder;
  CHECK_MESSAGE(Encoder::make(params, &encoder).ok(), "make");
  Bytes bytes = {1, 2, 3};
  const Status s = encoder->encode(samples, nullptr, &bytes);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), "bits") != nullptr),
      s.message());
  CHECK_MESSAGE(bytes.size() == 3, "something was written");

  samples[1].bits = 8;
  CHECK_MESSAGE(encoder->code(samples, nullptr).ok(), "code");
  encoder->layers()->at(0, 0) = static_cast<std::uint8_t>(encoder->blocks()[0].coded.passes + 1);
  CHECK_MESSAGE(
      (encoder->write(&bytes).code() == StatusCode::invalid_argument && bytes.size() == 3),
      "write");
}

// Limits that a few bytes more of blocks would exceed, as they come into packets that had nothing
// in this layer so far, of many blocks: some fit (which encode_to_targets() expects).
TEST_CASE("new packets") {
  Random random(5074);
  EncoderParams params = random_params(random, 128 * 128);
  CHECK_MESSAGE((params.layers == 9 && params.plt && params.coding.block_y == 2),
                "other parameters");
  const Picture p = picture(params.coding, random);
  const LengthRange range = length_range(params, p);
  for (const std::uint64_t seed :
       {295, 1064, 1725, 2150, 2231, 2290, 2308, 3362, 3847, 4093, 4707}) {
    Random targets(seed);
    params.targets = random_targets(params.layers, range, targets);
    encode_to_targets(params, p, nullptr);
  }
}

// As few bytes as can be, with nothing in any layer; and one less.
TEST_CASE("least bytes") {
  Random random(54);
  EncoderParams params = rgb(100, 90);
  params.coding.tile_width = params.coding.tile_height = 60;
  params.layers = 3;
  params.sop = params.eph = params.plt = params.tlm = true;
  const Picture p = picture(params.coding, random);
  const std::uint64_t least = length_range(params, p).least;
  params.targets.assign(3, {LayerBudget::Kind::automatic, 0});
  params.targets.back() = {LayerBudget::Kind::bytes, least};
  const Bytes bytes = encode_to_targets(params, p, nullptr).bytes;
  CHECK_MESSAGE(bytes.size() == least, bytes.size(), " of ", least, " bytes");
  CHECK(decode_stream(bytes).complaint == "");
  --params.targets.back().value;
  std::unique_ptr<Encoder> encoder;
  const Status s = Encoder::make(params, &encoder);
  CHECK_MESSAGE(
      (s.code() == StatusCode::invalid_argument && std::strstr(s.message(), "target") != nullptr),
      s.message());
}

constexpr int kSeeds = 60, kAllSeeds = 700;

TEST_CASE("codestreams by chance") {
  ThreadPool pool(3);
  const int seeds = all() ? kAllSeeds : few_of(kSeeds);
  for (int i = 0; i < seeds; ++i) {
    INFO("seed ", i);
    test_codestream(seed_of_run(static_cast<unsigned>(i)), &pool);
  }
}

TEST_CASE("targets by chance") {
  ThreadPool pool(3);
  LayerCount count;
  const int seeds = all() ? kAllSeeds : few_of(kSeeds);
  for (int i = 0; i < seeds; ++i) {
    INFO("seed ", i);
    test_targets(seed_of_run(static_cast<unsigned>(5000 + i)), &pool, &count);
  }
  CHECK(count.all > seeds);
  CHECK_MESSAGE(count.worse <= 1 + count.all / 200, count.worse, " of ", count.all);
}

}  // namespace
}  // namespace coalesce::test
