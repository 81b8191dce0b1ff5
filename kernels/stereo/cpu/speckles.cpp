// SPDX-License-Identifier: LGPL-2.1-or-later
// Areas by union-find: in ranges of rows by themselves, then across the borders of ranges.
#include <atomic>
#include <cstdlib>
#include <utility>

#include "scratch.h"

namespace coalesce {
namespace {

constexpr int kGrain = 64;  // rows of a range, at least

class Areas {
 public:
  Areas(const SpeckleJob &job, const SpeckleCpuScratch &s)
      : job_(job), s_(s), width_(static_cast<std::uint32_t>(job.disparities.width)) {}

  // Rows first to last - 1, by themselves.
  void find(int first, int last) const {
    for (int y = first; y < last; ++y) {
      s_.starts[y] = y == first ? 1 : 0;
      const std::uint16_t *const row = job_.disparities.row(y);
      const std::uint32_t begin = place(y);
      for (std::uint32_t x = 0; x < width_; ++x) {
        const bool goes_on = x > 0 && is_linked(row[x - 1], row[x]);
        s_.parent[begin + x] = goes_on ? s_.parent[begin + x - 1] : begin + x;
        s_.size[begin + x] = 0;
      }
      if (y > first) join(y);
    }
  }
  // With the row above.
  void join(int y) const {
    const std::uint16_t *const row = job_.disparities.row(y), *const above =
                                                                  job_.disparities.row(y - 1);
    for (std::uint32_t x = 0; x < width_; ++x)
      if (is_linked(above[x], row[x])) unite(place(y) + x, place(y - 1) + x);
  }
  bool starts(int y) const { return s_.starts[y] != 0; }

  // Pixels of runs are counted together.
  void count(int first, int last) const {
    for (int y = first; y < last; ++y) {
      const std::uint16_t *const row = job_.disparities.row(y);
      for (std::uint32_t x = 0, end; x < width_; x = end) {
        end = x + 1;
        while (end < width_ && is_linked(row[end - 1], row[end]))
          ++end;
        if (row[x] != 0)
          std::atomic_ref(s_.size[root(place(y) + x)])
              .fetch_add(end - x, std::memory_order_relaxed);
      }
    }
  }
  void erase(int first, int last) const {
    for (int y = first; y < last; ++y) {
      std::uint16_t *const row = job_.disparities.row(y);
      for (std::uint32_t x = 0; x < width_; ++x)
        if (row[x] != 0 && s_.size[root(place(y) + x)] <= static_cast<std::uint32_t>(job_.size))
          row[x] = 0;
    }
  }

 private:
  std::uint32_t place(int y) const { return static_cast<std::uint32_t>(y) * width_; }
  bool is_linked(int a, int b) const { return a != 0 && b != 0 && std::abs(a - b) <= job_.range; }
  std::uint32_t root(std::uint32_t at) const {
    while (s_.parent[at] != at)
      at = s_.parent[at];
    return at;
  }
  void unite(std::uint32_t a, std::uint32_t b) const {
    // (Paths become half as long on the way.)
    const auto find = [&](std::uint32_t at) {
      while (s_.parent[at] != at)
        at = s_.parent[at] = s_.parent[s_.parent[at]];
      return at;
    };
    a = find(a), b = find(b);
    if (a < b) std::swap(a, b);
    s_.parent[a] = b;
  }

  const SpeckleJob &job_;
  const SpeckleCpuScratch &s_;
  std::uint32_t width_;
};

}  // namespace

Status filter_speckles_cpu(const SpeckleJob &job, ThreadPool *pool) {
  const int height = job.disparities.height;
  const SpeckleCpuScratch s(job.scratch, job.disparities.width, height);
  const Areas areas(job, s);
  for_ranges(pool, height, kGrain, [&](int first, int last) { areas.find(first, last); });
  for (int y = 1; y < height; ++y)
    if (areas.starts(y)) areas.join(y);
  for_ranges(pool, height, kGrain, [&](int first, int last) { areas.count(first, last); });
  for_ranges(pool, height, kGrain, [&](int first, int last) { areas.erase(first, last); });
  return {};
}

}  // namespace coalesce
