// SPDX-License-Identifier: LGPL-2.1-or-later
// The CPU back end: rows as lanes of words (deinterlace_lanes.h), or blocks of a row, of all the
// rows that it is made of, as numbers of 16 bits.
#include <algorithm>
#include <cstring>

#include "../core/simd.h"
#include "../core/thread_pool.h"
#include "../picture/rows.h"
#include "deinterlace_lanes.h"
#include "deinterlace_line.h"
#include "deinterlace_motion_cpu.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // all functions of vectors are inlined

namespace coalesce {
namespace {

constexpr int kBlock = 384;  // samples: whole groups of v210
constexpr int kMargin = 32;  // before a block: other columns of two rows
constexpr int kReach = 3;    // of them are used
constexpr int kTail = 32;    // behind it: loops work on whole vectors

using Numbers = std::uint16_t[kMargin + kBlock + kTail];

struct Task {
  const DeinterlaceArgs args;
  const DeinterlaceJob &job;
  RowReader readers[4];
  RowWriter writers[4];
};

struct Scratch {
  alignas(64) Numbers above[2], below[2], before[5], after[5];
  alignas(64) Numbers earlier_above, earlier_below, later_above, later_below;
  alignas(64) Numbers out[4];
};

// Part of a row of a component.
struct Span {
  int component, row, first, count;
};

int columns_of(const Task &t, int component) {
  const ConstImage &picture = t.job.frame[1];
  return -(-picture.width >> picture.format.component[component].log2_width);
}

void read(const Task &t, const ConstImage &frame, const Span &span, int row, Numbers &out) {
  const PixelComponent &c = frame.format.component[span.component];
  t.readers[span.component](frame.of(c).row(row), span.first, span.count, out + kMargin);
}

// With the columns beside the span, as far as there are some.
void read_wide(const Task &t, const ConstImage &frame, const Span &span, int row, Numbers &out) {
  const PixelComponent &c = frame.format.component[span.component];
  const int begin = std::max(span.first - kReach, 0);
  const int end = std::min(span.first + span.count + kReach, columns_of(t, span.component));
  t.readers[span.component](frame.of(c).row(row), begin, end - begin,
                            out + kMargin + begin - span.first);
}

// What this kind of row is made of.
void read_lines(const Task &t, const FieldPicture &picture, const LineRows &rows, const Span &span,
                Scratch &s) {
  const auto &[before, current, after] = t.job.frame;
  const LineKind kind = rows.kind;
  read_wide(t, current, span, rows.above[0], s.above[0]);
  if (kind == LineKind::copy) return;
  read_wide(t, current, span, rows.below[0], s.below[0]);
  if (kind == LineKind::linear || kind == LineKind::ela) return;
  if (kind == LineKind::bwdif_intra || kind == LineKind::bwdif || kind == LineKind::w3fdif) {
    read(t, current, span, rows.above[1], s.above[1]);
    read(t, current, span, rows.below[1], s.below[1]);
    if (kind == LineKind::bwdif_intra) return;
  }
  const bool all = kind == LineKind::bwdif || kind == LineKind::w3fdif;
  const bool checks = kind == LineKind::yadif || kind == LineKind::bwdif_edge_check;
  for (int i = 0; i < 5; ++i) {
    if (!all && i != 2 && !(checks && i % 2 == 1)) continue;
    read(t, t.job.field_before(picture), span, rows.other[i], s.before[i]);
    read(t, t.job.field_after(picture), span, rows.other[i], s.after[i]);
  }
  if (kind == LineKind::w3fdif) return;
  read(t, before, span, rows.above[0], s.earlier_above);
  read(t, before, span, rows.below[0], s.earlier_below);
  read(t, after, span, rows.above[0], s.later_above);
  read(t, after, span, rows.below[0], s.later_below);
}

// ---- Vectors ------------------------------------------------------------------------------------

template <class V>
struct LanesOf {
  static constexpr int kCount = sizeof(V) / sizeof(V{}[0]);
  typedef std::uint16_t Numbers __attribute__((vector_size(2 * kCount)));
};
template <>
struct LanesOf<int> {
  static constexpr int kCount = 1;
};

template <class V>
COALESCE_INLINE V load(const std::uint16_t *from) {
  if constexpr (LanesOf<V>::kCount == 1) {
    return *from;
  } else {
    typename LanesOf<V>::Numbers numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    return __builtin_convertvector(numbers, V);
  }
}
template <class V>
COALESCE_INLINE void store(const V &value, std::uint16_t *to) {
  if constexpr (LanesOf<V>::kCount == 1) {
    *to = static_cast<std::uint16_t>(value);
  } else {
    const auto numbers = __builtin_convertvector(value, typename LanesOf<V>::Numbers);
    std::memcpy(to, &numbers, sizeof numbers);
  }
}

template <class V>
COALESCE_INLINE LineSamples<V> samples(const Scratch &s, int i) {
  LineSamples<V> all;
  for (int k = 0; k < 2; ++k)
    all.above[k] = load<V>(s.above[k] + i), all.below[k] = load<V>(s.below[k] + i);
  for (int k = 0; k < 5; ++k)
    all.before[k] = load<V>(s.before[k] + i), all.after[k] = load<V>(s.after[k] + i);
  all.earlier_above = load<V>(s.earlier_above + i);
  all.earlier_below = load<V>(s.earlier_below + i);
  all.later_above = load<V>(s.later_above + i);
  all.later_below = load<V>(s.later_below + i);
  return all;
}

// What is the same for all columns.
struct Line {
  LineKind kind;
  int window, maximum;
};

// Column i of the scratch rows. left, right: columns of the picture beside it. (What a kind does
// not use of the samples is not loaded.)
template <class V, LineKind kKind>
COALESCE_INLINE V calculated(const Scratch &s, const Line &line, int i, int left, int right) {
  const auto column = [&](int row, int dx) COALESCE_LINE_LAMBDA {
    return load<V>((row == 0 ? s.above[0] : s.below[0]) + i + dx);
  };
  const LineSamples<V> all = samples<V>(s, i);
  if constexpr (kKind == LineKind::linear)
    return (all.above[0] + all.below[0] + 1) >> 1;
  else if constexpr (kKind == LineKind::ela)
    return ela<V>(column, line.window, left, right);
  else if constexpr (kKind == LineKind::yadif || kKind == LineKind::yadif_nearest)
    return yadif<V>(all, yadif_prediction<V>(column, left >= kReach && right >= kReach),
                    kKind == LineKind::yadif);
  else if constexpr (kKind == LineKind::w3fdif)
    return w3fdif<V>(all, line.maximum);
  else
    return bwdif<V>(all, kKind, line.maximum);
}

// V: of all columns whose neighbours there are; at the picture's sides numbers one at a time.
template <class V, LineKind kKind>
COALESCE_INLINE void calculate(const Scratch &s, const Line &line, const Span &span, int columns,
                               Numbers &out) {
  for (int i = 0; i < span.count; i += LanesOf<V>::kCount)
    store(calculated<V, kKind>(s, line, kMargin + i, kReach, kReach), out + kMargin + i);
  const auto sides = [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      store(calculated<int, kKind>(s, line, kMargin + i, span.first + i,
                                   columns - 1 - span.first - i),
            out + kMargin + i);
  };
  if constexpr (kKind == LineKind::ela || kKind == LineKind::yadif ||
                kKind == LineKind::yadif_nearest) {
    const int left = std::clamp(kReach - span.first, 0, span.count);
    sides(0, left);
    sides(std::clamp(columns - kReach - span.first, left, span.count), span.count);
  }
}

// Numbers that hold all that is calculated with.
template <class Narrow, class V, class Wide>
COALESCE_INLINE void calculate(const Scratch &s, const Line &line, const Span &span, int columns,
                               Numbers &out) {
  const bool narrow = line.maximum < 1 << 12, wide = line.maximum >= 1 << 14;
  switch (line.kind) {
    case LineKind::copy:
      std::copy_n(s.above[0] + kMargin, span.count, out + kMargin);
      return;
    case LineKind::linear:
      return calculate<V, LineKind::linear>(s, line, span, columns, out);
    case LineKind::ela:
      return narrow ? calculate<Narrow, LineKind::ela>(s, line, span, columns, out)
                    : calculate<V, LineKind::ela>(s, line, span, columns, out);
    case LineKind::yadif:
      return narrow ? calculate<Narrow, LineKind::yadif>(s, line, span, columns, out)
                    : calculate<V, LineKind::yadif>(s, line, span, columns, out);
    case LineKind::yadif_nearest:
      return narrow ? calculate<Narrow, LineKind::yadif_nearest>(s, line, span, columns, out)
                    : calculate<V, LineKind::yadif_nearest>(s, line, span, columns, out);
    case LineKind::bwdif_intra:
      return calculate<V, LineKind::bwdif_intra>(s, line, span, columns, out);
    case LineKind::bwdif_edge:
      return calculate<V, LineKind::bwdif_edge>(s, line, span, columns, out);
    case LineKind::bwdif_edge_check:
      return calculate<V, LineKind::bwdif_edge_check>(s, line, span, columns, out);
    case LineKind::bwdif:
      return calculate<V, LineKind::bwdif>(s, line, span, columns, out);
    case LineKind::w3fdif:
      return wide ? calculate<Wide, LineKind::w3fdif>(s, line, span, columns, out)
                  : calculate<V, LineKind::w3fdif>(s, line, span, columns, out);
  }
}

typedef std::int64_t Wide __attribute__((vector_size(16)));

void calculate_any(const Scratch &s, const Line &line, const Span &span, int columns,
                   Numbers &out) {
  calculate<Vector<16>::Int16, Vector<16>::Int32, Wide>(s, line, span, columns, out);
}
#if defined(COALESCE_AVX2)
COALESCE_AVX2 void calculate_avx2(const Scratch &s, const Line &line, const Span &span, int columns,
                                  Numbers &out) {
  calculate<Vector<32>::Int16, Vector<32>::Int32, Wide>(s, line, span, columns, out);
}
#endif

using Calculate = void (*)(const Scratch &s, const Line &line, const Span &span, int columns,
                           Numbers &out);

Calculate calculate_here() {
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) return calculate_avx2;
#endif
  return calculate_any;
}

// ---- Motion -------------------------------------------------------------------------------------

static_assert(kBlock == MotionRows::kColumns);

// Of a component's blocks in a block of columns.
using Motions = Motion[kBlock / kMotionBlock];

// Rows of a field, from `row` on, and the columns beside the span. Beyond the ends of the plane the
// nearest samples stand in.
template <int kRows>
void read_field(const Task &t, const ConstImage &frame, const Span &span, int row,
                MotionRows::Row (&out)[kRows]) {
  const PixelComponent &c = frame.format.component[span.component];
  const int begin = std::max(span.first - MotionRows::kSide, 0);
  const int end = std::min(span.first + kBlock + MotionRows::kSide, columns_of(t, span.component));
  const int at = MotionRows::kSide + begin - span.first;
  std::uint16_t numbers[sizeof(MotionRows::Row) + kTail];
  for (int i = 0; i < kRows; ++i, row += 2) {
    const int inside = inside_field(row, 0, t.args.plane[c.plane].rows);
    t.readers[span.component](frame.of(c).row(inside), begin, end - begin, numbers);
    for (int k = 0; k < end - begin; ++k)
      out[i][at + k] = upper_bits(numbers[k], c.bits);
    std::fill(out[i], out[i] + at, out[i][at]);
    std::fill(out[i] + at + end - begin, std::end(out[i]), out[i][at + end - begin - 1]);
  }
}

// row: of the span's blocks the first one.
void follow(const Task &t, const FieldPicture &picture, const Span &span, MotionRows &rows,
            Motions &motion) {
  const auto &[before, current, after] = t.job.frame;
  const int kept = span.row + picture.field, missing = span.row + 1 - picture.field;
  read_field(t, current, span, kept - 2 * MotionRows::kAbove, rows.current);
  read_field(t, before, span, kept - 2 * kMotionRows, rows.earlier);
  read_field(t, after, span, kept - 2 * kMotionRows, rows.later);
  read_field(t, t.job.field_before(picture), span, missing - kMotionRows, rows.before);
  read_field(t, t.job.field_after(picture), span, missing - kMotionRows, rows.after);
  find_motion(rows, (span.count - 1) / kMotionBlock + 1, motion);
}

// Eight samples of a row, some of which may be beside the picture.
void read_eight(const Task &t, const ConstImage &frame, const Span &span, int row, int x,
                std::uint16_t (&out)[kMotionBlock + kTail]) {
  const PixelComponent &c = frame.format.component[span.component];
  const std::uint8_t *from = frame.of(c).row(inside_field(row, 0, t.args.plane[c.plane].rows));
  const int columns = columns_of(t, span.component);
  const RowReader &read = t.readers[span.component];
  if (x >= 0 && x + kMotionBlock <= columns) return read(from, x, kMotionBlock, out);
  std::uint16_t sample[1 + kTail];
  for (int i = 0; i < kMotionBlock; ++i) {
    read(from, std::clamp(x + i, 0, columns - 1), 1, sample);
    out[i] = sample[0];
  }
}

void mix(const Task &t, const FieldPicture &picture, const Span &span, const Motions &motion,
         std::uint16_t *row) {
  std::uint16_t before[kMotionBlock + kTail], after[kMotionBlock + kTail];
  for (int i = 0; i < span.count; i += kMotionBlock) {
    const Motion &m = motion[i / kMotionBlock];
    const int x = span.first + i;
    read_eight(t, t.job.field_before(picture), span, span.row - m.rows, x - m.columns, before);
    read_eight(t, t.job.field_after(picture), span, span.row + m.rows, x + m.columns, after);
    for (int k = 0; k < kMotionBlock; ++k)
      row[i + k] =
          static_cast<std::uint16_t>(along_motion(row[i + k], before[k], after[k], m.weight));
  }
}

// ---- Rows ---------------------------------------------------------------------------------------

// Part of the rows of a plane: `width` pixels, or samples of the plane, from x on.
struct Part {
  int plane, x, width;
};

Span span_of(const Task &t, const Part &part, int component, int row) {
  const int log2 =
      t.job.frame[1].format.component[component].log2_width - t.args.plane[part.plane].least_log2;
  return {component, row, part.x >> log2, -(-part.width >> log2)};
}

// Of a row that the kept field has not. motion: of each component; nullptr but for `best`.
void make_block(const Task &t, const FieldPicture &picture, int row, const Part &part,
                Calculate calculate, const Motions *motion, Scratch &s) {
  const PixelFormat &format = t.job.frame[1].format;
  const LineRows rows = line_rows(t.job.rules(picture), row, t.args.plane[part.plane].rows);
  const std::uint16_t *out[4] = {};
  for (int c = 0; c < format.components; ++c) {
    const PixelComponent &component = format.component[c];
    if (component.plane != part.plane) continue;
    const Span span = span_of(t, part, c, row);
    read_lines(t, picture, rows, span, s);
    calculate(s, {rows.kind, t.job.params.ela_window, (1 << component.bits) - 1}, span,
              columns_of(t, c), s.out[c]);
    if (motion != nullptr && rows.kind != LineKind::copy)
      mix(t, picture, span, motion[c], s.out[c] + kMargin);
    out[c] = s.out[c] + kMargin;
  }
  t.writers[part.plane](picture.out.plane[part.plane].row(row), part.x, part.width, out);
}

void keep_row(const Task &t, const FieldPicture &picture, int plane, int row) {
  std::memcpy(picture.out.plane[plane].row(row),
              t.job.kept_frame(picture, row).plane[plane].row(row),
              static_cast<std::size_t>(picture.out.plane[plane].width));
}

void make_rows(const Task &t, int plane, int first, int last) {
  const Calculate calculate = calculate_here();
  const int columns = t.args.plane[plane].columns;
  Scratch s = {};
  for (int row = first; row < last; ++row)
    for (int i = 0; i < t.job.pictures; ++i) {
      const FieldPicture &picture = t.job.picture[i];
      if (t.job.keeps(picture, row)) {
        keep_row(t, picture, plane, row);
        continue;
      }
      const LineRows rows = line_rows(t.job.rules(picture), row, t.args.plane[plane].rows);
      for (int x = make_lanes(t.args, picture, plane, row, rows); x < columns; x += kBlock)
        make_block(t, picture, row, {plane, x, std::min(kBlock, columns - x)}, calculate, nullptr,
                   s);
    }
}

// Rows of blocks of `best`, each of which is followed once.
void make_block_rows(const Task &t, int plane, int first, int last) {
  const PixelFormat &format = t.job.frame[1].format;
  const Calculate calculate = calculate_here();
  const int columns = t.args.plane[plane].columns;
  Scratch s = {};
  MotionRows around;
  Motions motion[4];
  for (int top = first * kMotionBlock; top < last * kMotionBlock; top += kMotionBlock)
    for (int i = 0; i < t.job.pictures; ++i) {
      const FieldPicture &picture = t.job.picture[i];
      const int end = std::min(top + kMotionBlock, t.args.plane[plane].rows);
      for (int row = top + picture.field; row < end; row += 2)
        keep_row(t, picture, plane, row);
      for (int x = 0; x < columns; x += kBlock) {
        const Part part = {plane, x, std::min(kBlock, columns - x)};
        for (int c = 0; c < format.components && t.job.follows_motion(picture); ++c)
          if (format.component[c].plane == plane)
            follow(t, picture, span_of(t, part, c, top), around, motion[c]);
        for (int row = top + 1 - picture.field; row < end; row += 2)
          make_block(t, picture, row, part, calculate,
                     t.job.follows_motion(picture) ? motion : nullptr, s);
      }
    }
}

}  // namespace

Status deinterlace_cpu(const DeinterlaceJob &job, ThreadPool *pool) {
  const ConstImage &current = job.frame[1];
  Task task = {make_args(job), job, {}, {}};
  for (int c = 0; c < current.format.components; ++c)
    task.readers[c] = RowReader(current.format.component[c]);
  for (int p = 0; p < current.format.planes; ++p)
    task.writers[p] = RowWriter(current.format, p, current.width);
  for (int p = 0; p < current.format.planes; ++p) {
    const PlaneRuns &plane = task.args.plane[p];
    if (job.params.method == DeinterlaceMethod::best) {
      for_ranges(pool, (plane.rows - 1) / kMotionBlock + 1, std::max(1, (1 << 11) / plane.columns),
                 [&](int first, int last) { make_block_rows(task, p, first, last); });
      continue;
    }
    for_ranges(pool, plane.rows, std::max(1, (1 << 14) / plane.columns),
               [&](int first, int last) { make_rows(task, p, first, last); });
  }
  return {};
}

}  // namespace coalesce
