// SPDX-License-Identifier: LGPL-2.1-or-later
// Codestreams of the whole encoder with parameters at random, decoded by OpenJPEG. (The covering
// array: test_j2k_judges.cpp.)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "expect.h"
#include "j2k/jp2.h"
#include "j2k/profile.h"
#include "j2k_encode.h"
#include "j2k_openjpeg.h"
#include "j2k_random_params.h"
#include "j2k_stream_decoder.h"
#include "j2k_targets.h"

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
  EXPECT(decoded.complaint.empty() && own.complaint.empty(), "%s %s: %s", decoded.complaint.c_str(),
         own.complaint.c_str(), describe(params).c_str());
  int bits = 0;
  for (int c = 0; c < params.coding.num_components; ++c)
    bits = std::max(bits, params.coding.component[static_cast<std::size_t>(c)].bits);
  const int difference = largest_difference(decoded, own);
  EXPECT(difference <= (bits > 14 ? 5 : 1), "%d: %s", difference, describe(params).c_str());
}

void write_file(const std::string &file, const Bytes &bytes) {
  FILE *out = std::fopen(file.c_str(), "wb");
  EXPECT(out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size(), "%s",
         file.c_str());
  if (out != nullptr) std::fclose(out);
}

// One codestream; into a file, if there is one to be looked at by hand.
void test_codestream(std::uint64_t seed, const char *file) {
  Random random(seed);
  const EncoderParams params = random_params(random, 640 * 357);
  const Picture p = picture(params.coding, random);
  const Bytes bytes = encode(params, p, nullptr, random);
  const int before = failures;
  if (!is_beyond_openjpeg(params)) {
    if (params.wavelet == Wavelet::reversible_53)
      expect_identical(params, p, decode_with_openjpeg(bytes), "OpenJPEG");
    else
      expect_close(params, bytes, 0);
  }
  if (failures > before) std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
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
  const int before = failures;
  const Bytes bytes = encode_to_targets(params, p, nullptr).bytes;
  expect_close(params, bytes, 0);
  expect_close(params, bytes, random.between(1, params.layers));
  if (failures > before) std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
}

// Every layer makes it better, and the last one perfect.
void test_layers() {
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
    EXPECT(decoded.complaint.empty(), "%s", decoded.complaint.c_str());
    const double error = mean_squared_error(p, decoded);
    EXPECT(error < last && (error == 0) == (layers == 5), "%d layers: %g, then %g", layers, last,
           error);
    last = error;
  }
}

// Black and white only: outside of the region, magnitudes are as large as bands have planes for,
// at least where there is neither a level nor a guard bit.
void test_region() {
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

// OpenJPEG has nothing to say against profiles, and decodes them.
void test_profiles(const char *folder) {
  for (int i = 1; i <= static_cast<int>(Profile::imf_4k); ++i) {
    Random random(43);
    EncoderParams params;
    params.coding.image = {0, 0, 400, 300};
    params.coding.num_components = 3;
    for (Component &c : params.coding.component)
      c.bits = 12;
    std::uint64_t limit;
    const Status s = set_profile(static_cast<Profile>(i), {24, 1, 0}, &params, &limit);
    EXPECT(s.ok(), "%s", s.message());
    const Picture p = picture(params.coding, random);
    const Bytes bytes = encode(params, p, nullptr, random);
    expect_close(params, bytes, 0);
    if (folder != nullptr)
      write_file(std::string(folder) + "/profile" + std::to_string(i) + ".j2k", bytes);
  }
}

void test_jp2() {
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
      EXPECT(check_params(jp2, params.coding).ok(), "params");
      Bytes file;
      EXPECT(put_jp2_header(jp2, params.coding, codestream.size(), &file).ok(), "header");
      file.insert(file.end(), codestream.begin(), codestream.end());
      const Decoded decoded = decode_with_openjpeg(file);
      expect_identical(params, p, decoded, "OpenJPEG, JP2");
      const int space = colour == ColourSpace::srgb ? 1 : colour == ColourSpace::grey ? 2 : 3;
      EXPECT(decoded.colour_space == space, "%d", decoded.colour_space);
      EXPECT(decoded.alpha == jp2.alpha, "%d", decoded.alpha);
    }
}

}  // namespace
}  // namespace coalesce::test

// test-j2k-openjpeg [--all | --profiles FOLDER | SEED FILE]
int main(int argc, char **argv) {
  using namespace coalesce::test;
  if (!have_openjpeg()) {
    std::printf("skipped: the tests were built without OpenJPEG\n");
    return 77;
  }
  if (argc == 3 && std::strcmp(argv[1], "--profiles") == 0) {
    test_profiles(argv[2]);
    return result();
  }
  if (argc == 3) {
    test_codestream(std::strtoull(argv[1], nullptr, 10), argv[2]);
    return result();
  }
  const bool all = argc == 2 && std::strcmp(argv[1], "--all") == 0;
  test_layers();
  test_jp2();
  test_profiles(nullptr);
  test_region();
  for (std::uint64_t seed = 0; seed < (all ? 3000 : 200) && failures < 10; ++seed)
    test_codestream(seed, nullptr);
  for (std::uint64_t seed = 10000; seed < (all ? 12000 : 10050) && failures < 10; ++seed)
    test_targets(seed);
  return result();
}
