// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/trace.h"
#include "uyvy2y.h"
#include "uyvy2y_access.h"
#include "uyvy2y_kernel.cuh"

namespace coalesce {
namespace {

constexpr int kThreads = 128;                // of a block, along the row
constexpr int kMaxRows = kLumaBand * 65535;  // of a launch: the limit of gridDim.y

Status enqueue_luma(LumaArgs args, cudaStream_t stream) {
  const LumaAccess access =
      choose_access(reinterpret_cast<std::uintptr_t>(args.packed), args.packed_pitch,
                    reinterpret_cast<std::uintptr_t>(args.luma), args.luma_pitch);
  auto *kernel =
      access == LumaAccess::aligned ? luma_aligned<1, kLumaBand> : luma_shifted<kLumaBand>;
  const int blocks = (luma_chunks(access, args.width) - 1) / kThreads + 1;
  for (int left = args.height; left > 0; left -= args.height) {
    args.height = std::min(left, kMaxRows);
    const int bands = (args.height - 1) / kLumaBand + 1;
    if (Status s = launch(kernel, dim3(blocks, bands), dim3(kThreads), stream, args); !s.ok())
      return s;
    args.packed += static_cast<std::size_t>(args.height) * args.packed_pitch;
    args.luma += static_cast<std::size_t>(args.height) * args.luma_pitch;
  }
  return {};
}

}  // namespace

Status uyvy2y_cuda(const Uyvy2yParams &params, Plane<const std::uint8_t> packed,
                   const LumaImage &out, void *stream) {
  const TraceRange range("uyvy2y");
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  const LumaArgs args = {packed.data,
                         out.luma.data,
                         packed.pitch,
                         out.luma.pitch,
                         out.luma.width,
                         out.luma.height,
                         luma_offset(params.layout)};
  if (Status s = enqueue_luma(args, cuda_stream); !s.ok()) return s;
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
