// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlace_lanes.h"

#include <algorithm>
#include <cstring>

#include "../core/simd.h"
#include "deinterlace_line.h"

#pragma GCC diagnostic ignored "-Wpsabi"  // all functions of vectors are inlined

namespace coalesce {
namespace {

// Where the rows of LineSamples are.
using RowsInMemory = LineSamples<const std::uint8_t *>;

template <class From, class Function>
COALESCE_INLINE auto each(const LineSamples<From> &from, Function function) {
  LineSamples<decltype(function(from.above[0]))> to;
  for (int i = 0; i < 2; ++i)
    to.above[i] = function(from.above[i]), to.below[i] = function(from.below[i]);
  for (int i = 0; i < 5; ++i)
    to.before[i] = function(from.before[i]), to.after[i] = function(from.after[i]);
  to.earlier_above = function(from.earlier_above), to.earlier_below = function(from.earlier_below);
  to.later_above = function(from.later_above), to.later_below = function(from.later_below);
  return to;
}

// ---- Arithmetic ---------------------------------------------------------------------------------

// In numbers of 16 bits, for samples of up to 12: weighted sums alone are wider, of pairs of
// products.
template <class Vec>
struct NarrowSums {
  using V = typename Vec::Int16;
  using Sum = typename Vec::Int32;

  // (a[0] * weights[0] + b[0] * weights[1] + a[1] * weights[2] + ...) >> shift
  template <int kPairs>
  COALESCE_INLINE static V weighted(const V (&a)[kPairs], const V (&b)[kPairs],
                                    const std::int16_t (&weights)[2 * kPairs], int shift) {
    Sum low = {}, high = {};
    for (int i = 0; i < kPairs; ++i) {
      const Sum factors = Sum{} + (weights[2 * i] & 0xffff) + (weights[2 * i + 1] << 16);
      V pairs[2];
      Sum products[2];
      Vec::interleave(a[i], b[i], pairs[0], pairs[1]);
      for (int k = 0; k < 2; ++k)
        Vec::multiply_add(pairs[k], reinterpret_cast<V>(factors), products[k]);
      low += products[0], high += products[1];
    }
    V out;
    Vec::join(low >> shift, high >> shift, out);
    return out;
  }

  COALESCE_INLINE static V within_field(const LineSamples<V> &s) {
    return weighted<1>({s.above[0] + s.below[0]}, {s.above[1] + s.below[1]}, {5077, -981}, 13);
  }
  // (Four times BwdifSums' weights of the kept field: 32 bits hold the sum here.)
  COALESCE_INLINE static V with_time(const LineSamples<V> &s) {
    return weighted<3>(
        {s.above[0] + s.below[0], s.before[2] + s.after[2], s.before[0] + s.after[0]},
        {s.above[1] + s.below[1], s.before[1] + s.after[1] + (s.before[3] + s.after[3]),
         s.before[4] + s.after[4]},
        {17236, -852, 5570, -3801, 1016, 1016}, 15);
  }
};

// kKind: bwdif_edge stands for all kinds of `bwdif` but the one of rows inside.
template <class V, class Sums, LineKind kKind>
COALESCE_INLINE V made(const LineSamples<V> &s, LineKind kind, int maximum) {
  if constexpr (kKind == LineKind::copy)
    return s.above[0];
  else if constexpr (kKind == LineKind::linear)
    return (s.above[0] + s.below[0] + 1) >> 1;
  else if constexpr (kKind != LineKind::w3fdif)
    return bwdif<V, Sums>(s, kKind == LineKind::bwdif ? kKind : kind, maximum);
  else if constexpr (std::is_same_v<Sums, BwdifSums<V>>)
    return w3fdif<V>(s, maximum);
  else
    return most<V>(V{}, least<V>(Sums::with_time(s), of_all<V>(maximum)));
}

// ---- Lanes --------------------------------------------------------------------------------------

// For each kind of lanes a group of kBytes, whose numbers are read field by field and gathered in
// Words.

template <class Vec>
struct ByteGroup {
  using V = typename Vec::Int16;
  using Sums = NarrowSums<Vec>;
  using Words = V;
  static constexpr int kBytes = sizeof(V) / 2, kFields = 1;
  typedef std::uint8_t Bytes __attribute__((vector_size(kBytes)));
  typedef std::uint32_t Uint32 __attribute__((vector_size(kBytes)));

  COALESCE_INLINE static V load(const std::uint8_t *from, const PlaneRuns &, int) {
    V numbers;
    Vec::widen(from, numbers);
    return numbers;
  }
  COALESCE_INLINE static void put(const V &value, const PlaneRuns &, int, Words &words) {
    words = value;
  }
  COALESCE_INLINE static void store(const Words &words, const PlaneRuns &plane, std::uint8_t *to) {
    const Bytes bytes = __builtin_convertvector(words, Bytes);
    const Uint32 out = reinterpret_cast<Uint32>(bytes) | plane.ones;
    std::memcpy(to, &out, sizeof out);
  }
};

template <class Number, class NumberSums>
struct HalfGroup {
  using V = Number;
  using Sums = NumberSums;
  static constexpr int kLanes = sizeof(V) / sizeof(V{}[0]), kBytes = 2 * kLanes, kFields = 1;
  typedef std::uint16_t Words __attribute__((vector_size(kBytes)));

  COALESCE_INLINE static V load(const std::uint8_t *from, const PlaneRuns &plane, int) {
    Words words;
    std::memcpy(&words, from, sizeof words);
    return __builtin_convertvector(words >> plane.shift & static_cast<std::uint16_t>(plane.maximum),
                                   V);
  }
  COALESCE_INLINE static void put(const V &value, const PlaneRuns &plane, int, Words &words) {
    words = __builtin_convertvector(value, Words) << plane.shift;
  }
  COALESCE_INLINE static void store(const Words &words, const PlaneRuns &, std::uint8_t *to) {
    std::memcpy(to, &words, sizeof words);
  }
};

// (Two vectors of words make one of numbers.)
template <class Vec>
struct FieldGroup {
  using V = typename Vec::Int16;
  using Sums = NarrowSums<Vec>;
  using Half = typename Vec::Uint32;
  struct Words {
    Half half[2];
  };
  static constexpr int kBytes = sizeof(Words), kFields = 4;

  COALESCE_INLINE static V load(const std::uint8_t *from, const PlaneRuns &, int field) {
    Half half[2];
    for (int i = 0; i < 2; ++i) {
      std::memcpy(&half[i], from + i * static_cast<int>(sizeof(Half)), sizeof(Half));
      half[i] = half[i] >> 10 * field & 0x3ff;
    }
    using Int32 = typename Vec::Int32;
    V numbers;
    Vec::join(reinterpret_cast<Int32>(half[0]), reinterpret_cast<Int32>(half[1]), numbers);
    return numbers;
  }
  COALESCE_INLINE static void put(const V &value, const PlaneRuns &, int field, Words &words) {
    V half[2];
    Vec::interleave(value, V{}, half[0], half[1]);
    for (int i = 0; i < 2; ++i)
      words.half[i] |= reinterpret_cast<Half>(half[i]) << 10 * field;
  }
  COALESCE_INLINE static void store(const Words &words, const PlaneRuns &plane, std::uint8_t *to) {
    for (int i = 0; i < 2; ++i) {
      const Half half = (words.half[i] | plane.ones) & ~plane.zeros;
      std::memcpy(to + i * sizeof half, &half, sizeof half);
    }
  }
};

// ---- Rows ---------------------------------------------------------------------------------------

// A row to be made: `bytes` of it. (Loops have a copy of their own, which what they write cannot
// change.)
struct Line {
  PlaneRuns plane;
  LineKind kind;
  int bytes;
  RowsInMemory rows;
  std::uint8_t *out;
};

template <class Group, LineKind kKind>
COALESCE_INLINE void make_group(const Line &line, const RowsInMemory &rows, int at,
                                std::uint8_t *out) {
  typename Group::Words words = {};
#pragma GCC unroll 4
  for (int field = 0; field < Group::kFields; ++field) {
    const auto load = [&](const std::uint8_t *row)
                          COALESCE_LINE_LAMBDA { return Group::load(row + at, line.plane, field); };
    const int maximum = field == 3 ? 3 : line.plane.maximum;
    Group::put(
        made<typename Group::V, typename Group::Sums, kKind>(each(rows, load), line.kind, maximum),
        line.plane, field, words);
  }
  Group::store(words, line.plane, out + at);
}

// The last group overlaps the one before it; a shorter row is made aside.
template <class Group, LineKind kKind>
COALESCE_INLINE void make(const Line line) {
  constexpr int kBytes = Group::kBytes;
  if (line.bytes < kBytes) {
    std::uint8_t rows[18][kBytes] = {}, out[kBytes];
    int used = 0;
    const RowsInMemory copies = each(line.rows, [&](const std::uint8_t *row) {
      std::memcpy(rows[used], row, static_cast<std::size_t>(line.bytes));
      return static_cast<const std::uint8_t *>(rows[used++]);
    });
    make_group<Group, kKind>(line, copies, 0, out);
    std::memcpy(line.out, out, static_cast<std::size_t>(line.bytes));
    return;
  }
  for (int at = 0; at < line.bytes; at += kBytes)
    make_group<Group, kKind>(line, line.rows, std::min(at, line.bytes - kBytes), line.out);
}

// A function for each kind of groups and lines: compilers take long for one of all of them.
using Make = void (*)(const Line &);

template <class Group, LineKind kKind>
void make_plain(const Line &line) {
  make<Group, kKind>(line);
}

#if defined(COALESCE_AVX2)
template <class Group, LineKind kKind>
COALESCE_AVX2 void make_avx2(const Line &line) {
  make<Group, kKind>(line);
}
#endif

template <class Vec, class Group, LineKind kKind>
constexpr Make function() {
#if defined(COALESCE_AVX2)
  if constexpr (std::is_same_v<Vec, Vector<32>>) return make_avx2<Group, kKind>;
#endif
  return make_plain<Group, kKind>;
}

// WideGroup: of numbers that hold the sums of w3fdif.
template <class Vec, class Group, class WideGroup = Group>
Make function_of(LineKind kind) {
  switch (kind) {
    case LineKind::copy:
      return function<Vec, Group, LineKind::copy>();
    case LineKind::linear:
      return function<Vec, Group, LineKind::linear>();
    case LineKind::bwdif:
      return function<Vec, Group, LineKind::bwdif>();
    case LineKind::w3fdif:
      return function<Vec, WideGroup, LineKind::w3fdif>();
    default:
      return function<Vec, Group, LineKind::bwdif_edge>();
  }
}

template <class Vec>
void make_any(const Line &line) {
  if constexpr (Vec::kMultipliesPairs) {
    using Int32 = typename Vec::Int32;
    using Int64 = typename Vec::Int64;
    if (line.plane.lanes == Lanes::bytes)
      function_of<Vec, ByteGroup<Vec>>(line.kind)(line);
    else if (line.plane.lanes == Lanes::fields10 || line.plane.lanes == Lanes::v210)
      function_of<Vec, FieldGroup<Vec>>(line.kind)(line);
    else if (line.plane.maximum < 1 << 12)
      function_of<Vec, HalfGroup<typename Vec::Int16, NarrowSums<Vec>>>(line.kind)(line);
    else
      function_of<Vec, HalfGroup<Int32, BwdifSums<Int32>>, HalfGroup<Int64, BwdifSums<Int64>>>(
          line.kind)(line);
  }
}

void make_here(const Line &line) {
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) return make_any<Vector<32>>(line);
#endif
  make_any<Vector<16>>(line);
}

RowsInMemory rows_in_memory(const DeinterlaceJob &job, const FieldPicture &picture, int plane,
                            const LineRows &rows) {
  const auto &[before, current, after] = job.frame;
  const auto at = [plane](const ConstImage &frame, int row) { return frame.plane[plane].row(row); };
  RowsInMemory all;
  for (int i = 0; i < 2; ++i)
    all.above[i] = at(current, rows.above[i]), all.below[i] = at(current, rows.below[i]);
  for (int i = 0; i < 5; ++i) {
    all.before[i] = at(job.field_before(picture), rows.other[i]);
    all.after[i] = at(job.field_after(picture), rows.other[i]);
  }
  all.earlier_above = at(before, rows.above[0]), all.earlier_below = at(before, rows.below[0]);
  all.later_above = at(after, rows.above[0]), all.later_below = at(after, rows.below[0]);
  return all;
}

bool looks_at_columns(LineKind kind) {
  return kind == LineKind::ela || kind == LineKind::yadif || kind == LineKind::yadif_nearest;
}

}  // namespace

int make_lanes(const DeinterlaceArgs &args, const FieldPicture &picture, int plane, int y,
               const LineRows &rows) {
  const PlaneRuns &runs = args.plane[plane];
  if (!Vector<16>::kMultipliesPairs || runs.lanes == Lanes::none || looks_at_columns(rows.kind))
    return 0;
  int columns = runs.columns, bytes = runs.whole;
  if (bytes < runs.row_bytes) {
    // (Of v210 the last group and the row's padding are written together.)
    const bool v210 = picture.out.format.component[0].container == Container::v210;
    columns = v210 ? (columns - 1) / 6 * 6 : columns / 2 * 2;
    if (v210) bytes = columns / 6 * 16;
  }
  if (bytes == 0) return 0;
  make_here({runs, rows.kind, bytes, rows_in_memory(args.job, picture, plane, rows),
             picture.out.plane[plane].row(y)});
  return columns;
}

}  // namespace coalesce
