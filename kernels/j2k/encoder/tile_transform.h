// SPDX-License-Identifier: LGPL-2.1-or-later
// From the samples of a tile to what Tier-1 codes: level shift and colour, wavelet, quantiser,
// region of interest.
#pragma once

#include <cstdint>
#include <memory>

#include "../../core/thread_pool.h"
#include "../transform/samples.h"
#include "../transform/wavelet.h"
#include "encoder_plan.h"

namespace coalesce::j2k {

// Keeps the memory it works in.
class TileTransform {
 public:
  // Allocates for the largest tile.
  Status prepare(const EncoderPlan &plan, ThreadPool *pool);
  // samples: of each component, the whole of it; coefficients: of the picture.
  Status run(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
             std::int32_t *coefficients, ThreadPool *pool);

 private:
  template <class T>
  struct Memory {
    void reserve(int plane, int width, int height);
    bool reserve_wavelet(int width, int height, ThreadPool *pool);
    Plane<T> get(int plane, const Rect &rect);

    std::unique_ptr<T[]> storage[kMaxComponents];
    std::size_t size[kMaxComponents] = {};
    WaveletMemory<T> wavelet;
  };

  Status run_53(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
                std::int32_t *coefficients, ThreadPool *pool);
  Status run_97(const EncoderPlan &plan, const TilePlan &tile, const Samples *samples,
                std::int32_t *coefficients, ThreadPool *pool);

  Memory<std::int32_t> integers_;
  Memory<float> floats_, transformed_;
};

}  // namespace coalesce::j2k
