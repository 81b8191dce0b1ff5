// SPDX-License-Identifier: LGPL-2.1-or-later
// Strokes of brushes, from the thickest to the thinnest (Hertzmann, 1998), with the order of
// strokes that makes pixels independent: the lightest one is the last. In integers, for both back
// ends.
#pragma once

#include "oilpaint_job.h"

namespace coalesce {

// A path of points, half a radius apart. Positions are in sixteenths of a pixel.
struct OilStroke {
  static constexpr int kSteps = 12, kPoints = kSteps + 1;
  std::uint32_t colour;         // the upper byte is 0
  std::uint8_t points;          // 0: no stroke
  std::uint8_t x, y;            // of the first one's pixel, in its cell
  std::uint8_t error;           // of its points when it was born, on average, cut off at 255
  std::int8_t step[kSteps][2];  // directions; 127 is half a radius
};
static_assert(sizeof(OilStroke) == 32);

// What a cell lacks.
struct OilBirth {
  std::uint32_t sum;    // of differences
  std::uint32_t place;  // of the largest one: (row << 5) + column
};

// A brush of radius 2^log2 has a cell, and a sample of its blurred picture, for so many columns and
// rows.
struct OilBrush {
  int log2;
  int components;  // 1 or 3
  int threshold, least_points;
  bool keeps;      // strokes that still fit
  OilWords level;  // the blurred picture
  OilWords canvas;
  OilBirth *births;
  OilStroke *strokes;

  COALESCE_HOST_DEVICE int radius() const { return 1 << log2; }
  // Pixels from a stroke's cell to where it may paint: with the cell itself, all steps and a
  // radius.
  COALESCE_HOST_DEVICE int reach() const { return (OilStroke::kSteps / 2 + 2) << log2; }
};

struct OilPoint {
  int x, y;
};
COALESCE_HOST_DEVICE OilPoint oil_centre(int x, int y) {
  return {16 * x + 8, 16 * y + 8};
}

// ---- The blurred picture ------------------------------------------------------------------------

// A sample of a level from 4 x 4 of the one before, with weights 1 3 3 1 each way.
COALESCE_HOST_DEVICE std::uint32_t oil_level_word(const OilWords &from, bool rgb, int x, int y) {
  std::uint32_t sum[3] = {};
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      const int column = 2 * x - 1 + i, row = 2 * y - 1 + j;
      const int inside = column < 0 ? 0 : column < from.width ? column : from.width - 1;
      const std::uint32_t word = from.row(row < 0             ? 0
                                          : row < from.height ? row
                                                              : from.height - 1)[inside];
      const std::uint32_t weight = (i == 0 || i == 3 ? 1u : 3u) * (j == 0 || j == 3 ? 1u : 3u);
      for (int c = 0; c < 3; ++c)
        sum[c] += weight * oil_byte(word, c);
    }
  for (std::uint32_t &s : sum)
    s = (s + 32) >> 6;
  const std::uint32_t intensity = rgb ? oil_luma(sum[0], sum[1], sum[2]) : sum[0];
  return sum[0] | sum[1] << 8 | sum[2] << 16 | intensity << 24;
}

// The four samples of a level around a point, and their weights, which add up to 2^shift.
struct OilAround {
  std::uint32_t word[4];
  std::uint32_t weight[4];
  int shift;

  COALESCE_HOST_DEVICE std::uint32_t sum(int c) const {
    return oil_byte(word[0], c) * weight[0] + oil_byte(word[1], c) * weight[1] +
           oil_byte(word[2], c) * weight[2] + oil_byte(word[3], c) * weight[3];
  }
};
COALESCE_HOST_DEVICE OilAround oil_around(const OilBrush &b, OilPoint p) {
  const int bits = b.log2 + 4, x = p.x - (8 << b.log2), y = p.y - (8 << b.log2);
  const auto inside = [](int at, int size) { return at < 0 ? 0 : at < size ? at : size - 1; };
  const int columns[2] = {inside(x >> bits, b.level.width), inside((x >> bits) + 1, b.level.width)};
  const std::uint32_t right = static_cast<std::uint32_t>(x) & ((1u << bits) - 1);
  const std::uint32_t below = static_cast<std::uint32_t>(y) & ((1u << bits) - 1);
  const std::uint32_t left = (1u << bits) - right, above = (1u << bits) - below;
  const std::uint32_t *const upper = b.level.row(inside(y >> bits, b.level.height));
  const std::uint32_t *const lower = b.level.row(inside((y >> bits) + 1, b.level.height));
  return {{upper[columns[0]], upper[columns[1]], lower[columns[0]], lower[columns[1]]},
          {left * above, right * above, left * below, right * below},
          2 * bits};
}

// Its components, interpolated.
COALESCE_HOST_DEVICE std::uint32_t oil_blurred(const OilBrush &b, OilPoint p) {
  const OilAround around = oil_around(b, p);
  std::uint32_t word = 0;
  for (int c = 0; c < 3; ++c)
    word |= (around.sum(c) + (1u << (around.shift - 1))) >> around.shift << 8 * c;
  return word;
}

// Its intensity, in 64ths.
COALESCE_HOST_DEVICE int oil_blurred_intensity(const OilBrush &b, int x, int y) {
  const OilAround around = oil_around(b, {x, y});
  return static_cast<int>(around.sum(3) >> (around.shift - 6));
}

COALESCE_HOST_DEVICE int oil_distance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (int c = 0; c < 3; ++c) {
    const int d = static_cast<int>(oil_byte(a, c)) - static_cast<int>(oil_byte(b, c));
    sum += d < 0 ? -d : d;
  }
  return sum;
}

// Where nothing has been painted yet, the upper byte of the canvas is 0.
COALESCE_HOST_DEVICE bool oil_painted(std::uint32_t canvas) {
  return canvas >> 24 != 0;
}

// How much the canvas differs from the blurred picture; as much as can be on the clean ground.
COALESCE_HOST_DEVICE int oil_lack(const OilBrush &b, int x, int y) {
  const std::uint32_t canvas = b.canvas.row(y)[x];
  return oil_painted(canvas) ? oil_distance(canvas, oil_blurred(b, oil_centre(x, y)))
                             : 255 * b.components;
}

// ---- Strokes ------------------------------------------------------------------------------------

// The integer part.
COALESCE_HOST_DEVICE std::uint32_t oil_root(std::uint32_t square) {
  std::uint32_t root = 0;
  for (std::uint32_t bit = 1u << 30; bit > 0; bit >>= 2) {
    const bool more = square >= root + bit;
    if (more) square -= root + bit;
    root = more ? (root >> 1) + bit : root >> 1;
  }
  return root;
}

// As long as 127, or nothing. x and y: at most 2^15.
COALESCE_HOST_DEVICE OilPoint oil_unit(int x, int y) {
  const auto length = static_cast<int>(oil_root(static_cast<std::uint32_t>(x * x + y * y)));
  if (length == 0) return {0, 0};
  return {x * 127 / length, y * 127 / length};
}

// Of a cell without a gradient.
COALESCE_HOST_DEVICE OilPoint oil_any_direction(int column, int row) {
  constexpr std::int8_t kDirections[10] = {127, 117, 90, 49, 0, -49, -90, -117, 0, 0};
  const auto number = static_cast<std::uint32_t>(column) * 0x9E3779B1u ^
                      static_cast<std::uint32_t>(row) * 0x85EBCA77u;
  const int i = static_cast<int>(number >> 29);
  const int sine = kDirections[i < 4 ? 4 - i : i - 4];
  return {kDirections[i], sine};
}

// From a point on, along the edge: at a right angle to the gradient, and bent by half only.
COALESCE_HOST_DEVICE OilPoint oil_next_direction(const OilBrush &b, OilPoint p, OilPoint last) {
  const int far = 16 << b.log2;
  const int gx =
      oil_blurred_intensity(b, p.x + far, p.y) - oil_blurred_intensity(b, p.x - far, p.y);
  const int gy =
      oil_blurred_intensity(b, p.x, p.y + far) - oil_blurred_intensity(b, p.x, p.y - far);
  constexpr int kFlat = 32;  // half a step of intensity
  if ((gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy) < kFlat) return last;
  OilPoint next = oil_unit(-gy, gx);
  if (next.x * last.x + next.y * last.y < 0) next = {-next.x, -next.y};
  return oil_unit(next.x + last.x, next.y + last.y);
}

COALESCE_HOST_DEVICE OilPoint oil_after(const OilBrush &b, OilPoint p, int x, int y) {
  return {p.x + x * b.radius() / 16, p.y + y * b.radius() / 16};
}

COALESCE_HOST_DEVICE OilPoint oil_first_point(const OilBrush &b, int column, int row, int x,
                                              int y) {
  return oil_centre((column << b.log2) + x, (row << b.log2) + y);
}

// Follows the edge until the canvas is nearer to the picture than the stroke's colour is, or over
// the border of the picture.
COALESCE_HOST_DEVICE_CALL void oil_trace(const OilBrush &b, int column, int row,
                                         std::uint32_t place, OilStroke *stroke) {
  OilStroke s = {};
  s.x = static_cast<std::uint8_t>(place & 31), s.y = static_cast<std::uint8_t>(place >> 5);
  OilPoint p = oil_first_point(b, column, row, s.x, s.y), direction = {0, 0};
  s.colour = oil_blurred(b, p);
  s.points = 1;
  int errors = 0;
  bool inside = true;
  for (int i = 0; i < OilStroke::kSteps; ++i) {
    direction = oil_next_direction(b, p, direction);
    if (direction.x == 0 && direction.y == 0) direction = oil_any_direction(column, row);
    p = oil_after(b, p, direction.x, direction.y);
    inside = p.x >= 0 && p.y >= 0 && p.x < 16 * b.canvas.width && p.y < 16 * b.canvas.height;
    if (!inside) break;
    const std::uint32_t blurred = oil_blurred(b, p), canvas = b.canvas.row(p.y >> 4)[p.x >> 4];
    const int error = oil_distance(blurred, s.colour);
    if (oil_painted(canvas) && oil_distance(blurred, canvas) < error) break;
    s.step[i][0] = static_cast<std::int8_t>(direction.x);
    s.step[i][1] = static_cast<std::int8_t>(direction.y);
    ++s.points;
    errors += error;
  }
  errors /= s.points;
  s.error = static_cast<std::uint8_t>(errors < 255 ? errors : 255);
  if (inside && s.points < b.least_points) s.points = 0;
  *stroke = s;
}

// Has its colour become wrong by no more than the threshold since it was born?
COALESCE_HOST_DEVICE bool oil_fits(const OilBrush &b, int column, int row, const OilStroke &s) {
  OilPoint p = oil_first_point(b, column, row, s.x, s.y);
  int errors = oil_distance(oil_blurred(b, p), s.colour);
  for (int i = 0; i + 1 < s.points; ++i) {
    p = oil_after(b, p, s.step[i][0], s.step[i][1]);
    errors += oil_distance(oil_blurred(b, p), s.colour);
  }
  return errors <= (s.error + b.threshold * b.components) * s.points;
}

// The stroke of a cell: the one that was there, if it still fits and half of the lack remains; a
// new one; or none.
COALESCE_HOST_DEVICE_CALL void oil_stroke_of_cell(const OilBrush &b, int column, int row) {
  const int at = row * b.level.width + column;
  const OilBirth birth = b.births[at];
  const int right = b.canvas.width - (column << b.log2), down = b.canvas.height - (row << b.log2);
  const int pixels =
      (right < b.radius() ? right : b.radius()) * (down < b.radius() ? down : b.radius());
  const auto enough = static_cast<std::uint32_t>(b.threshold * b.components * pixels);
  OilStroke *const stroke = b.strokes + at;
  if (b.keeps && stroke->points > 0 && 2 * birth.sum > enough && oil_fits(b, column, row, *stroke))
    return;
  if (birth.sum > enough)
    oil_trace(b, column, row, birth.place, stroke);
  else
    stroke->points = 0;
}

// Strokes compare by it: the lighter one covers the darker. Its lower bytes are the colour.
COALESCE_HOST_DEVICE std::uint32_t oil_stroke_key(std::uint32_t colour, bool rgb) {
  const std::uint32_t first = oil_byte(colour, 0);
  const std::uint32_t light =
      rgb ? oil_luma(first, oil_byte(colour, 1), oil_byte(colour, 2)) : first;
  return ((light < 254 ? light : 254) + 1) << 24 | colour;
}

// ---- Passes -------------------------------------------------------------------------------------

constexpr int kMostOilBrushes = 5;
struct OilStrokes {
  int brushes;
  OilBrush brush[kMostOilBrushes];      // the thickest one first
  OilWords level[kMostOilBrushes + 1];  // of half the size each, the picture first
  int levels;
  bool rgb;
  std::uint32_t ground;
};

void oil_strokes_cpu(const OilStrokes &strokes, ThreadPool *pool);
Status oil_strokes_cuda(const OilStrokes &strokes, void *stream);

}  // namespace coalesce
