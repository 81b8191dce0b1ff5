// SPDX-License-Identifier: LGPL-2.1-or-later
// All steps go through blocks of columns, whose samples are 16-bit numbers whatever the format is.
#include <algorithm>
#include <cstring>

#include "../core/clones.h"
#include "../core/simd.h"
#include "../core/thread_pool.h"
#include "../picture/rows.h"
#include "blur_job.h"

namespace coalesce {
namespace {

constexpr int kBlock = 1024;  // columns of a picture at a time, whole cells
constexpr int kMostFactor = 32;
constexpr int kGrain = 1 << 16;          // samples, at least, for a thread
constexpr int kBlockCells = kBlock / 4;  // at most

// ---- Down --------------------------------------------------------------------------------------

// Samples of a row from column `first` on, by the border rule.
class Source {
 public:
  Source(const BlurJob &job, const BlurComponent &c)
      : component_(job.in.format.component[c.number]),
        plane_(job.in.of(component_)),
        border_(job.border),
        columns_(c.columns),
        rows_(c.rows),
        outside_(static_cast<std::uint16_t>(job.outside(c))),
        read_(component_) {}

  void operator()(int y, int first, int count, std::uint16_t *out) const {
    const int row = border_position(border_, y, rows_);
    if (row < 0) {
      std::fill_n(out, count, outside_);
      return;
    }
    const std::uint8_t *bytes = plane_.row(row);
    const int begin = std::clamp(first, 0, columns_), end = std::clamp(first + count, 0, columns_);
    for (int x = first; x < std::min(begin, first + count); ++x)
      out[x - first] = outside(bytes, x);
    if (begin < end) read_(bytes, begin, end - begin, out + (begin - first));
    for (int x = std::max(end, first); x < first + count; ++x)
      out[x - first] = outside(bytes, x);
  }

 private:
  std::uint16_t outside(const std::uint8_t *row, int x) const {
    const int column = border_position(border_, x, columns_);
    std::uint16_t sample = outside_;
    if (column >= 0) read_(row, column, 1, &sample);
    return sample;
  }

  const PixelComponent component_;
  const Plane<const std::uint8_t> plane_;
  Border border_;
  int columns_, rows_;
  std::uint16_t outside_;
  RowReader read_;
};

using Columns = std::uint32_t[kBlock + kMostFactor];

// After a whole cell `sum` is the sum of its rows, `falling` that with weights f, f - 1, ..., 1.
COALESCE_CLONES void add_row(const std::uint16_t *row, int count, std::uint32_t *sum,
                             std::uint32_t *falling) {
  for (int x = 0; x < count; ++x) {
    sum[x] += row[x];
    falling[x] += sum[x];
  }
}

// rising: of the cells above, with weights 0 to f - 1; then of these. all: both together.
COALESCE_CLONES void join_cells(const std::uint32_t *sum, const std::uint32_t *falling, int count,
                                std::uint32_t factor, std::uint32_t *rising, std::uint32_t *all) {
  for (int x = 0; x < count; ++x) {
    all[x] = falling[x] + rising[x];
    rising[x] = factor * sum[x] - falling[x];
  }
}

// The triangle across, from the cell before and this one.
std::uint64_t triangle(const std::uint32_t *columns, int factor) {
  std::uint64_t sum = 0;
  for (int i = 1; i < factor; ++i)
    sum += std::uint64_t{columns[i]} * static_cast<std::uint32_t>(i);
  for (int i = 0; i < factor; ++i)
    sum += std::uint64_t{columns[factor + i]} * static_cast<std::uint32_t>(factor - i);
  return sum;
}

// Samples first to end - 1 of the columns of `low` from `column` on.
void down_block(const BlurJob &job, const BlurComponent &c, int column, int first, int end) {
  const Source source(job, c);
  const BlurNumbers numbers = blur_numbers(job.log2_factor, job.depth, false);
  const int factor = job.factor();
  const int outputs = std::min(kBlock / factor, c.low.width - column);
  const int count = (outputs + 1) * factor, left = (column - job.pad - 1) * factor;
  std::uint16_t row[kBlock + kMostFactor];
  Columns sum, falling, all, rising = {};
  for (int y = first - 1; y < end; ++y) {
    std::fill_n(sum, count, 0u);
    std::fill_n(falling, count, 0u);
    for (int i = 0; i < factor; ++i) {
      source((y - job.pad) * factor + i, left, count, row);
      add_row(row, count, sum, falling);
    }
    join_cells(sum, falling, count, static_cast<std::uint32_t>(factor), rising, all);
    if (y < first) continue;
    for (int i = 0; i < outputs; ++i)
      c.low.row(y)[column + i] = numbers.low(triangle(all + i * factor, factor));
  }
}

// ---- Smooth ------------------------------------------------------------------------------------

constexpr int kMargin = 2 * Blur::kMostReach;
using Sums = std::uint32_t[kBlock + kMargin];

COALESCE_CLONES void add_tap(const std::uint16_t *row, int count, std::uint32_t tap,
                             std::uint32_t *sums) {
  for (int x = 0; x < count; ++x)
    sums[x] += tap * row[x];
}

COALESCE_CLONES void finish_sums(const std::uint32_t *sums, int count, std::uint16_t *out) {
  for (int x = 0; x < count; ++x)
    out[x] = smooth_sample(sums[x]);
}

// Columns from `column` on, at most kBlock.
void smooth_block(const BlurJob &job, const BlurComponent &c, int y, int column) {
  const int taps = 2 * job.reach, before = job.reach - 1;
  const int outputs = std::min(kBlock, c.low.width - column);
  // Of the plane, and what is repeated beside it.
  const int first = std::max(column - before, 0);
  const int end = std::min(column + outputs + job.reach, c.low.width);
  const int left = first - (column - before), right = column + outputs + job.reach - end;
  Sums sums;
  std::uint16_t row[kBlock + kMargin];
  std::fill_n(sums, end - first, 0u);
  for (int i = 0; i < taps; ++i)
    add_tap(c.low.row(std::clamp(y + i - before, 0, c.low.height - 1)) + first, end - first,
            job.tap[i], sums);
  finish_sums(sums, end - first, row + left);
  std::fill_n(row, left, row[left]);
  std::fill_n(row + left + (end - first), right, row[left + (end - first) - 1]);
  std::fill_n(sums, outputs, 0u);
  for (int i = 0; i < taps; ++i)
    add_tap(row + i, outputs, job.tap[i], sums);
  finish_sums(sums, outputs, c.smooth.row(y) + column);
}

// ---- Up ----------------------------------------------------------------------------------------

COALESCE_CLONES void join_rows(const std::uint16_t *const (&rows)[3], int count, int at,
                               const BlurNumbers &numbers, std::uint32_t *out) {
  const BlurNumbers own = numbers;
  for (int i = 0; i < count; ++i)
    out[i] = own.column(at, rows[0][i], rows[1][i], rows[2][i]);
}

// All samples of so many cells, from columns that begin with that before the first.
template <int kLog2>
COALESCE_INLINE void curves(const std::uint32_t *columns, int cells, int bits, std::uint16_t *out) {
  constexpr std::uint32_t kFactor = 1u << kLog2;
  const std::uint32_t half = 1u << (31 - bits);
  for (int i = 0; i < cells; ++i) {
    const std::uint32_t here = columns[i + 1];
    const std::uint32_t before = columns[i] - here, behind = columns[i + 2] - here;
    const std::uint32_t base = (here << (2 * kLog2 + 1)) + half;
    for (std::uint32_t r = 0; r < kFactor; ++r)
      out[static_cast<std::uint32_t>(i) * kFactor + r] = static_cast<std::uint16_t>(
          (base + (kFactor - r) * (kFactor - r) * before + r * r * behind) >> (32 - bits));
  }
}

COALESCE_CLONES void all_curves(int log2_factor, const std::uint32_t *columns, int cells, int bits,
                                std::uint16_t *out) {
  if (log2_factor == 2)
    curves<2>(columns, cells, bits, out);
  else if (log2_factor == 3)
    curves<3>(columns, cells, bits, out);
  else if (log2_factor == 4)
    curves<4>(columns, cells, bits, out);
  else
    curves<5>(columns, cells, bits, out);
}

// Puts a component's samples, columns first to first + count - 1 of the plane, where they belong.
// (Of bytes or 16-bit words: others are blurred by way of planes.)
void put_samples(const PixelFormat &format, const BlurComponent &component, int first, int count,
                 const std::uint16_t *samples, std::uint8_t *row) {
  const PixelComponent &c = format.component[component.number];
  std::ptrdiff_t at = c.first + std::ptrdiff_t{first} * c.step;
  for (int i = 0; i < count; ++i, at += c.step) {
    const auto sample = static_cast<std::uint16_t>(samples[i] << c.shift);
    if (c.container == Container::u8)
      row[at] = static_cast<std::uint8_t>(sample);
    else
      std::memcpy(row + 2 * at, &sample, sizeof sample);
  }
}

// Rows of a plane.
class Rows {
 public:
  Rows(const BlurJob &job, int plane) : job_(job), plane_(plane) {
    const PixelFormat &format = job.in.format;
    int step = 0;
    for (int i = 0; i < job.components; ++i) {
      const PixelComponent &c = format.component[job.component[i].number];
      if (c.plane == plane) of_plane_[count_++] = &job.component[i], step = c.step;
    }
    all_filtered_ = count_ == step;
    if (all_filtered_) write_ = RowWriter(format, plane, job.in.width);
  }

  int components() const { return count_; }
  int rows() const { return of_plane_[0]->rows; }
  int columns() const { return of_plane_[0]->columns; }

  void operator()(int y) const {
    std::uint8_t *row = job_.out.plane[plane_].row(y);
    if (!all_filtered_)
      std::memcpy(row, job_.in.plane[plane_].row(y),
                  static_cast<std::size_t>(job_.in.plane[plane_].width));
    for (int first = 0; first < columns(); first += kBlock)
      block(y, first, row);
  }

 private:
  void block(int y, int first, std::uint8_t *row) const {
    std::uint16_t samples[4][kBlock];
    const std::uint16_t *all[4] = {};
    const int count = std::min(kBlock, columns() - first);
    for (int i = 0; i < count_; ++i) {
      const BlurComponent &c = *of_plane_[i];
      make(c, y, first, count, samples[i]);
      all[c.number] = samples[i];
      if (!all_filtered_) put_samples(job_.in.format, c, first, count, samples[i], row);
    }
    if (all_filtered_) write_(row, first, count, all);
  }

  void make(const BlurComponent &c, int y, int first, int count, std::uint16_t *out) const {
    const BlurNumbers numbers = blur_numbers(job_.log2_factor, job_.depth, false);
    const int factor = job_.factor(), cells = ((count - 1) >> job_.log2_factor) + 1;
    const int above = (y >> job_.log2_factor) + job_.pad - 1;
    const int before = (first >> job_.log2_factor) + job_.pad - 1;
    const std::uint16_t *rows[3];
    for (int i = 0; i < 3; ++i)
      rows[i] = c.smooth.row(above + i) + before;
    std::uint32_t columns[kBlockCells + 2];
    join_rows(rows, cells + 2, y & (factor - 1), numbers, columns);
    all_curves(job_.log2_factor, columns, cells, job_.depth.bits, out);
  }

  const BlurJob &job_;
  const int plane_;
  int count_ = 0;
  const BlurComponent *of_plane_[4] = {};
  bool all_filtered_ = false;
  RowWriter write_;
};

}  // namespace

void blur_down_cpu(const BlurJob &job, ThreadPool *pool) {
  for (int i = 0; i < job.components; ++i) {
    const BlurComponent &c = job.component[i];
    const int grain = std::max(1, kGrain / job.factor() / std::max(1, c.columns));
    for_ranges(pool, c.low.height, grain, [&](int first, int end) {
      for (int column = 0; column < c.low.width; column += kBlock / job.factor())
        down_block(job, c, column, first, end);
    });
  }
}

void blur_smooth_cpu(const BlurJob &job, ThreadPool *pool) {
  for (int i = 0; i < job.components; ++i) {
    const BlurComponent &c = job.component[i];
    const int grain = std::max(1, kGrain / (4 * c.low.width));
    for_ranges(pool, c.low.height, grain, [&](int first, int end) {
      for (int y = first; y < end; ++y)
        for (int column = 0; column < c.low.width; column += kBlock)
          smooth_block(job, c, y, column);
    });
  }
}

void blur_up_cpu(const BlurJob &job, ThreadPool *pool) {
  for (int p = 0; p < job.in.format.planes; ++p) {
    const Rows row(job, p);
    if (row.components() == 0) continue;
    const int grain = std::max(1, kGrain / row.columns());
    for_ranges(pool, row.rows(), grain, [&](int first, int end) {
      for (int y = first; y < end; ++y)
        row(y);
    });
  }
}

}  // namespace coalesce
