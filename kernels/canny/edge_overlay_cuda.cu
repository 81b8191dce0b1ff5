// SPDX-License-Identifier: LGPL-2.1-or-later
// A thread copies 16 bytes of a row of any plane, and then draws the samples in them that are
// edges', if there are any.
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

// Are there edges among the pixels begin to end - 1 of a row? (Perhaps of those that share a word
// with them: then the way is longer, and the samples are the same.)
__device__ __forceinline__ bool may_have_edges(const OverlayArgs &a, int row, int begin, int end) {
  const Plane<const std::uint8_t> &edges = a.job.edges;
  if (row >= edges.height) return false;
  const std::uint8_t *from = edges.row(row);
  std::uint32_t found = 0;
  int x = begin;
  if (a.words)
    for (x = begin & ~3; x < end && x + 4 <= edges.width; x += 4)
      found |= load_global(reinterpret_cast<const std::uint32_t *>(from + x));
  for (; x < end; ++x)
    found |= load_global(from + x);
  return found != 0;
}

__device__ __forceinline__ bool is_edge(const OverlayArgs &a, int row, int begin, int end) {
  const Plane<const std::uint8_t> &edges = a.job.edges;
  bool found = false;
  if (row < edges.height)
    for (int x = begin; x < end; ++x)
      found = found || load_global(edges.row(row) + x) != 0;
  return found;
}

// The samples of a component in bytes x to x + bytes - 1 of a row.
__device__ __forceinline__ void draw_chunk(const OverlayArgs &a, const OverlayComponent &c,
                                           const PixelRows &rows, const std::uint8_t *from,
                                           std::uint8_t *to, int x, int bytes) {
  const int width = a.job.edges.width;
  const int begin = max(x - c.first + c.step - 1, 0) / c.step;
  const int end = max(x + bytes - c.first + c.step - 1, 0) / c.step;
  const int first = begin << c.log2_width, last = min(end << c.log2_width, width);
  if (!may_have_edges(a, rows.first, first, last) && !may_have_edges(a, rows.second, first, last))
    return;
  for (int i = begin; i < end; ++i) {
    const int pixel = i << c.log2_width, next = min((i + 1) << c.log2_width, width);
    if (!is_edge(a, rows.first, pixel, next) && !is_edge(a, rows.second, pixel, next)) continue;
    const int at = c.first + i * c.step;
    to[at] = drawn_sample(static_cast<int>(load_global(from + at)), c.colour, a.job.opacity);
  }
}

__global__ void __launch_bounds__(kThreads) overlay_kernel(const __grid_constant__ OverlayArgs a) {
  wait_for_grid_before();
  const OverlayPlane &plane = a.job.plane[blockIdx.y];
  const unsigned chunks = a.chunks[blockIdx.y];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, at = i / chunks;
  if (at >= static_cast<unsigned>(plane.out.height)) return;
  const int row = static_cast<int>(at), x = static_cast<int>(i - at * chunks) * kChunk;
  const std::uint8_t *from = plane.from(row);
  std::uint8_t *to = plane.out.row(row);
  const int bytes = min(kChunk, plane.out.width - x);
  if (bytes == kChunk) {
    std::uint32_t words[kChunk / 4];
    load_run<kChunk>(from + x, a.alignment[blockIdx.y], words);
    store_run<kChunk>(to + x, a.alignment[blockIdx.y], words);
  } else {
    for (int k = x; k < x + bytes; ++k)
      to[k] = load_global(from + k);
  }
  const PixelRows rows = pixel_rows(row, plane.log2_height, a.job.interlaced);
  for (int c = 0; c < plane.components; ++c)
    draw_chunk(a, plane.component[c], rows, from, to, x, bytes);
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
