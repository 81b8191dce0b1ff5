// SPDX-License-Identifier: LGPL-2.1-or-later
// Small windows go down columns of vectors, in tiles that fit the cache.
#include <algorithm>
#include <cstring>

#include "../core/simd.h"
#include "../core/thread_pool.h"
#include "median_network.h"
#include "median_rows.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace coalesce {
namespace {

template <class T, int kBytes>
struct Lanes {
  typedef T V __attribute__((vector_size(kBytes)));
};

constexpr int kTileRows = 16, kTileSamples = 512, kMaxHalf = 4;
constexpr int kEdgeSamples = 64;  // of tiles at the edges
constexpr int kAhead = 512;       // bytes from what is read to what is fetched
constexpr int kTilePitch = kTileSamples + 2 * kMaxHalf * 4 + 32;  // and what a vector reads behind

template <class T>
struct Tile {
  alignas(64) T row[kTileRows + 2 * kMaxHalf][kTilePitch] = {};
};

// Rows of samples, from the first one of the first window on.
template <class T>
struct Samples {
  const T *data;
  std::size_t pitch;  // bytes
  const T *row(int y) const {
    return reinterpret_cast<const T *>(reinterpret_cast<const std::uint8_t *>(data) +
                                       static_cast<std::size_t>(y) * pitch);
  }
};

// One column of vectors.
template <class V, int kSize, int kRank, class T>
COALESCE_INLINE void filter_column(const Samples<T> &in, int step, T mask, int rows, T *out,
                                   std::size_t pitch) {
  int next = 0;
  const auto load = [&](int y, int x) COALESCE_NETWORK_LAMBDA {
    V v;
    const T *from = in.row(next + y) + x * step;
    if (x == 0) __builtin_prefetch(reinterpret_cast<const char *>(from) + kAhead);
    std::memcpy(&v, from, sizeof v);
    if (sizeof(T) > 1) v &= mask;
    return v;
  };
  int at = 0;
  const auto put = [&](int y, const V &value) COALESCE_NETWORK_LAMBDA {
    if (at + y >= rows) return;
    auto *to = reinterpret_cast<std::uint8_t *>(out) + static_cast<std::size_t>(at + y) * pitch;
    std::memcpy(to, &value, sizeof value);
  };
  WindowColumn<kSize, kRank, V> window(load);
  for (next = kSize - 1; at < rows; next += 4, at += 4)
    window.step(load, put);
}

// So that only narrow ones have a border beside them.
int tile_end(int x, int pixels, int channels, int half) {
  const int edge = kEdgeSamples / channels;
  if (x == 0) return std::min(edge, pixels);
  if (pixels - x <= edge) return pixels;
  return std::min(x + kTileSamples / channels, pixels - half);
}

template <class T, int kBytes, int kSize, int kRank>
COALESCE_INLINE void filter_rows(const MedianJob &job, const ChannelPlane &plane, int first,
                                 int last) {
  using V = typename Lanes<T, kBytes>::V;
  constexpr int kLanes = kBytes / static_cast<int>(sizeof(T)), kHalf = kSize / 2;
  const MedianRows<T> source(job, plane);
  const int channels = plane.channels;
  Tile<T> tile, edge;
  for (int y = first; y < last; y += kTileRows) {
    const int rows = std::min(kTileRows, last - y), loaded = (rows + 3) / 4 * 4 + kSize - 1;
    for (int x = 0, end; x < source.pixels(); x = end) {
      end = tile_end(x, source.pixels(), channels, kHalf);
      const int pixels = end - x, samples = pixels * channels;
      // What lies inside is read where it is. The last vector may overlap the one before.
      const bool inside =
          samples >= kLanes && source.contains(x - kHalf, y - kHalf, pixels + kSize - 1, loaded);
      for (int i = 0; i < loaded && !inside; ++i)
        source.load(x - kHalf, y - kHalf + i, pixels + kSize - 1, tile.row[i]);
      const Samples<T> in = inside ? Samples<T>{source.in(x - kHalf, y - kHalf), plane.in.pitch}
                                   : Samples<T>{tile.row[0], sizeof tile.row[0]};
      T *const out = inside ? source.out(x, y) : edge.row[0];
      const std::size_t pitch = inside ? plane.out.pitch : sizeof edge.row[0];
      for (int i = 0; i < samples; i += kLanes) {
        const int column = inside ? std::min(i, samples - kLanes) : i;
        filter_column<V, kSize, kRank>(Samples<T>{in.data + column, in.pitch}, channels,
                                       static_cast<T>(job.mask()), rows, out + column, pitch);
      }
      for (int i = 0; i < rows && !inside; ++i)
        std::memcpy(source.out(x, y + i), edge.row[i],
                    static_cast<std::size_t>(samples) * sizeof(T));
      for (int i = 0; i < rows; ++i)
        source.copy(x, y + i, pixels);
    }
  }
}

template <class T, int kSize, int kRank>
void filter_plain(const MedianJob &job, const ChannelPlane &plane, int first, int last) {
  filter_rows<T, 16, kSize, kRank>(job, plane, first, last);
}

#if defined(COALESCE_AVX2)
template <class T, int kSize, int kRank>
COALESCE_AVX2 void filter_avx2(const MedianJob &job, const ChannelPlane &plane, int first,
                               int last) {
  filter_rows<T, 32, kSize, kRank>(job, plane, first, last);
}
#endif

template <class T, int kSize, int kRank>
FilterRows function() {
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) return filter_avx2<T, kSize, kRank>;
#endif
  return filter_plain<T, kSize, kRank>;
}

template <class T, int kSize>
FilterRows function(int rank) {
  constexpr int kLast = kSize * kSize - 1;
  return rank == 0       ? function<T, kSize, 0>()
         : rank == kLast ? function<T, kSize, kLast>()
                         : function<T, kSize, kLast / 2>();
}

template <class T>
FilterRows function(const MedianJob &job) {
  return job.width == 3   ? function<T, 3>(job.rank)
         : job.width == 5 ? function<T, 5>(job.rank)
         : job.width == 7 ? function<T, 7>(job.rank)
                          : function<T, 9>(job.rank);
}

void copy_rows(const MedianJob &, const ChannelPlane &plane, int first, int last) {
  for (int y = first; y < last; ++y)
    std::memcpy(plane.out.row(y), plane.in.row(y), static_cast<std::size_t>(plane.in.width));
}

}  // namespace

Status median_cpu(const MedianJob &job, ThreadPool *pool) {
  const bool bytes = job.depth.bytes() == 1;
  const FilterRows filter = !job.is_small() ? bytes ? median_of_bytes : median_of_words
                            : bytes         ? function<std::uint8_t>(job)
                                            : function<std::uint16_t>(job);
  for (int p = 0; p < job.planes.planes; ++p) {
    const ChannelPlane &plane = job.planes.plane[p];
    const FilterRows rows = is_copied(plane) ? copy_rows : filter;
    for_ranges(pool, plane.in.height, std::max(kTileRows, job.height),
               [&](int first, int last) { rows(job, plane, first, last); });
  }
  return {};
}

}  // namespace coalesce
