// SPDX-License-Identifier: LGPL-2.1-or-later
// The kernels of "Implementing an efficient convolution operation on GPU", of grey pictures of 8
// bits and with replicated borders. Built into the benchmark, not into the library.
//
// The mask is a pyramid: the outer product of 1 2 ... n ... 2 1, divided by its sum.
#pragma once

#include "core/plane.h"
#include "core/status.h"

namespace coalesce {

constexpr int kBookMaxRadius = 6;

struct BookVariant {
  const char *name;
  int max_radius;  // from 1
  bool separable;  // its numbers between the passes are bytes
  // across: of separable ones, what lies between, with the pitch of `out`. Rows of `out` start on 8
  // bytes, and have a multiple of 8.
  Status (*run)(int radius, const Plane<const std::uint8_t> &in, const Plane<std::uint8_t> &out,
                std::uint8_t *across, void *stream);
};

struct BookVariants {
  const BookVariant *first;
  int count;
  const BookVariant *begin() const { return first; }
  const BookVariant *end() const { return first + count; }
};

BookVariants book_variants();

// A picture of `bytes` bytes to the GPU and back, page-locked, one way after the other.
Status time_both_ways(std::size_t bytes, double *us);

}  // namespace coalesce
