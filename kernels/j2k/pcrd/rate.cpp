// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "../transform/quantiser.h"
#include "allocation.h"
#include "final_error.h"

namespace coalesce::j2k {

namespace {

// Errors that are normally distributed are rounded; each of more than k + 1/2 counts 2 k + 1 more.
double rounded_normal(double variance) {
  constexpr double kMuch = 4;
  if (variance > kMuch) return variance + 1.0 / 12;
  double sum = 0;
  for (int k = 0; k < 12; ++k)
    sum += (2 * k + 1) * std::erfc((k + 0.5) / std::sqrt(2 * variance));
  return sum;
}

// The mean squared error of samples that a decoder makes of a mean squared error of coefficients.
// 9/7: normally distributed, more of it in one place than in another, and in R and B than in G;
// with visual weighting, in B, for there Cb is. 5/3: each lifting step and the colour transform
// round, too, unless there is nothing to round. Both fitted to what pictures show:
// docs/numerics.md.
double after_rounding(const EncoderParams &params, double error) {
  if (params.wavelet == Wavelet::reversible_53) {
    const double root = std::sqrt(error);
    if (!params.colour_transform) return error + std::min(0.45, 0.55 * root);
    return error + std::min(0.7, std::max(0.7 * root, std::min(0.22, 4.5 * error)));
  }
  constexpr double kColours[2][3] = {{1.02, 0.56, 1.42}, {0.3, 0.2, 2.5}}, kGrey[3] = {1, 1, 1};
  constexpr double kPlaces[2][2] = {{0.7, 1.3}, {0.5, 1.5}};
  double sum = 0;
  for (const double of_component :
       params.colour_transform ? kColours[params.visual_weighting] : kGrey)
    for (const double of_place : kPlaces[params.visual_weighting])
      sum += rounded_normal(error * of_component * of_place) / 6;
  return sum;
}

double before_rounding(const EncoderParams &params, double wanted) {
  double low = 0, high = wanted + 1;  // small errors are rounded away
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (after_rounding(params, middle) < wanted ? low : high) = middle;
  }
  return low;
}

// Of a component's samples, that are rounded.
double error_of_component(const EncoderParams &params, int c, double psnr) {
  const double peak = (1 << params.coding.component[static_cast<std::size_t>(c)].bits) - 1;
  return peak * peak * std::pow(10, -psnr / 10);
}

// The mean squared error of a component's coefficients.
double component_error(const EncoderParams &params, int c, double psnr) {
  return before_rounding(params, error_of_component(params, c, psnr));
}

// The same where only as many samples have an error as makes it the smallest: 1/4 each.
double concentrated_error(const EncoderParams &params, int c, double psnr) {
  constexpr double kEach = 0.25;
  const double wanted = error_of_component(params, c, psnr);
  if (params.wavelet == Wavelet::reversible_53 || wanted > kEach)
    return component_error(params, c, psnr);
  return wanted / kEach * before_rounding(params, kEach);
}

// Of a tile, 1 / its length across and down: the share that is at an edge.
struct Edges {
  double across, down;

  explicit Edges(const CodingParams &coding)
      : across(of(coding.tile_width, coding.image.width())),
        down(of(coding.tile_height, coding.image.height())) {}
  static double of(int tile, int image) { return 1.0 / (tile > 0 ? std::min(tile, image) : image); }
};

// By how much errors of coefficients are larger in samples than energies of bands say, which are
// those of endless rows: at the edges of a tile they are mirrored. (Measured: docs/numerics.md.)
double at_edges(const CodingParams &coding) {
  const Edges edges(coding);
  return (1 + edges.across) * (1 + edges.down);
}

std::uint64_t error_units(double error) {
  const double units = std::floor(error * kErrorUnits);
  return units < 0x1p63 ? static_cast<std::uint64_t>(units) : std::uint64_t{1} << 63;
}

// LayerBudget::smooth. Errors of coarse bands may be so many times larger in samples than energies
// of bands say: more of them are at the edges, and neighbours have the same sign. Where rounding
// makes as much of an error, it would not be worth its bytes. (Measured: docs/numerics.md.)
std::uint64_t smooth_error(const EncoderParams &params, double error, double samples) {
  const Edges edges(params.coding);
  const double size = 9600 * (edges.across + edges.down) * (edges.across + edges.down);
  const bool reversible = params.wavelet == Wavelet::reversible_53;
  if (error < samples * (reversible ? 2 : 0.125)) return 0;
  return error_units(error /
                     (reversible ? 1.5 + std::min(3.5, 1.5 * size) : 1 + std::min(1.5, size)));
}

// LayerBudget::rounding. Where about as much error is wanted as rounding makes (1/12) or more, it
// is an error as others; where less is, decoders make it again, and leave about half.
std::uint32_t rounding_share(double error, double wanted, double samples) {
  const double share = std::max(std::min(6 * error / samples, 1.0), error / (2 * wanted));
  return static_cast<std::uint32_t>(std::min(256 * share, 0x1p24));
}

}  // namespace

std::uint32_t final_error(const CodeBlock &block) {
  if (block.fraction_bits == 0) return 0;
  std::uint32_t sum = 0;
  for (int y = 0; y < block.height; ++y)
    for (int x = 0; x < block.width; ++x)
      sum += final_error_of(block.samples[y * block.pitch + x], block.fraction_bits);
  return final_error_sum(sum);
}

LayerBudget target_at_psnr(const EncoderParams &params, double psnr) {
  double error = 0, wanted = 0, concentrated = 0, samples = 0;
  for (int c = 0; c < params.coding.num_components; ++c) {
    const Rect rect = component_rect(params.coding, c);
    const double area = double(rect.width()) * rect.height();
    error += component_error(params, c, psnr) * area;
    wanted += error_of_component(params, c, psnr) * area;
    concentrated += concentrated_error(params, c, psnr) * area;
    samples += area;
  }
  constexpr double kFew = 16;  // fewer wrong samples are no distribution
  if (wanted < kFew) error = concentrated + (error - concentrated) * wanted / kFew;
  error /= at_edges(params.coding);
  concentrated /= at_edges(params.coding);
  LayerBudget target = {LayerBudget::Kind::error, error_units(error)};
  target.smooth = smooth_error(params, error, samples);
  target.rounding = rounding_share(error, wanted, samples);
  target.concentrated = std::min(target.value, error_units(concentrated));
  if (target.concentrated < target.value)
    target.usual = error_units(samples * params.base_step * params.base_step / 10);
  return target;
}

double base_step_at_psnr(const EncoderParams &params, double psnr) {
  // What a step leaves of its square: 1/12 where coefficients are large, up to 1/3 where they are
  // not.
  constexpr double kPart = 1.0 / 6;
  EncoderParams plain = params;
  plain.visual_weighting = false;  // finer steps would only take more bytes
  double error = component_error(plain, 0, psnr);
  for (int c = 1; c < params.coding.num_components; ++c)
    error = std::min(error, component_error(plain, c, psnr));
  double step = fine_base_step(params.colour_transform);
  for (int halvings = 0; halvings < 8 && kPart * step * step > error; ++halvings)
    step /= 2;
  return step;
}

RateAllocator::RateAllocator() = default;
RateAllocator::~RateAllocator() = default;
RateAllocator::RateAllocator(RateAllocator &&) noexcept = default;
RateAllocator &RateAllocator::operator=(RateAllocator &&) noexcept = default;

Status RateAllocator::prepare(std::size_t blocks, std::size_t passes, int layers,
                              ComponentLimits limits) {
  if (layers < 1 || layers > 65535)
    return invalid_argument("j2k: the number of layers is not 1 to 65535");
  if (limits.count > 0 && layers != 1)
    return invalid_argument("j2k: components have limits and there is more than one layer");
  try {
    memory_ = std::make_unique<Memory>(blocks, passes, layers, limits);
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, "j2k: no memory for rate allocation"};
  }
  return {};
}

Status RateAllocator::allocate(const RateBlock *blocks, const LayerBudget *targets,
                               PacketHeaders *headers, ThreadPool *pool) {
  return memory_->run(blocks, targets, headers, pool);
}

PassTable RateAllocator::table() const {
  return memory_->table();
}

}  // namespace coalesce::j2k
