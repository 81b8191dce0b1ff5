// SPDX-License-Identifier: LGPL-2.1-or-later
// Gradients and maxima in tiles that fit the cache, a row after the other; edges spread on maps of
// bits.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "../core/thread_pool.h"
#include "../picture/rows.h"
#include "canny_gradient.h"
#include "canny_hysteresis.h"
#include "canny_job.h"

namespace coalesce {
namespace {

constexpr int kGrain = 64;  // rows of a range, at least: some rows are calculated in both
constexpr int kLines = 8;   // of samples that are kept: row y at y % 8
constexpr int kRing = 3;    // of gradients: row y at y % 3

// The rows of a tile's samples that were loaded last.
class Lines {
 public:
  explicit Lines(const CannyJob &job) : job_(job) {
    for (int c = 0; c < job.channels; ++c)
      read_[c] = RowReader(job.channel[c]);
  }

  // Columns x to x + count - 1 of row y, replicated where the picture ends.
  void load(int x, int count, int y) {
    const int begin = std::max(x, 0), end = std::min(x + count, job_.width);
    const int row = std::clamp(y, 0, job_.height - 1);
    for (int c = 0; c < job_.channels; ++c) {
      std::int16_t *line = line_[c][(y + kLines) % kLines];
      read_[c](job_.in[c].row(row), begin, end - begin,
               reinterpret_cast<std::uint16_t *>(line) + (begin - x));
      std::fill(line, line + (begin - x), line[begin - x]);
      std::fill(line + (end - x), line + count, line[end - x - 1]);
    }
  }

  // Those around row y.
  CannyLines around(int channel, int y) const {
    CannyLines lines = {};
    for (int k = 0; k < job_.aperture; ++k)
      lines.line[k] = line_[channel][(y - job_.aperture / 2 + k + kLines) % kLines];
    return lines;
  }

 private:
  const CannyJob &job_;
  RowReader read_[3];
  alignas(64) std::int16_t line_[3][kLines][kCannyLine];
};

// Gradients of a tile begin with the column left of it, samples half an aperture further left.
template <class Magnitude>
class Tile {
 public:
  Tile(const CannyJob &job, const CannyCpuScratch &maps)
      : job_(job), maps_(maps), gradient_row_(canny_gradient_row(job.aperture)), lines_(job) {}

  // Columns x to x + count - 1 of rows first to last - 1.
  void find(int x, int count, int first, int last) {
    x_ = x, count_ = count;
    const int half = job_.aperture / 2;
    int next = std::max(first - 1, 0) - half;  // line to be loaded
    for (int y = first - 1; y <= last; ++y) {
      if (y < 0 || y >= job_.height) {
        std::fill_n(magnitude_[ring(y)], count + 2, Magnitude{0});
      } else {
        for (; next <= y + half; ++next)
          lines_.load(x - 1 - half, count + 2 + 2 * half, next);
        find_gradients(y);
      }
      if (y > first) find_maxima(y - 1);
    }
  }

 private:
  static int ring(int y) { return (y + kRing) % kRing; }

  void find_gradients(int y) {
    const int at = ring(y), count = count_ + 2;
    for (int c = 0; c < job_.channels; ++c) {
      std::int16_t *dx = c == 0 ? dx_[at] : other_dx_, *dy = c == 0 ? dy_[at] : other_dy_;
      Magnitude *magnitude = c == 0 ? magnitude_[at] : other_;
      gradient_row_(lines_.around(c, y), count, dx, dy);
      canny_magnitudes(dx, dy, count, magnitude);
      if (c > 0) canny_strongest(dx, dy, magnitude, count, dx_[at], dy_[at], magnitude_[at]);
    }
    if (x_ == 0) magnitude_[at][0] = 0;
    if (x_ + count_ == job_.width) magnitude_[at][count - 1] = 0;
  }

  void find_maxima(int y) {
    const int at = ring(y);
    canny_maxima({dx_[at], dy_[at], magnitude_[ring(y - 1)], magnitude_[at],
                  magnitude_[ring(y + 1)], threshold(job_.low), threshold(job_.high)},
                 count_, kind_);
    const int words = (count_ + 63) / 64;
    std::fill(kind_ + count_, kind_ + 64 * words, std::uint8_t{0});
    const std::size_t to =
        static_cast<std::size_t>(y) * maps_.words + static_cast<std::size_t>(x_ / 64);
    for (int k = 0; k < words; ++k)
      put_word(kind_ + 64 * k, to + static_cast<std::size_t>(k));
  }

  static Magnitude threshold(int value) {
    return static_cast<Magnitude>(std::min<int>(value, std::numeric_limits<Magnitude>::max()));
  }

  // Bit 0 of eight bytes, by a product that adds them up at its top.
  static std::uint64_t low_bits(std::uint64_t bytes) {
    return (bytes & 0x0101010101010101u) * 0x0102040810204080u >> 56;
  }

  void put_word(const std::uint8_t *kind, std::size_t at) {
    std::uint64_t open = 0, edge = 0;
    for (int i = 0; i < 8; ++i) {
      std::uint64_t bytes;
      std::memcpy(&bytes, kind + 8 * i, sizeof bytes);
      if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
      if (bytes == 0) continue;
      open |= low_bits(bytes) << 8 * i;
      edge |= low_bits(bytes >> 1) << 8 * i;
    }
    maps_.open[at] = open;
    maps_.edge[at] = edge;
  }

  const CannyJob &job_;
  const CannyCpuScratch &maps_;
  CannyGradientRow gradient_row_;
  Lines lines_;
  int x_ = 0, count_ = 0;
  alignas(64) std::int16_t dx_[kRing][kCannyLine], dy_[kRing][kCannyLine];
  alignas(64) std::int16_t other_dx_[kCannyLine], other_dy_[kCannyLine];
  alignas(64) Magnitude magnitude_[kRing][kCannyLine], other_[kCannyLine];
  alignas(64) std::uint8_t kind_[kCannyLine];
};

template <class Magnitude>
void find_rows(const CannyJob &job, const CannyCpuScratch &maps, int first, int last) {
  Tile<Magnitude> tile(job, maps);
  for (int x = 0; x < job.width; x += kCannyColumns)
    tile.find(x, std::min(kCannyColumns, job.width - x), first, last);
  std::fill(maps.starts + first, maps.starts + last, std::uint8_t{0});
  maps.starts[first] = 1;
  canny_spread(maps, first, last);
}

// Eight pixels, by their bits.
using Pixels = std::array<std::uint8_t, 8>;
constexpr std::array<Pixels, 256> make_pixels() {
  std::array<Pixels, 256> all = {};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (unsigned i = 0; i < 8; ++i)
      all[bits][i] = (bits >> i & 1) != 0 ? 255 : 0;
  return all;
}
constexpr std::array<Pixels, 256> kPixels = make_pixels();

void write_row(const std::uint64_t *edge, int width, std::uint8_t *out) {
  int x = 0;
  for (; x + 64 <= width; x += 64) {
    const std::uint64_t word = *edge++;
    for (int i = 0; i < 8; ++i)
      std::memcpy(out + x + 8 * i, kPixels[word >> 8 * i & 255].data(), 8);
  }
  for (int i = 0; x + i < width; ++i)
    out[x + i] = (*edge >> i & 1) != 0 ? 255 : 0;
}

}  // namespace

Status canny_cpu(const CannyJob &job, ThreadPool *pool) {
  const CannyCpuScratch maps(job.scratch, job.width, job.height);
  for_ranges(pool, job.height, kGrain, [&](int first, int last) {
    job.l2 ? find_rows<std::int32_t>(job, maps, first, last)
           : find_rows<std::int16_t>(job, maps, first, last);
  });
  canny_join_ranges(maps);
  for_ranges(pool, job.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      write_row(maps.edge + static_cast<std::size_t>(y) * maps.words, job.width, job.out.row(y));
  });
  return {};
}

}  // namespace coalesce
