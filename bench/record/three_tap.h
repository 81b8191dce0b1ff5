// SPDX-License-Identifier: LGPL-2.1-or-later
// The 3-tap filter of "Exploring CUDA": each sample of 32 bits plus its neighbours to the left and
// to the right. Built into the benchmark, not into the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/status.h"

namespace coalesce {

// Rows have kThreeTapMargin samples more at either side, which are read and not written. Widths are
// multiples of 16.
constexpr int kThreeTapMargin = 16;
constexpr std::size_t three_tap_pitch(int width) {
  return static_cast<std::size_t>(width) + 2 * kThreeTapMargin;
}

struct ThreeTapVariant {
  const char *name;
  // in and out: the first row with its margins.
  Status (*run)(const std::uint32_t *in, std::uint32_t *out, int width, int height, void *stream);
};

struct ThreeTapVariants {
  const ThreeTapVariant *first;
  int count;
  const ThreeTapVariant *begin() const { return first; }
  const ThreeTapVariant *end() const { return first + count; }
};

ThreeTapVariants three_tap_variants();  // the first is the plainest

// Of the GPU, by events; of the calls on the thread that makes them.
struct StepTime {
  double gpu_us = 0, cpu_us = 0;
};
struct FrameSteps {
  StepTime upload, process, readback;
};

// How frames go over the bus: cudaMemcpy2D of pageable memory, or cudaMemcpy2DAsync of page-locked
// memory.
enum class Transfers { synchronous, asynchronous };

// Medians of the steps of one frame after the other. in: width x height samples, without margins;
// margins are zeros. out: the same, of the last frame.
Status time_three_tap(const ThreeTapVariant &variant, Transfers transfers, int width, int height,
                      const std::uint32_t *in, std::uint32_t *out, FrameSteps *steps);
// Microseconds of a frame with several under way, each in a stream of its own, of page-locked
// memory.
Status time_three_tap_streams(const ThreeTapVariant &variant, int streams, int width, int height,
                              const std::uint32_t *in, std::uint32_t *out, double *us);

}  // namespace coalesce
