// SPDX-License-Identifier: LGPL-2.1-or-later
// Codestreams of the whole encoder with parameters at random, decoded by OpenJPEG. (The covering
// array: test_j2k_judges.cpp.)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "../../../support/doctest.h"
#include "../../../support/random.h"
#include "../encoder/j2k_encode.h"
#include "../encoder/j2k_random_params.h"
#include "../pcrd/j2k_targets.h"
#include "j2k/codestream/jp2.h"
#include "j2k/profile/profile.h"
#include "j2k_expect.h"
#include "j2k_openjpeg.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

// What OpenJPEG 2.5.0 does not decode; the tests' own decoder does.
// - Some, not all, codestreams with a tile that has no samples of a component: it gives up without
//   a word.
// - Bypass and a region of interest: it counts the four planes before raw bits without the region's
//   shift at one place, and with it at another.
bool has_empty_tile_component(const CodingParams &p) {
  for (int tile = 0; tile < tile_count(p); ++tile)
    for (int c = 0; c < p.num_components; ++c)
      if (tile_component_rect(p, tile, c).empty()) return true;
  return false;
}
bool is_beyond_openjpeg(const EncoderParams &params) {
  return ((params.block_style & kBypass) != 0 && !params.roi.empty()) ||
         has_empty_tile_component(params.coding);
}

// OpenJPEG and the tests' decoder agree. (Its 9/7 is exact to about 3 / 2^16.)
void expect_close(const EncoderParams &params, const Bytes &bytes, int layers) {
  const Decoded decoded = decode_with_openjpeg(bytes, layers),
                own = decode_stream(bytes, layers, kMostPoints, RegionSamples::lower_end);
  CHECK_MESSAGE((decoded.complaint.empty() && own.complaint.empty()), decoded.complaint, " ",
                own.complaint, ": ", describe(params));
  int bits = 0;
  for (int c = 0; c < params.coding.num_components; ++c)
    bits = std::max(bits, params.coding.component[static_cast<std::size_t>(c)].bits);
  const int difference = largest_difference(decoded, own);
  CHECK_MESSAGE(difference <= (bits > 14 ? 5 : 1), difference, ": ", describe(params));
}

// False, and said, where the tests were built without OpenJPEG.
bool can_test() {
  if (!have_openjpeg()) skip("the tests were built without OpenJPEG");
  return have_openjpeg();
}

void write_file(const std::string &file, const Bytes &bytes) {
  FILE *out = std::fopen(file.c_str(), "wb");
  CHECK_MESSAGE((out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size()),
                file);
  if (out != nullptr) std::fclose(out);
}

// One codestream; into a file, if there is one to be looked at by hand.
void test_codestream(std::uint64_t seed, const char *file) {
  Random random(seed);
  const EncoderParams params = random_params(random, 640 * 357);
  const Picture p = picture(params.coding, random);
  const Bytes bytes = encode(params, p, nullptr, random);
  if (!is_beyond_openjpeg(params)) {
    if (params.wavelet == Wavelet::reversible_53)
      expect_identical(params, p, decode_with_openjpeg(bytes), "OpenJPEG");
    else
      expect_close(params, bytes, 0);
  }
  if (file == nullptr) return;
  std::printf("%s\n", describe(params).c_str());
  write_file(file, bytes);
}

// Where a block is cut inside of a segment, the segment has no predictable end, and OpenJPEG takes
// it for an error.
bool has_cut_ends(const EncoderParams &params) {
  return (params.block_style & (kPredictable | kTermAll)) == kPredictable;
}

// One with targets: all layers of it, and some.
void test_targets(std::uint64_t seed) {
  Random random(seed);
  EncoderParams params = random_params(random, 200 * 200);
  const Picture p = picture(params.coding, random);
  params.targets = random_targets(params.layers, length_range(params, p), random);
  if (is_beyond_openjpeg(params) || has_cut_ends(params)) return;
  const Bytes bytes = encode_to_targets(params, p, nullptr).bytes;
  expect_close(params, bytes, 0);
  expect_close(params, bytes, random.between(1, params.layers));
}

// Every layer makes it better, and the last one perfect.
TEST_CASE("layers") {
  if (!can_test()) return;
  Random random(41);
  EncoderParams params;
  params.coding.image = {0, 0, 200, 150};
  params.coding.num_components = 3;
  params.colour_transform = true;
  params.layers = 5;
  const Picture p = picture(params.coding, random);
  const Bytes bytes = encode(params, p, nullptr, random);
  double last = HUGE_VAL;
  for (int layers = 1; layers <= 5; ++layers) {
    const Decoded decoded = decode_with_openjpeg(bytes, layers);
    CHECK(decoded.complaint == "");
    const double error = mean_squared_error(p, decoded);
    CHECK_MESSAGE((error < last && (error == 0) == (layers == 5)), layers, " layers: ", last,
                  ", then ", error);
    last = error;
  }
}

// Black and white only: outside of the region, magnitudes are as large as bands have planes for,
// at least where there is neither a level nor a guard bit.
TEST_CASE("region") {
  if (!can_test()) return;
  Random random(44);
  for (int guard_bits = 0; guard_bits <= 2; ++guard_bits)
    for (int levels = 0; levels <= 2; ++levels)
      for (const bool colour : {false, true}) {
        EncoderParams params;
        params.coding.image = {0, 0, 61, 47};
        params.coding.num_components = colour ? 3 : 1;
        params.coding.levels = levels;
        params.colour_transform = colour;
        params.guard_bits = guard_bits;
        params.roi = {7, 5, 20, 30};
        Picture p = picture(params.coding, random);
        for (auto &plane : p.plane)
          for (std::uint16_t &sample : plane)
            sample = random.below(2) == 0 ? 0 : 255;
        expect_identical(params, p, decode_with_openjpeg(encode(params, p, nullptr, random)),
                         "OpenJPEG");
      }
}

// OpenJPEG has nothing to say against profiles, and decodes them. Into --profiles=FOLDER, to look
// at them by hand.
TEST_CASE("profiles") {
  if (!can_test()) return;
  const char *folder = option("profiles");
  for (int i = 1; i <= static_cast<int>(Profile::imf_4k); ++i) {
    Random random(43);
    EncoderParams params;
    params.coding.image = {0, 0, 400, 300};
    params.coding.num_components = 3;
    for (Component &c : params.coding.component)
      c.bits = 12;
    std::uint64_t limit;
    const Status s = set_profile(static_cast<Profile>(i), {24, 1, 0}, &params, &limit);
    CHECK_MESSAGE(s.ok(), s.message());
    const Picture p = picture(params.coding, random);
    const Bytes bytes = encode(params, p, nullptr, random);
    expect_close(params, bytes, 0);
    if (folder != nullptr)
      write_file(std::string(folder) + "/profile" + std::to_string(i) + ".j2k", bytes);
  }
}

TEST_CASE("jp2") {
  if (!can_test()) return;
  Random random(42);
  for (const ColourSpace colour : {ColourSpace::srgb, ColourSpace::grey, ColourSpace::sycc})
    for (const bool alpha : {false, true}) {
      EncoderParams params;
      params.coding.image = {0, 0, 67, 45};
      params.coding.num_components = (colour == ColourSpace::grey ? 1 : 3) + alpha;
      if (colour == ColourSpace::sycc)
        params.coding.component[1] = params.coding.component[2] = {2, 2, 8};
      if (alpha) params.coding.component[3 * (colour != ColourSpace::grey)].bits = 4;
      const Picture p = picture(params.coding, random);
      const Bytes codestream = encode(params, p, nullptr, random);
      Jp2Params jp2;
      jp2.colour = colour;
      jp2.alpha = alpha ? params.coding.num_components - 1 : -1;
      jp2.aspect_width = 16;
      jp2.aspect_height = 11;
      CHECK_MESSAGE(check_params(jp2, params.coding).ok(), "params");
      Bytes file;
      CHECK_MESSAGE(put_jp2_header(jp2, params.coding, codestream.size(), &file).ok(), "header");
      file.insert(file.end(), codestream.begin(), codestream.end());
      const Decoded decoded = decode_with_openjpeg(file);
      expect_identical(params, p, decoded, "OpenJPEG, JP2");
      const int space = colour == ColourSpace::srgb ? 1 : colour == ColourSpace::grey ? 2 : 3;
      CHECK(decoded.colour_space == space);
      CHECK(decoded.alpha == jp2.alpha);
    }
}

// --codestream=SEED --write=FILE: that one, to look at by hand.
TEST_CASE("codestreams by chance") {
  if (!can_test()) return;
  if (const char *seed = option("codestream")) {
    CHECK(option("write") != nullptr);
    return test_codestream(std::strtoull(seed, nullptr, 10), option("write"));
  }
  for (std::uint64_t i = 0; i < (all() ? 600 : 70); ++i) {
    const std::uint64_t seed = seed_of_run(i);
    INFO("--codestream=", seed);
    test_codestream(seed, nullptr);
  }
}

TEST_CASE("targets by chance") {
  if (!can_test()) return;
  for (std::uint64_t i = 10000; i < (all() ? 10350 : 10020); ++i) {
    INFO("seed ", i);
    test_targets(seed_of_run(i));
  }
}

}  // namespace
}  // namespace coalesce::test
