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

__device__ __forceinline__ int strongest(const OverlayArgs &a, int row, int begin, int end) {
  const Plane<const std::uint8_t> &edges = a.job.edges;
  int most = 0;
  if (row < edges.height)
    for (int x = begin; x < end; ++x)
      most = max(most, static_cast<int>(load_global(edges.row(row) + x)));
  return most;
}

// The same of many pixels; or perhaps one of those that share a word with them is one.
__device__ __forceinline__ bool may_have_edge(const OverlayArgs &a, int row, int begin, int end) {
  const Plane<const std::uint8_t> &edges = a.job.edges;
  if (row >= edges.height) return false;
  if (!a.words) return strongest(a, row, begin, end) > 0;
  std::uint32_t found = 0;
  int x = begin & ~3;
  for (; x < end && x + 4 <= edges.width; x += 4)
    found |= load_global(reinterpret_cast<const std::uint32_t *>(edges.row(row) + x));
  return found != 0 || strongest(a, row, x, end) > 0;
}

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

__device__ __forceinline__ void draw(const OverlayArgs &a, const OverlayComponent &c,
                                     const Range &range, const PixelRows &rows,
                                     const std::uint8_t *from, std::uint8_t *to) {
  for (int i = range.begin; i < range.end; ++i) {
    const int pixel = i << c.log2_width;
    const int next = min((i + 1) << c.log2_width, a.job.edges.width);
    int strength = strongest(a, rows.first, pixel, next);
    if (rows.second != rows.first) strength = max(strength, strongest(a, rows.second, pixel, next));
    if (strength == 0) continue;
    const int at = c.first + i * c.step;
    to[at] =
        drawn_sample(static_cast<int>(load_global(from + at)), c.colour, a.job.opacity * strength);
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
  const bool two = rows.second != rows.first;
  if (!may_have_edge(a, rows.first, first, last) &&
      !(two && may_have_edge(a, rows.second, first, last)))
    return;
  for (int c = 0; c < plane.components; ++c)
    draw(a, plane.component[c], Range(plane.component[c], x, bytes, width), rows, from, to);
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
