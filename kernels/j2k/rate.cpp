// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rate.h"

#include <cmath>
#include <new>

#include "allocation.h"

namespace coalesce::j2k {

std::uint64_t error_at_psnr(const CodingParams &params, double psnr) {
  double sum = 0;
  for (int c = 0; c < params.num_components; ++c) {
    const Rect rect = component_rect(params, c);
    const double peak = (1 << params.component[static_cast<std::size_t>(c)].bits) - 1;
    sum += peak * peak * rect.width() * rect.height();
  }
  const double units = std::floor(sum * std::pow(10, -psnr / 10) * kErrorUnits);
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
