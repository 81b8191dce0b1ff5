// SPDX-License-Identifier: LGPL-2.1-or-later
// docs/numerics.md, section oilpaint, in the plainest words.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "oilpaint/oilpaint.h"

namespace coalesce::test {

// Three components for each pixel: R, G, B or Y, U, V; of grey the last two are 0.
struct OilPixels {
  int width = 0, height = 0;
  bool rgb = false;
  std::vector<std::array<int, 3>> pixels;

  std::array<int, 3> &at(int x, int y) { return pixels[static_cast<std::size_t>(y * width + x)]; }
  const std::array<int, 3> &at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y * width + x)];
  }
  int intensity(int x, int y) const;
};

// No points: there is none.
struct OilStrokeReference {
  std::vector<std::pair<int, int>> points;
  std::array<int, 3> colour = {};
  int error = 0;
};
// Of a picture, by the brush's radius. Empty: of none.
using OilStateReference = std::map<int, std::vector<OilStrokeReference>>;

OilPixels strokes_reference(const OilpaintParams &params, int components, const OilPixels &in,
                            OilStateReference *state);
OilPixels kuwahara_reference(const OilpaintParams &params, const OilPixels &in);
OilPixels mode_reference(const OilpaintParams &params, const OilPixels &in);

// The whole operation: every byte of every row. state: in place of that of the parameters.
void oilpaint_reference(const OilpaintParams &params, const ConstImage &in, const Image &out,
                        OilStateReference *state = nullptr);

}  // namespace coalesce::test
