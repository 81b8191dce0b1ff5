// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels for smaller pictures and the ground; then for each brush what cells lack, their strokes,
// and the canvas.
#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "../core/trace.h"
#include "strokes.h"

namespace coalesce {
namespace {

constexpr int kThreads = 256;

// ---- Words --------------------------------------------------------------------------------------

constexpr int kColumns = 64, kRows = 4;  // of a block

struct Place {
  int x, y;
};
__device__ __forceinline__ Place place_of_thread(int tiles_across) {
  const int tile = static_cast<int>(blockIdx.x), band = tile / tiles_across;
  return {(tile - band * tiles_across) * kColumns + static_cast<int>(threadIdx.x),
          band * kRows + static_cast<int>(threadIdx.y)};
}

__global__ void __launch_bounds__(kThreads)
    level_kernel(OilWords from, OilWords to, bool rgb, int tiles_across) {
  wait_for_grid_before();
  const Place p = place_of_thread(tiles_across);
  if (p.x < to.width && p.y < to.height) to.row(p.y)[p.x] = oil_level_word(from, rgb, p.x, p.y);
}

__global__ void __launch_bounds__(kThreads)
    ground_kernel(OilWords canvas, std::uint32_t ground, int tiles_across) {
  wait_for_grid_before();
  const Place p = place_of_thread(tiles_across);
  if (p.x < canvas.width && p.y < canvas.height) canvas.row(p.y)[p.x] = ground;
}

// ---- Strokes ------------------------------------------------------------------------------------

constexpr int kLackSide = 32;                          // pixels of a block, of whole cells
constexpr int kMostCells = kLackSide * kLackSide / 4;  // of the thinnest brush

__global__ void __launch_bounds__(kThreads) birth_kernel(OilBrush b, int tiles_across) {
  wait_for_grid_before();
  // The largest difference is above 1023 less its place: so the first one of several wins.
  __shared__ std::uint32_t sum[kMostCells], most[kMostCells];
  const int tile = static_cast<int>(blockIdx.x), band = tile / tiles_across;
  const int x0 = (tile - band * tiles_across) * kLackSide, y0 = band * kLackSide;
  const int thread = static_cast<int>(threadIdx.x), log2_across = 5 - b.log2;
  sum[thread] = most[thread] = 0;
  __syncthreads();
  for (int n = thread; n < kLackSide * kLackSide; n += kThreads) {
    const int x = n % kLackSide, y = n / kLackSide;
    if (x0 + x >= b.canvas.width || y0 + y >= b.canvas.height) continue;
    const auto lack = static_cast<std::uint32_t>(oil_lack(b, x0 + x, y0 + y));
    const int cell = (y >> b.log2 << log2_across) + (x >> b.log2), in_cell = b.radius() - 1;
    atomicAdd(&sum[cell], lack);
    atomicMax(&most[cell],
              lack << 10 | (1023 - static_cast<std::uint32_t>((y & in_cell) << 5 | (x & in_cell))));
  }
  __syncthreads();
  if (thread >= 1 << 2 * log2_across) return;
  const int column = (x0 >> b.log2) + (thread & ((1 << log2_across) - 1));
  const int row = (y0 >> b.log2) + (thread >> log2_across);
  if (column < b.level.width && row < b.level.height)
    b.births[row * b.level.width + column] = {sum[thread], 1023 - (most[thread] & 1023)};
}

constexpr int kStrokeThreads = 64;

__global__ void __launch_bounds__(kStrokeThreads) stroke_kernel(OilBrush b) {
  wait_for_grid_before();
  const int cell = static_cast<int>(blockIdx.x) * kStrokeThreads + static_cast<int>(threadIdx.x);
  const int row = cell / b.level.width;
  if (row < b.level.height) oil_stroke_of_cell(b, cell - row * b.level.width, row);
}

// ---- Canvas -------------------------------------------------------------------------------------

constexpr int kSide = 16;  // pixels of a tile
constexpr int kPaintThreads = 128;

// A stroke that may reach the tile: points from its corner on.
struct NearStroke {
  std::uint32_t key;
  int points;
  std::int16_t x[OilStroke::kPoints], y[OilStroke::kPoints];
};

// False if no pixel of the tile is near.
__device__ __forceinline__ bool find_points(const OilBrush &b, int column, int row, int x0, int y0,
                                            NearStroke *near) {
  const OilStroke &s = b.strokes[row * b.level.width + column];
  near->points = s.points;
  if (s.points == 0) return false;
  OilPoint p = oil_first_point(b, column, row, s.x, s.y);
  p.x -= 16 * x0, p.y -= 16 * y0;
  const int far = 16 * b.radius();
  bool reaches = false;
  for (int i = 0; i < s.points; ++i) {
    if (i > 0) p = oil_after(b, p, s.step[i - 1][0], s.step[i - 1][1]);
    near->x[i] = static_cast<std::int16_t>(p.x), near->y[i] = static_cast<std::int16_t>(p.y);
    reaches |= p.x > -far && p.x < 16 * kSide + far && p.y > -far && p.y < 16 * kSide + far;
  }
  return reaches;
}

__device__ __forceinline__ bool covers(const NearStroke &s, int x, int y, int radius2) {
  bool inside = false;
  for (int i = 0; i < s.points && !inside; ++i) {
    const int dx = x - s.x[i], dy = y - s.y[i];
    inside = dx * dx + dy * dy <= radius2;
  }
  return inside;
}

// Each thread looks at one cell at a time. Then all look at the strokes that were found.
__global__ void __launch_bounds__(kPaintThreads)
    paint_kernel(OilBrush b, bool rgb, int tiles_across) {
  wait_for_grid_before();
  __shared__ NearStroke strokes[kPaintThreads];
  __shared__ int found;
  const int tile = static_cast<int>(blockIdx.x), band = tile / tiles_across;
  const int x0 = (tile - band * tiles_across) * kSide, y0 = band * kSide;
  const int thread = static_cast<int>(threadIdx.x), x = thread % kSide, y = thread / kSide;
  const int left = max((x0 - b.reach()) >> b.log2, 0), upper = max((y0 - b.reach()) >> b.log2, 0);
  const int columns = min(((x0 + kSide + b.reach()) >> b.log2) + 1, b.level.width) - left;
  const int rows = min(((y0 + kSide + b.reach()) >> b.log2) + 1, b.level.height) - upper;
  constexpr int kDown = kPaintThreads / kSide, kPixels = kSide / kDown;
  std::uint32_t best[kPixels] = {};
  for (int first = 0; first < columns * rows; first += kPaintThreads) {
    __syncthreads();
    if (thread == 0) found = 0;
    __syncthreads();
    const int cell = first + thread, row = cell / columns;
    NearStroke near;
    if (cell < columns * rows &&
        find_points(b, left + cell - row * columns, upper + row, x0, y0, &near)) {
      const OilStroke &s = b.strokes[(upper + row) * b.level.width + left + cell - row * columns];
      near.key = oil_stroke_key(s.colour, rgb);
      strokes[atomicAdd(&found, 1)] = near;
    }
    __syncthreads();
    for (int i = 0; i < found; ++i)
#pragma unroll
      for (int k = 0; k < kPixels; ++k)
        if (strokes[i].key > best[k] &&
            covers(strokes[i], 16 * x + 8, 16 * (y + k * kDown) + 8, 256 * b.radius() * b.radius()))
          best[k] = strokes[i].key;
  }
#pragma unroll
  for (int k = 0; k < kPixels; ++k)
    if (best[k] != 0 && x0 + x < b.canvas.width && y0 + y + k * kDown < b.canvas.height)
      b.canvas.row(y0 + y + k * kDown)[x0 + x] = best[k];
}

// ---- Launches -----------------------------------------------------------------------------------

// (Sizes are at most kMaxOilStrokesSize.)
dim3 blocks_of(const OilWords &words, int columns, int rows) {
  return dim3(
      static_cast<unsigned>(divided_up(words.width, columns) * divided_up(words.height, rows)));
}

Status paint_brush(const OilBrush &b, bool rgb, cudaStream_t stream) {
  const int width = b.canvas.width;
  if (Status s = launch_early(birth_kernel, blocks_of(b.canvas, kLackSide, kLackSide),
                              dim3(kThreads), 0, stream, b, divided_up(width, kLackSide));
      !s.ok())
    return s;
  const int cells = b.level.width * b.level.height;
  if (Status s = launch_early(stroke_kernel,
                              dim3(static_cast<unsigned>(divided_up(cells, kStrokeThreads))),
                              dim3(kStrokeThreads), 0, stream, b);
      !s.ok())
    return s;
  return launch_early(paint_kernel, blocks_of(b.canvas, kSide, kSide), dim3(kPaintThreads), 0,
                      stream, b, rgb, divided_up(width, kSide));
}

}  // namespace

Status oil_strokes_cuda(const OilStrokes &strokes, void *stream) {
  const TraceRange range("oilpaint strokes");
  const auto queue = static_cast<cudaStream_t>(stream);
  for (int i = 1; i < strokes.levels; ++i)
    if (Status s =
            launch_early(level_kernel, blocks_of(strokes.level[i], kColumns, kRows),
                         dim3(kColumns, kRows), 0, queue, strokes.level[i - 1], strokes.level[i],
                         strokes.rgb, divided_up(strokes.level[i].width, kColumns));
        !s.ok())
      return s;
  const OilWords &canvas = strokes.brush[0].canvas;
  if (Status s =
          launch_early(ground_kernel, blocks_of(canvas, kColumns, kRows), dim3(kColumns, kRows), 0,
                       queue, canvas, strokes.ground, divided_up(canvas.width, kColumns));
      !s.ok())
    return s;
  for (int i = 0; i < strokes.brushes; ++i)
    if (Status s = paint_brush(strokes.brush[i], strokes.rgb, queue); !s.ok()) return s;
  return {};
}

}  // namespace coalesce
