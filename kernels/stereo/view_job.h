// SPDX-License-Identifier: LGPL-2.1-or-later
// One call of depths(), hide_outside() or colours(), checked, and the arithmetic of both back ends.
#pragma once

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "../remap/remap_job.h"
#include "colour_maps.h"
#include "view.h"

namespace coalesce {

struct DepthJob {
  Plane<const std::uint16_t> in;
  Plane<std::uint16_t> out;
  std::uint32_t scale;
};

COALESCE_HOST_DEVICE std::uint16_t depth_of(std::uint32_t scale, std::uint32_t disparity) {
  if (disparity == 0) return 0;
  const std::uint32_t depth = (scale + disparity / 2) / disparity;
  return static_cast<std::uint16_t>(depth < 1 ? 1 : depth > 0xFFFF ? 0xFFFF : depth);
}

struct OutsideJob {
  RemapMap map[2];
  Plane<std::uint16_t> disparities;
};

COALESCE_HOST_DEVICE bool is_seen(const RemapMap &map, int x, int y) {
  return is_inside(map.point.row(y)[x], map.fraction.row(y)[x], map.point.width, map.point.height);
}
// Has a disparity of this pixel a meaning?
COALESCE_HOST_DEVICE bool is_seen_by_both(const OutsideJob &job, int disparity, int x, int y) {
  const int right = x - (disparity + kDisparityUnit / 2) / kDisparityUnit;
  return is_seen(job.map[0], x, y) && is_seen(job.map[1], right < 0 ? 0 : right, y);
}

struct ColourJob {
  Plane<const std::uint16_t> in;
  Plane<std::uint8_t> out;
  ColourMap map;
  ColourRange range;
  int bytes;    // of a pixel: 3 or 4
  int r, g, b;  // places of the components in it
};

// The bytes of a pixel, the first one lowest.
COALESCE_HOST_DEVICE std::uint32_t colour_of(const ColourJob &job, const ColourMaps &maps,
                                             int number) {
  std::uint32_t rgb = 0;
  if (number != 0) {
    const int first = job.range.first, last = job.range.last, length = last - first;
    const int limited = number < first ? first : number > last ? last : number;
    rgb = maps.colour[static_cast<int>(job.map)][(510 * (limited - first) + length) / (2 * length)];
  }
  const std::uint32_t used = 0xFFu << 8 * job.r | 0xFFu << 8 * job.g | 0xFFu << 8 * job.b;
  return (rgb >> 16) << 8 * job.r | (rgb >> 8 & 0xFF) << 8 * job.g | (rgb & 0xFF) << 8 * job.b |
         ~used;
}

void depths_cpu(const DepthJob &job, ThreadPool *pool);
Status depths_cuda(const DepthJob &job, void *stream);
void hide_outside_cpu(const OutsideJob &job, ThreadPool *pool);
Status hide_outside_cuda(const OutsideJob &job, void *stream);
void colours_cpu(const ColourJob &job, ThreadPool *pool);
Status colours_cuda(const ColourJob &job, void *stream);

}  // namespace coalesce
