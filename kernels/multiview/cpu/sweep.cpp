// SPDX-License-Identifier: LGPL-2.1-or-later
// A candidate after the other, each from the tile's first row to its last. Samples of a neighbour
// come in at the bottom of the window and leave at the top of it; sums of columns become those of
// windows by halves. So the time hardly depends on the window.
#include "sweep.h"

#include <algorithm>
#include <limits>

#include "../../core/clones.h"
#include "../../core/simd.h"

namespace coalesce {
namespace {

constexpr int kMaxWindow = kMaxMultiviewWindow;
constexpr int kStride = kSweepColumns;
constexpr int kTogether = 32;  // columns whose positions are found together
static_assert(kStride % kTogether == 0);
constexpr int kMaxRows = kTileRows + kMaxWindow - 1;

// Rows of costs that have been seen, by pixel.
struct Best {
  alignas(64) std::uint16_t cost[kTileRows][kStride];
  std::uint16_t candidate[kTileRows][kStride];  // with kTied: another one is as good
  std::uint16_t before[kTileRows][kStride], behind[kTileRows][kStride];
  std::uint16_t last[kTileRows][kStride];
};
constexpr std::uint16_t kTied = 0x8000;

template <class Sum>
struct Sums {
  alignas(64) Sum column[kStride];
  Sum window[kStride];
};

// Sums of `window` numbers that follow each other, by those of 2, 4, 8 and 16.
template <class Sum>
COALESCE_INLINE void add_along(int window, int count, Sums<Sum> *sums) {
  alignas(64) Sum power[2][kStride];
  Sum *from = power[0], *to = power[1];
  int all = count + window - 1;
  for (int i = 0; i < all; ++i)
    from[i] = sums->column[i];
  for (int i = 0; i < count; ++i)
    sums->window[i] = from[i];
  int place = 1;
  for (int size = 1; 2 * size <= window; size *= 2) {
    all -= size;
    for (int i = 0; i < all; ++i)
      to[i] = static_cast<Sum>(from[i] + from[i + size]);
    std::swap(from, to);
    if ((window & (2 * size)) == 0) continue;
    for (int i = 0; i < count; ++i)
      sums->window[i] = static_cast<Sum>(sums->window[i] + from[i + place]);
    place += 2 * size;
  }
}

struct Sweep {
  Sweep(const MultiviewJob &job_of, const MultiviewTile &tile_of)
      : job(job_of),
        tile(tile_of),
        window(job.params.window),
        half(window / 2),
        all_columns(tile.columns + 2 * half) {}

  const MultiviewJob &job;
  const MultiviewTile &tile;
  int window, half, all_columns;  // columns: with those beside the tile
  float least = kLeastDivisor;    // (Of a constant's reciprocal the compiler makes a branch.)
  alignas(64) std::uint8_t reference[kMaxRows][kStride];
  alignas(64) float x[kStride];
  // Of the rows of the window: samples, less 128, or differences; and 0xFF inside the neighbour.
  alignas(64) std::uint8_t ring[kMaxWindow][kStride];
  std::uint8_t inside[kMaxWindow][kStride];
  NccWindow left[kTileRows][kStride];
  Best best;
};

// Where row y of the tile, and of what is above and below it, is looked for.
COALESCE_INLINE void warp_row(const Sweep &s, const Epipolar &to, float inverse_depth, int y,
                              const std::uint32_t *quads, std::uint8_t *__restrict samples,
                              std::uint8_t *__restrict inside) {
  const auto row = static_cast<float>(std::clamp(y, 0, s.job.height - 1));
  const float y0 = to.m[0][1] * row, y1 = to.m[1][1] * row, y2 = to.m[2][1] * row;
  const float t0 = to.m[0][2] + inverse_depth * to.e[0];
  const float t1 = to.m[1][2] + inverse_depth * to.e[1];
  const float t2 = to.m[2][2] + inverse_depth * to.e[2];
  const float x0 = to.m[0][0], x1 = to.m[1][0], x2 = to.m[2][0];
  const auto last_x = static_cast<float>(kPositions * (s.job.width - 1));
  const auto last_y = static_cast<float>(kPositions * (s.job.height - 1));
  const int width = s.job.width, columns = (s.all_columns + kTogether - 1) / kTogether * kTogether;
  const float *const x = s.x, least = s.least;
  for (int i = 0; i < columns; ++i) {
    const float h0 = (x0 * x[i] + y0) + t0;
    const float h1 = (x1 * x[i] + y1) + t1;
    const float h2 = (x2 * x[i] + y2) + t2;
    const float near_h = at_least(h2, least), one = 1.0f / near_h;
    const float u = h0 * one, v = h1 * one;
    const float near_u = limited(u, 0.0f, last_x), near_v = limited(v, 0.0f, last_y);
    const std::int32_t p = rounded_position(near_u), q = rounded_position(near_v);
    const std::uint32_t quad = quads[(q >> kPositionBits) * width + (p >> kPositionBits)];
    samples[i] =
        static_cast<std::uint8_t>(blend_quad(quad, static_cast<std::uint32_t>(p) % kPositions,
                                             static_cast<std::uint32_t>(q) % kPositions));
    inside[i] = ((h2 == near_h) & (u == near_u) & (v == near_v)) ? 0xFF : 0;
  }
}

// One more row of costs of candidate k.
COALESCE_INLINE void compare_costs(Best *best, int row, int k, int count,
                                   const std::uint16_t *costs) {
  std::uint16_t *const cost = best->cost[row], *const candidate = best->candidate[row];
  std::uint16_t *const before = best->before[row], *const behind = best->behind[row];
  std::uint16_t *const last = best->last[row];
  const auto here = static_cast<std::uint16_t>(k), none = static_cast<std::uint16_t>(kNoCost);
  const auto previous = static_cast<std::uint16_t>(k - 1);
  // (By masks: of conditions the compiler makes branches here, and no vectors.)
  const auto mask = [](bool is) { return static_cast<std::uint16_t>(-static_cast<int>(is)); };
  const auto choose = [](std::uint16_t by, std::uint16_t a, std::uint16_t b) {
    return static_cast<std::uint16_t>((a & by) | (b & ~by));
  };
  for (int i = 0; i < count; ++i) {
    const std::uint16_t c = costs[i], least = cost[i], at = candidate[i];
    const std::uint16_t better = mask(c < least), follows = mask(at == previous);
    const auto tied = static_cast<std::uint16_t>(mask(c == least) & mask(at < previous) & kTied);
    before[i] = choose(better, last[i], before[i]);
    behind[i] = choose(better, none, choose(follows, c, behind[i]));
    candidate[i] = choose(better, here, static_cast<std::uint16_t>(at | tied));
    cost[i] = choose(better, c, least);
    last[i] = c;
  }
}

COALESCE_CLONES void sweep_differences(Sweep *s, const Epipolar &to, float inverse_depth,
                                       const std::uint32_t *quads, int k) {
  Sums<std::uint16_t> sums;
  std::uint8_t samples[kStride];
  std::uint16_t costs[kStride];
  std::fill_n(sums.column, kStride, std::uint16_t{0});
  std::fill_n(s->ring[0], kMaxWindow * kStride, std::uint8_t{0});
  const int columns = s->tile.columns, all = s->all_columns, half = s->half;
  for (int row = 0, place = 0; row < s->tile.rows + 2 * half; ++row) {
    warp_row(*s, to, inverse_depth, s->tile.y - half + row, quads, samples, s->inside[place]);
    const std::uint8_t *const reference = s->reference[row];
    std::uint8_t *const ring = s->ring[place];
    for (int i = 0; i < all; ++i) {
      const std::uint8_t a = reference[i], b = samples[i];
      const auto difference = static_cast<std::uint8_t>(a > b ? a - b : b - a);
      samples[i] = difference < kMostDifference ? difference : kMostDifference;
    }
    for (int i = 0; i < all; ++i)
      sums.column[i] = static_cast<std::uint16_t>(sums.column[i] + samples[i] - ring[i]);
    for (int i = 0; i < all; ++i)
      ring[i] = samples[i];
    place = place + 1 < s->window ? place + 1 : 0;
    if (row < 2 * half) continue;
    add_along(s->window, columns, &sums);
    const int middle = place + half < s->window ? place + half : place + half - s->window;
    const std::uint8_t *const inside = s->inside[middle] + half;
    for (int i = 0; i < columns; ++i)
      costs[i] = inside[i] != 0 ? sums.window[i] : static_cast<std::uint16_t>(kNoCost);
    compare_costs(&s->best, row - 2 * half, k, columns, costs);
  }
}

// ncc_right() and ncc_cost(), step by step, so that they are vectors.
COALESCE_INLINE void correlation_costs(int size, int count, const std::int32_t *sum,
                                       const std::int32_t *squares, const std::int32_t *products,
                                       const NccWindow *left, std::uint16_t *costs) {
  alignas(64) float variance[kStride], root[kStride];
  for (int i = 0; i < count; ++i) {
    // It fits 32 bits. Both halves are exact as floats, so there is one rounding.
    const std::uint32_t all =
        static_cast<std::uint32_t>(size) * static_cast<std::uint32_t>(squares[i]) -
        static_cast<std::uint32_t>(sum[i]) * static_cast<std::uint32_t>(sum[i]);
    const float number = static_cast<float>(static_cast<std::int32_t>(all >> 16)) * 65536.0f +
                         static_cast<float>(static_cast<std::int32_t>(all & 0xFFFF));
    variance[i] = number > 0 ? number : std::numeric_limits<float>::infinity();  // deviation: 0
  }
  for (int i = 0; i < count; i += Vector<16>::kFloats)
    Vector<16>::roots(variance + i, root + i);
  for (int i = 0; i < count; ++i) {
    const float deviation = 1.0f / root[i];
    const float mean = static_cast<float>(sum[i]) / static_cast<float>(size);
    const float covariance = static_cast<float>(products[i]) - left[i].level * mean;
    const float cost = kNccOne + 0.5f - covariance * deviation * left[i].scale;
    costs[i] =
        static_cast<std::uint16_t>(static_cast<std::int32_t>(limited(cost, 0.0f, 2.0f * kNccOne)));
  }
}

// Adds up windows of the reference alone.
COALESCE_CLONES void prepare_correlation(Sweep *s) {
  Sums<std::int32_t> sum, squares;
  std::fill_n(sum.column, kStride, 0), std::fill_n(squares.column, kStride, 0);
  const int half = s->half;
  for (int row = 0; row < s->tile.rows + 2 * half; ++row) {
    const std::uint8_t *const in = s->reference[row];
    const std::uint8_t *const out = row < s->window ? in : s->reference[row - s->window];
    const bool leaves = row >= s->window;
    for (int i = 0; i < s->all_columns; ++i) {
      const int a = in[i] - 128, b = leaves ? out[i] - 128 : 0;
      sum.column[i] += a - b, squares.column[i] += a * a - b * b;
    }
    if (row < 2 * half) continue;
    add_along(s->window, s->tile.columns, &sum), add_along(s->window, s->tile.columns, &squares);
    for (int i = 0; i < s->tile.columns; ++i)
      s->left[row - 2 * half][i] =
          ncc_left(s->window * s->window, sum.window[i], squares.window[i]);
  }
}

COALESCE_CLONES void sweep_correlations(Sweep *s, const Epipolar &to, float inverse_depth,
                                        const std::uint32_t *quads, int k) {
  Sums<std::int32_t> sum, squares, products;
  std::uint8_t samples[kStride];
  std::uint16_t costs[kStride];
  std::fill_n(sum.column, kStride, 0), std::fill_n(squares.column, kStride, 0);
  std::fill_n(products.column, kStride, 0);
  std::fill_n(s->ring[0], kMaxWindow * kStride, std::uint8_t{128});
  const int columns = s->tile.columns, all = s->all_columns, half = s->half;
  for (int row = 0, place = 0; row < s->tile.rows + 2 * half; ++row) {
    warp_row(*s, to, inverse_depth, s->tile.y - half + row, quads, samples, s->inside[place]);
    const std::uint8_t *const in = s->reference[row];
    // (As long as none leaves, samples of 128 do: nothing.)
    const std::uint8_t *const out = s->reference[std::max(row - s->window, 0)];
    std::uint8_t *const ring = s->ring[place];
    for (int i = 0; i < all; ++i) {
      const int a = samples[i] - 128, b = ring[i] - 128;
      sum.column[i] += a - b, squares.column[i] += a * a - b * b;
      products.column[i] += a * (in[i] - 128) - b * (out[i] - 128);
    }
    for (int i = 0; i < all; ++i)
      ring[i] = samples[i];
    place = place + 1 < s->window ? place + 1 : 0;
    if (row < 2 * half) continue;
    add_along(s->window, columns, &sum), add_along(s->window, columns, &squares);
    add_along(s->window, columns, &products);
    const int middle = place + half < s->window ? place + half : place + half - s->window;
    const std::uint8_t *const inside = s->inside[middle] + half;
    correlation_costs(s->window * s->window, columns, sum.window, squares.window, products.window,
                      s->left[row - 2 * half], costs);
    for (int i = 0; i < columns; ++i)
      costs[i] = inside[i] != 0 ? costs[i] : static_cast<std::uint16_t>(kNoCost);
    compare_costs(&s->best, row - 2 * half, k, columns, costs);
  }
}

void load_reference(const MultiviewScratch &scratch, Sweep *s) {
  const int width = s->job.width;
  for (int row = 0; row < s->tile.rows + 2 * s->half; ++row) {
    const int y = std::clamp(s->tile.y - s->half + row, 0, s->job.height - 1);
    const std::uint8_t *const from =
        scratch.bytes + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    for (int i = 0; i < s->all_columns; ++i)
      s->reference[row][i] = from[std::clamp(s->tile.x - s->half + i, 0, width - 1)];
  }
  for (int i = 0; i < kStride; ++i)
    s->x[i] = static_cast<float>(std::clamp(s->tile.x - s->half + i, 0, width - 1));
}

void store_matches(const Sweep &s, std::uint32_t *matches) {
  const Best &best = s.best;
  for (int y = 0; y < s.tile.rows; ++y) {
    std::uint32_t *const row =
        matches + static_cast<std::size_t>(s.tile.y + y) * static_cast<std::size_t>(s.job.width) +
        s.tile.x;
    for (int x = 0; x < s.tile.columns; ++x)
      row[x] = best.candidate[y][x] < kTied ? found_match(best.cost[y][x], best.candidate[y][x],
                                                          best.before[y][x], best.behind[y][x])
                                            : kNoMatch;
  }
}

}  // namespace

void sweep_tile(const MultiviewJob &job, const MultiviewScratch &scratch,
                const MultiviewTile &tile) {
  Sweep s(job, tile);
  load_reference(scratch, &s);
  const bool correlates = job.params.method == MultiviewMethod::ncc;
  const auto sweep = correlates ? sweep_correlations : sweep_differences;
  if (correlates) prepare_correlation(&s);
  for (int i = 0; i < job.neighbours; ++i) {
    // (Before the first candidate the best one is none, and not the one in front of it.)
    constexpr auto none = static_cast<std::uint16_t>(kNoCost);
    std::fill_n(s.best.cost[0], kTileRows * kStride, none);
    std::fill_n(s.best.candidate[0], kTileRows * kStride, kTied);
    std::fill_n(s.best.last[0], kTileRows * kStride, none);
    for (int k = 0; k < job.params.depths; ++k)
      sweep(&s, job.epipolar[i], job.first + static_cast<float>(k) * job.step, scratch.quads_of(i),
            k);
    store_matches(s, scratch.matches_of(i));
  }
}

}  // namespace coalesce
