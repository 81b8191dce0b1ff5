// SPDX-License-Identifier: LGPL-2.1-or-later
// Planes and filters that leave everything as it is.
#include <limits>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "../../core/load.cuh"
#include "kernels.h"

namespace coalesce {
namespace {

constexpr int kThreads = 128;  // of a block, along the row
constexpr int kBytes = 16;     // that a thread takes of each of
constexpr int kRows = 4;

struct CopyArgs {
  const std::uint8_t *in;
  std::uint8_t *out;
  std::size_t in_pitch, out_pitch;
  int width, height;  // bytes, rows
  int blocks_across;
  std::uint64_t mask;  // the bits of `period` bytes that are copied; the others become 0
  int period;          // up to 8
  bool wide;           // everything is aligned, the period is 8
};

__global__ void __launch_bounds__(kThreads) copy_kernel(const __grid_constant__ CopyArgs a) {
  wait_for_grid_before();
  const int block = static_cast<int>(blockIdx.x);
  const int band = block / a.blocks_across;
  const int x = ((block - band * a.blocks_across) * kThreads + threadIdx.x) * kBytes;
  const int y = band * kRows;
  if (x >= a.width) return;
  const std::uint8_t *in = a.in + static_cast<std::size_t>(y) * a.in_pitch + x;
  std::uint8_t *out = a.out + static_cast<std::size_t>(y) * a.out_pitch + x;
  const int rows = min(kRows, a.height - y);
  if (!a.wide || x + kBytes > a.width) {
    const int bytes = min(kBytes, a.width - x);
    for (int r = 0; r < rows; ++r, in += a.in_pitch, out += a.out_pitch)
      for (int i = 0; i < bytes; ++i)
        out[i] = in[i] & static_cast<std::uint8_t>(a.mask >> (x + i) % a.period * 8);
    return;
  }
  const auto low = static_cast<std::uint32_t>(a.mask);
  const auto high = static_cast<std::uint32_t>(a.mask >> 32);
  uint4 words[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (r < rows) words[r] = load_global(reinterpret_cast<const uint4 *>(in + r * a.in_pitch));
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    if (r < rows)
      __stcs(reinterpret_cast<uint4 *>(out + r * a.out_pitch),
             make_uint4(words[r].x & low, words[r].y & high, words[r].z & low, words[r].w & high));
}

}  // namespace

Status launch_copy(SampleDepth depth, const ConvolvePlane &plane, cudaStream_t stream) {
  // The mask repeats with every pixel. Repeated up to 8 bytes it serves wide accesses, too, unless
  // a pixel of three different samples does not go into them.
  const int bits = 8 * depth.bytes();
  const std::uint64_t all = (1u << bits) - 1;
  const auto used = static_cast<std::uint64_t>(depth.max()) << depth.shift;
  const auto of_channel = [&](int c) {
    return plane.role[c % plane.channels] == ChannelRole::copy ? all : used;
  };
  std::uint64_t mask = 0;
  bool alike = true;
  for (int i = 0; i < 64 / bits; ++i) {
    mask |= of_channel(i) << bits * i;
    alike = alike && of_channel(i) == of_channel(0);
  }
  const bool any_period = alike || plane.channels != 3;
  const auto addresses = reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch |
                         reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch;
  const CopyArgs a = {plane.in.data,
                      plane.out.data,
                      plane.in.pitch,
                      plane.out.pitch,
                      plane.in.width,
                      plane.in.height,
                      (plane.in.width - 1) / (kThreads * kBytes) + 1,
                      mask,
                      any_period ? 8 : 3 * depth.bytes(),
                      any_period && addresses % kBytes == 0};
  const std::int64_t blocks = std::int64_t{(a.height - 1) / kRows + 1} * a.blocks_across;
  if (blocks > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "convolve: the picture is too large"};
  return launch_early(copy_kernel, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0, stream,
                      a);
}

}  // namespace coalesce
