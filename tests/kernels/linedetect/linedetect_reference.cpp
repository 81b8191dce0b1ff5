// SPDX-License-Identifier: LGPL-2.1-or-later
#include "linedetect_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <tuple>

#include "../sample_bits.h"

namespace coalesce::test {
namespace {

struct Pixel {
  int x, y;
  bool operator==(const Pixel &o) const { return x == o.x && y == o.y; }
  bool operator<(const Pixel &o) const { return std::tie(y, x) < std::tie(o.y, o.x); }
  Pixel operator+(const Pixel &o) const { return {x + o.x, y + o.y}; }
};

// East, then clockwise.
const Pixel kSteps[8] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};

class Picture {
 public:
  Picture(int width, int height)
      : width_(width), height_(height), set_(static_cast<std::size_t>(width) * height) {}

  bool has(Pixel p) const {
    return p.x >= 0 && p.y >= 0 && p.x < width_ && p.y < height_ && set_[number(p)];
  }
  void put(Pixel p, bool value) { set_[number(p)] = value; }

  template <class Visit>
  void for_all(Visit visit) const {
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        if (set_[number({x, y})]) visit(Pixel{x, y});
  }

 private:
  std::size_t number(Pixel p) const { return static_cast<std::size_t>(p.y) * width_ + p.x; }

  int width_, height_;
  std::vector<bool> set_;
};

// ---- Thinning -----------------------------------------------------------------------------------

bool is_deleted(const Picture &all, Pixel at, bool second) {
  // The second step is the first one, seen upside down and reversed.
  const auto has = [&](int direction) {
    return all.has(at + kSteps[(direction + (second ? 4 : 0)) % 8]);
  };
  const int e = 0, se = 1, n = 6, ne = 7;
  int runs = 0, pairs = 0, other_pairs = 0;
  for (int d = 0; d < 8; d += 2) {
    if (!has(d) && (has(d + 1) || has((d + 2) % 8))) ++runs;
    if (has(d) || has(d + 1)) ++pairs;
    if (has(d + 1) || has((d + 2) % 8)) ++other_pairs;
  }
  const int least = std::min(pairs, other_pairs);
  return runs == 1 && least >= 2 && least <= 3 && !((has(n) || has(ne) || !has(se)) && has(e));
}

Picture thinned(Picture all) {
  for (int step = 0; step < 4; ++step) {
    Picture next = all;
    all.for_all([&](Pixel p) {
      if (is_deleted(all, p, step % 2 == 1)) next.put(p, false);
    });
    all = next;
  }
  return all;
}

// ---- Chains -------------------------------------------------------------------------------------

std::vector<int> picked(const Picture &all, Pixel at) {
  std::vector<int> around;
  for (int d = 0; d < 8; ++d) {
    if (!all.has(at + kSteps[d])) continue;
    const bool is_diagonal = d % 2 == 1;
    if (is_diagonal && (all.has(at + kSteps[d - 1]) || all.has(at + kSteps[(d + 1) % 8]))) continue;
    around.push_back(d);
  }
  if (around.size() <= 2) return around;
  std::vector<int> best;
  int widest = 0;
  for (const int i : around)
    for (const int j : around) {
      if (i >= j) continue;
      const int angle = std::min(j - i, 8 - (j - i));
      if (angle > widest) best = {i, j}, widest = angle;
    }
  return best;
}

// Pixels that pick each other.
std::vector<Pixel> linked(const Picture &all, Pixel at) {
  std::vector<Pixel> both;
  for (const int d : picked(all, at)) {
    const Pixel other = at + kSteps[d];
    for (const int back : picked(all, other))
      if (other + kSteps[back] == at) both.push_back(other);
  }
  return both;
}

using Chain = std::vector<Pixel>;

Chain walk(const Picture &all, Pixel from, Pixel towards) {
  Chain chain = {from, towards};
  for (;;) {
    const Pixel before = chain[chain.size() - 2], here = chain.back();
    bool is_end = true;
    for (const Pixel next : linked(all, here))
      if (!(next == before)) {
        if (next == from) return chain;
        chain.push_back(next);
        is_end = false;
        break;
      }
    if (is_end) return chain;
  }
}

std::vector<Chain> chains_of(const Picture &all) {
  std::vector<Chain> chains;
  std::set<Pixel> taken;
  const auto take = [&](Chain chain) {
    taken.insert(chain.begin(), chain.end());
    chains.push_back(std::move(chain));
  };
  for (const std::size_t neighbours : {1, 2})  // those with ends, then loops
    all.for_all([&](Pixel p) {
      const std::vector<Pixel> next = linked(all, p);
      if (next.size() != neighbours || taken.count(p) != 0) return;
      take(walk(all, p, *std::min_element(next.begin(), next.end())));
    });
  return chains;
}

// ---- Pieces -------------------------------------------------------------------------------------

std::int64_t square(std::int64_t v) {
  return v * v;
}
std::int64_t distance2(Pixel a, Pixel b) {
  return square(a.x - b.x) + square(a.y - b.y);
}

// The square of the distance from the segment a to b, times its squared length.
std::int64_t deviation(Pixel a, Pixel b, Pixel p) {
  const std::int64_t along =
      std::int64_t{p.x - a.x} * (b.x - a.x) + std::int64_t{p.y - a.y} * (b.y - a.y);
  if (along < 0) return distance2(a, p) * distance2(a, b);
  if (along > distance2(a, b)) return distance2(b, p) * distance2(a, b);
  return square(std::int64_t{b.x - a.x} * (p.y - a.y) - std::int64_t{b.y - a.y} * (p.x - a.x));
}

class Pieces {
 public:
  Pieces(const Chain &chain, double tolerance)
      : chain_(chain),
        tolerance2_(square(static_cast<std::int64_t>(std::floor(16 * tolerance + 0.5)))) {
    const int last = static_cast<int>(chain.size()) - 1;
    for (int from = 0; from < last; from += 256) {
      borders_.insert(from);
      split(from, std::min(from + 256, last));
    }
    borders_.insert(last);
    for (int step = 256; step < last; step *= 2)
      for (int k = step; k < last; k += 2 * step)
        merge(k);
  }
  const std::set<int> &borders() const { return borders_; }

 private:
  // Between them, the first of the farthest pixels; -1 if it is near enough.
  int farthest(int from, int to) const {
    const Pixel a = chain_[static_cast<std::size_t>(from)],
                b = chain_[static_cast<std::size_t>(to)];
    std::int64_t most = tolerance2_ * distance2(a, b) / 256;
    int found = -1;
    for (int i = from + 1; i < to; ++i) {
      const std::int64_t here = deviation(a, b, chain_[static_cast<std::size_t>(i)]);
      if (here > most) most = here, found = i;
    }
    return found;
  }

  void split(int from, int to) {
    const int at = farthest(from, to);
    if (at < 0) return;
    borders_.insert(at);
    split(from, at);
    split(at, to);
  }

  void merge(int k) {
    const auto at = borders_.find(k);
    if (farthest(*std::prev(at), *std::next(at)) < 0) borders_.erase(at);
  }

  const Chain &chain_;
  std::int64_t tolerance2_;
  std::set<int> borders_;
};

// ---- Lines --------------------------------------------------------------------------------------

std::int32_t to_nearest(double v) {
  return static_cast<std::int32_t>(std::floor(v + 0.5));
}

std::vector<PixelComponent> channels_of(const PixelFormat &format) {
  for (const Role role : {Role::y, Role::grey})
    if (const PixelComponent *c = format.find(role)) return {*c};
  return {*format.find(Role::r), *format.find(Role::g), *format.find(Role::b)};
}

// By Sobel's filter, samples outside being the nearest inside.
struct Gradient {
  std::int64_t x = 0, y = 0;
};
Gradient gradient(const ConstImage &in, const PixelComponent &c, Pixel at) {
  Gradient g;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) {
      const int x = std::clamp(at.x + j, 0, in.width - 1);
      const int y = std::clamp(at.y + i, 0, in.height - 1);
      const int sample = read_bits(in.plane[c.plane].row(y), c, x);
      g.x += j * (2 - std::abs(i)) * sample;
      g.y += i * (2 - std::abs(j)) * sample;
    }
  return g;
}

Line fitted(const ConstImage &in, const Chain &chain, int from, int to) {
  const Pixel first = chain[static_cast<std::size_t>(from)];
  const Pixel last = chain[static_cast<std::size_t>(to)];
  std::vector<Pixel> pixels;  // relative to the first
  for (int i = from; i <= to; ++i) {
    const Pixel p = chain[static_cast<std::size_t>(i)];
    pixels.push_back({p.x - first.x, p.y - first.y});
  }
  std::int64_t x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (const Pixel p : pixels) {
    x += p.x, y += p.y;
    xx += square(p.x), xy += std::int64_t{p.x} * p.y, yy += square(p.y);
  }
  const auto n = static_cast<double>(pixels.size());
  const double mx = static_cast<double>(x) / n, my = static_cast<double>(y) / n;
  const double a = (static_cast<double>(xx) - static_cast<double>(x) * mx) -
                   (static_cast<double>(yy) - static_cast<double>(y) * my);
  const double b = 2 * (static_cast<double>(xy) - static_cast<double>(x) * my);
  const double r = std::sqrt(a * a + b * b);
  const double dx = last.x - first.x, dy = last.y - first.y;
  double ux = dx, uy = dy;
  if (r > 0) ux = a >= 0 ? a + r : b, uy = a >= 0 ? b : r - a;
  double length = std::sqrt(ux * ux + uy * uy);
  if (ux * dx + uy * dy < 0) length = -length;
  ux /= length, uy /= length;

  std::vector<std::int64_t> across;
  for (const Pixel p : pixels)
    across.push_back(std::int64_t{p.x} * to_nearest(-uy * 16384) +
                     std::int64_t{p.y} * to_nearest(ux * 16384));
  const std::int64_t extent = *std::max_element(across.begin(), across.end()) -
                              *std::min_element(across.begin(), across.end());
  double slope = 0;
  for (const PixelComponent &c : channels_of(in.format)) {
    Gradient sum;
    for (const Pixel p : pixels) {
      const Gradient g = gradient(in, c, p + first);
      sum.x += g.x, sum.y += g.y;
    }
    slope = std::max(slope,
                     std::fabs(static_cast<double>(sum.y) * ux - static_cast<double>(sum.x) * uy));
  }
  const double begin = -mx * ux - my * uy, end = (dx - mx) * ux + (dy - my) * uy;
  Line line = {256 * first.x + to_nearest(256 * (mx + begin * ux)),
               256 * first.y + to_nearest(256 * (my + begin * uy)),
               256 * first.x + to_nearest(256 * (mx + end * ux)),
               256 * first.y + to_nearest(256 * (my + end * uy)),
               256 + static_cast<std::int32_t>((extent + 32) >> 6),
               to_nearest(64 * slope / n)};
  if (last < first) std::swap(line.x0, line.x1), std::swap(line.y0, line.y1);
  return line;
}

}  // namespace

FoundLines linedetect_reference(const LineParams &params, const ConstImage &in,
                                const ConstImage &edges) {
  Picture all(in.width, in.height);
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x)
      all.put({x, y}, edges.plane[0].row(y)[x] != 0);
  const std::vector<Chain> chains = chains_of(thinned(all));
  struct Candidate {
    std::int64_t length2;
    Pixel first;
    const Chain *chain;
    int from, to;
  };
  std::vector<Candidate> candidates;
  FoundLines found = {};
  for (const Chain &chain : chains) {
    found.longest_chain = std::max(found.longest_chain, static_cast<int>(chain.size()));
    const Pieces pieces(chain, params.tolerance);
    for (auto at = pieces.borders().begin(); std::next(at) != pieces.borders().end(); ++at) {
      const int from = *at, to = *std::next(at);
      const Pixel first = chain[static_cast<std::size_t>(from)];
      const std::int64_t length2 = distance2(first, chain[static_cast<std::size_t>(to)]);
      if (length2 >= square(params.min_length))
        candidates.push_back({length2, first, &chain, from, to});
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
    return a.length2 != b.length2 ? a.length2 > b.length2 : a.first < b.first;
  });
  found.count.found = static_cast<std::uint32_t>(candidates.size());
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(params.max_lines)));
  found.count.lines = static_cast<std::uint32_t>(candidates.size());
  for (const Candidate &c : candidates)
    found.lines.push_back(fitted(in, *c.chain, c.from, c.to));
  return found;
}

}  // namespace coalesce::test
