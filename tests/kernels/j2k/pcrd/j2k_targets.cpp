// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_targets.h"

#include <algorithm>
#include <cmath>

#include "../../../support/fail.h"
#include "../encoder/j2k_limit_check.h"
#include "../encoder/j2k_random_params.h"

namespace coalesce::test {
namespace {

using namespace j2k;
using Kind = LayerBudget::Kind;

// PLT markers are counted as if all packets were long.
constexpr std::uint64_t kPltSlack = 100;

Status code(const EncoderParams &params, const Picture &p, std::unique_ptr<Encoder> *encoder) {
  if (Status s = Encoder::make(params, encoder); !s.ok()) return s;
  return (*encoder)->code(AllSamples(p).at, nullptr);
}

LayerBudget random_error(Random &random) {
  const std::uint64_t bits = random.bits(), value = bits >> random.between(20, 60);
  const auto rounding = static_cast<std::uint32_t>(64 << (bits >> 3 & 7));
  return {Kind::error, value, value / 3, value / 2 * (bits & 7), rounding, value / 4 * (bits & 3)};
}

Status written_length(Encoder *encoder, std::uint64_t *length) {
  std::vector<std::uint8_t> bytes;
  const Status s = encoder->write(&bytes);
  *length = bytes.size();
  return s;
}

}  // namespace

LengthRange length_range(EncoderParams params, const Picture &p) {
  LengthRange range = {0, 0};
  params.targets.assign(static_cast<std::size_t>(params.layers), {Kind::automatic, 0});
  params.targets.back() = {Kind::everything, 0};
  std::unique_ptr<Encoder> encoder;
  Status s = code(params, p, &encoder);
  if (s.ok()) s = written_length(encoder.get(), &range.least);
  if (s.ok()) s = encoder->allocate(nullptr);
  if (s.ok()) s = written_length(encoder.get(), &range.finest);
  if (!s.ok()) fail(s.message(), ": ", describe(params));
  return range;
}

std::vector<LayerBudget> random_targets(int layers, const LengthRange &range, Random &random) {
  const auto size = [&] {
    const auto least = static_cast<double>(range.least);
    const double octaves = std::log2(static_cast<double>(range.finest) * 1.2 / least);
    return kPltSlack + static_cast<std::uint64_t>(
                           std::ceil(least * std::exp2(octaves * random.below(1000) / 1000)));
  };
  std::vector<LayerBudget> targets;
  const bool automatic = random.below(2) == 0;
  for (int layer = 0; layer + 1 < layers; ++layer)
    switch (automatic ? 0 : random.below(5)) {
      case 0:
        targets.push_back({Kind::automatic, 0});
        break;
      case 1:
        targets.push_back(random_error(random));
        break;
      case 2:
        targets.push_back({Kind::slope, static_cast<std::uint64_t>(random.below(kMaxSlope))});
        break;
      case 3:
        targets.push_back({Kind::everything, 0});
        break;
      default:
        targets.push_back({Kind::bytes, size()});
    }
  targets.push_back({Kind::bytes, size()});
  return targets;
}

LayerBudget random_unlimited_target(Random &random) {
  switch (random.below(3)) {
    case 0:
      return random_error(random);
    case 1:
      return {Kind::slope, static_cast<std::uint64_t>(random.below(kMaxSlope))};
    default:
      return {Kind::everything, 0};
  }
}

Targeted encode_to_targets(const EncoderParams &params, const Picture &p, ThreadPool *pool) {
  Targeted out;
  std::unique_ptr<Encoder> encoder, part;
  Status s = Encoder::make(params, &encoder);
  if (s.ok()) s = encoder->encode(AllSamples(p).at, pool, &out.bytes);
  for (int layers = 1; layers <= params.layers && s.ok(); ++layers) {
    EncoderParams fewer = params;
    fewer.targets.clear();
    fewer.layers = layers;
    out.lengths.push_back(0);
    s = code(fewer, p, &part);
    const std::vector<std::uint8_t> &passes = encoder->layers()->passes;
    std::copy_n(passes.begin(), part->layers()->passes.size(), part->layers()->passes.begin());
    if (s.ok()) s = written_length(part.get(), &out.lengths.back());
  }
  if (!s.ok()) fail(s.message(), ": ", describe(params));
  if (params.targets.back().kind == Kind::bytes) (void)check_limit(params, encoder.get());
  return out;
}

}  // namespace coalesce::test
