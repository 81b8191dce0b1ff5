// SPDX-License-Identifier: LGPL-2.1-or-later
// A drawn scene of which all depths are known: a slanted wall and two panels before it, and a
// sphere, all with noise on them, seen by several cameras.
#pragma once

#include <cstdint>
#include <vector>

namespace coalesce::test {

struct MultiviewScene {
  // views: of which number 0 is in the middle, and the others around it. noise: its sigma, in each
  // picture for itself.
  MultiviewScene(int width, int height, int views, double noise);

  static constexpr double kNearest = 1500, kFarthest = 5000;  // holds all depths; millimetres

  struct View {
    double matrix[3][4];
    std::vector<std::uint8_t> picture;
  };
  int width, height;
  std::vector<View> views;
  std::vector<float> depth;        // of view 0
  std::vector<std::uint8_t> seen;  // and how many other views see the point
};

// Of depths (float32, 0: unknown) of view 0.
struct MultiviewErrors {
  double known = 0;   // the share of all pixels
  double bad = 0;     // that of the known ones which are off by more than a candidate
  double missed = 0;  // of the pixels that enough other views see, those that are unknown or off
  double error = 0;   // the mean of the known ones that are not off, in candidates
};
MultiviewErrors multiview_errors(const MultiviewScene &scene, const std::vector<float> &depths,
                                 int candidates, int min_count);

}  // namespace coalesce::test
