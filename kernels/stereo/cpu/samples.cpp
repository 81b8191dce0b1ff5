// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>

#include "../../core/clones.h"
#include "../../picture/rows.h"
#include "steps.h"

namespace coalesce {
namespace {

constexpr int kGrain = 32;  // rows of a range, at least
constexpr int kTile = 256;  // columns

void to_bytes(const std::uint16_t *samples, int count, int bits, std::uint8_t *bytes) {
  for (int i = 0; i < count; ++i)
    bytes[i] = static_cast<std::uint8_t>(byte_of(samples[i], bits));
}

void read_row(const StereoJob &job, const StereoCpuScratch &s, int picture, int y) {
  const std::size_t row = static_cast<std::size_t>(y) * s.width;
  std::uint8_t *const bytes = picture == 0 ? s.left_bytes : s.right_bytes;
  if (!job.uses_census())
    return read_bytes(job.component, job.in[picture].row(y), job.width, bytes + row);
  std::uint16_t *const samples = s.samples[picture] + row;
  RowReader(job.component)(job.in[picture].row(y), 0, job.width, samples);
  if (bytes != nullptr) to_bytes(samples, job.width, job.component.bits, bytes + row);
}

// Seven rows of a tile with the columns around it.
struct CensusTile {
  std::uint16_t line[2 * kCensusRows + 1][kTile + 2 * kCensusColumns];
  std::uint32_t bits[kTile];
};

COALESCE_CLONES void compare_tile(CensusTile *tile, int count) {
  const std::uint16_t *const middle = tile->line[kCensusRows] + kCensusColumns;
  std::uint32_t *const bits = tile->bits;
  std::fill_n(bits, count, 0u);
  for (int j = -kCensusRows; j <= kCensusRows; ++j)
    for (int i = -kCensusColumns; i <= kCensusColumns; ++i) {
      if (!is_in_census(i, j)) continue;
      const std::uint16_t *const other = tile->line[kCensusRows + j] + kCensusColumns + i;
      for (int x = 0; x < count; ++x)
        bits[x] = bits[x] << 1 | (other[x] < middle[x] ? 1u : 0u);
    }
}

void load_tile(const StereoJob &job, const std::uint16_t *samples, int x, int y, int count,
               CensusTile *tile) {
  const int begin = std::max(x - kCensusColumns, 0);
  const int end = std::min(x + count + kCensusColumns, job.width);
  for (int j = -kCensusRows; j <= kCensusRows; ++j) {
    const auto row = static_cast<std::size_t>(std::clamp(y + j, 0, job.height - 1));
    const std::uint16_t *const from = samples + row * static_cast<std::size_t>(job.width);
    std::uint16_t *const line = tile->line[kCensusRows + j];
    std::uint16_t *const to = line + begin - (x - kCensusColumns);
    std::copy(from + begin, from + end, to);
    std::fill(line, to, *to);
    std::fill(to + (end - begin), line + count + 2 * kCensusColumns, to[end - begin - 1]);
  }
}

void transform_row(const StereoJob &job, const StereoCpuScratch &s, int picture, int y) {
  CensusTile tile;
  for (int x = 0; x < job.width; x += kTile) {
    const int count = std::min(kTile, job.width - x);
    load_tile(job, s.samples[picture], x, y, count, &tile);
    compare_tile(&tile, count);
    const std::size_t at = static_cast<std::size_t>(y) * s.width + static_cast<std::size_t>(x);
    if (picture == 0) {
      std::copy_n(tile.bits, count, s.left_census + at);
      continue;
    }
    for (int b = 0; b < 4; ++b)
      for (int i = 0; i < count; ++i)
        s.right_census[b][at + static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(tile.bits[i] >> 8 * b);
  }
}

// Rows of both pictures.
template <class Row>
void for_rows(const StereoJob &job, ThreadPool *pool, const Row &row) {
  for_ranges(pool, 2 * job.height, kGrain, [&](int first, int last) {
    for (int i = first; i < last; ++i)
      row(i / job.height, i % job.height);
  });
}

}  // namespace

void read_bytes(const PixelComponent &component, const std::uint8_t *row, int width,
                std::uint8_t *bytes) {
  const RowReader read(component);
  std::uint16_t tile[kTile];
  for (int x = 0; x < width; x += kTile) {
    const int count = std::min(kTile, width - x);
    read(row, x, count, tile);
    to_bytes(tile, count, component.bits, bytes + x);
  }
}

void prepare_stereo_samples(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool) {
  for_rows(job, pool, [&](int picture, int y) { read_row(job, s, picture, y); });
  if (!job.uses_census()) return;
  // Candidates that are outside are compared, too, before they become none.
  for (std::uint8_t *byte : s.right_census) {
    std::memset(byte - s.front, 0, s.front);
    std::memset(byte + s.width * static_cast<std::size_t>(job.height), 0, kStereoSlack);
  }
  for_rows(job, pool, [&](int picture, int y) { transform_row(job, s, picture, y); });
}

// Sums of columns, a row after the other, and of windows along a row.
void prepare_ncc_windows(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool) {
  constexpr int kColumns = kTile + kMaxStereoWindow - 1;
  const int half = job.params.window / 2, count = job.params.window * job.params.window;
  const auto find = [&](int picture, int first, int last, int x, int columns) {
    const std::uint8_t *const bytes = picture == 0 ? s.left_bytes : s.right_bytes;
    int sum[kColumns] = {}, squares[kColumns] = {};
    const auto add = [&](int y, int sign) {
      const auto row = static_cast<std::size_t>(std::clamp(y, 0, job.height - 1)) * s.width;
      for (int i = 0; i < columns + 2 * half; ++i) {
        const int column = std::clamp(x + i - half, 0, job.width - 1);
        const int v = bytes[row + static_cast<std::size_t>(column)] - 128;
        sum[i] += sign * v, squares[i] += sign * v * v;
      }
    };
    for (int y = first - half; y < first + half; ++y)
      add(y, 1);
    for (int y = first; y < last; ++y) {
      add(y + half, 1);
      int all = 0, all_squares = 0;
      for (int i = 0; i < 2 * half; ++i)
        all += sum[i], all_squares += squares[i];
      for (int i = 0; i < columns; ++i) {
        all += sum[i + 2 * half], all_squares += squares[i + 2 * half];
        const std::size_t at =
            static_cast<std::size_t>(y) * s.width + static_cast<std::size_t>(x + i);
        if (picture == 0) {
          s.left_window[at] = ncc_left(count, all, all_squares);
        } else {
          const NccWindow window = ncc_right(count, all, all_squares);
          s.right_level[at] = window.level, s.right_scale[at] = window.scale;
        }
        all -= sum[i], all_squares -= squares[i];
      }
      add(y - half, -1);
    }
  };
  for (int picture = 0; picture < 2; ++picture)
    for_ranges(pool, job.height, kGrain, [&](int first, int last) {
      for (int x = 0; x < job.width; x += kTile)
        find(picture, first, last, x, std::min(kTile, job.width - x));
    });
}

}  // namespace coalesce
