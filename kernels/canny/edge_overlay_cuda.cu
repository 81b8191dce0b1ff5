// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread copies 16 bytes of a row of any plane, and then draws their samples at the pixels that
// are edges, one after the other.
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/load.cuh"
#include "../core/trace.h"
#include "../picture/runs.cuh"
#include "../picture/tile.cuh"
#include "edge_overlay_job.h"

namespace coalesce {
namespace {

constexpr int kThreads = 128;
constexpr int kChunk = 16;  // bytes

struct OverlayArgs {
  OverlayJob job;
  int alignment[4];  // by plane, of both pictures' rows
  unsigned chunks[4];
  bool words;  // may edges be loaded four at a time?
};

// Strengths of pixels in a row.
struct EdgeRow {
  const std::uint8_t *row;  // nullptr below the picture
  __device__ __forceinline__ EdgeRow(const OverlayArgs &a, int y)
      : row(y < a.job.edges.height ? a.job.edges.row(y) : nullptr) {}

  // Of which pixels from `begin` on, at most 64, is it more than 0? The first is the lowest bit.
  __device__ __forceinline__ std::uint64_t marks(const OverlayArgs &a, int begin, int end) const {
    std::uint64_t found = 0;
    if (row == nullptr) return found;
    int x = begin;
    for (; x < end && x % 4 != 0; ++x)
      found |= std::uint64_t{load_global(row + x) != 0} << (x - begin);
    for (; a.words && x + 4 <= end; x += 4) {
      const std::uint32_t four = load_global(reinterpret_cast<const std::uint32_t *>(row + x));
      if (four == 0) continue;
      const std::uint32_t ones = __vcmpne4(four, 0) & 0x01010101;
      found |= std::uint64_t{ones * 0x01020408u >> 24} << (x - begin);
    }
    for (; x < end; ++x)
      found |= std::uint64_t{load_global(row + x) != 0} << (x - begin);
    return found;
  }

  __device__ __forceinline__ int strongest(int begin, int end) const {
    int most = 0;
    for (int x = begin; row != nullptr && x < end; ++x)
      most = max(most, static_cast<int>(load_global(row + x)));
    return most;
  }
};

// The samples of a component among bytes x to x + bytes - 1 of a row, and the pixels that they
// belong to.
struct Range {
  int begin, end, first_pixel, last_pixel;
  __device__ __forceinline__ Range(const OverlayComponent &c, int x, int bytes, int width)
      : begin(max(x - c.first + c.step - 1, 0) / c.step),
        end(max(x + bytes - c.first + c.step - 1, 0) / c.step),
        first_pixel(begin << c.log2_width),
        last_pixel(min(end << c.log2_width, width)) {}
};

__global__ void __launch_bounds__(kThreads) overlay_kernel(const __grid_constant__ OverlayArgs a) {
  wait_for_grid_before();
  const OverlayPlane &plane = a.job.plane[blockIdx.y];
  const unsigned chunks = a.chunks[blockIdx.y];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, at = i / chunks;
  if (at >= static_cast<unsigned>(plane.out.height)) return;
  const int row = static_cast<int>(at), x = static_cast<int>(i - at * chunks) * kChunk;
  const std::uint8_t *from = plane.from(row);
  std::uint8_t *to = plane.out.row(row);
  const int bytes = min(kChunk, plane.out.width - x), width = a.job.edges.width;
  if (bytes == kChunk) {
    std::uint32_t words[kChunk / 4];
    load_run<kChunk>(from + x, a.alignment[blockIdx.y], words);
    store_run<kChunk>(to + x, a.alignment[blockIdx.y], words);
  } else {
    for (int k = x; k < x + bytes; ++k)
      to[k] = load_global(from + k);
  }
  int first = width, last = 0;
  for (int c = 0; c < plane.components; ++c) {
    const Range range(plane.component[c], x, bytes, width);
    first = min(first, range.first_pixel), last = max(last, range.last_pixel);
  }
  const PixelRows rows = pixel_rows(row, plane.log2_height, a.job.interlaced);
  const EdgeRow upper(a, rows.first), lower(a, rows.second);
  std::uint64_t marks = upper.marks(a, first, last);
  if (rows.second != rows.first) marks |= lower.marks(a, first, last);
  for (; marks != 0; marks &= marks - 1) {
    const int pixel = first + __ffsll(static_cast<long long>(marks)) - 1;
    for (int c = 0; c < plane.components; ++c) {
      const OverlayComponent &component = plane.component[c];
      const int i = pixel >> component.log2_width, at = component.first + i * component.step;
      if (at < x || at >= x + bytes) continue;
      const int begin = i << component.log2_width,
                end = min((i + 1) << component.log2_width, width);
      const int strength = max(upper.strongest(begin, end), lower.strongest(begin, end));
      to[at] = drawn_sample(static_cast<int>(load_global(from + at)), component.colour,
                            a.job.opacity * strength);
    }
  }
}

}  // namespace

Status draw_edges_cuda(const OverlayJob &job, void *stream) {
  const TraceRange range("draw_edges");
  OverlayArgs a = {};
  a.job = job;
  a.words = alignment_of(job.edges) >= 4;
  unsigned most = 0;
  for (int p = 0; p < job.planes; ++p) {
    const OverlayPlane &plane = job.plane[p];
    a.alignment[p] = std::min(alignment_of(plane.in), alignment_of(plane.out));
    a.chunks[p] = static_cast<unsigned>((plane.out.width - 1) / kChunk + 1);
    most = std::max(most, a.chunks[p] * static_cast<unsigned>(plane.out.height));
  }
  return launch_early(overlay_kernel,
                      dim3((most - 1) / kThreads + 1, static_cast<unsigned>(job.planes)),
                      dim3(kThreads), 0, static_cast<cudaStream_t>(stream), a);
}

}  // namespace coalesce
