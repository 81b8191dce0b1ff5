// SPDX-License-Identifier: LGPL-2.1-or-later
// Codestreams of the whole encoder, decoded by OpenJPEG.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "../support/random.h"
#include "expect.h"
#include "j2k/encoder.h"
#include "j2k_openjpeg.h"
#include "j2k_picture.h"
#include "j2k_random_params.h"
#include "j2k_stream_decoder.h"

namespace coalesce::test {
namespace {

using namespace j2k;

using Bytes = std::vector<std::uint8_t>;

// Passes of each block in the layers: more with every layer, all in the last.
void spread_over_layers(Encoder *encoder, Random &random) {
  LayerPasses &layers = *encoder->layers();
  const std::vector<BlockData> &blocks = encoder->blocks();
  for (std::size_t b = 0; b < layers.blocks; ++b) {
    int passes = 0;
    for (int layer = 0; layer < layers.layers; ++layer) {
      const int left = blocks[b].coded.passes - passes;
      if (random.below(3) != 0) passes += random.below(left + 1);
      if (layer + 1 == layers.layers) passes = blocks[b].coded.passes;
      layers.at(layer, b) = static_cast<std::uint8_t>(passes);
    }
  }
}

Bytes encode(const EncoderParams &params, const Picture &p, ThreadPool *pool, Random &random) {
  std::unique_ptr<Encoder> encoder;
  const Status made = Encoder::make(params, &encoder);
  EXPECT(made.ok(), "%s: %s", made.message(), describe(params).c_str());
  if (!made.ok()) return {};
  Samples samples[kMaxComponents];
  for (int c = 0; c < params.coding.num_components; ++c)
    samples[c] = p.samples(c);
  Status s = encoder->code(samples, pool);
  spread_over_layers(encoder.get(), random);
  std::uint64_t length = 0;
  if (s.ok()) s = encoder->measure(&length);
  Bytes bytes;
  if (s.ok()) s = encoder->write(&bytes);
  EXPECT(s.ok(), "%s: %s", s.message(), describe(params).c_str());
  EXPECT(bytes.size() == length, "%zu bytes, %llu measured", bytes.size(),
         static_cast<unsigned long long>(length));
  return bytes;
}

void expect_identical(const EncoderParams &params, const Picture &p, const Decoded &decoded,
                      const char *judge) {
  EXPECT(decoded.complaint.empty(), "%s: %s: %s", judge, decoded.complaint.c_str(),
         describe(params).c_str());
  if (decoded.components.size() != static_cast<std::size_t>(params.coding.num_components)) return;
  for (std::size_t c = 0; c < decoded.components.size(); ++c) {
    const Decoded::Component &component = decoded.components[c];
    bool same = component.samples.size() == p.plane[c].size();
    for (std::size_t i = 0; same && i < p.plane[c].size(); ++i)
      same = component.samples[i] == p.plane[c][i];
    EXPECT(same, "%s: component %zu: %s", judge, c, describe(params).c_str());
  }
}

// One codestream; into a file, if there is one to be looked at by hand.
void test_lossless(std::uint64_t seed, int at_most, const char *file) {
  Random random(seed);
  const EncoderParams params = random_params(random, at_most);
  const Picture p = picture(params.coding, random);
  const Bytes bytes = encode(params, p, nullptr, random);
  const int before = failures;
  expect_identical(params, p, decode_stream(bytes), "own decoder");
  if (have_openjpeg()) expect_identical(params, p, decode_with_openjpeg(bytes), "OpenJPEG");
  if (failures > before) std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  if (file == nullptr) return;
  std::printf("%s\n", describe(params).c_str());
  FILE *out = std::fopen(file, "wb");
  EXPECT(out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size(), "%s",
         file);
  if (out != nullptr) std::fclose(out);
}

}  // namespace
}  // namespace coalesce::test

// test-j2k-encoder [--all | SEED FILE]
int main(int argc, char **argv) {
  using namespace coalesce::test;
  if (!have_openjpeg()) {
    std::printf("skipped: the tests were built without OpenJPEG\n");
    return 77;
  }
  constexpr int kMost = 640 * 357;
  if (argc == 3) {
    test_lossless(std::strtoull(argv[1], nullptr, 10), kMost, argv[2]);
    return result();
  }
  const bool all = argc == 2 && std::strcmp(argv[1], "--all") == 0;
  for (std::uint64_t seed = 0; seed < (all ? 3000 : 300) && failures < 10; ++seed)
    test_lossless(seed, kMost, nullptr);
  return result();
}
