// SPDX-License-Identifier: LGPL-2.1-or-later
// How much fields comb that are woven to a picture. Of telecined video this tells which fields are
// of one frame of film (cadence.h).
#pragma once

#include <cstdint>

#include "../core/queue.h"
#include "../core/status.h"
#include "../picture/image.h"

namespace coalesce {

// The sum of what samples stand out of the rows above and below by, in 1/255 of their range; of
// every fourth column.
struct Combing {
  std::uint64_t within = 0;  // of both fields of a frame
  // Of its top field and the bottom field of the frame before; of its bottom field and the top one.
  std::uint64_t across[2] = {};
};

constexpr int kCombingParts = 256;

// Measures luma, grey or green of `current` and of the frame before it.
//
// before, current  of one format of picture/formats.h and one size; any size from 1x1
// parts            kCombingParts of them in the memory of the queue, aligned to 8 bytes. What they
//                  add up to is the result; each is of some rows.
//
// The arithmetic is in docs/numerics.md, section telecine.
// Errors: invalid_argument for pictures that break the above or image.h; unsupported for a CUDA
// queue in a build without CUDA kernels, or on a device they were not built for; device_error.
Status measure_combing(const ConstImage &before, const ConstImage &current, Combing *parts,
                       const Queue &queue);

// On the host.
Combing sum_of(const Combing (&parts)[kCombingParts]);

}  // namespace coalesce
