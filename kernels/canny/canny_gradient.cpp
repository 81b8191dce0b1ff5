// SPDX-License-Identifier: LGPL-2.1-or-later
// Loops that the compiler makes vectors of.
#include "canny_gradient.h"

#include <algorithm>

#include "../core/clones.h"
#include "canny_job.h"

#define COALESCE_INLINE_LOOP [[gnu::always_inline]] inline

namespace coalesce {
namespace {

// Down columns first: the sums fit 16 bits, those of seven taps across do not.
template <int kAperture>
COALESCE_INLINE_LOOP void gradient_row(const CannyLines &lines, int count,
                                       std::int16_t *__restrict dx, std::int16_t *__restrict dy) {
  constexpr int kHalf = kAperture / 2;
  alignas(64) std::int16_t smooth[kCannyLine], slope[kCannyLine];
  const std::int16_t *line[kAperture];
  for (int k = 0; k < kAperture; ++k)
    line[k] = lines.line[k];
  for (int i = 0; i < count + 2 * kHalf; ++i) {
    int sum = smooth_tap(kAperture, 0) * line[kHalf][i], difference = 0;
    for (int k = 1; k <= kHalf; ++k) {
      sum += smooth_tap(kAperture, k) * (line[kHalf + k][i] + line[kHalf - k][i]);
      difference += slope_tap(kAperture, k) * (line[kHalf + k][i] - line[kHalf - k][i]);
    }
    smooth[i] = static_cast<std::int16_t>(sum);
    slope[i] = static_cast<std::int16_t>(difference);
  }
  for (int i = 0; i < count; ++i) {
    const std::int16_t *s = smooth + i + kHalf, *d = slope + i + kHalf;
    int x = 0, y = smooth_tap(kAperture, 0) * d[0];
    for (int k = 1; k <= kHalf; ++k) {
      x += slope_tap(kAperture, k) * (s[k] - s[-k]);
      y += smooth_tap(kAperture, k) * (d[k] + d[-k]);
    }
    dx[i] = static_cast<std::int16_t>(scaled_gradient<kAperture>(x));
    dy[i] = static_cast<std::int16_t>(scaled_gradient<kAperture>(y));
  }
}

COALESCE_CLONES void gradient_row3(const CannyLines &lines, int count, std::int16_t *dx,
                                   std::int16_t *dy) {
  gradient_row<3>(lines, count, dx, dy);
}
COALESCE_CLONES void gradient_row5(const CannyLines &lines, int count, std::int16_t *dx,
                                   std::int16_t *dy) {
  gradient_row<5>(lines, count, dx, dy);
}
COALESCE_CLONES void gradient_row7(const CannyLines &lines, int count, std::int16_t *dx,
                                   std::int16_t *dy) {
  gradient_row<7>(lines, count, dx, dy);
}

COALESCE_INLINE_LOOP int absolute(int value) {
  return value < 0 ? -value : value;
}

template <class Magnitude>
COALESCE_INLINE_LOOP void strongest(const std::int16_t *__restrict other_dx,
                                    const std::int16_t *__restrict other_dy,
                                    const Magnitude *__restrict other, int count,
                                    std::int16_t *__restrict dx, std::int16_t *__restrict dy,
                                    Magnitude *__restrict magnitude) {
  for (int i = 0; i < count; ++i) {
    // (By bits: of stores under a condition the compiler makes branches.)
    const bool more = other[i] > magnitude[i];
    const auto mask = static_cast<std::int16_t>(-static_cast<int>(more));
    dx[i] = static_cast<std::int16_t>((other_dx[i] & mask) | (dx[i] & ~mask));
    dy[i] = static_cast<std::int16_t>((other_dy[i] & mask) | (dy[i] & ~mask));
    magnitude[i] = std::max(magnitude[i], other[i]);
  }
}

// Columns first to first + count - 1. All neighbours are loaded, so that the loop has no branch.
template <class Magnitude>
COALESCE_INLINE_LOOP void maxima_of_block(const CannyNeighbours<Magnitude> &rows, int first,
                                          int count, std::uint8_t *__restrict kind) {
  const std::int16_t *__restrict dx = rows.dx + 1 + first, *__restrict dy = rows.dy + 1 + first;
  const Magnitude *__restrict above = rows.above + 1 + first;
  const Magnitude *__restrict here = rows.here + 1 + first;
  const Magnitude *__restrict below = rows.below + 1 + first;
  const Magnitude low = rows.low, high = rows.high;
  for (int i = 0; i < count; ++i) {
    const std::int16_t gx = dx[i], gy = dy[i];
    const auto x = static_cast<std::uint16_t>(gx < 0 ? -gx : gx);
    const auto y = static_cast<std::uint16_t>(gy < 0 ? -gy : gy);
    const auto limit = static_cast<std::uint16_t>(flat_limit(x));
    const auto steep_limit = static_cast<std::uint16_t>(limit + 2 * x);
    const bool flat = y <= limit, steep = y > steep_limit, falling = (gx ^ gy) < 0;
    const Magnitude m = here[i], left = here[i - 1], right = here[i + 1];
    const Magnitude a = above[i - 1], b = above[i], c = above[i + 1];
    const Magnitude d = below[i - 1], e = below[i], f = below[i + 1];
    const Magnitude diagonal_before = falling ? c : a, diagonal_after = falling ? d : f;
    const Magnitude before = flat ? left : steep ? b : diagonal_before;
    const Magnitude after = flat ? right : steep ? e : diagonal_after;
    // Beyond a horizontal or vertical maximum, an equal one is none.
    const bool equal_is_less = flat | steep;
    const auto bar = static_cast<Magnitude>(equal_is_less ? after - 1 : after);
    const bool is_maximum = (m > before) & (m > bar) & (m > low);
    const std::uint8_t what = m > high ? 2 : 1;
    kind[i] = is_maximum ? what : 0;
  }
}

// Most blocks of most pictures have nothing above the threshold.
template <class Magnitude>
COALESCE_INLINE_LOOP void maxima(const CannyNeighbours<Magnitude> &rows, int count,
                                 std::uint8_t *__restrict kind) {
  constexpr int kBlock = 64;
  for (int first = 0; first < count; first += kBlock) {
    const int columns = std::min(kBlock, count - first);
    Magnitude most = 0;
    for (int i = 0; i < columns; ++i)
      most = std::max(most, rows.here[1 + first + i]);
    if (most > rows.low)
      maxima_of_block(rows, first, columns, kind + first);
    else
      std::fill_n(kind + first, columns, std::uint8_t{0});
  }
}

}  // namespace

CannyGradientRow canny_gradient_row(int aperture) {
  return aperture == 3 ? gradient_row3 : aperture == 5 ? gradient_row5 : gradient_row7;
}

COALESCE_CLONES void canny_magnitudes(const std::int16_t *__restrict dx,
                                      const std::int16_t *__restrict dy, int count,
                                      std::int16_t *__restrict out) {
  for (int i = 0; i < count; ++i)
    out[i] = static_cast<std::int16_t>(absolute(dx[i]) + absolute(dy[i]));
}
COALESCE_CLONES void canny_magnitudes(const std::int16_t *__restrict dx,
                                      const std::int16_t *__restrict dy, int count,
                                      std::int32_t *__restrict out) {
  for (int i = 0; i < count; ++i)
    out[i] = dx[i] * dx[i] + dy[i] * dy[i];
}

COALESCE_CLONES void canny_strongest(const std::int16_t *other_dx, const std::int16_t *other_dy,
                                     const std::int16_t *other, int count, std::int16_t *dx,
                                     std::int16_t *dy, std::int16_t *magnitude) {
  strongest(other_dx, other_dy, other, count, dx, dy, magnitude);
}
COALESCE_CLONES void canny_strongest(const std::int16_t *other_dx, const std::int16_t *other_dy,
                                     const std::int32_t *other, int count, std::int16_t *dx,
                                     std::int16_t *dy, std::int32_t *magnitude) {
  strongest(other_dx, other_dy, other, count, dx, dy, magnitude);
}

COALESCE_CLONES void canny_maxima(const CannyNeighbours<std::int16_t> &rows, int count,
                                  std::uint8_t *kind) {
  maxima(rows, count, kind);
}
COALESCE_CLONES void canny_maxima(const CannyNeighbours<std::int32_t> &rows, int count,
                                  std::uint8_t *kind) {
  maxima(rows, count, kind);
}

}  // namespace coalesce
