// SPDX-License-Identifier: LGPL-2.1-or-later
// The forward wavelet transforms of a tile-component (ITU-T T.800 Annex F): 5/3, reversible, on
// integers, and 9/7, irreversible, on floats. docs/numerics.md defines every operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../core/plane.h"
#include "../../core/status.h"
#include "../../core/thread_pool.h"
#include "../canvas/geometry.h"

namespace coalesce::j2k {

// What a transform works in, to be kept from frame to frame: it grows with the first and is then
// large enough. One for each transform that runs at the same time. For a plane of w by h samples it
// is at most 5/16 of the plane, and 7 rows for each of the pool's threads times four.
template <class T>
class WaveletMemory {
 public:
  // At least so many samples, what they are is undefined; aligned to 64 bytes. nullptr: no memory.
  T *get(std::size_t samples);

 private:
  std::vector<T> storage_;
};

// So much memory is enough for a tile-component of that size, wherever it lies.
template <class T>
std::size_t wavelet_memory_bound(int width, int height, ThreadPool *pool);

// Transforms a tile-component, whose coordinates decide which samples are low-pass. `in` has its
// size; `out` as well, and receives the sub-bands where band_rect() and Subband::plane_x, plane_y
// say: the low-pass quarter in the upper left corner, and that again as often as there are levels.
// levels: 0 (a copy) to 10, however small the component is. Any size from 1, any pitch.
//
// Low-pass filters have gain 1 at frequency 0, high-pass filters gain 2 at the highest one.
// Integers must be within +-2^24 (16 bits after the reversible transform are: 2^16).
//
// pool: rows are shared out; the result does not depend on it. (Many small tiles are better shared
// out by the caller, with nullptr here.)
//
// Errors: invalid_argument for planes that check_plane() refuses, that are not of the component's
// size, or levels out of range; out_of_memory. in and out must not overlap (which is not checked).
Status wavelet_53(const Rect &tile_component, int levels, const Plane<const std::int32_t> &in,
                  const Plane<std::int32_t> &out, WaveletMemory<std::int32_t> *memory,
                  ThreadPool *pool);
Status wavelet_97(const Rect &tile_component, int levels, const Plane<const float> &in,
                  const Plane<float> &out, WaveletMemory<float> *memory, ThreadPool *pool);

}  // namespace coalesce::j2k
