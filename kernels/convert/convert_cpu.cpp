// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU back end: blocks of a row, which stay in the nearest cache, as rows of components.
#include <algorithm>
#include <cstdint>

#include "../core/simd.h"
#include "../core/thread_pool.h"
#include "../picture/rows.h"
#include "convert_rows.h"

namespace coalesce {
namespace {

constexpr int kBlock = 768;   // pixels: whole groups of v210, and of eight of each component
constexpr int kMargin = 64;   // loops work on whole vectors; filters look outside of a block
constexpr int kBandRows = 4;  // of the picture: of both fields, two rows with a row of chroma

struct Task {
  const ConvertJob &job;
  RowReader readers[4];  // of the input's components
  RowWriter writers[4];  // of the output's planes
  bool pairs;            // fits_pairs()
  // Of the output's components, by row & 7. Those of 64 bits are for ConvertJob::wide.
  Offsets<false> offsets[4][8];
  Offsets<true> wide_offsets[4][8];

  template <bool kWide>
  const Offsets<kWide> &offsets_of(int c, int row) const {
    if constexpr (kWide)
      return wide_offsets[c][row & 7];
    else
      return offsets[c][row & 7];
  }
};

// What a thread works in. Filtered samples have 15 bits, or 32.
template <bool kWide>
struct Scratch {
  using Filtered = FilteredOf<kWide>;
  alignas(64) std::uint16_t plain[4][kBlock + kMargin];
  alignas(64) std::uint16_t source[kBlock + kMargin];
  alignas(64) Filtered column[3][kBlock + kMargin];
  alignas(64) Filtered filtered[3][kBlock + kMargin];
  alignas(64) Filtered widened[kWide ? 4 : 1][kBlock + kMargin];
  alignas(64) std::uint16_t out[4][kBlock + kMargin];
  const Filtered *filtered_row[3];
  bool has_plain[4], has_rgb;
};

// Part of a row of components that have the same size.
struct Span {
  int row, first, count;
};

int shared(int size, int log2) {
  return -(-size >> log2);
}

// Samples of a row from `first` on, the nearest ones where there are none.
COALESCE_INLINE void read_clamped(const Task &t, int j, int row, int first, int count,
                                  std::uint16_t *out) {
  const PixelComponent &c = t.job.in.format.component[j];
  const int width = shared(t.job.in.width, c.log2_width);
  const int begin = std::max(first, 0), end = std::min(first + count, width);
  t.readers[j](t.job.in.of(c).row(row), begin, end - begin, out + (begin - first));
  std::fill(out, out + (begin - first), out[begin - first]);
  std::fill(out + (end - first), out + count, out[end - first - 1]);
}

int rows_of(const ConvertJob &job, int j) {
  return job.in.format.component[j].log2_height == 1 ? job.in_chroma_rows : job.in.height;
}

template <bool kWide>
COALESCE_INLINE const std::uint16_t *plain(const Task &t, int j, const Span &span,
                                           Scratch<kWide> &s) {
  if (!s.has_plain[j]) {
    const int log2 = t.job.log2_fields();
    const int row =
        field_row(span.row >> log2, span.row & ((1 << log2) - 1), log2, rows_of(t.job, j));
    read_clamped(t, j, row, span.first, span.count, s.plain[j]);
    s.has_plain[j] = true;
  }
  return s.plain[j];
}

// Component j with as many samples as those of `span` have.
template <bool kWide>
COALESCE_INLINE const FilteredOf<kWide> *filtered(const Task &t, int j, const Span &span,
                                                  Scratch<kWide> &s) {
  if (s.filtered_row[j] != nullptr) return s.filtered_row[j];
  const ConvertJob &job = t.job;
  const Reach across = reach(job.across, span.first, span.count);
  const int log2 = job.log2_fields(), field = span.row & ((1 << log2) - 1), row = span.row >> log2;
  const ChromaTaps &down = job.down[field];
  const ChromaTaps::Phase &phase = down.phase[row & ((1 << down.up) - 1)];
  const int first = ((row >> down.up) << down.down) + phase.first;
  for (int k = 0; k < down.count; ++k) {
    const int from = field_row(first + k, field, log2, rows_of(job, j));
    if constexpr (!kWide) {
      if (k == 0 && phase.tap[0] == 1) {
        read_clamped(t, j, from, across.first, across.count, s.column[j]);
        continue;
      }
    }
    read_clamped(t, j, from, across.first, across.count, s.source);
    if (k == 0)
      weigh_row<false>(s.source, across.count, phase.tap[k], s.column[j]);
    else
      weigh_row<true>(s.source, across.count, phase.tap[k], s.column[j]);
  }
  s.filtered_row[j] = job.across.is_identity() ? s.column[j] : s.filtered[j];
  if (!job.across.is_identity())
    filter_across(job.across, span.first, span.count, across.first, s.column[j], s.filtered[j]);
  return s.filtered_row[j];
}

// Component j of the input as this sum has it.
template <bool kWide>
COALESCE_INLINE const FilteredOf<kWide> *input(const Task &t, const ConvertSum &sum, int j,
                                               const Span &span, Scratch<kWide> &s) {
  if (t.job.filters(sum, j)) return filtered(t, j, span, s);
  const std::uint16_t *row = plain(t, j, span, s);
  if constexpr (!kWide)
    return row;
  else {
    weigh_row<false>(row, span.count, 1, s.widened[j]);
    return s.widened[j];
  }
}

// Component c of the output.
template <int kBytes, bool kWide>
COALESCE_INLINE const std::uint16_t *component(const Task &t, int c, const Span &span,
                                               Scratch<kWide> &s) {
  const ConvertSum &sum = t.job.sum[c];
  std::uint16_t *out = s.out[c];
  if (sum.from == ConvertSum::kConstant) {
    std::fill_n(out, span.count, static_cast<std::uint16_t>(sum.offset));
    return out;
  }
  if (sum.is_copy() && !sum.filtered) return plain(t, sum.from, span, s);
  const bool matrix = sum.from == ConvertSum::kMatrix;
  if (matrix && s.has_rgb) return out;
  const FilteredOf<kWide> *in[3] = {};
  for (int j = 0; j < (matrix ? 3 : 1); ++j)
    in[j] = input(t, sum, matrix ? j : sum.from, span, s);
  if constexpr (!kWide && Vector<kBytes>::kMultipliesPairs) {
    if (matrix && t.pairs) {
      const Offsets<false> *const offsets[3] = {&t.offsets_of<false>(0, span.row),
                                                &t.offsets_of<false>(1, span.row),
                                                &t.offsets_of<false>(2, span.row)};
      rgb_rows<kBytes>(t.job, offsets, in[0], in[1], in[2], span.count, s.out[0], s.out[1],
                       s.out[2]);
      s.has_rgb = true;
      return out;
    }
  }
  const Offsets<kWide> &offsets = t.offsets_of<kWide>(c, span.row);
  if constexpr (!kWide) {
    if (!matrix && fits_shift(sum)) {
      shift_row<kBytes>(in[0], span.count, sum, offsets, out);
      return out;
    }
  }
  const int bits = t.job.to_rgb && sum.filtered ? t.job.filter_bits : 0;
  if (matrix)
    matrix_row<kWide>(in[0], in[1], in[2], bits, span.count, sum, offsets, out);
  else
    scale_row<kWide>(in[0], span.count, sum, offsets, out);
  return out;
}

// Of a row of the components with this log2_height: a block of the picture from x on.
template <int kBytes, bool kWide>
COALESCE_INLINE void convert_block(const Task &t, int log2_height, int row, int x, int width,
                                   Scratch<kWide> &s) {
  const PixelFormat &format = t.job.out.format;
  const std::uint16_t *rows[4] = {};
  int log2_width[4] = {8, 8, 8, 8};  // of a plane: that of its widest component
  std::fill(s.has_plain, s.has_plain + 4, false);
  std::fill(s.filtered_row, s.filtered_row + 3, nullptr);
  s.has_rgb = false;
  for (int c = 0; c < format.components; ++c) {
    const PixelComponent &component_of = format.component[c];
    if (component_of.log2_height != log2_height) continue;
    const int log2 = component_of.log2_width;
    rows[c] = component<kBytes>(t, c, {row, x >> log2, shared(width, log2)}, s);
    log2_width[component_of.plane] = std::min(log2_width[component_of.plane], log2);
  }
  for (int p = 0; p < format.planes; ++p)
    if (const int log2 = log2_width[p]; log2 < 8)
      t.writers[p](t.job.out.plane[p].row(row), x >> log2, shared(width, log2), rows);
}

template <int kBytes, bool kWide>
COALESCE_INLINE void convert_bands(const Task &t, int first, int last) {
  Scratch<kWide> s = {};
  const Image &out = t.job.out;
  const PixelComponent *u = out.format.find(Role::u);
  const bool is_420 = u != nullptr && u->log2_height == 1;
  for (int band = first; band < last; ++band) {
    for (int y = kBandRows * band; y < std::min(kBandRows * (band + 1), out.height); ++y)
      for (int x = 0; x < out.width; x += kBlock)
        convert_block<kBytes>(t, 0, y, x, std::min(kBlock, out.width - x), s);
    if (!is_420) continue;
    constexpr int kRows = kBandRows / 2;
    for (int y = kRows * band; y < std::min(kRows * (band + 1), t.job.out_chroma_rows); ++y)
      for (int x = 0; x < out.width; x += kBlock)
        convert_block<kBytes>(t, 1, y, x, std::min(kBlock, out.width - x), s);
  }
}

void convert_any(const Task &t, int first, int last) {
  convert_bands<16, false>(t, first, last);
}
void convert_wide(const Task &t, int first, int last) {
  convert_bands<16, true>(t, first, last);
}

#if defined(COALESCE_AVX2)
COALESCE_AVX2 void convert_avx2(const Task &t, int first, int last) {
  convert_bands<32, false>(t, first, last);
}
COALESCE_AVX2 void convert_wide_avx2(const Task &t, int first, int last) {
  convert_bands<32, true>(t, first, last);
}
#endif

}  // namespace

Status convert_cpu(const ConvertJob &job, ThreadPool *pool) {
  Task task = {job, {}, {}, fits_pairs(job), {}, {}};
  for (int c = 0; c < job.out.format.components; ++c)
    for (int row = 0; row < 8; ++row)
      if (job.wide)
        task.wide_offsets[c][row] = Offsets<true>(job.sum[c], row);
      else
        task.offsets[c][row] = Offsets<false>(job.sum[c], row);
  for (int j = 0; j < job.in.format.components; ++j)
    task.readers[j] = RowReader(job.in.format.component[j]);
  for (int p = 0; p < job.out.format.planes; ++p)
    task.writers[p] = RowWriter(job.out.format, p, job.out.width);
  auto *convert_rows = job.wide ? convert_wide : convert_any;
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) convert_rows = job.wide ? convert_wide_avx2 : convert_avx2;
#endif
  const int bands = (job.out.height - 1) / kBandRows + 1;
  for_ranges(pool, bands, std::max(1, (1 << 14) / kBandRows / job.out.width),
             [&](int first, int last) { convert_rows(task, first, last); });
  return {};
}

}  // namespace coalesce
