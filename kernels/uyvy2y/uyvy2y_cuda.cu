// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../core/cuda_status.h"
#include "uyvy2y.h"
#include "uyvy2y_kernel.cuh"

namespace coalesce {
namespace {

constexpr int kRows = 8;
constexpr dim3 kBlock(128);
constexpr int kMaxBands = 65535;  // the limit of gridDim.y

bool aligned16(const void *data, std::size_t pitch) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && pitch % 16 == 0;
}

Status luma(const LumaArgs &whole, cudaStream_t stream) {
  const bool aligned =
      aligned16(whole.packed, whole.packed_pitch) && aligned16(whole.luma, whole.luma_pitch);
  const int chunks = whole.width / 8 + (aligned ? 1 : 2);
  for (int y = 0; y < whole.height; y += kMaxBands * kRows) {
    LumaArgs part = whole;
    part.packed += y * part.packed_pitch;
    part.luma += y * part.luma_pitch;
    part.height = std::min(whole.height - y, kMaxBands * kRows);
    const dim3 grid((chunks - 1) / kBlock.x + 1, (part.height - 1) / kRows + 1);
    const Status s =
        launch(aligned ? luma_aligned<kRows> : luma_shifted<kRows>, grid, kBlock, stream, part);
    if (!s.ok()) return s;
  }
  return {};
}

}  // namespace

Status uyvy2y_cuda(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                   const LumaImage &out, void *stream) {
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const LumaArgs args = {packed.data,
                         out.luma.data,
                         packed.pitch,
                         out.luma.pitch,
                         out.luma.width,
                         out.luma.height,
                         luma_offset(params.layout)};
  if (Status s = luma(args, cuda_stream); !s.ok()) return s;
  for (const Plane<std::uint8_t> &chroma : out.chroma) {
    if (chroma.data == nullptr) continue;
    const Status s = cuda_checked(cudaMemset2DAsync(
        chroma.data, chroma.pitch, kNeutralChroma, static_cast<std::size_t>(chroma.width),
        static_cast<std::size_t>(chroma.height), cuda_stream));
    if (!s.ok()) return s;
  }
  return {};
}

}  // namespace coalesce
