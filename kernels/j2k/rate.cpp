// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "allocation.h"

namespace coalesce::j2k {

namespace {

// The mean squared error of samples that a decoder makes of a mean squared error of coefficients.
// 9/7: errors are as good as normally distributed, and rounded; each of more than k + 1/2 counts
// 2 k + 1 more. 5/3: each lifting step and the colour transform round, too, unless there is nothing
// to round; fitted to what pictures show.
double after_rounding(const EncoderParams &params, double error) {
  if (params.wavelet == Wavelet::reversible_53)
    return error + (params.colour_transform ? std::min(0.7, 0.7 * std::sqrt(error))
                                            : std::min(0.45, 0.55 * std::sqrt(error)));
  constexpr double kMuch = 4;
  if (error > kMuch) return error + 1.0 / 12;
  double sum = 0;
  for (int k = 0; k < 12; ++k)
    sum += (2 * k + 1) * std::erfc((k + 0.5) / std::sqrt(2 * error));
  return sum;
}

double before_rounding(const EncoderParams &params, double wanted) {
  double low = 0, high = wanted;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (after_rounding(params, middle) < wanted ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::uint64_t error_at_psnr(const EncoderParams &params, double psnr) {
  double sum = 0;
  for (int c = 0; c < params.coding.num_components; ++c) {
    const Rect rect = component_rect(params.coding, c);
    const double peak = (1 << params.coding.component[static_cast<std::size_t>(c)].bits) - 1;
    const double wanted = peak * peak * std::pow(10, -psnr / 10);
    sum += before_rounding(params, wanted) * rect.width() * rect.height();
  }
  const double units = std::floor(sum * kErrorUnits);
  return units < 0x1p63 ? static_cast<std::uint64_t>(units) : std::uint64_t{1} << 63;
}

RateAllocator::RateAllocator() = default;
RateAllocator::~RateAllocator() = default;
RateAllocator::RateAllocator(RateAllocator &&) noexcept = default;
RateAllocator &RateAllocator::operator=(RateAllocator &&) noexcept = default;

Status RateAllocator::prepare(std::size_t blocks, std::size_t passes, int layers) {
  if (layers < 1 || layers > 65535)
    return invalid_argument("j2k: the number of layers is not 1 to 65535");
  try {
    memory_ = std::make_unique<Memory>(blocks, passes, layers);
  } catch (const std::bad_alloc &) {
    return {StatusCode::out_of_memory, "j2k: no memory for rate allocation"};
  }
  return {};
}

Status RateAllocator::allocate(const RateBlock *blocks, const LayerTarget *targets,
                               PacketHeaders *headers, ThreadPool *pool) {
  return memory_->run(blocks, targets, headers, pool);
}

PassTable RateAllocator::table() const {
  return memory_->table();
}

const LayerResult &RateAllocator::result(int layer) const {
  return memory_->results_[static_cast<std::size_t>(layer)];
}

}  // namespace coalesce::j2k
