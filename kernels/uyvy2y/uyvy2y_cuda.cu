// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "uyvy2y.h"
#include "uyvy2y_access.h"
#include "uyvy2y_kernel.cuh"

namespace coalesce {
namespace {

constexpr int kThreads = 128;  // of a block, along the row
// Of a launch, by the limit of gridDim.y.
constexpr int kMaxRows =
    65535 * std::min(luma_band(LumaAccess::aligned), luma_band(LumaAccess::shifted));

// Not an array: indexing one by blockIdx would copy it to the stack.
struct ChromaArgs {
  Plane<std::uint8_t> first, second;
};

// A thread's part of a plane of neutral chroma, cut into chunks and bands as luma is.
template <int kRows>
__device__ __forceinline__ void fill_neutral(const Plane<std::uint8_t> &plane) {
  const int x = kLumaChunk * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = kRows * static_cast<int>(blockIdx.y);
  constexpr std::uint32_t kWord = kNeutralChroma * 0x01010101u;
  const int bytes = min(kLumaChunk, plane.width - x);
  if (bytes <= 0) return;
  for (int r = y; r < min(y + kRows, plane.height); ++r) {
    std::uint8_t *out = plane.row(r) + x;
    if (bytes == kLumaChunk && reinterpret_cast<std::uintptr_t>(out) % kLumaChunk == 0) {
      __stcs(reinterpret_cast<uint2 *>(out), make_uint2(kWord, kWord));
    } else {
      for (int i = 0; i < bytes; ++i)
        out[i] = kNeutralChroma;
    }
  }
}

// blockIdx.z: luma, then the chroma planes. All in one launch, because a launch costs the CPU more
// than the filling costs the GPU.
template <LumaAccess kAccess, int kRows = luma_band(kAccess)>
__global__ void luma_and_chroma(LumaArgs luma, ChromaArgs chroma) {
  wait_for_grid_before();
  if (blockIdx.z == 1)
    fill_neutral<kRows>(chroma.first);
  else if (blockIdx.z == 2)
    fill_neutral<kRows>(chroma.second);
  else if constexpr (kAccess == LumaAccess::aligned)
    luma_aligned_rows<1, kRows>(luma);
  else
    luma_shifted_rows<kRows>(luma);
}

// The rows of a plane from `first` on, at most kMaxRows.
template <class T>
Plane<T> slice(const Plane<T> &plane, std::int64_t first) {
  const auto rows = std::clamp<std::int64_t>(plane.height - first, 0, kMaxRows);
  return {rows > 0 ? plane.row(static_cast<int>(first)) : plane.data, plane.width,
          static_cast<int>(rows), plane.pitch};
}

// Luma and chroma planes, the last two of which may have no rows.
Status enqueue(const Plane<const std::uint8_t> &packed, const Plane<std::uint8_t> (&out)[3],
               int offset, cudaStream_t stream) {
  const LumaAccess access =
      choose_access(reinterpret_cast<std::uintptr_t>(packed.data), packed.pitch,
                    reinterpret_cast<std::uintptr_t>(out[0].data), out[0].pitch);
  auto *kernel = access == LumaAccess::aligned ? luma_and_chroma<LumaAccess::aligned>
                                               : luma_and_chroma<LumaAccess::shifted>;
  const LumaArgs luma = {packed.data,  out[0].data,   packed.pitch, out[0].pitch,
                         out[0].width, out[0].height, offset};
  ChromaArgs chroma{};
  unsigned planes = 0;
  int chunks = luma_chunks(access, luma.width);
  int rows = luma.height;
  for (const Plane<std::uint8_t> &plane : {out[1], out[2]}) {
    if (plane.height == 0) continue;
    (planes++ == 0 ? chroma.first : chroma.second) = plane;
    chunks = std::max(chunks, (plane.width - 1) / kLumaChunk + 1);
    rows = std::max(rows, plane.height);
  }
  const dim3 grid((chunks - 1) / kThreads + 1, (rows - 1) / luma_band(access) + 1, 1 + planes);
  return launch_early(kernel, grid, dim3(kThreads), 0, stream, luma, chroma);
}

}  // namespace

Status uyvy2y_cuda(const ConstImage &in, const Image &out, void *stream) {
  const TraceRange range("uyvy2y");
  Plane<std::uint8_t> planes[3];
  std::copy_n(out.plane, out.format.planes, planes);
  const int tallest = std::max({planes[0].height, planes[1].height, planes[2].height});
  for (std::int64_t first = 0; first < tallest; first += kMaxRows) {
    Status s = enqueue(slice(in.plane[0], first),
                       {slice(planes[0], first), slice(planes[1], first), slice(planes[2], first)},
                       luma_offset(in.format), static_cast<cudaStream_t>(stream));
    if (!s.ok()) return s;
  }
  return {};
}

}  // namespace coalesce
