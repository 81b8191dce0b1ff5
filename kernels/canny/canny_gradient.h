// SPDX-License-Identifier: LGPL-2.1-or-later
// CPU: gradients of a row, their magnitudes, and which pixels are maxima across an edge.
#pragma once

#include <cstdint>

namespace coalesce {

constexpr int kCannyColumns = 512;                      // of a tile: whole words of 64 pixels
constexpr int kCannyLine = kCannyColumns + 2 * 4 + 56;  // and what is around it; whole vectors

// Rows of samples around a row, the uppermost first. Gradient i is at sample i + aperture / 2.
struct CannyLines {
  const std::int16_t *line[7];
};
using CannyGradientRow = void (*)(const CannyLines &lines, int count, std::int16_t *dx,
                                  std::int16_t *dy);
CannyGradientRow canny_gradient_row(int aperture);

// Sums of absolute values, or of squares.
void canny_magnitudes(const std::int16_t *dx, const std::int16_t *dy, int count, std::int16_t *out);
void canny_magnitudes(const std::int16_t *dx, const std::int16_t *dy, int count, std::int32_t *out);

// Where the other channel's magnitude is larger, its gradient replaces dx and dy.
void canny_strongest(const std::int16_t *other_dx, const std::int16_t *other_dy,
                     const std::int16_t *other, int count, std::int16_t *dx, std::int16_t *dy,
                     std::int16_t *magnitude);
void canny_strongest(const std::int16_t *other_dx, const std::int16_t *other_dy,
                     const std::int32_t *other, int count, std::int16_t *dx, std::int16_t *dy,
                     std::int32_t *magnitude);

// Magnitudes of three rows, each from the pixel left of the first one on; the gradients are those
// of the row in the middle.
template <class Magnitude>
struct CannyNeighbours {
  const std::int16_t *dx, *dy;
  const Magnitude *above, *here, *below;
  Magnitude low, high;
};
// kind: 0 none, 1 open, 2 an edge.
void canny_maxima(const CannyNeighbours<std::int16_t> &rows, int count, std::uint8_t *kind);
void canny_maxima(const CannyNeighbours<std::int32_t> &rows, int count, std::uint8_t *kind);

}  // namespace coalesce
