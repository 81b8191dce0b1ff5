// SPDX-License-Identifier: LGPL-2.1-or-later
#include "canny_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <vector>

#include "../sample_bits.h"

namespace coalesce::test {
namespace {

struct Gradient {
  std::int64_t x = 0, y = 0, magnitude = 0;
};

template <class T>
struct Grid {
  Grid(int w, int h) : width(w), height(h), cells(static_cast<std::size_t>(w) * h) {}
  int width, height;
  std::vector<T> cells;

  bool contains(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
  T &at(int x, int y) { return cells[static_cast<std::size_t>(y) * width + x]; }
  const T &at(int x, int y) const { return cells[static_cast<std::size_t>(y) * width + x]; }
};

// Luma, grey, or three colours as they come in memory.
std::vector<PixelComponent> channels_of(const PixelFormat &format) {
  for (const Role role : {Role::y, Role::grey})
    if (const PixelComponent *c = format.find(role)) return {*c};
  std::map<int, PixelComponent> by_place;
  for (const Role role : {Role::r, Role::g, Role::b})
    if (const PixelComponent *c = format.find(role)) by_place[100 * c->plane + c->first] = *c;
  std::vector<PixelComponent> all;
  for (const auto &[place, component] : by_place)
    all.push_back(component);
  return all;
}

Grid<int> samples_of(const ConstImage &in, const PixelComponent &c) {
  Grid<int> samples(in.width, in.height);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      samples.at(x, y) = read_bits(in.plane[c.plane].row(y), c, x);
  return samples;
}

// The nearest integer to sum / 16, of two equally near ones the even one.
std::int64_t sixteenth(std::int64_t sum) {
  const auto below = static_cast<std::int64_t>(std::floor(static_cast<double>(sum) / 16));
  const std::int64_t rest = sum - 16 * below;
  return below + (rest > 8 || (rest == 8 && below % 2 != 0) ? 1 : 0);
}

Gradient gradient_at(const CannyParams &params, const Grid<int> &samples, int x, int y) {
  static const std::map<int, std::vector<int>> smooth = {
      {3, {1, 2, 1}}, {5, {1, 4, 6, 4, 1}}, {7, {1, 6, 15, 20, 15, 6, 1}}};
  static const std::map<int, std::vector<int>> slope = {
      {3, {-1, 0, 1}}, {5, {-1, -2, 0, 2, 1}}, {7, {-1, -4, -5, 0, 5, 4, 1}}};
  const int half = params.aperture / 2;
  const std::vector<int> &s = smooth.at(params.aperture), &d = slope.at(params.aperture);
  Gradient g;
  for (int i = 0; i < params.aperture; ++i)
    for (int j = 0; j < params.aperture; ++j) {
      const int sample = samples.at(std::clamp(x + j - half, 0, samples.width - 1),
                                    std::clamp(y + i - half, 0, samples.height - 1));
      g.x += s[i] * d[j] * sample;
      g.y += d[i] * s[j] * sample;
    }
  if (params.aperture == 7) g.x = sixteenth(g.x), g.y = sixteenth(g.y);
  g.magnitude = params.l2 ? g.x * g.x + g.y * g.y : std::abs(g.x) + std::abs(g.y);
  return g;
}

Grid<Gradient> gradients_of(const CannyParams &params, const ConstImage &in) {
  Grid<Gradient> all(in.width, in.height);
  bool first = true;
  for (const PixelComponent &c : channels_of(in.format)) {
    const Grid<int> samples = samples_of(in, c);
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x) {
        const Gradient g = gradient_at(params, samples, x, y);
        if (first || g.magnitude > all.at(x, y).magnitude) all.at(x, y) = g;
      }
    first = false;
  }
  return all;
}

bool is_maximum(const Grid<Gradient> &gradients, int x, int y) {
  const auto magnitude = [&](int column, int row) {
    return gradients.contains(column, row) ? gradients.at(column, row).magnitude : 0;
  };
  const Gradient &g = gradients.at(x, y);
  const std::int64_t across = std::abs(g.x), down = std::abs(g.y) * 32768;
  const std::int64_t m = g.magnitude;
  if (down < 13573 * across) return m > magnitude(x - 1, y) && m >= magnitude(x + 1, y);
  if (down > (13573 + 65536) * across) return m > magnitude(x, y - 1) && m >= magnitude(x, y + 1);
  const int side = (g.x < 0) != (g.y < 0) ? -1 : 1;
  return m > magnitude(x - side, y - 1) && m > magnitude(x + side, y + 1);
}

std::int64_t threshold(const CannyParams &params, double value) {
  if (params.aperture == 7) value /= 16;
  if (params.l2) value = std::pow(std::min(value, 32767.0), 2);
  return static_cast<std::int64_t>(std::floor(value));
}

}  // namespace

void canny_reference(const CannyParams &params, const ConstImage &in, const Image &out) {
  const std::int64_t low = threshold(params, std::min(params.low, params.high));
  const std::int64_t high = threshold(params, std::max(params.low, params.high));
  const Grid<Gradient> gradients = gradients_of(params, in);
  enum Kind { none, open, edge };
  Grid<Kind> kinds(in.width, in.height);
  struct Place {
    int x, y;
  };
  std::vector<Place> reached;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const std::int64_t m = gradients.at(x, y).magnitude;
      if (m <= low || !is_maximum(gradients, x, y)) continue;
      kinds.at(x, y) = m > high ? edge : open;
      if (m > high) reached.push_back({x, y});
    }
  while (!reached.empty()) {
    const Place from = reached.back();
    reached.pop_back();
    for (int y = from.y - 1; y <= from.y + 1; ++y)
      for (int x = from.x - 1; x <= from.x + 1; ++x) {
        if (!kinds.contains(x, y) || kinds.at(x, y) != open) continue;
        kinds.at(x, y) = edge;
        reached.push_back({x, y});
      }
  }
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      out.plane[0].row(y)[x] = kinds.at(x, y) == edge ? 255 : 0;
}

}  // namespace coalesce::test
