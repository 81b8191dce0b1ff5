// SPDX-License-Identifier: LGPL-2.1-or-later
// One call, checked, and the arithmetic of both back ends.
#pragma once

#include <cstdint>

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "canny.h"

namespace coalesce {

struct CannyJob {
  Plane<const std::uint8_t> in[3];
  PixelComponent channel[3];  // luma or grey; or three, in the order of memory
  int channels = 1;
  Plane<std::uint8_t> out;
  int width = 0, height = 0;
  int aperture = 3;
  bool l2 = false;  // magnitudes are sums of squares
  int low = 0, high = 0;
  void *scratch = nullptr;
};

// The taps of the Sobel filter, by their distance from the middle. Those of a slope have the
// opposite sign on the other side.
COALESCE_HOST_DEVICE constexpr int smooth_tap(int aperture, int away) {
  return aperture == 3   ? (away == 0 ? 2 : 1)
         : aperture == 5 ? (away == 0   ? 6
                            : away == 1 ? 4
                                        : 1)
                         : (away == 0   ? 20
                            : away == 1 ? 15
                            : away == 2 ? 6
                                        : 1);
}
COALESCE_HOST_DEVICE constexpr int slope_tap(int aperture, int away) {
  return away == 0       ? 0
         : aperture == 3 ? 1
         : aperture == 5 ? (away == 1 ? 2 : 1)
                         : (away == 1   ? 5
                            : away == 2 ? 4
                                        : 1);
}

// A gradient of seven taps is in sixteenths: to nearest, halves to even.
template <int kAperture>
COALESCE_HOST_DEVICE int scaled_gradient(int sum) {
  return kAperture == 7 ? (sum + 7 + (sum >> 4 & 1)) >> 4 : sum;
}

// Is a gradient (x, y), without signs, nearer to the x axis than 22.5 degrees, or nearer to the y
// axis? The tangents are 13573 / 2^15 and that plus 2. (13573 x is no multiple of 2^15 for the x
// that there are, so its upper bits decide. Of x = y = 0 nobody asks.)
COALESCE_HOST_DEVICE unsigned flat_limit(unsigned x) {
  return (x * 27146u) >> 16;
}

Status canny_cpu(const CannyJob &job, ThreadPool *pool);
Status canny_cuda(const CannyJob &job, void *stream);

}  // namespace coalesce
