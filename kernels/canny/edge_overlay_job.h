// SPDX-License-Identifier: LGPL-2.1-or-later
// One call of draw_edges(), checked, for the back ends.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "edge_overlay.h"

namespace coalesce {

struct OverlayComponent {
  int first, step, log2_width;  // as in PixelComponent
  int colour;
};

struct OverlayPlane {
  Plane<const std::uint8_t> in;  // the rows that pixels have
  Plane<std::uint8_t> out;
  int log2_height = 0;
  int components = 0;  // that are drawn
  OverlayComponent component[3];

  // The row of `in` that one of `out` is made of.
  COALESCE_HOST_DEVICE const std::uint8_t *from(int row) const {
    return in.row(row < in.height ? row : in.height > 2 ? in.height - 2 : 0);
  }
};

struct OverlayJob {
  Plane<const std::uint8_t> edges;
  bool interlaced = false;
  int opacity = 255;
  int planes = 0;
  OverlayPlane plane[4];
};

// The rows of pixels that share a row of samples; they may lie outside the picture.
struct PixelRows {
  int first, second;
};
COALESCE_HOST_DEVICE PixelRows pixel_rows(int row, int log2_height, bool interlaced) {
  if (log2_height == 0) return {row, row};
  if (!interlaced) return {2 * row, 2 * row + 1};
  const int first = 4 * (row / 2) + row % 2;
  return {first, first + 2};
}

// weight: opacity times the edge's strength.
COALESCE_HOST_DEVICE std::uint8_t drawn_sample(int sample, int colour, int weight) {
  constexpr int kWhole = 255 * 255;
  return static_cast<std::uint8_t>((sample * (kWhole - weight) + colour * weight + kWhole / 2) /
                                   kWhole);
}

void draw_edges_cpu(const OverlayJob &job, ThreadPool *pool);
Status draw_edges_cuda(const OverlayJob &job, void *stream);

}  // namespace coalesce
