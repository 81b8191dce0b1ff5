// SPDX-License-Identifier: LGPL-2.1-or-later
// One pass over a picture, checked, for the back ends.
#pragma once

#include "bilateral.h"

namespace coalesce {

// A component's samples in a plane of interleaved ones: sample x of a row is number first + x *
// step.
struct BilateralComponent {
  Plane<const std::uint8_t> in;
  Plane<std::uint8_t> out;
  int first = 0, step = 1;
  std::uint16_t outside = 0;  // constant border: the sample's number
};

// Components that are filtered by one weight: three, or one.
struct BilateralGroup {
  int components = 1;
  BilateralComponent component[3];
  int width = 0, height = 0;  // pixels
  // Channels of the first component's plane that are copied with its pixels, one bit each.
  unsigned copied = 0;
};

struct BilateralJob {
  Bilateral weights;
  Border border = Border::replicate;
  BilateralGroup group[4];
  int groups = 0;
  ChannelPlane copy[4];  // whole planes
  int copies = 0;
};

Status bilateral_cpu(const BilateralJob &job, ThreadPool *pool);
Status bilateral_cuda(const BilateralJob &job, void *stream);

}  // namespace coalesce
