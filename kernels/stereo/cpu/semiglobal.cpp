// SPDX-License-Identifier: LGPL-2.1-or-later
// sgm: one sweep down and one up. Each adds up the paths that come from where it has been, so of
// all costs only the sums of the first sweep are kept. Threads take rows by turns; one follows
// another at a distance of some pixels.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "costs.h"
#include "steps.h"
#include "winner.h"

namespace coalesce {
namespace {

constexpr int kChunk = 32;  // pixels that are done before the next row's thread hears of it
constexpr int kPad = static_cast<int>(StereoCpuScratch::kLinePad);
constexpr int kLine = kMaxDisparities + 2 * kPad;
// Beside the candidates: with p1 it is more than any cost and p2.
constexpr std::uint8_t kBeside = 255 - kMaxStereoPenalty;
static_assert(kBeside >= kCensusBits + kMaxStereoPenalty, "what no path may take");

// Where a path begins.
alignas(64) constexpr std::uint8_t kNothing[kLine] = {};

// A step of a path: from the costs of the pixel before to those of this one.
struct Step {
  const std::uint8_t *from;
  std::uint8_t *to;
  std::uint8_t least;    // of `from`
  std::uint8_t penalty;  // for larger steps
};

template <int kBytes>
COALESCE_INLINE std::uint8_t least_lane(const typename StereoLanes<kBytes>::Bytes &v) {
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
  typedef std::uint64_t Longs __attribute__((vector_size(16)));
  Bytes all;
  if constexpr (kBytes == 32)
    all = least_of<Bytes>(
        __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
        __builtin_shufflevector(v, v, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                                31));
  else
    all = v;
  const Longs longs = reinterpret_cast<Longs>(all);
  all = least_of<Bytes>(all, reinterpret_cast<Bytes>(__builtin_shufflevector(longs, longs, 1, 0)));
  for (const int bits : {32, 16, 8})
    all = least_of<Bytes>(all, reinterpret_cast<Bytes>(reinterpret_cast<Longs>(all) >> bits));
  return all[0];
}

// The lower and upper half of a vector of bytes, as numbers of 16 bits.
template <int kBytes>
COALESCE_INLINE void widen(const typename StereoLanes<kBytes>::Bytes &v,
                           typename StereoLanes<kBytes>::Words &low,
                           typename StereoLanes<kBytes>::Words &high) {
  using L = StereoLanes<kBytes>;
  typename L::HalfBytes half[2];
  std::memcpy(half, &v, sizeof v);
  low = __builtin_convertvector(half[0], typename L::Words);
  high = __builtin_convertvector(half[1], typename L::Words);
}

// All steps to a pixel. kBack: sums hold those of the other sweep, and the result goes to `out`.
template <int kBytes, int kSteps, bool kBack>
COALESCE_INLINE void take_steps(const Step (&steps)[kSteps], std::uint8_t (&least)[kSteps],
                                const std::uint8_t *costs, int count, std::uint8_t p1,
                                std::uint16_t *sums, std::uint16_t *out) {
  using L = StereoLanes<kBytes>;
  using Bytes = typename L::Bytes;
  using Words = typename L::Words;
  constexpr std::uint8_t kMost = 255;
  const Bytes step = Bytes{} + p1;
  Bytes before[kSteps], limit[kSteps], all[kSteps];
  for (int i = 0; i < kSteps; ++i) {
    before[i] = Bytes{} + steps[i].least;
    limit[i] = before[i] + steps[i].penalty;
    all[i] = Bytes{} + kMost;
  }
  for_vectors<kBytes>(
      count, [&](int k) __attribute__((always_inline)) {
        const Bytes cost = load_lanes<Bytes>(costs + k);
        Bytes path[kSteps];
        for (int i = 0; i < kSteps; ++i) {
          const std::uint8_t *const from = steps[i].from + k;
          const Bytes beside =
              least_of(load_lanes<Bytes>(from - 1), load_lanes<Bytes>(from + 1)) + step;
          const Bytes best =
              least_of<Bytes>(least_of<Bytes>(load_lanes<Bytes>(from), beside), limit[i]);
          path[i] = best - before[i] + cost;
          all[i] = least_of(all[i], path[i]);
          store_lanes(steps[i].to + k, path[i]);
        }
        // (Two of them fit a byte.)
        Words low, high;
        widen<kBytes>(path[0] + path[1], low, high);
        if constexpr (kSteps == 4) {
          Words more_low, more_high;
          widen<kBytes>(path[2] + path[3], more_low, more_high);
          low += more_low, high += more_high;
        }
        if constexpr (kBack) {
          low += load_lanes<Words>(sums + k), high += load_lanes<Words>(sums + k + L::kCount);
          store_lanes(out + k, low), store_lanes(out + k + L::kCount, high);
        } else {
          store_lanes(sums + k, low), store_lanes(sums + k + L::kCount, high);
        }
      });
  for (int i = 0; i < kSteps; ++i)
    least[i] = least_lane<kBytes>(all[i]);
}

// Rows of a sweep are counted in its order, and so are pixels of a row.
template <int kBytes, int kSteps, bool kBack>
class Sweep {
 public:
  COALESCE_INLINE Sweep(const StereoJob &job, const StereoCpuScratch &s) : job_(job), s_(s) {}

  // wait(pixels): until so many of the row before are done. done(pixels): of this one.
  template <class Wait, class Done>
  COALESCE_INLINE void put_row(int number, const Wait &wait, const Done &done) const {
    const int width = job_.width, y = kBack ? job_.height - 1 - number : number;
    const std::size_t row = static_cast<std::size_t>(y) * s_.width;
    const auto *const now = s_.lines[number % 2], *const before = s_.lines[(number + 1) % 2];
    const std::uint8_t *const bytes = s_.left_bytes + row;
    const std::uint8_t *const bytes_before = number == 0 ? nullptr
                                             : kBack     ? bytes + s_.width
                                                         : bytes - s_.width;
    const RowWinners<kBytes, true> winners(job_, s_, y);
    alignas(64) std::uint8_t along[2][kLine];
    alignas(64) std::uint8_t costs[kChunk][kMaxDisparities];
    CostBatch all(kBack ? job_.params.disparities : 0);
    std::memset(along, kBeside, sizeof along);
    std::uint8_t along_least = 0;
    for (int begin = 0; begin < width; begin += kChunk) {
      const int end = std::min(begin + kChunk, width);
      for (int i = begin; i < end; ++i)
        find_costs(row, kBack ? width - 1 - i : i, costs[i - begin]);
      wait(std::min(end + 1, width));
      for (int i = begin; i < end; ++i) {
        const int x = kBack ? width - 1 - i : i;
        const auto at = static_cast<std::size_t>(x);
        Step steps[kSteps];
        steps[0] = {i == 0 ? kNothing + kPad : along[(i + 1) % 2] + kPad, along[i % 2] + kPad,
                    i == 0 ? std::uint8_t{0} : along_least,
                    i == 0 ? std::uint8_t{0} : penalty(bytes[x], bytes[kBack ? x + 1 : x - 1])};
        for (int path = 1; path < kSteps; ++path) {
          const int from = path == 1 ? x : path == 2 ? x - 1 : x + 1;
          std::uint8_t *const to = now[path - 1].costs + at * s_.line + kPad;
          if (number == 0 || from < 0 || from >= width)
            steps[path] = {kNothing + kPad, to, 0, 0};
          else
            steps[path] = {before[path - 1].costs + static_cast<std::size_t>(from) * s_.line + kPad,
                           to, before[path - 1].least[from], penalty(bytes[x], bytes_before[from])};
        }
        std::uint8_t least[kSteps];
        take_steps<kBytes, kSteps, kBack>(steps, least, costs[i - begin], job_.params.disparities,
                                          static_cast<std::uint8_t>(job_.params.p1),
                                          s_.sums + (row + at) * s_.candidates, all.of(x));
        along_least = least[0];
        for (int path = 1; path < kSteps; ++path)
          now[path - 1].least[x] = least[path];
        if constexpr (kBack) winners.put(x, all);
      }
      done(end);
    }
  }

 private:
  std::uint8_t penalty(int a, int b) const { return job_.penalty[std::abs(a - b)]; }

  COALESCE_INLINE void find_costs(std::size_t row, int x, std::uint8_t *costs) const {
    const int count = job_.params.disparities;
    const std::size_t at = row + static_cast<std::size_t>(x);
    const int outside = std::clamp(job_.params.min_disparity + count - 1 - x, 0, count);
    census_costs<kBytes>(
        s_.left_census[at],
        {s_.right_census[0], s_.right_census[1], s_.right_census[2], s_.right_census[3]},
        static_cast<std::ptrdiff_t>(at) - job_.params.min_disparity - count + 1, count, costs);
    std::memset(costs, kCostOutside, static_cast<std::size_t>(outside));
  }

  const StereoJob &job_;
  const StereoCpuScratch &s_;
};

// Rows as they come, until there are no more. A row is begun when all before it are, so the one
// that is waited for goes on.
template <int kBytes, int kSteps, bool kBack>
COALESCE_INLINE void put_rows(const StereoJob &job, const StereoCpuScratch &s,
                              std::atomic<int> *next) {
  const Sweep<kBytes, kSteps, kBack> sweep(job, s);
  for (int row; (row = next->fetch_add(1, std::memory_order_relaxed)) < job.height;) {
    const auto wait = [&](int pixels) {
      if (row == 0) return;
      const std::atomic_ref<int> before(s.progress[row - 1]);
      for (int there; (there = before.load(std::memory_order_acquire)) < pixels;)
        before.wait(there, std::memory_order_acquire);
    };
    const auto done = [&](int pixels) {
      const std::atomic_ref<int> now(s.progress[row]);
      now.store(pixels, std::memory_order_release);
      now.notify_all();
    };
    sweep.put_row(row, wait, done);
  }
}

using PutRows = void (*)(const StereoJob &job, const StereoCpuScratch &s, std::atomic<int> *next);

template <int kSteps, bool kBack>
void put_rows_plain(const StereoJob &job, const StereoCpuScratch &s, std::atomic<int> *next) {
  put_rows<16, kSteps, kBack>(job, s, next);
}
#if defined(COALESCE_AVX2)
template <int kSteps, bool kBack>
COALESCE_AVX2 void put_rows_avx2(const StereoJob &job, const StereoCpuScratch &s,
                                 std::atomic<int> *next) {
  put_rows<32, kSteps, kBack>(job, s, next);
}
#endif

template <bool kBack>
PutRows put_rows_for(const StereoParams &params) {
#if defined(COALESCE_AVX2)
  if (params.disparities >= 32 && __builtin_cpu_supports("avx2"))
    return params.paths == 4 ? put_rows_avx2<2, kBack> : put_rows_avx2<4, kBack>;
#endif
  return params.paths == 4 ? put_rows_plain<2, kBack> : put_rows_plain<4, kBack>;
}

void sweep(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool, PutRows put) {
  std::fill_n(s.progress, job.height, 0);
  std::atomic<int> next = 0;
  const int threads = pool == nullptr ? 1 : pool->threads();
  for_ranges(pool, threads, 1, [&](int, int) { put(job, s, &next); });
}

}  // namespace

void find_by_paths(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool) {
  for (const auto &row : s.lines)
    for (const StereoCpuScratch::Line &line : row)
      std::memset(line.costs, kBeside, s.width * s.line);
  if (job.checks_right())
    for (int y = 0; y < job.height; ++y)
      std::fill_n(s.right_cost + s.right_place(y), s.width, static_cast<std::uint16_t>(kNoCost));
  sweep(job, s, pool, put_rows_for<false>(job.params));
  sweep(job, s, pool, put_rows_for<true>(job.params));
}

}  // namespace coalesce
