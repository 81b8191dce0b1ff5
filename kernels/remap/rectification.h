// SPDX-License-Identifier: LGPL-2.1-or-later
// Maps that undistort and rectify the picture of a camera, by OpenCV's model of a pinhole camera.
#pragma once

#include "remap.h"

namespace coalesce {

struct RectifiedCamera {
  double matrix[9] = {};  // of the camera, row by row: fx 0 cx, 0 fy cy, 0 0 1
  // k1 k2 p1 p2 k3, k4 k5 k6, s1 s2 s3 s4, tau_x tau_y; without, 0.
  double distortion[14] = {};
  double rotation[9] = {};     // R, from this camera to the rectified one
  double projection[12] = {};  // P, of the rectified one: three rows of four
};

// Can it be rectified: has projection * rotation an inverse?
bool can_rectify(const RectifiedCamera &camera);

// A map for pictures of this size, on the host (docs/numerics.md, section remap). What cannot be
// rectified comes from outside of any picture.
void make_map(const RectifiedCamera &camera, const Plane<MapPoint> &point,
              const Plane<std::uint16_t> &fraction);

}  // namespace coalesce
