// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ops.h"

namespace coalesce::testing {
namespace {

__global__ void combine_kernel(Op op, Plane<const std::uint8_t> a, Plane<const std::uint8_t> b,
                               Plane<std::uint8_t> out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y);
  if (x < out.width) out.row(y)[x] = combined(op, a.row(y)[x], b.row(y)[x]);
}

}  // namespace

Status combine_cuda(Op op, const Plane<const std::uint8_t> &a, const Plane<const std::uint8_t> &b,
                    const Plane<std::uint8_t> &out, void *stream) {
  constexpr int kThreads = 128;
  const dim3 grid(static_cast<unsigned>((out.width + kThreads - 1) / kThreads),
                  static_cast<unsigned>(out.height));
  combine_kernel<<<grid, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(op, a, b, out);
  if (cudaGetLastError() != cudaSuccess)
    return {StatusCode::device_error, "the kernel could not be launched"};
  return {};
}

}  // namespace coalesce::testing
