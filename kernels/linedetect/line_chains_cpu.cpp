// SPDX-License-Identifier: LGPL-2.1-or-later
// Edges are bits, thinned by words; chains are walked from pixel to pixel.
#include <algorithm>
#include <bit>
#include <cstring>

#include "line_links.h"
#include "line_scratch.h"

namespace coalesce {
namespace {

constexpr int kGrain = 64;  // rows of a range, at least

constexpr PickTable kPicks = make_pick_table();

// A bit for each of eight bytes that is not 0.
std::uint64_t bits_of(std::uint64_t bytes) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7fu;
  const std::uint64_t ones = (((bytes & kLow) + kLow) | bytes) >> 7 & 0x0101010101010101u;
  return ones * 0x0102040810204080u >> 56;
}

std::uint64_t load_bits(const std::uint8_t *from, int count) {
  std::uint64_t word = 0;
  int x = 0;
  for (; x + 8 <= count; x += 8) {
    std::uint64_t bytes;
    std::memcpy(&bytes, from + x, sizeof bytes);
    if (bytes == 0) continue;
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    word |= bits_of(bytes) << x;
  }
  for (; x < count; ++x)
    word |= std::uint64_t{from[x] != 0} << x;
  return word;
}

void load_edges(const LineJob &job, const LineCpuScratch &s, ThreadPool *pool) {
  for (std::uint64_t *map : {s.bits, s.other}) {
    std::fill_n(map, s.words, 0);
    std::fill_n(map + (static_cast<std::size_t>(job.height) + 1) * s.words, s.words, 0);
  }
  for_ranges(pool, job.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      std::uint64_t *to = s.row(s.bits, y), *other = s.row(s.other, y);
      const std::uint8_t *from = job.edges.row(y);
      to[-1] = other[-1] = 0;
      int k = 0;
      for (int x = 0; x < job.width; x += 64)
        to[k++] = load_bits(from + x, std::min(64, job.width - x));
      to[k] = other[k] = 0;
    }
  });
}

void thin_row(const std::uint64_t *from, std::uint64_t *to, std::size_t words, bool second) {
  const std::uint64_t *above = from - words, *below = from + words;
  // (With a sign: word -1 of a row is there.)
  for (std::ptrdiff_t k = 0; k + 2 < static_cast<std::ptrdiff_t>(words); ++k) {
    const std::uint64_t here = from[k];
    if (here == 0) {
      to[k] = 0;
      continue;
    }
    const std::uint64_t a[3] = {above[k - 1], above[k], above[k + 1]};
    const std::uint64_t h[3] = {from[k - 1], here, from[k + 1]};
    const std::uint64_t b[3] = {below[k - 1], below[k], below[k + 1]};
    to[k] = thinned(here, words_around(a, h, b), second);
  }
}

void thin(const LineJob &job, const LineCpuScratch &s, ThreadPool *pool) {
  for (int step = 0; step < 2 * kThinningRounds; ++step) {
    const bool second = step % 2 != 0;
    std::uint64_t *from = second ? s.other : s.bits, *to = second ? s.bits : s.other;
    for_ranges(pool, job.height, kGrain, [&](int first, int last) {
      for (int y = first; y < last; ++y)
        thin_row(s.row(from, y), s.row(to, y), s.words, second);
    });
  }
}

// Pixels x - 1 to x + 1.
unsigned three_bits(const std::uint64_t *row, int x) {
  const int word = x >> 6, at = x & 63;
  if (at == 0) return static_cast<unsigned>((row[word] << 1 | row[word - 1] >> 63) & 7);
  const std::uint64_t bits = row[word] >> (at - 1);
  return static_cast<unsigned>((at == 63 ? bits | row[word + 1] << 2 : bits) & 7);
}

template <class Visit>
void for_pixels(const std::uint64_t *row, int width, Visit visit) {
  for (int k = 0; 64 * k < width; ++k)
    for (std::uint64_t rest = row[k]; rest != 0; rest &= rest - 1)
      visit(64 * k + std::countr_zero(rest));
}

void pick_neighbours(const LineJob &job, const LineCpuScratch &s, ThreadPool *pool) {
  for_ranges(pool, job.height, kGrain, [&](int first, int last) {
    for (int y = first; y < last; ++y) {
      const std::uint64_t *here = s.row(s.bits, y);
      std::uint8_t *to =
          s.picks + static_cast<std::size_t>(y) * static_cast<std::size_t>(job.width);
      for_pixels(here, job.width, [&](int x) {
        to[x] = kPicks.of[neighbour_byte(three_bits(here - s.words, x), three_bits(here, x),
                                         three_bits(here + s.words, x))];
      });
    }
  });
}

class Walker {
 public:
  Walker(const LineJob &job, const LineCpuScratch &s) : s_(s), min_length_(job.min_length) {
    for (int d = 0; d < kDirections; ++d)
      step_[d] = step_y(d) * std::ptrdiff_t{job.width} + step_x(d);
  }

  // Is it linked with one neighbour, or with two? Bits of directions.
  unsigned links(std::ptrdiff_t at) const {
    unsigned all = 0;
    for (unsigned rest = s_.picks[at]; rest != 0; rest &= rest - 1) {
      const int d = std::countr_zero(rest);
      if ((s_.picks[at + step_[d]] >> opposite(d) & 1) != 0) all |= 1u << d;
    }
    return all;
  }

  // From a pixel in a direction that it is linked in, to the end, or until the pixel comes again.
  void walk(int x, int y, std::ptrdiff_t at, int direction) {
    const std::ptrdiff_t begin = at;
    const std::uint32_t first = pixels_;
    for (;;) {
      s_.order[pixels_++] = line_pixel(x, y);
      s_.row(s_.other, y)[x >> 6] &= ~(std::uint64_t{1} << (x & 63));
      if (direction < 0) break;
      x += step_x(direction), y += step_y(direction), at += step_[direction];
      if (at == begin) break;
      const unsigned onward = links(at) & ~(1u << opposite(direction));
      direction = onward == 0 ? -1 : std::countr_zero(onward);
    }
    if (may_have_line(pixels_ - first, min_length_))
      s_.chains[chains_++] = {first, pixels_ - first};
    else
      pixels_ = first;
  }

  // Of a loop's first pixel: the direction to the lower one of its two neighbours, in the order of
  // rows.
  int first_direction(std::ptrdiff_t at, unsigned both) const {
    const int a = std::countr_zero(both), b = std::countr_zero(both & (both - 1));
    return at + step_[a] < at + step_[b] ? a : b;
  }

  std::uint32_t chains() const { return chains_; }

 private:
  const LineCpuScratch &s_;
  int min_length_;
  std::ptrdiff_t step_[kDirections];
  std::uint32_t pixels_ = 0, chains_ = 0;
};

}  // namespace

std::uint32_t find_chains(const LineJob &job, const LineCpuScratch &s, ThreadPool *pool) {
  load_edges(job, s, pool);
  thin(job, s, pool);
  pick_neighbours(job, s, pool);
  // Pixels that no chain has yet. Of a chain with ends, the upper or left one comes first.
  std::copy_n(s.bits, s.words * (static_cast<std::size_t>(job.height) + 2), s.other);
  Walker walker(job, s);
  for (const bool loops : {false, true})
    for (int y = 0; y < job.height; ++y) {
      std::uint64_t *row = s.row(s.other, y);
      const std::ptrdiff_t at = std::ptrdiff_t{y} * job.width;
      for_pixels(row, job.width, [&](int x) {
        if ((row[x >> 6] >> (x & 63) & 1) == 0) return;  // of a chain since this word was read
        const unsigned links = walker.links(at + x);
        if (std::popcount(links) < 2)
          walker.walk(x, y, at + x, links == 0 ? -1 : std::countr_zero(links));
        else if (loops)
          walker.walk(x, y, at + x, walker.first_direction(at + x, links));
      });
    }
  return walker.chains();
}

}  // namespace coalesce
