// SPDX-License-Identifier: LGPL-2.1-or-later
// Windows of any size, by counting.
//
// Bytes (Perreault and Hebert, 2007): each column has counts of its samples in the rows of the
// window, and the window's counts are sums of columns'. One column enters and one leaves from a
// pixel to the next. Counts are cumulative, so that a rank is found by one comparison of 16
// numbers: of the upper four bits first, then of the lower four among samples with the same upper
// ones. Of the latter only those are kept up to date that are asked for.
//
// Words (Huang, 1979): counts of the window itself, at three levels. Rows are walked by turns from
// left to right and back.
#include <algorithm>
#include <cstring>

#include "../core/clones.h"
#include "../core/simd.h"
#include "median_rows.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace coalesce {
namespace {

constexpr int kDigits = 16;
typedef std::uint8_t Counts __attribute__((vector_size(kDigits)));           // of a column
typedef std::uint16_t WideCounts __attribute__((vector_size(2 * kDigits)));  // of a window

// Of one sample: 1 from its digit on.
struct Steps {
  alignas(kDigits) std::uint8_t from[kDigits][kDigits] = {};
  constexpr Steps() {
    for (int digit = 0; digit < kDigits; ++digit)
      for (int i = digit; i < kDigits; ++i)
        from[digit][i] = 1;
  }
  COALESCE_INLINE Counts of(int digit) const {
    Counts steps;
    std::memcpy(&steps, from[digit], sizeof steps);
    return steps;
  }
};
constexpr Steps kSteps;

constexpr int kStrip = 256;  // pixels, of one channel

class ColumnCounts {
 public:
  COALESCE_INLINE void clear() { std::memset(this, 0, sizeof *this); }
  COALESCE_INLINE void add(int column, int sample) {
    upper_[column] += kSteps.of(sample >> 4);
    lower_[sample >> 4][column] += kSteps.of(sample & 15);
  }
  COALESCE_INLINE void remove(int column, int sample) {
    upper_[column] -= kSteps.of(sample >> 4);
    lower_[sample >> 4][column] -= kSteps.of(sample & 15);
  }
  COALESCE_INLINE const Counts *upper() const { return upper_; }
  COALESCE_INLINE const Counts *lower(int digit) const { return lower_[digit]; }

 private:
  static constexpr int kColumns = kStrip + kMaxMedianSize - 1;
  Counts upper_[kColumns];
  Counts lower_[kDigits][kColumns];
};

COALESCE_INLINE void add(const Counts &column, WideCounts &window) {
  window += __builtin_convertvector(column, WideCounts);
}
COALESCE_INLINE void remove(const Counts &column, WideCounts &window) {
  window -= __builtin_convertvector(column, WideCounts);
}

// How many of these ascending counts are at most `rank`.
COALESCE_INLINE int digit_of(const WideCounts &counts, int rank) {
#if defined(__x86_64__)
  typedef short Half __attribute__((vector_size(16)));
  Half half[2];
  std::memcpy(half, &counts, sizeof half);
  const Half limit = Half{} + static_cast<short>(rank);
  const auto above = __builtin_ia32_packsswb128(reinterpret_cast<Half>(half[0] > limit),
                                                reinterpret_cast<Half>(half[1] > limit));
  return __builtin_ctz(static_cast<unsigned>(__builtin_ia32_pmovmskb128(above)));
#else
  int digit = 0;
  for (int i = 0; i < kDigits; ++i)
    digit += counts[i] <= rank ? 1 : 0;
  return digit;
#endif
}

// The counts of a window that goes to the right.
class ByteWindow {
 public:
  COALESCE_INLINE ByteWindow(const ColumnCounts &columns, int width)
      : columns_(columns), width_(width) {
    for (int &at : lower_at_)
      at = -width;
    for (int i = 0; i < width; ++i)
      add(columns.upper()[i], upper_);
  }
  // From column x - 1 to column x.
  COALESCE_INLINE void move_to(int x) {
    add(columns_.upper()[x + width_ - 1], upper_);
    remove(columns_.upper()[x - 1], upper_);
  }
  // At column x.
  COALESCE_INLINE int sample_of(int rank, int x) {
    const int digit = digit_of(upper_, rank);
    update(digit, x);
    const int below = digit == 0 ? 0 : upper_[digit - 1];
    return digit << 4 | digit_of(lower_[digit], rank - below);
  }

 private:
  COALESCE_INLINE void update(int digit, int x) {
    const Counts *columns = columns_.lower(digit);
    WideCounts counts = lower_[digit];
    int at = lower_at_[digit];
    if (x - at < width_) {
      for (; at < x; ++at) {
        add(columns[at + width_], counts);
        remove(columns[at], counts);
      }
    } else {
      counts = WideCounts{};
      for (int i = 0; i < width_; ++i)
        add(columns[x + i], counts);
    }
    lower_[digit] = counts;
    lower_at_[digit] = x;
  }

  const ColumnCounts &columns_;
  int width_;
  WideCounts upper_ = {};
  WideCounts lower_[kDigits] = {};
  int lower_at_[kDigits];  // the column that they are of
};

// A strip of one channel.
COALESCE_CLONES
void filter_strip(const MedianJob &job, const MedianRows<std::uint8_t> &source, int channel, int x,
                  int first, int last) {
  const int channels = source.channels(), pixels = std::min(kStrip, source.pixels() - x);
  const int columns = pixels + job.width - 1;
  const int left = x - job.width / 2, above = first - job.height / 2;
  ColumnCounts counts;
  std::uint8_t entering[(kStrip + kMaxMedianSize) * 4], leaving[(kStrip + kMaxMedianSize) * 4];
  counts.clear();
  for (int y = 0; y < job.height - 1; ++y) {
    source.load(left, above + y, columns, entering);
    for (int i = 0; i < columns; ++i)
      counts.add(i, entering[i * channels + channel]);
  }
  for (int y = first; y < last; ++y) {
    const int row = above + y - first;
    source.load(left, row + job.height - 1, columns, entering);
    for (int i = 0; i < columns; ++i)
      counts.add(i, entering[i * channels + channel]);
    ByteWindow window(counts, job.width);
    std::uint8_t *out = source.out(x, y) + channel;
    out[0] = static_cast<std::uint8_t>(window.sample_of(job.rank, 0));
    for (int i = 1; i < pixels; ++i) {
      window.move_to(i);
      out[i * channels] = static_cast<std::uint8_t>(window.sample_of(job.rank, i));
    }
    source.load(left, row, columns, leaving);
    for (int i = 0; i < columns; ++i)
      counts.remove(i, leaving[i * channels + channel]);
  }
}

// ---- Words --------------------------------------------------------------------------------------

// A window's samples, of up to 16 bits: all of them, and those that have the upper 12 or 8 bits in
// common.
class WordCounts {
 public:
  void add(int sample) { change(sample, 1); }
  void remove(int sample) { change(sample, -1); }
  int sample_of(int rank) {
    while (below_ > rank)
      below_ -= upper_[--digit_];
    while (below_ + upper_[digit_] <= rank)
      below_ += upper_[digit_++];
    int below = below_, middle = digit_ << 4;
    while (below + middle_[middle] <= rank)
      below += middle_[middle++];
    int sample = middle << 4;
    while (below + all_[sample] <= rank)
      below += all_[sample++];
    return sample;
  }

 private:
  void change(int sample, int by) {
    const auto step = static_cast<std::uint16_t>(by);
    all_[sample] += step;
    middle_[sample >> 4] += step;
    upper_[sample >> 8] += step;
    if (sample >> 8 < digit_) below_ += by;
  }

  int digit_ = 0, below_ = 0;  // where the last rank was, and how many samples are below
  std::uint16_t upper_[1 << 8] = {}, middle_[1 << 12] = {}, all_[1 << 16] = {};
};

constexpr int kWordStrip = 128;

// One channel of the rows of windows, the last ones in a ring.
struct WordLines {
  std::uint16_t line[kMaxMedianSize][kWordStrip + kMaxMedianSize - 1];
};

void filter_strip(const MedianJob &job, const MedianRows<std::uint16_t> &source, int channel, int x,
                  int first, int last) {
  const int channels = source.channels(), pixels = std::min(kWordStrip, source.pixels() - x);
  const int columns = pixels + job.width - 1, shift = job.depth.shift;
  WordLines lines;
  WordCounts counts;
  const auto line = [&](int y) { return lines.line[(y - first) % job.height]; };
  const auto load = [&](int y) {
    std::uint16_t row[(kWordStrip + kMaxMedianSize) * 4];
    source.load(x - job.width / 2, y - job.height / 2, columns, row);
    for (int i = 0; i < columns; ++i)
      line(y)[i] = static_cast<std::uint16_t>(row[i * channels + channel] >> shift);
  };
  const auto add_row = [&](int y, int at) {
    for (int i = 0; i < job.width; ++i)
      counts.add(line(y)[at + i]);
  };
  const auto move = [&](int from, int to) {
    for (int i = 0; i < job.height; ++i) {
      counts.remove(lines.line[i][from]);
      counts.add(lines.line[i][to]);
    }
  };
  for (int y = first; y < first + job.height - 1; ++y)
    load(y), add_row(y, 0);
  int at = 0;
  for (int y = first; y < last; ++y) {
    load(y + job.height - 1), add_row(y + job.height - 1, at);
    std::uint16_t *out = source.out(x, y) + channel;
    const auto put = [&] {
      out[at * channels] = static_cast<std::uint16_t>(counts.sample_of(job.rank) << shift);
    };
    put();
    if (at == 0)
      while (at < pixels - 1)
        move(at, at + job.width), ++at, put();
    else
      while (at > 0)
        --at, move(at + job.width, at), put();
    for (int i = 0; i < job.width; ++i)
      counts.remove(line(y)[at + i]);
  }
}

template <class T>
void filter_rows(const MedianJob &job, const ChannelPlane &plane, int strip, int first, int last) {
  const MedianRows<T> source(job, plane);
  for (int x = 0; x < source.pixels(); x += strip)
    for (int c = 0; c < plane.channels; ++c)
      if (plane.role[c] != ChannelRole::copy) filter_strip(job, source, c, x, first, last);
  for (int y = first; y < last; ++y)
    source.copy(0, y, source.pixels());
}

}  // namespace

void median_of_bytes(const MedianJob &job, const ChannelPlane &plane, int first, int last) {
  filter_rows<std::uint8_t>(job, plane, kStrip, first, last);
}

void median_of_words(const MedianJob &job, const ChannelPlane &plane, int first, int last) {
  filter_rows<std::uint16_t>(job, plane, kWordStrip, first, last);
}

}  // namespace coalesce
