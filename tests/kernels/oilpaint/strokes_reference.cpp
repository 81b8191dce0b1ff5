// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "oilpaint_reference.h"

namespace coalesce::test {
namespace {

using Colour = std::array<int, 3>;

int floored(double value) {
  return static_cast<int>(std::floor(value));
}

OilPixels half_size(const OilPixels &from) {
  OilPixels to = {(from.width + 1) / 2, (from.height + 1) / 2, from.rgb, {}};
  constexpr int kWeights[] = {1, 3, 3, 1};
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      Colour colour;
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (int j = 0; j < 4; ++j)
          for (int i = 0; i < 4; ++i)
            sum += kWeights[i] * kWeights[j] *
                   from.at(std::clamp(2 * x + i - 1, 0, from.width - 1),
                           std::clamp(2 * y + j - 1, 0, from.height - 1))[c];
        colour[c] = floored(sum / 64 + 0.5);
      }
      to.pixels.push_back(colour);
    }
  return to;
}

int distance(const Colour &a, const Colour &b) {
  return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

// Canvas and what has been painted.
struct Canvas {
  OilPixels pixels;
  std::vector<bool> painted;

  std::size_t number(int x, int y) const { return static_cast<std::size_t>(y * pixels.width + x); }
};

struct Direction {
  int x = 0, y = 0;
  bool none() const { return x == 0 && y == 0; }
};

Direction unit(int x, int y) {
  const int length = floored(std::sqrt(x * x + y * y));
  return length == 0 ? Direction() : Direction{x * 127 / length, y * 127 / length};
}

// Strokes of one brush on the canvas. Positions are in sixteenths of a pixel.
class Brush {
 public:
  Brush(const OilpaintParams &params, int components, int radius, const OilPixels &blurred,
        Canvas *canvas)
      : params_(params),
        components_(components),
        radius_(radius),
        blurred_(blurred),
        canvas_(*canvas) {}

  void make_strokes(bool keeps, std::vector<OilStrokeReference> *strokes) const {
    strokes->resize(blurred_.pixels.size());
    for (int row = 0; row < blurred_.height; ++row)
      for (int column = 0; column < blurred_.width; ++column) {
        OilStrokeReference &stroke =
            (*strokes)[static_cast<std::size_t>(row * blurred_.width + column)];
        stroke = stroke_of_cell(keeps, column, row, stroke);
      }
  }

  void paint(const std::vector<OilStrokeReference> &strokes) const {
    // Lightness (255 counts as 254), then the components from the last one on.
    using Key = std::array<int, 4>;
    std::vector<Key> keys(canvas_.painted.size(), Key{-1, 0, 0, 0});
    for (const OilStrokeReference &s : strokes) {
      OilPixels one = {1, 1, blurred_.rgb, {s.colour}};
      const Key key = {std::min(one.intensity(0, 0), 254), s.colour[2], s.colour[1], s.colour[0]};
      for (const auto &[px, py] : s.points)
        for (int y = std::max(py / 16 - radius_, 0);
             y <= std::min(py / 16 + radius_, canvas_.pixels.height - 1); ++y)
          for (int x = std::max(px / 16 - radius_, 0);
               x <= std::min(px / 16 + radius_, canvas_.pixels.width - 1); ++x) {
            const double dx = x + 0.5 - px / 16., dy = y + 0.5 - py / 16.;
            Key &there = keys[canvas_.number(x, y)];
            if (dx * dx + dy * dy <= radius_ * radius_) there = std::max(there, key);
          }
    }
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i][0] >= 0) {
        canvas_.pixels.pixels[i] = {keys[i][3], keys[i][2], keys[i][1]};
        canvas_.painted[i] = true;
      }
  }

 private:
  template <class Value>
  double between(int px, int py, const Value &value) const {
    const double x = px / (16. * radius_) - 0.5, y = py / (16. * radius_) - 0.5;
    const int left = floored(x), upper = floored(y);
    const double right = x - left, below = y - upper;
    const auto at = [&](int i, int j) {
      return value(std::clamp(left + i, 0, blurred_.width - 1),
                   std::clamp(upper + j, 0, blurred_.height - 1));
    };
    return (1 - below) * ((1 - right) * at(0, 0) + right * at(1, 0)) +
           below * ((1 - right) * at(0, 1) + right * at(1, 1));
  }
  Colour colour_at(int px, int py) const {
    Colour colour;
    for (std::size_t c = 0; c < 3; ++c)
      colour[c] =
          floored(between(px, py, [&](int x, int y) { return blurred_.at(x, y)[c]; }) + 0.5);
    return colour;
  }
  int intensity64_at(int px, int py) const {
    return floored(64 * between(px, py, [&](int x, int y) { return blurred_.intensity(x, y); }));
  }

  int lack(int x, int y) const {
    if (!canvas_.painted[canvas_.number(x, y)]) return 255 * components_;
    return distance(canvas_.pixels.at(x, y), colour_at(16 * x + 8, 16 * y + 8));
  }

  OilStrokeReference stroke_of_cell(bool keeps, int column, int row,
                                    const OilStrokeReference &before) const {
    int sum = 0, pixels = 0, most = -1, most_x = 0, most_y = 0;
    for (int y = row * radius_; y < std::min((row + 1) * radius_, canvas_.pixels.height); ++y)
      for (int x = column * radius_; x < std::min((column + 1) * radius_, canvas_.pixels.width);
           ++x) {
        const int here = lack(x, y);
        sum += here;
        ++pixels;
        if (here > most) most = here, most_x = x, most_y = y;
      }
    const int enough = params_.threshold * components_ * pixels;
    if (keeps && !before.points.empty() && 2 * sum > enough && fits(before)) return before;
    return sum > enough ? trace(column, row, 16 * most_x + 8, 16 * most_y + 8)
                        : OilStrokeReference();
  }

  bool fits(const OilStrokeReference &stroke) const {
    int errors = 0;
    for (const auto &[x, y] : stroke.points)
      errors += distance(colour_at(x, y), stroke.colour);
    return errors <= (stroke.error + params_.threshold * components_) *
                         static_cast<int>(stroke.points.size());
  }

  Direction any_direction(int column, int row) const {
    const auto number = (static_cast<std::uint64_t>(column) * 0x9E3779B1 ^
                         static_cast<std::uint64_t>(row) * 0x85EBCA77) %
                            (std::uint64_t{1} << 32) >>
                        29;
    constexpr Direction kDirections[] = {{127, 0}, {117, 49},  {90, 90},  {49, 117},
                                         {0, 127}, {-49, 117}, {-90, 90}, {-117, 49}};
    return kDirections[number];
  }

  OilStrokeReference trace(int column, int row, int x, int y) const {
    OilStrokeReference stroke;
    stroke.colour = colour_at(x, y);
    stroke.points = {{x, y}};
    Direction direction;
    bool leaves = false;
    int errors = 0;
    while (stroke.points.size() < 13) {
      const int far = 16 * radius_;
      const int gx = intensity64_at(x + far, y) - intensity64_at(x - far, y);
      const int gy = intensity64_at(x, y + far) - intensity64_at(x, y - far);
      if (std::abs(gx) + std::abs(gy) >= 32) {
        Direction next = unit(-gy, gx);
        if (next.x * direction.x + next.y * direction.y < 0) next = {-next.x, -next.y};
        direction = unit(next.x + direction.x, next.y + direction.y);
      }
      if (direction.none()) direction = any_direction(column, row);
      x += direction.x * radius_ / 16, y += direction.y * radius_ / 16;
      leaves = x < 0 || y < 0 || x / 16 >= canvas_.pixels.width || y / 16 >= canvas_.pixels.height;
      if (leaves) break;
      const Colour here = colour_at(x, y);
      const int error = distance(here, stroke.colour);
      if (canvas_.painted[canvas_.number(x / 16, y / 16)] &&
          distance(here, canvas_.pixels.at(x / 16, y / 16)) < error)
        break;
      stroke.points.emplace_back(x, y);
      errors += error;
    }
    const auto points = static_cast<int>(stroke.points.size());
    stroke.error = std::min(errors / points, 255);
    return !leaves && points < params_.least_length ? OilStrokeReference() : stroke;
  }

  const OilpaintParams &params_;
  int components_, radius_;
  const OilPixels &blurred_;
  Canvas &canvas_;
};

}  // namespace

OilPixels strokes_reference(const OilpaintParams &params, int components, const OilPixels &in,
                            OilStateReference *state) {
  OilStateReference none;
  if (state == nullptr) state = &none;
  const bool keeps = !state->empty();
  std::vector<OilPixels> levels = {in};
  while (1 << (levels.size() - 1) < params.brush_thickest)
    levels.push_back(half_size(levels.back()));
  Canvas canvas = {in, std::vector<bool>(in.pixels.size(), false)};
  Colour ground = {params.ground, params.ground, params.ground};
  if (!in.rgb) ground[1] = ground[2] = components == 1 ? 0 : 128;
  canvas.pixels.pixels.assign(in.pixels.size(), ground);
  std::size_t number = levels.size() - 1;
  for (int radius = params.brush_thickest; radius >= params.brush_thinnest; radius /= 2, --number) {
    const Brush brush(params, components, radius, levels[number], &canvas);
    std::vector<OilStrokeReference> &strokes = (*state)[radius];
    brush.make_strokes(keeps, &strokes);
    brush.paint(strokes);
  }
  return canvas.pixels;
}

}  // namespace coalesce::test
