// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, for the back ends.
#pragma once

#include "../picture/channels.h"
#include "median.h"

namespace coalesce {

struct MedianJob {
  ChannelPlanes planes;
  SampleDepth depth;
  int width = 1, height = 1;  // of the window
  int rank = 0;               // of the result, among the window's samples
  Border border = Border::replicate;
  int border_value = 0;

  // What follows is of samples as they are in memory.
  std::uint16_t mask() const { return static_cast<std::uint16_t>(depth.max() << depth.shift); }
  std::uint16_t outside(ChannelRole role) const {
    const int value = role == ChannelRole::chroma ? depth.middle() : border_value;
    return static_cast<std::uint16_t>(value << depth.shift);
  }
  // Is there a network for the window and its rank?
  bool is_small() const {
    const int last = width * height - 1;
    return width == height && (width == 3 || width == 5 || width == 7 || width == 9) &&
           (rank == 0 || rank == last / 2 || rank == last);
  }
};

Status median_cpu(const MedianJob &job, ThreadPool *pool);
Status median_cuda(const MedianJob &job, void *stream);

}  // namespace coalesce
