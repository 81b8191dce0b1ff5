// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: a block walks down a strip of columns, a column a thread. Sums of columns go down with it;
// those of windows along a row are differences of sums up to here.
#pragma once

#include <cstdint>

#include "../../core/load.cuh"
#include "../../core/ptx.cuh"
#include "../../core/warp_sum.cuh"
#include "scratch.h"

namespace coalesce {
namespace {

constexpr int kSweepThreads = 128;

struct SweepArgs {
  int width, height;
  int half;  // of the window
  int band;  // rows of a block
  int depths;
  float first, step;
  Epipolar epipolar[kMaxNeighbours];
  const std::uint8_t *bytes;
  const std::uint32_t *quads;
  std::uint32_t *matches;
  SweepState *states;
  NccWindow *left;

  __device__ __forceinline__ std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<unsigned>(width) + static_cast<unsigned>(x);
  }
  __device__ __forceinline__ std::size_t pixels() const { return place(0, height); }
};

// What a thread has of its strip and band.
struct SweepPlace {
  int x, column;    // in the picture, or beside it; the nearest one inside
  int first, last;  // rows
  bool writes;      // is a window in the middle of which it is wanted?

  __device__ __forceinline__ explicit SweepPlace(const SweepArgs &a) {
    const int of_strip = kSweepThreads - 2 * a.half, thread = static_cast<int>(threadIdx.x);
    x = static_cast<int>(blockIdx.x) * of_strip - a.half + thread;
    column = min(max(x, 0), a.width - 1);
    first = static_cast<int>(blockIdx.y) * a.band;
    last = min(first + a.band, a.height);
    writes = thread >= a.half && thread < kSweepThreads - a.half && x < a.width;
  }
};

// Sums along a row of kWords numbers a column, modulo 2^32. All threads of the block call it
// together. Of two rows that follow each other the memory must differ.
template <int kWords>
class RowSums {
 public:
  static constexpr int kLine = kSweepThreads + 1;  // with a column of zeros in front
  static constexpr int kShared = 2 * kWords * kLine;

  __device__ __forceinline__ RowSums(std::uint32_t *shared, int half)
      : shared_(shared), thread_(static_cast<int>(threadIdx.x)), half_(half) {
    for (int i = thread_; i < 2 * kWords; i += kSweepThreads)
      shared_[i * kLine] = 0;
    const int front = thread_ - half - 1;
    before_ = max(front, -1) + 1;
    behind_ = min(thread_ + half, kSweepThreads - 1) + 1;
    // The sum of the warp before, where the window begins in it.
    const bool crosses = (front & ~31) != ((behind_ - 1) & ~31);
    across_ = crosses && front >= 0 ? (front | 31) + 1 : 0;
  }

  // Up to here in each warp; then the block waits.
  __device__ __forceinline__ void put(const std::uint32_t (&column)[kWords]) {
    line_ ^= 1;
    std::uint32_t *const to = shared_ + line_ * (kWords * kLine) + thread_ + 1;
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      to[i * kLine] = warp_sum_up_to_here(column[i], thread_ & 31);
    __syncthreads();
  }
  // Of the window whose middle this thread is.
  __device__ __forceinline__ std::uint32_t window(int i) const {
    const std::uint32_t *const from = shared_ + (line_ * kWords + i) * kLine;
    return from[behind_] - from[before_] + from[across_];
  }

 private:
  std::uint32_t *shared_;
  int thread_, half_, before_, behind_, across_, line_ = 0;
};

// What a neighbour has at a position.
struct WarpedSample {
  std::uint32_t value;
  bool inside;
};
struct alignas(16) Shift {
  float t[3], unused;
};

// Rounded to nearest, of what is neither tiny nor huge: the instructions of the compiler's division
// without its branch to what those want. They are exact by how the first one is off, which is not
// known of an emulated one.
__device__ __forceinline__ float exact_reciprocal(float x) {
#if defined(COALESCE_EMULATED)
  return 1.0f / x;
#else
  const float y = ptx::reciprocal(x);
  return fmaf(y, -fmaf(x, y, -1.0f), y);
#endif
}

class Projection {
 public:
  __device__ __forceinline__ Projection(const SweepArgs &a, const Epipolar &to,
                                        const std::uint32_t *quads, int column)
      : quads_(quads),
        width_(static_cast<unsigned>(a.width)),
        last_x_(static_cast<float>(kPositions * (a.width - 1))),
        last_y_(static_cast<float>(kPositions * (a.height - 1))) {
#pragma unroll
    for (int i = 0; i < 3; ++i)
      x_[i] = to.m[i][0] * static_cast<float>(column);
  }

  __device__ __forceinline__ void start_row(const Epipolar &to, int y) {
#pragma unroll
    for (int i = 0; i < 3; ++i)
      g_[i] = x_[i] + to.m[i][1] * static_cast<float>(y);
  }

  __device__ __forceinline__ WarpedSample sample(const Shift &shift) const {
    const float h = g_[2] + shift.t[2], near_h = at_least(h, kLeastDivisor);
    const float one = exact_reciprocal(near_h);
    const float u = (g_[0] + shift.t[0]) * one, v = (g_[1] + shift.t[1]) * one;
    const float near_u = limited(u, 0.0f, last_x_), near_v = limited(v, 0.0f, last_y_);
    const auto p = static_cast<std::uint32_t>(rounded_position(near_u));
    const auto q = static_cast<std::uint32_t>(rounded_position(near_v));
    const std::uint32_t quad = load_global(reinterpret_cast<const std::uint32_t *>(
        reinterpret_cast<const char *>(quads_) +
        4 * ((q >> kPositionBits) * width_ + (p >> kPositionBits))));
    return {blend(quad, p % kPositions, q % kPositions), h == near_h && u == near_u && v == near_v};
  }

 private:
  // blend_quad(): the upper row, the lower one, and what is between them.
  __device__ __forceinline__ static std::uint32_t blend(std::uint32_t quad, std::uint32_t right,
                                                        std::uint32_t down) {
    const std::uint32_t weights = kPositions + 255 * right;
    const std::uint32_t upper = __dp4a(quad, weights, 0u), lower = __dp4a(quad, weights << 16, 0u);
    return (upper * kPositions + (lower - upper) * down + 512) >> 10;
  }

  const std::uint32_t *quads_;
  unsigned width_;
  float last_x_, last_y_;
  float x_[3], g_[3] = {};
};

// The best of the candidates that a pixel has seen.
constexpr unsigned kTied = 0x8000;
struct BestSoFar {
  unsigned cost = kNoCost, last = kNoCost, before = kNoCost, behind = kNoCost;
  unsigned candidate = kTied;  // with kTied: another one is as good, or there is none

  bool follows = false;  // is the next candidate right behind it?

  // Before candidate k.
  __device__ __forceinline__ void load(const SweepState &state, std::uint32_t candidate_of,
                                       unsigned k) {
    cost = state.cost_last >> 16, last = state.cost_last & 0xFFFF;
    before = state.before_behind >> 16, behind = state.before_behind & 0xFFFF;
    candidate = candidate_of;
    follows = candidate + 1 == k;
  }
  __device__ __forceinline__ SweepState state() const {
    return {cost << 16 | last, before << 16 | behind};
  }

  __device__ __forceinline__ void see(unsigned k, unsigned c) {
    const bool better = c < cost;
    if (c == cost && !follows) candidate |= kTied;
    if (follows) behind = c;
    before = better ? last : before;
    behind = better ? kNoCost : behind;
    candidate = better ? k : candidate;
    cost = min(cost, c), last = c, follows = better;
  }
  __device__ __forceinline__ std::uint32_t match() const {
    return candidate < kTied ? found_match(cost, static_cast<int>(candidate), before, behind)
                             : kNoMatch;
  }
};

// ---- Costs --------------------------------------------------------------------------------------

// What a method adds up of a column, for the candidates in hand:
//   kEach      so many
//   kWords     numbers of a column
//   kResident  blocks whose registers a multiprocessor has
//   put()      the candidates' samples of the row that comes in; from: the reference's
//   change()   that row is added, the one that has `old` is taken away; old_from: its reference's
//   finish()   sums of a window become costs; middle: of the row in its middle
// Of a row, a ring keeps two words a thread.
struct alignas(8) RingWords {
  std::uint32_t at[2];
};

// Bytes: the difference, and above it whether it is outside. Sums: two of 16 bits a word.
class DifferenceColumn {
 public:
  static constexpr int kEach = 8, kWords = 4, kResident = 10;

  __device__ __forceinline__ void put(int from, const WarpedSample (&to)[kEach]) {
    const std::uint32_t four = 0x01010101 * static_cast<std::uint32_t>(from);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      std::uint32_t bytes = 0, outside = 0;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        bytes |= to[4 * i + c].value << 8 * c;
        outside |= to[4 * i + c].inside ? 0 : 0x80u << 8 * c;
      }
      // All ones where it is 128 or more.
      const std::uint32_t all = ptx::distances(bytes, four);
      const std::uint32_t most = (all >> 7 & 0x01010101) * kMostDifference;
      in_.at[i] = ((all | most) & 0x7F7F7F7F) | outside;
    }
  }
  __device__ __forceinline__ const RingWords &ring() const {
    return in_;
  }
  __device__ __forceinline__ void change(const RingWords &old, int) {
    constexpr std::uint32_t kBytes = 0x007F007F;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      sums_[2 * i] += (in_.at[i] & kBytes) - (old.at[i] & kBytes);
      sums_[2 * i + 1] += (in_.at[i] >> 8 & kBytes) - (old.at[i] >> 8 & kBytes);
    }
  }
  // Before the first row that leaves.
  __device__ __forceinline__ static RingWords nothing() {
    return {};
  }
  __device__ __forceinline__ const std::uint32_t (&sums() const)[kWords] {
    return sums_;
  }

  __device__ __forceinline__ void finish(const RowSums<kWords> &row, const RingWords &middle, int,
                                         const NccWindow *) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      // The upper bits of bytes 0 and 2, of 1 and 3, as halves: kNoCost.
      costs_[2 * i] = row.window(2 * i) | ptx::prmt(middle.at[i], 0, 0xAA88);
      costs_[2 * i + 1] = row.window(2 * i + 1) | ptx::prmt(middle.at[i], 0, 0xBB99);
    }
  }
  __device__ __forceinline__ unsigned cost(int c) const {
    const std::uint32_t pair = costs_[2 * (c / 4) + c % 2];
    return c % 4 < 2 ? pair & 0xFFFF : pair >> 16;
  }

 private:
  RingWords in_ = {};
  std::uint32_t sums_[kWords] = {}, costs_[kWords] = {};
};

// Words of 16 bits: the sample, and above it whether it is inside. Sums of samples less 128, of
// their squares, and of their products with the reference's.
class CorrelationColumn {
 public:
  static constexpr int kEach = 4, kWords = 3 * kEach, kResident = 9;

  __device__ __forceinline__ void put(int from, const WarpedSample (&to)[kEach]) {
    from_ = from - 128;
#pragma unroll
    for (int i = 0; i < 2; ++i)
      in_.at[i] = word(to[2 * i]) | word(to[2 * i + 1]) << 16;
  }
  __device__ __forceinline__ const RingWords &ring() const {
    return in_;
  }
  __device__ __forceinline__ void change(const RingWords &old, int old_from) {
#pragma unroll
    for (int c = 0; c < kEach; ++c) {
      const int a = sample(in_, c), b = sample(old, c);
      sums_[3 * c] += static_cast<std::uint32_t>(a - b);
      sums_[3 * c + 1] += static_cast<std::uint32_t>(a * a - b * b);
      sums_[3 * c + 2] += static_cast<std::uint32_t>(a * from_ - b * (old_from - 128));
    }
  }
  __device__ __forceinline__ static RingWords nothing() {
    return {{0x00800080, 0x00800080}};
  }
  __device__ __forceinline__ const std::uint32_t (&sums() const)[kWords] {
    return sums_;
  }

  __device__ __forceinline__ void finish(const RowSums<kWords> &row, const RingWords &middle,
                                         int count, const NccWindow *of_reference) {
    const NccWindow left = load_global(of_reference);
    const float size = static_cast<float>(count), one = 1.0f / size;
#pragma unroll
    for (int c = 0; c < kEach; ++c) {
      const int sum = static_cast<int>(row.window(3 * c));
      const int squares = static_cast<int>(row.window(3 * c + 1));
      const int products = static_cast<int>(row.window(3 * c + 2));
      const bool inside = (middle.at[c / 2] >> (16 * (c % 2) + 8) & 1) != 0;
      // ncc_right(). Of all sums and sizes that there are, the mean is that of a division.
      const float all = static_cast<float>(sum), near_mean = all * one;
      const float mean = fmaf(fmaf(-near_mean, size, all), one, near_mean);
      const float variance = ncc_variance(count, sum, squares);
      const float deviation = exact_reciprocal(sqrtf(fmaxf(variance, 1.0f)));
      const unsigned cost = ncc_cost(products, left, {mean, variance > 0 ? deviation : 0.0f});
      costs_[c] = inside ? cost : kNoCost;
    }
  }
  __device__ __forceinline__ unsigned cost(int c) const {
    return costs_[c];
  }

 private:
  __device__ __forceinline__ static std::uint32_t word(const WarpedSample &of) {
    return of.value | (of.inside ? 0x100u : 0u);
  }
  __device__ __forceinline__ static int sample(const RingWords &of, int c) {
    return static_cast<int>(of.at[c / 2] >> 16 * (c % 2) & 0xFF) - 128;
  }

  int from_ = 0;
  RingWords in_ = {};
  std::uint32_t sums_[kWords] = {}, costs_[kEach] = {};
};

}  // namespace
}  // namespace coalesce
