// SPDX-License-Identifier: LGPL-2.1-or-later
// Rows are copied, and then the samples of the edges are written: there are few of them.
#include <algorithm>
#include <cstring>

#include "../core/thread_pool.h"
#include "edge_overlay_job.h"

namespace coalesce {
namespace {

constexpr int kGrain = 64;  // rows of a range, at least

// The first edge from x on, or the width.
int next_edge(const std::uint8_t *edges, int x, int width) {
  for (std::uint64_t word; x + 8 <= width; x += 8) {
    std::memcpy(&word, edges + x, sizeof word);
    if (word != 0) break;
  }
  while (x < width && edges[x] == 0)
    ++x;
  return x;
}

// The pixels from x on that share a sample of a row.
int strongest(const std::uint8_t *edges, int x, int log2_width, int width) {
  const int first = x >> log2_width << log2_width;
  return *std::max_element(edges + first, edges + std::min(first + (1 << log2_width), width));
}

// Those of a row of pixels; of two rows that share their samples, the other one, too. A sample may
// be written twice, with the same number.
void draw_row(const OverlayPlane &plane, const std::uint8_t *edges, const std::uint8_t *others,
              int width, int opacity, const std::uint8_t *from, std::uint8_t *to) {
  for (int x = next_edge(edges, 0, width); x < width; x = next_edge(edges, x + 1, width))
    for (int i = 0; i < plane.components; ++i) {
      const OverlayComponent &c = plane.component[i];
      int strength = strongest(edges, x, c.log2_width, width);
      if (others != nullptr)
        strength = std::max(strength, strongest(others, x, c.log2_width, width));
      const int at = c.first + (x >> c.log2_width) * c.step;
      to[at] = drawn_sample(from[at], c.colour, opacity * strength);
    }
}

}  // namespace

void draw_edges_cpu(const OverlayJob &job, ThreadPool *pool) {
  for (int p = 0; p < job.planes; ++p) {
    const OverlayPlane &plane = job.plane[p];
    for_ranges(pool, plane.out.height, kGrain, [&](int first, int last) {
      for (int row = first; row < last; ++row) {
        const std::uint8_t *from = plane.from(row);
        std::uint8_t *to = plane.out.row(row);
        std::memcpy(to, from, static_cast<std::size_t>(plane.out.width));
        const PixelRows pixels = pixel_rows(row, plane.log2_height, job.interlaced);
        const auto draw = [&](int y, int other) {
          const bool two = other != y && other < job.edges.height;
          if (y < job.edges.height)
            draw_row(plane, job.edges.row(y), two ? job.edges.row(other) : nullptr, job.edges.width,
                     job.opacity, from, to);
        };
        draw(pixels.first, pixels.second);
        if (pixels.second != pixels.first) draw(pixels.second, pixels.first);
      }
    });
  }
}

}  // namespace coalesce
