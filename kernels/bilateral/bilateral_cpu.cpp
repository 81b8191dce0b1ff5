// SPDX-License-Identifier: LGPL-2.1-or-later
// Tiles with their border as numbers of 16 bits, a plane for each component; then a vector of
// pixels at a time, whose sums stay in registers.
#include <algorithm>
#include <cstring>

#include "../core/simd.h"
#include "../core/thread_pool.h"
#include "bilateral_job.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace coalesce {
namespace {

constexpr int kTileRows = 16, kTilePixels = 128, kMost = kMaxBilateralRadius;
constexpr int kMaxLanes = 8;

struct Tile {
  static constexpr int kPitch =
      kTilePixels + 2 * kMost + kMaxLanes;  // and what a vector reads behind
  alignas(32) std::uint16_t row[3][kTileRows + 2 * kMost][kPitch] = {};
};

// What is the same for all tiles of a call.
struct Taps {
  struct Tap {
    std::ptrdiff_t place;  // in a tile, from the pixel itself
    int space;
  };
  Tap tap[(2 * kMost + 1) * (2 * kMost + 1)];
  int taps = 0;
  std::int32_t range[Bilateral::kEntries];

  explicit Taps(const Bilateral &b) {
    for (int j = -b.radius; j <= b.radius; ++j)
      for (int i = -b.half[std::abs(j)]; i <= b.half[std::abs(j)]; ++i)
        tap[taps++] = {std::ptrdiff_t{j} * Tile::kPitch + i, b.space[std::abs(i)][std::abs(j)]};
    std::copy_n(b.range, Bilateral::kEntries, range);
  }
};

// Lanes of 32 bits, and numbers out of a table. (A gather of AVX2 takes twice as long on the CPU
// that was measured.)
template <int kLanes>
struct Lanes;

template <>
struct Lanes<4> {
  typedef std::int32_t Int __attribute__((vector_size(16)));
  typedef std::uint32_t Uint __attribute__((vector_size(16)));
  typedef std::uint16_t Half __attribute__((vector_size(8)));
  typedef float Float __attribute__((vector_size(16)));
  COALESCE_INLINE static void look_up(const std::int32_t *table, const Int &at, Int &out) {
    for (int i = 0; i < 4; ++i)
      out[i] = table[at[i]];
  }
};

#if defined(COALESCE_AVX2)
template <>
struct Lanes<8> {
  typedef std::int32_t Int __attribute__((vector_size(32)));
  typedef std::uint32_t Uint __attribute__((vector_size(32)));
  typedef std::uint16_t Half __attribute__((vector_size(16)));
  typedef float Float __attribute__((vector_size(32)));
  COALESCE_INLINE static void look_up(const std::int32_t *table, const Int &at, Int &out) {
    out = Int{table[at[0]], table[at[1]], table[at[2]], table[at[3]],
              table[at[4]], table[at[5]], table[at[6]], table[at[7]]};
  }
};
#endif

template <int kLanes>
COALESCE_INLINE void load(const std::uint16_t *from, typename Lanes<kLanes>::Int &out) {
  typename Lanes<kLanes>::Half half;
  std::memcpy(&half, from, sizeof half);
  out = __builtin_convertvector(half, typename Lanes<kLanes>::Int);
}

// Sums of some pixels side by side. Samples of more than 8 bits are summed in two parts.
template <int kLanes, int kComponents, bool kDeep>
struct Sums {
  using Uint = typename Lanes<kLanes>::Uint;
  Uint weights, low[kComponents], high[kComponents];
};

template <int kLanes, int kComponents, bool kDeep>
COALESCE_INLINE void sum_taps(const Bilateral &b, const Taps &taps,
                              const std::uint16_t *const (&pixel)[3],
                              Sums<kLanes, kComponents, kDeep> &sums) {
  using Int = typename Lanes<kLanes>::Int;
  using Uint = typename Lanes<kLanes>::Uint;
  Int centre[kComponents];
  for (int c = 0; c < kComponents; ++c) {
    load<kLanes>(pixel[c], centre[c]);
    sums.low[c] = sums.high[c] = Uint{};
  }
  sums.weights = Uint{};
  const int half = 1 << b.shift >> 1, shift = b.shift, last = b.last;
  for (int i = 0; i < taps.taps; ++i) {
    const Taps::Tap &tap = taps.tap[i];
    Int sample[kComponents], entry = Int{} + half;
    for (int c = 0; c < kComponents; ++c) {
      load<kLanes>(pixel[c] + tap.place, sample[c]);
      const Int difference = sample[c] - centre[c];
      entry += difference < 0 ? -difference : difference;
    }
    if (kDeep) entry >>= shift;
    entry = entry < last ? entry : Int{} + last;
    Int range;
    Lanes<kLanes>::look_up(taps.range, entry, range);
    const Uint weight =
        (reinterpret_cast<Uint>(range) * static_cast<std::uint32_t>(tap.space) + 0x8000) >> 16;
    sums.weights += weight;
    for (int c = 0; c < kComponents; ++c) {
      const Uint of = reinterpret_cast<Uint>(sample[c]);
      sums.low[c] += weight * (kDeep ? of & 255 : of);
      if (kDeep) sums.high[c] += weight * (of >> 8);
    }
  }
}

template <int kLanes>
COALESCE_INLINE void convert(const typename Lanes<kLanes>::Uint &in,
                             typename Lanes<kLanes>::Float &out) {
  using Int = typename Lanes<kLanes>::Int;
  using Float = typename Lanes<kLanes>::Float;
  out = __builtin_convertvector(reinterpret_cast<Int>(in >> 16), Float) * 65536.f +
        __builtin_convertvector(reinterpret_cast<Int>(in & 0xffff), Float);
}

// Results of a component, which are exact: the quotient of floats is off by less than a half, so
// that the nearest integer is the result or one more.
template <int kLanes, int kComponents, bool kDeep>
COALESCE_INLINE void divide(const Sums<kLanes, kComponents, kDeep> &sums, int c,
                            typename Lanes<kLanes>::Int &out) {
  using Int = typename Lanes<kLanes>::Int;
  using Uint = typename Lanes<kLanes>::Uint;
  using Float = typename Lanes<kLanes>::Float;
  const Uint low = sums.low[c] + sums.weights / 2;
  Float about;
  convert<kLanes>(low, about);
  if (kDeep) {
    Float high;
    convert<kLanes>(sums.high[c], high);
    about += high * 256.f;
  }
  about /= __builtin_convertvector(reinterpret_cast<Int>(sums.weights), Float);
  out = __builtin_convertvector(about + 0.5f, Int);
  const Uint sum = kDeep ? low + (sums.high[c] << 8) : low;  // modulo 2^32, as the rest is, too
  out += reinterpret_cast<Int>(sum - reinterpret_cast<Uint>(out) * sums.weights) < 0;
}

// The tile's pixels from (x, y) on, those outside of the picture by the border rule.
template <class T, int kComponents>
void load_tile(const BilateralJob &job, const BilateralGroup &group, int x, int y, int columns,
               int rows, Tile *tile) {
  const int shift = job.weights.depth.shift, max = job.weights.depth.max();
  for (int c = 0; c < kComponents; ++c) {
    const BilateralComponent &component = group.component[c];
    const int first = std::clamp(-x, 0, columns), end = std::clamp(group.width - x, first, columns);
    for (int r = 0; r < rows; ++r) {
      std::uint16_t *to = tile->row[c][r];
      const int at = border_position(job.border, y + r, group.height);
      if (at < 0) {
        std::fill_n(to, columns, component.outside);
        continue;
      }
      const T *from = reinterpret_cast<const T *>(component.in.row(at)) + component.first;
      const auto sample = [&](int column) {
        return static_cast<std::uint16_t>(
            from[static_cast<std::ptrdiff_t>(column) * component.step] >> shift & max);
      };
      const auto by_border = [&](int i) {
        const int column = border_position(job.border, x + i, group.width);
        to[i] = column < 0 ? component.outside : sample(column);
      };
      for (int i = 0; i < first; ++i)
        by_border(i);
      for (int i = first; i < end; ++i)
        to[i] = sample(x + i);
      for (int i = end; i < columns; ++i)
        by_border(i);
    }
  }
}

template <class T>
void copy_channels(const BilateralGroup &group, int x, int y, int count) {
  const BilateralComponent &c = group.component[0];
  const std::ptrdiff_t first = std::ptrdiff_t{x} * c.step;
  const T *from = reinterpret_cast<const T *>(c.in.row(y)) + first;
  T *to = reinterpret_cast<T *>(c.out.row(y)) + first;
  for (int channel = 0; channel < c.step; ++channel)
    if (group.copied >> channel & 1)
      for (int i = channel; i < count * c.step; i += c.step)
        to[i] = from[i];
}

// Rows first to last - 1.
template <class T, int kLanes, int kComponents>
COALESCE_INLINE void filter_rows(const BilateralJob &job, const BilateralGroup &group,
                                 const Taps &taps, int first, int last) {
  constexpr bool kDeep = sizeof(T) > 1;
  const int radius = job.weights.radius;
  Tile tile;
  for (int y = first; y < last; y += kTileRows) {
    const int rows = std::min(kTileRows, last - y);
    for (int x = 0; x < group.width; x += kTilePixels) {
      const int pixels = std::min(kTilePixels, group.width - x);
      load_tile<T, kComponents>(job, group, x - radius, y - radius, pixels + 2 * radius,
                                rows + 2 * radius, &tile);
      for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < pixels; i += kLanes) {
          const std::uint16_t *pixel[3];
          for (int c = 0; c < kComponents; ++c)
            pixel[c] = &tile.row[c][r + radius][i + radius];
          Sums<kLanes, kComponents, kDeep> sums;
          sum_taps<kLanes, kComponents, kDeep>(job.weights, taps, pixel, sums);
          const int count = std::min(kLanes, pixels - i);
          for (int c = 0; c < kComponents; ++c) {
            const BilateralComponent &to = group.component[c];
            T *out = reinterpret_cast<T *>(to.out.row(y + r)) +
                     static_cast<std::ptrdiff_t>(x + i) * to.step + to.first;
            typename Lanes<kLanes>::Int result;
            divide(sums, c, result);
            result <<= job.weights.depth.shift;
            for (int lane = 0; lane < count; ++lane)
              out[static_cast<std::ptrdiff_t>(lane) * to.step] = static_cast<T>(result[lane]);
          }
        }
        copy_channels<T>(group, x, y + r, pixels);
      }
    }
  }
}

using FilterRows = void (*)(const BilateralJob &job, const BilateralGroup &group, const Taps &taps,
                            int first, int last);

template <class T, int kComponents>
void filter_plain(const BilateralJob &job, const BilateralGroup &group, const Taps &taps, int first,
                  int last) {
  filter_rows<T, 4, kComponents>(job, group, taps, first, last);
}

#if defined(COALESCE_AVX2)
template <class T, int kComponents>
COALESCE_AVX2 void filter_avx2(const BilateralJob &job, const BilateralGroup &group,
                               const Taps &taps, int first, int last) {
  filter_rows<T, 8, kComponents>(job, group, taps, first, last);
}
#endif

template <class T, int kComponents>
FilterRows function() {
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) return filter_avx2<T, kComponents>;
#endif
  return filter_plain<T, kComponents>;
}

template <class T>
FilterRows function(int components) {
  return components == 3 ? function<T, 3>() : function<T, 1>();
}

}  // namespace

Status bilateral_cpu(const BilateralJob &job, ThreadPool *pool) {
  const Taps taps(job.weights);
  for (int g = 0; g < job.groups; ++g) {
    const BilateralGroup &group = job.group[g];
    const FilterRows filter = job.weights.depth.bytes() == 1
                                  ? function<std::uint8_t>(group.components)
                                  : function<std::uint16_t>(group.components);
    for_ranges(pool, group.height, kTileRows,
               [&](int first, int last) { filter(job, group, taps, first, last); });
  }
  for (int p = 0; p < job.copies; ++p) {
    const ChannelPlane &plane = job.copy[p];
    for (int y = 0; y < plane.in.height; ++y)
      std::memcpy(plane.out.row(y), plane.in.row(y), static_cast<std::size_t>(plane.in.width));
  }
  return {};
}

}  // namespace coalesce
