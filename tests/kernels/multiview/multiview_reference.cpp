// SPDX-License-Identifier: LGPL-2.1-or-later
#include "multiview_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "../stereo/matching_reference.h"

namespace coalesce::test {
namespace {

constexpr int kNone = -1;  // a cost of no candidate

struct Matrix {
  double p[3][4];
};

double determinant(const Matrix &m) {
  const auto &a = m.p;
  return (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) +
          a[0][1] * (a[1][2] * a[2][0] - a[1][0] * a[2][2])) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

Matrix scaled(const MultiviewView &view) {
  Matrix m;
  std::memcpy(m.p, view.matrix, sizeof m.p);
  const double *const last = m.p[2];
  double n = std::sqrt((last[0] * last[0] + last[1] * last[1]) + last[2] * last[2]);
  if (determinant(m) < 0) n = -n;
  for (auto &row : m.p)
    for (double &number : row)
      number = number / n;
  return m;
}

struct Homography {
  float m[3][3], e[3];
};

Homography homography(const Matrix &from, const Matrix &to) {
  const auto &a = from.p;
  double adjugate[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      adjugate[j][i] = a[r][c] * a[s][d] - a[r][d] * a[s][c];
    }
  Homography h;
  for (int i = 0; i < 3; ++i) {
    const double *const b = to.p[i];
    const double size = i < 2 ? 32 : 1;
    double m[3];
    for (int c = 0; c < 3; ++c) {
      m[c] = ((b[0] * adjugate[0][c] + b[1] * adjugate[1][c]) + b[2] * adjugate[2][c]) /
             determinant(from);
      h.m[i][c] = static_cast<float>(m[c] * size);
    }
    const double e = b[3] - ((m[0] * a[0][3] + m[1] * a[1][3]) + m[2] * a[2][3]);
    h.e[i] = static_cast<float>(e * size);
  }
  return h;
}

float product(float a, float b) {
  return a * b;
}

// What a candidate sees of a neighbour.
struct Warped {
  Grid sample;
  Grid inside;
};

int limited(float position, int size, bool *inside) {
  const auto last = static_cast<float>(32 * (size - 1));
  if (!(position >= 0 && position <= last)) *inside = false;
  if (!(position > 0)) return 0;
  return static_cast<int>(std::nearbyint(std::min(position, last)));
}

Warped warp(const Homography &h, float inverse_depth, const Grid &of) {
  Warped out = {Grid(of.width, of.height), Grid(of.width, of.height)};
  for (int y = 0; y < of.height; ++y)
    for (int x = 0; x < of.width; ++x) {
      float at[3];
      for (int i = 0; i < 3; ++i) {
        const float by_depth = h.m[i][2] + product(inverse_depth, h.e[i]);
        at[i] = (product(h.m[i][0], static_cast<float>(x)) +
                 product(h.m[i][1], static_cast<float>(y))) +
                by_depth;
      }
      const auto least = static_cast<float>(std::ldexp(1, -60));
      bool inside = at[2] >= least;
      const float one = 1.0f / (inside ? at[2] : least);
      const int u = limited(at[0] * one, of.width, &inside);
      const int v = limited(at[1] * one, of.height, &inside);
      const int p = u / 32, q = v / 32, a = u % 32, b = v % 32;
      const int above = of.near(p, q) * (32 - a) + of.near(p + 1, q) * a;
      const int below = of.near(p, q + 1) * (32 - a) + of.near(p + 1, q + 1) * a;
      out.sample.at(x, y) = (above * (32 - b) + below * b + 512) / 1024;
      out.inside.at(x, y) = inside ? 1 : 0;
    }
  return out;
}

int difference_cost(const Grid &from, const Grid &to, int half, int x, int y) {
  int sum = 0;
  for (int j = -half; j <= half; ++j)
    for (int i = -half; i <= half; ++i)
      sum += std::min(127, std::abs(from.near(x + i, y + j) - to.near(x + i, y + j)));
  return sum;
}

Grid costs_of(const MultiviewParams &p, const Grid &from, const Warped &to) {
  const int half = p.window / 2;
  Grid costs(from.width, from.height, kNone);
  for (int y = 0; y < from.height; ++y)
    for (int x = 0; x < from.width; ++x)
      if (to.inside.at(x, y) != 0)
        costs.at(x, y) = p.method == MultiviewMethod::ncc
                             ? correlation_cost(from, to.sample, half, x, y, x)
                             : difference_cost(from, to.sample, half, x, y);
  return costs;
}

// What a neighbour says of a pixel; candidate < 0: nothing.
struct Match {
  int candidate = -1, cost = 0, sixteenths = 0;
};

Match best_of(const std::vector<Grid> &costs, int x, int y) {
  Match best;
  const auto count = static_cast<int>(costs.size());
  for (int k = 0; k < count; ++k) {
    const int cost = costs[static_cast<std::size_t>(k)].at(x, y);
    if (cost != kNone && (best.candidate < 0 || cost < best.cost)) best = {k, cost, 16 * k};
  }
  if (best.candidate < 0) return best;
  const auto at = static_cast<std::size_t>(best.candidate);
  for (std::size_t k = at + 2; k < costs.size(); ++k)
    if (costs[k].at(x, y) == best.cost) return {};
  if (at > 0 && at + 1 < costs.size() && costs[at - 1].at(x, y) != kNone &&
      costs[at + 1].at(x, y) != kNone) {
    const double before = costs[at - 1].at(x, y) - best.cost;
    const double behind = costs[at + 1].at(x, y) - best.cost;
    if (std::max(before, behind) > 0)
      best.sixteenths +=
          static_cast<int>(std::floor(8 * (before - behind) / std::max(before, behind) + 0.5));
  }
  return best;
}

struct Agreement {
  int count = 0, sixteenths = 0;
};

Agreement agreement_of(const std::vector<Match> &matches, int tolerance) {
  Agreement best;
  std::int64_t best_cost = 0;
  int best_candidate = 0;
  for (const Match &proposed : matches) {
    if (proposed.candidate < 0) continue;
    Agreement set;
    std::int64_t cost = 0;
    for (const Match &other : matches)
      if (other.candidate >= 0 && std::abs(other.candidate - proposed.candidate) <= tolerance)
        ++set.count, set.sixteenths += other.sixteenths, cost += other.cost;
    const bool better = set.count != best.count ? set.count > best.count
                        : cost != best_cost     ? cost < best_cost
                                                : proposed.candidate < best_candidate;
    if (better) best = set, best_cost = cost, best_candidate = proposed.candidate;
  }
  return best;
}

void put(const MultiviewParams &p, const Image &depth, int x, int y, float value) {
  std::uint8_t *const row = depth.plane[0].row(y);
  if (p.output == MultiviewDepth::floats) {
    std::memcpy(row + 4 * x, &value, 4);
    return;
  }
  std::uint16_t word = 0;
  if (value != 0) {
    const float units = value * static_cast<float>(p.scale);
    word = static_cast<std::uint16_t>(std::clamp(units + 0.5f, 1.0f, 65535.0f));
  }
  std::memcpy(row + 2 * x, &word, 2);
}

}  // namespace

void multiview_reference(const MultiviewParams &p, const MultiviewView *views, int count,
                         int reference, const Image &depth, const Image *confidence) {
  const Grid from = bytes_of(views[reference].picture);
  const double first = 1 / p.farthest, step = (1 / p.nearest - first) / (p.depths - 1);
  const auto f = static_cast<float>(first), s = static_cast<float>(step);
  std::vector<std::vector<Match>> matches(from.cells.size());
  for (int i = 0; i < count; ++i) {
    if (i == reference) continue;
    const Homography h = homography(scaled(views[reference]), scaled(views[i]));
    const Grid bytes = bytes_of(views[i].picture);
    std::vector<Grid> costs;
    for (int k = 0; k < p.depths; ++k)
      costs.push_back(costs_of(p, from, warp(h, f + product(static_cast<float>(k), s), bytes)));
    for (int y = 0; y < from.height; ++y)
      for (int x = 0; x < from.width; ++x)
        matches[static_cast<std::size_t>(y * from.width + x)].push_back(best_of(costs, x, y));
  }
  const auto fine = static_cast<float>(step / 16);
  for (int y = 0; y < from.height; ++y)
    for (int x = 0; x < from.width; ++x) {
      const Agreement agreed =
          agreement_of(matches[static_cast<std::size_t>(y * from.width + x)], p.tolerance);
      float value = 0;
      int share = 0;
      if (agreed.count >= p.min_count) {
        const float mean = static_cast<float>(agreed.sixteenths) / static_cast<float>(agreed.count);
        value = 1.0f / (f + product(mean, fine));
        share = (255 * agreed.count + (count - 1) / 2) / (count - 1);
      }
      put(p, depth, x, y, value);
      if (confidence != nullptr) confidence->plane[0].row(y)[x] = static_cast<std::uint8_t>(share);
    }
}

}  // namespace coalesce::test
