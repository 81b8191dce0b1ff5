// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stereo_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "matching_reference.h"

namespace coalesce::test {
namespace {

constexpr int kNone = std::numeric_limits<int>::max();  // a cost of no candidate

struct Pictures {
  Grid left, right;
};

Grid census_of(const Grid &samples) {
  Grid census(samples.width, samples.height);
  for (int y = 0; y < samples.height; ++y)
    for (int x = 0; x < samples.width; ++x) {
      unsigned bits = 0;
      for (int j = -3; j <= 3; ++j)
        for (int i = -4; i <= 4; ++i)
          if ((i + j) % 2 == 0 && (i != 0 || j != 0))
            bits = 2 * bits + (samples.near(x + i, y + j) < samples.at(x, y) ? 1 : 0);
      census.at(x, y) = static_cast<int>(bits);
    }
  return census;
}

// cost[k] is a picture of the costs of candidate k.
using Costs = std::vector<Grid>;

int distance_of(const StereoParams &p, const Pictures &of, int x, int y, int to) {
  if (p.method == StereoMethod::sad)
    return std::min(std::abs(of.left.near(x, y) - of.right.near(to, y)), 127);
  return __builtin_popcount(static_cast<unsigned>(of.left.near(x, y) ^ of.right.near(to, y)));
}

int window_sum(const StereoParams &p, const Pictures &of, int x, int y, int d) {
  int sum = 0;
  for (int j = -(p.window / 2); j <= p.window / 2; ++j)
    for (int i = -(p.window / 2); i <= p.window / 2; ++i)
      sum += distance_of(p, of, x + i, y + j, x + i - d);
  return sum;
}

Costs window_costs(const StereoParams &p, const Pictures &of) {
  Costs costs;
  for (int k = 0; k < p.disparities; ++k) {
    const int d = p.min_disparity + k;
    Grid cost(of.left.width, of.left.height, kNone);
    for (int y = 0; y < cost.height; ++y)
      for (int x = d; x < cost.width; ++x)
        cost.at(x, y) = p.method == StereoMethod::ncc
                            ? correlation_cost(of.left, of.right, p.window / 2, x, y, x - d)
                            : window_sum(p, of, x, y, d);
    costs.push_back(cost);
  }
  return costs;
}

// Adds a path's costs at all pixels. (dx, dy): its step.
void add_path(const StereoParams &p, const Costs &pixel_costs, const Grid &bytes, int dx, int dy,
              Costs *sums) {
  const int width = bytes.width, height = bytes.height;
  Costs path(pixel_costs.size(), Grid(width, height));
  const auto count = static_cast<int>(path.size());
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const bool backwards = dy < 0 || (dy == 0 && dx < 0);
      const int x = backwards ? width - 1 - i : i, y = backwards ? height - 1 - j : j;
      const int from_x = x - dx, from_y = y - dy;
      const bool begins = !bytes.contains(from_x, from_y);
      int least = kNone, p2 = p.p2;
      if (!begins) {
        for (const Grid &cost : path)
          least = std::min(least, cost.at(from_x, from_y));
        const int edge = std::abs(bytes.at(x, y) - bytes.at(from_x, from_y));
        if (p.adaptive) p2 = p.p1 + 16 * (p.p2 - p.p1) / (16 + edge);
      }
      for (int k = 0; k < count; ++k) {
        int best = 0;
        if (!begins) {
          best = std::min(path[k].at(from_x, from_y), least + p2);
          if (k > 0) best = std::min(best, path[k - 1].at(from_x, from_y) + p.p1);
          if (k + 1 < count) best = std::min(best, path[k + 1].at(from_x, from_y) + p.p1);
          best -= least;
        }
        path[k].at(x, y) = pixel_costs[k].at(x, y) + best;
        (*sums)[k].at(x, y) += path[k].at(x, y);
      }
    }
}

Costs path_costs(const StereoParams &p, const Pictures &census, const Grid &bytes) {
  Costs pixel_costs, sums;
  for (int k = 0; k < p.disparities; ++k) {
    const int d = p.min_disparity + k;
    Grid cost(bytes.width, bytes.height, 10);
    for (int y = 0; y < cost.height; ++y)
      for (int x = d; x < cost.width; ++x)
        cost.at(x, y) = distance_of(p, census, x, y, x - d);
    pixel_costs.push_back(cost);
    sums.push_back(Grid(bytes.width, bytes.height));
  }
  static const int steps[8][2] = {{1, 0}, {-1, 0},  {0, 1},  {0, -1},
                                  {1, 1}, {-1, -1}, {-1, 1}, {1, -1}};
  for (int i = 0; i < p.paths; ++i)
    add_path(p, pixel_costs, bytes, steps[i][0], steps[i][1], &sums);
  return sums;
}

// Of equal ones the first; -1 if there is none.
int best_of(const Costs &costs, int x, int y) {
  int best = -1;
  for (int k = 0; k < static_cast<int>(costs.size()); ++k)
    if (costs[k].at(x, y) != kNone && (best < 0 || costs[k].at(x, y) < costs[best].at(x, y)))
      best = k;
  return best;
}

int right_best(const StereoParams &p, const Costs &costs, int to, int y) {
  int best = -1, least = kNone;
  for (int k = 0; k < p.disparities; ++k) {
    const int x = to + p.min_disparity + k;
    if (x < costs[k].width && costs[k].at(x, y) < least) best = k, least = costs[k].at(x, y);
  }
  return best;
}

int disparity_at(const StereoParams &p, const Costs &costs, int x, int y) {
  const int best = best_of(costs, x, y);
  if (best < 0) return 0;
  const std::int64_t cost = costs[best].at(x, y);
  for (int k = 0; k < p.disparities && p.uniqueness > 0; ++k)
    if (std::abs(k - best) > 1 && costs[k].at(x, y) != kNone &&
        std::int64_t{costs[k].at(x, y)} * (100 - p.uniqueness) <= 100 * cost)
      return 0;
  const int d = p.min_disparity + best;
  if (p.left_right >= 0 &&
      (x < d || std::abs(right_best(p, costs, x - d, y) - best) > p.left_right))
    return 0;
  double offset = 0;
  if (p.subpixel && best > 0 && best + 1 < p.disparities && costs[best + 1].at(x, y) != kNone) {
    const double before = static_cast<double>(costs[best - 1].at(x, y) - cost);
    const double behind = static_cast<double>(costs[best + 1].at(x, y) - cost);
    offset = std::floor(8 * (before - behind) / std::max(before, behind) + 0.5);
  }
  return std::max(16 * d + static_cast<int>(offset), 1);
}

Grid median_of(const Grid &in, int size) {
  Grid out = in;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      std::vector<int> window;
      for (int j = -(size / 2); j <= size / 2; ++j)
        for (int i = -(size / 2); i <= size / 2; ++i)
          window.push_back(in.near(x + i, y + j));
      std::sort(window.begin(), window.end());
      out.at(x, y) = window[window.size() / 2];
    }
  return out;
}

// Walks from pixel to pixel.
void drop_speckles(const StereoParams &p, Grid *grid) {
  Grid seen(grid->width, grid->height);
  for (int y = 0; y < grid->height; ++y)
    for (int x = 0; x < grid->width; ++x) {
      if (grid->at(x, y) == 0 || seen.at(x, y) != 0) continue;
      struct Pixel {
        int x, y;
      };
      std::vector<Pixel> area = {{x, y}};
      seen.at(x, y) = 1;
      for (std::size_t i = 0; i < area.size(); ++i)
        for (const Pixel step : {Pixel{1, 0}, Pixel{-1, 0}, Pixel{0, 1}, Pixel{0, -1}}) {
          const Pixel from = area[i], to = {from.x + step.x, from.y + step.y};
          if (!grid->contains(to.x, to.y) || grid->at(to.x, to.y) == 0 || seen.at(to.x, to.y) != 0)
            continue;
          if (std::abs(std::int64_t{grid->at(to.x, to.y)} - grid->at(from.x, from.y)) >
              16 * std::int64_t{p.speckle_range})
            continue;
          seen.at(to.x, to.y) = 1;
          area.push_back(to);
        }
      if (area.size() <= static_cast<std::size_t>(p.speckle_size))
        for (const Pixel &pixel : area)
          grid->at(pixel.x, pixel.y) = 0;
    }
}

}  // namespace

void stereo_reference(const StereoParams &params, const ConstImage &left, const ConstImage &right,
                      const Image &out) {
  const Pictures samples = {samples_of(left), samples_of(right)};
  const Pictures bytes = {bytes_of(left), bytes_of(right)};
  const Pictures census = {census_of(samples.left), census_of(samples.right)};
  const Costs costs =
      params.method == StereoMethod::sgm
          ? path_costs(params, census, bytes.left)
          : window_costs(params, params.method == StereoMethod::census ? census : bytes);
  Grid found(left.width, left.height);
  for (int y = 0; y < left.height; ++y)
    for (int x = 0; x < left.width; ++x)
      found.at(x, y) = disparity_at(params, costs, x, y);
  if (params.median > 0) found = median_of(found, params.median);
  drop_speckles(params, &found);
  for (int y = 0; y < left.height; ++y)
    for (int x = 0; x < left.width; ++x) {
      const auto sample = static_cast<std::uint16_t>(found.at(x, y));
      std::memcpy(out.plane[0].row(y) + 2 * x, &sample, sizeof sample);
    }
}

}  // namespace coalesce::test
