// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../core/thread_pool.h"
#include "rgb2yuv_block.h"
#include "rgb2yuv_job.h"
#include "rgb2yuv_pixel.h"

namespace coalesce {
namespace {

struct Task {
  const Rgb2yuvJob &job;
  ChromaShift shift;
  PixelWeights y, u, v;
};

// What a thread works in.
struct Scratch {
  Pixels rows[3];  // the row before, the row itself, the next one
  Pixels sum, half;
  std::uint8_t in[4 * kBlock + 8];  // the end of a row, where loads must not reach further
  alignas(64) std::uint8_t out[4 * kBlock];
  alignas(64) std::uint8_t y[kBlock], u[kBlock], v[kBlock], a[kBlock], pairs[2][2 * kBlock];
};

// Samples [x, x + n) of a row; `count` is n in whole units.
struct Span {
  int x, n, count;

  Span half() const { return {x / 2, (n + 1) / 2, count / 2}; }
};

// Asks the cache for `count` bytes, `ahead` of others, that are needed soon. Measured to halve the
// time of a picture that does not fit the cache: two rows are read a block at a time by turns,
// which the machine does not foresee. They may lie past the end of a plane, where a hint does no
// harm but a pointer must not go: so the sum is one of numbers.
enum class Use { read, write };
template <Use kUse>
COALESCE_INLINE void prefetch(const std::uint8_t *bytes, std::size_t ahead, int count) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(bytes) + ahead;
  for (int i = 0; i < count; i += 64)
    __builtin_prefetch(reinterpret_cast<const void *>(first + static_cast<std::uintptr_t>(i)),
                       kUse == Use::write);
}
constexpr int kAhead = 4096;  // bytes from what is written to what will be

// Pixels of row y, and after an odd number of them the last one again.
template <int kBytes>
COALESCE_INLINE void read(const Task &t, Span span, int y, Scratch &s, Pixels &out) {
  const int step = t.job.order.step, n = span.n;
  const bool whole = n == span.count && (step != 3 || span.x + n < t.job.width);
  const std::uint8_t *in[3] = {};
  for (int i = 0; i < t.job.in_planes(); ++i) {
    const Plane<const std::uint8_t> &plane = t.job.in.plane[i];
    in[i] = plane.row(y) + static_cast<std::ptrdiff_t>(span.x) * step;
    prefetch<Use::read>(in[i], plane.pitch << t.shift.down, n * step);  // the next row
    if (whole) continue;
    std::memcpy(s.in + i * kBlock, in[i], static_cast<std::size_t>(n * step));
    in[i] = s.in + i * kBlock;
  }
  if (step == 1)
    unpack_planar(in[0], in[1], in[2], span.count, out);
  else if (step == 3)
    unpack24<kBytes>(in[0], span.count, out);
  else
    unpack32(in[0], span.count, out);
  if (n % 2 == 1) {
    out.even()[n] = out.even()[n - 1];
    out.odd()[n] = out.odd()[n - 1];
  }
}

// One component, or two that take turns, into a row of a plane. What is no whole unit is made in
// `aside` first.
template <int kBytes>
COALESCE_INLINE void write(const Pixels &p, Span span, const PixelWeights &w, std::uint8_t *aside,
                           std::uint8_t *row) {
  const bool whole = span.n == span.count;
  prefetch<Use::write>(row + span.x, kAhead, span.n);
  weigh<kBytes>(p, span.count, w, whole ? row + span.x : aside);
  if (!whole) std::memcpy(row + span.x, aside, static_cast<std::size_t>(span.n));
}

COALESCE_INLINE void write_pairs(const std::uint8_t *a, const std::uint8_t *b, Span span,
                                 std::uint8_t *aside, std::uint8_t *row) {
  const bool whole = span.n == span.count;
  row += static_cast<std::ptrdiff_t>(2) * span.x;
  prefetch<Use::write>(row, kAhead, 2 * span.n);
  interleave(a, b, span.count, whole ? row : aside);
  if (!whole) std::memcpy(row, aside, static_cast<std::size_t>(2 * span.n));
}

COALESCE_INLINE void read_alpha(const Task &t, const Pixels &p, int count, std::uint8_t *out) {
  const int at = t.job.order.alpha;
  const std::uint32_t *words = at == 0 ? p.even() : p.odd();
  const int shift = at == 0 ? 0 : 16;
  for (int i = 0; i < count; ++i)
    out[i] = at >= 0 ? static_cast<std::uint8_t>(words[i] >> shift) : kOpaque;
}

// What every pixel of row y has for itself.
template <int kBytes>
COALESCE_INLINE void write_full(const Task &t, Span span, int y, const Pixels &p, Scratch &s) {
  const auto &plane = t.job.out.plane;
  switch (t.job.sink) {
    case YuvSink::packed444: {
      const bool ayuv = t.job.luma_at == 1;
      weigh<kBytes>(p, span.count, t.y, s.y);
      weigh<kBytes>(p, span.count, t.u, s.u);
      weigh<kBytes>(p, span.count, t.v, s.v);
      read_alpha(t, p, span.count, s.a);
      interleave(ayuv ? s.a : s.v, ayuv ? s.u : s.y, span.count, s.pairs[0]);
      interleave(ayuv ? s.y : s.u, ayuv ? s.v : s.a, span.count, s.pairs[1]);
      const Span pairs = {2 * span.x, 2 * span.n, 2 * span.count};
      return write_pairs(s.pairs[0], s.pairs[1], pairs, s.out, plane[0].row(y));
    }
    case YuvSink::packed422:
      return weigh<kBytes>(p, span.count, t.y, s.y);  // write_half() does the rest
    case YuvSink::planar444:
      write<kBytes>(p, span, t.u, s.out, plane[1].row(y));
      write<kBytes>(p, span, t.v, s.out, plane[2].row(y));
      break;
    default:
      break;
  }
  write<kBytes>(p, span, t.y, s.out, plane[0].row(y));
}

// What 2 or 4 pixels share: row c of the chroma, if the planes have it.
template <int kBytes>
COALESCE_INLINE void write_half(const Task &t, Span span, int c, const Pixels &p, Scratch &s) {
  const auto &plane = t.job.out.plane;
  const Span half = span.half();
  if (t.job.sink != YuvSink::packed422 && !t.job.pairs) {
    if (c < plane[1].height) write<kBytes>(p, half, t.u, s.out, plane[1].row(c));
    if (c < plane[2].height) write<kBytes>(p, half, t.v, s.out, plane[2].row(c));
    return;
  }
  weigh<kBytes>(p, half.count, t.u, s.u);
  weigh<kBytes>(p, half.count, t.v, s.v);
  if (t.job.pairs) {
    const bool nv21 = t.job.v_first;
    if (c < plane[1].height)
      write_pairs(nv21 ? s.v : s.u, nv21 ? s.u : s.v, half, s.out, plane[1].row(c));
    return;
  }
  const bool yuy2 = t.job.luma_at == 0;
  interleave(s.u, s.v, half.count, s.pairs[0]);
  const Span pairs = {span.x, 2 * half.n, span.count};
  write_pairs(yuy2 ? s.y : s.pairs[0], yuy2 ? s.pairs[0] : s.y, pairs, s.out, plane[0].row(c));
}

// Rows [first, last) of chroma, each with the rows of luma that it is made of, while these are in
// the cache; of the picture, where it is not 4:2:0.
template <int kBytes>
COALESCE_INLINE void convert(const Task &t, int first, int last) {
  Scratch s = {};
  const int down = t.shift.down;
  const bool h_cosited = t.job.params.h_cosited, v_cosited = t.job.params.v_cosited;
  const int width = t.job.width, height = t.job.height;
  for (int c = first; c < last; ++c) {
    const ChromaRows rows = down ? chroma_rows(c, t.job.interlaced) : ChromaRows{c, 1};
    for (int x = 0; x < width; x += kBlock) {
      const int n = std::min(kBlock, width - x);
      const Span span = {x, n, (n + kUnit - 1) / kUnit * kUnit};
      for (int j = down && v_cosited ? -1 : 0; j <= down; ++j) {
        const int y = rows.first + j * rows.step;
        Pixels &p = s.rows[1 + j];
        read<kBytes>(t, span, clamp_row(y, height, rows.step), s, p);
        if (j >= 0 && y < height) write_full<kBytes>(t, span, y, p, s);
      }
      if (!t.shift.across) continue;
      Pixels &sum = down ? s.sum : s.rows[1];
      if (down) {
        const Pixels &before = s.rows[0], &row = s.rows[1], &next = s.rows[2];
        add_rows(before.even(), row.even(), next.even(), span.count, v_cosited, sum.even());
        add_rows(before.odd(), row.odd(), next.odd(), span.count, v_cosited, sum.odd());
      }
      halve<kBytes>(sum.even(), span.count, x == 0, h_cosited, s.half.even());
      halve<kBytes>(sum.odd(), span.count, x == 0, h_cosited, s.half.odd());
      write_half<kBytes>(t, span, c, s.half, s);
    }
  }
}

void convert_any(const Task &t, int first, int last) {
  convert<16>(t, first, last);
}

#if defined(COALESCE_AVX2)
COALESCE_AVX2 void convert_avx2(const Task &t, int first, int last) {
  convert<32>(t, first, last);
}
#endif

PixelWeights placed(const ComponentWeights &w, const RgbOrder &at, int filter_bits) {
  std::uint32_t bytes[4] = {};
  bytes[at.r] = static_cast<std::uint16_t>(w.r);
  bytes[at.g] = static_cast<std::uint16_t>(w.g);
  bytes[at.b] = static_cast<std::uint16_t>(w.b);
  return {bytes[0] | bytes[2] << 16, bytes[1] | bytes[3] << 16, w.bias, filter_bits};
}

}  // namespace

Status rgb2yuv_cpu(const Rgb2yuvJob &job, ThreadPool *pool) {
  const ChromaShift shift = chroma_shift(job.sink);
  const int filter_bits =
      shift.across * (job.params.h_cosited ? 2 : 1) + shift.down * (job.params.v_cosited ? 2 : 1);
  const YuvWeights w = yuv_weights(job.params);
  const Task task = {.job = job,
                     .shift = shift,
                     .y = placed(w.y, job.order, 0),
                     .u = placed(w.u, job.order, filter_bits),
                     .v = placed(w.v, job.order, filter_bits)};
  auto *convert_rows = convert_any;
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) convert_rows = convert_avx2;
#endif
  // Interlaced: four rows and two of chroma, though the last ones may be fewer.
  int rows = job.height;
  if (shift.down) rows = job.interlaced ? (rows - 1) / 4 * 2 + 2 : (rows - 1) / 2 + 1;
  for_ranges(pool, rows, std::max(1, (1 << 14) / job.width),
             [&](int first, int last) { convert_rows(task, first, last); });
  return {};
}

}  // namespace coalesce
