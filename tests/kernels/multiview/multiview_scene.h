// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures of which the depths are known. The drawn ones have a slanted wall and two panels before
// it, and a sphere, all with noise on them, seen by several cameras.
#pragma once

#include <cstdint>
#include <vector>

#include "multiview/multiview.h"

namespace coalesce::test {

struct MultiviewScene {
  MultiviewScene() = default;
  // Draws it. views: of which number 0 is in the middle, and the others around it. noise: its
  // sigma, in each picture for itself.
  MultiviewScene(int width, int height, int views, double noise);

  static constexpr double kNearest = 1500, kFarthest = 5000;  // hold all drawn depths, in mm

  struct View {
    double matrix[3][4];
    std::vector<std::uint8_t> picture;
  };
  int width = 0, height = 0;
  std::vector<View> views;
  std::vector<float> depth;        // of view 0; 0: nobody knows
  std::vector<std::uint8_t> seen;  // and how many other views see the point
};

// Of depths (float32, 0: unknown) of view 0, where the true ones are known.
struct MultiviewErrors {
  double known = 0;   // the share of the pixels
  double bad = 0;     // that of the known ones which are off by more than `off` candidates
  double missed = 0;  // of the pixels that enough other views see, those that are unknown or off
  double error = 0;   // the mean of the known ones that are not off, in candidates
};
MultiviewErrors multiview_errors(const MultiviewScene &scene, const std::vector<float> &depths,
                                 const MultiviewParams &params, double off = 1);

}  // namespace coalesce::test
