// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "allocation.h"

namespace coalesce::j2k {

namespace {

// The mean squared error of the coefficients that becomes `wanted` in a decoder's integers. 9/7:
// rounding adds 1 / 12 but to errors that are small against 1 / 2, which it removes; of that, no
// use is made. 5/3: each lifting step rounds; measured.
double before_rounding(Wavelet wavelet, double wanted) {
  if (wavelet == Wavelet::reversible_53) return std::max(wanted - 0.55, 0.35 * wanted);
  return std::min(wanted, std::max(wanted - 1.0 / 12, 0.04 + wanted / 2));
}

}  // namespace

std::uint64_t error_at_psnr(const CodingParams &params, Wavelet wavelet, double psnr) {
  double sum = 0;
  for (int c = 0; c < params.num_components; ++c) {
    const Rect rect = component_rect(params, c);
    const double peak = (1 << params.component[static_cast<std::size_t>(c)].bits) - 1;
    const double wanted = peak * peak * std::pow(10, -psnr / 10);
    sum += before_rounding(wavelet, wanted) * rect.width() * rect.height();
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
