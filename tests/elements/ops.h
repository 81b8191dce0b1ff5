// SPDX-License-Identifier: LGPL-2.1-or-later
// Operations for the elements of the tests: on the CPU, as CUDA kernels, and as twins of these for
// the simulated driver (a program links ops.cpp and one of the other two).
#pragma once

#include "core/plane.h"
#include "core/queue.h"

namespace coalesce::testing {

enum class Op { average, difference };  // (a + b + 1) / 2, and |a - b|

// Byte by byte; all three planes have the same size. The output may be neither of the others.
Status combine(Op op, const Plane<const std::uint8_t> &a, const Plane<const std::uint8_t> &b,
               const Plane<std::uint8_t> &out, const Queue &queue);

void combine_cpu(Op op, const Plane<const std::uint8_t> &a, const Plane<const std::uint8_t> &b,
                 const Plane<std::uint8_t> &out);
Status combine_cuda(Op op, const Plane<const std::uint8_t> &a, const Plane<const std::uint8_t> &b,
                    const Plane<std::uint8_t> &out, void *stream);

COALESCE_HOST_DEVICE std::uint8_t combined(Op op, int a, int b) {
  const int difference = a < b ? b - a : a - b;
  return static_cast<std::uint8_t>(op == Op::average ? (a + b + 1) / 2 : difference);
}

}  // namespace coalesce::testing
