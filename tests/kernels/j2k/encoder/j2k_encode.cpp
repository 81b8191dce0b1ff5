// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_encode.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>

#include "../../../support/fail.h"
#include "j2k_random_params.h"

namespace coalesce::test {

using namespace j2k;

AllSamples::AllSamples(const Picture &p) {
  for (int c = 0; c < p.params.num_components; ++c)
    at[c] = p.samples(c);
}

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

std::vector<std::uint8_t> encode(const EncoderParams &params, const Picture &p, ThreadPool *pool,
                                 Random &random) {
  std::unique_ptr<Encoder> encoder;
  Status s = Encoder::make(params, &encoder);
  std::vector<std::uint8_t> bytes;
  if (s.ok()) {
    s = encoder->code(AllSamples(p).at, pool);
    spread_over_layers(encoder.get(), random);
    if (s.ok()) s = encoder->write(&bytes);
  }
  if (!s.ok()) fail(s.message(), ": ", describe(params));
  return bytes;
}

namespace {

template <class Sample>
double mean_squared(const Picture &p, const Decoded &decoded,
                    std::vector<Sample> Decoded::Component::*member) {
  if (decoded.components.size() != static_cast<std::size_t>(p.params.num_components))
    return HUGE_VAL;
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t c = 0; c < decoded.components.size(); ++c) {
    const std::vector<Sample> &samples = decoded.components[c].*member;
    if (samples.size() != p.plane[c].size()) return HUGE_VAL;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const double error = static_cast<double>(samples[i]) - p.plane[c][i];
      sum += error * error;
    }
    count += samples.size();
  }
  return sum / static_cast<double>(count);
}

}  // namespace

double mean_squared_error(const Picture &p, const Decoded &decoded) {
  return mean_squared(p, decoded, &Decoded::Component::samples);
}

double error_before_rounding(const Picture &p, const Decoded &decoded) {
  return mean_squared(p, decoded, &Decoded::Component::exact);
}

int largest_difference(const Decoded &a, const Decoded &b) {
  if (a.components.size() != b.components.size()) return INT_MAX;
  int most = 0;
  for (std::size_t c = 0; c < a.components.size(); ++c) {
    const std::vector<std::int32_t> &u = a.components[c].samples, &v = b.components[c].samples;
    if (u.size() != v.size()) return INT_MAX;
    for (std::size_t i = 0; i < u.size(); ++i)
      most = std::max(most, std::abs(u[i] - v[i]));
  }
  return most;
}

std::string byte_difference(const std::vector<std::uint8_t> &bytes,
                            const std::vector<std::uint8_t> &expected) {
  if (bytes == expected) return {};
  const auto at = std::mismatch(bytes.begin(), bytes.end(), expected.begin(), expected.end()).first;
  return std::to_string(bytes.size()) + " bytes and not " + std::to_string(expected.size()) +
         ", other ones from byte " + std::to_string(at - bytes.begin()) + " on";
}

}  // namespace coalesce::test
