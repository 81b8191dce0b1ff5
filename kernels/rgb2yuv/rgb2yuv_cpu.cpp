// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../core/thread_pool.h"
#include "rgb2yuv.h"
#include "rgb2yuv_block.h"
#include "rgb2yuv_pixel.h"

namespace coalesce {
namespace {

struct Task {
  const Rgb2yuvParams &params;
  const RgbImage &in;
  const YuvImage &out;
  RgbOrder order;
  ChromaShift shift;
  int width, height;
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
  const bool planar = t.params.in == RgbLayout::planar;
  const int step = t.order.step, n = span.n;
  const bool whole = n == span.count && (step != 3 || span.x + n < t.width);
  const std::uint8_t *in[3] = {};
  for (int i = 0; i < (planar ? 3 : 1); ++i) {
    in[i] = t.in.plane[i].row(y) + static_cast<std::ptrdiff_t>(span.x) * step;
    prefetch<Use::read>(in[i], t.in.plane[i].pitch << t.shift.down, n * step);  // the next row
    if (whole) continue;
    std::memcpy(s.in + i * kBlock, in[i], static_cast<std::size_t>(n * step));
    in[i] = s.in + i * kBlock;
  }
  if (planar)
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
  const std::uint32_t *words = t.order.x == 0 ? p.even() : p.odd();
  const int shift = t.order.x == 0 ? 0 : 16;
  for (int i = 0; i < count; ++i)
    out[i] = t.params.alpha ? static_cast<std::uint8_t>(words[i] >> shift) : kOpaque;
}

// What every pixel of row y has for itself.
template <int kBytes>
COALESCE_INLINE void write_full(const Task &t, Span span, int y, const Pixels &p, Scratch &s) {
  const auto &plane = t.out.plane;
  switch (t.params.out) {
    case YuvLayout::ayuv:
    case YuvLayout::vuya: {
      const bool ayuv = t.params.out == YuvLayout::ayuv;
      weigh<kBytes>(p, span.count, t.y, s.y);
      weigh<kBytes>(p, span.count, t.u, s.u);
      weigh<kBytes>(p, span.count, t.v, s.v);
      read_alpha(t, p, span.count, s.a);
      interleave(ayuv ? s.a : s.v, ayuv ? s.u : s.y, span.count, s.pairs[0]);
      interleave(ayuv ? s.y : s.u, ayuv ? s.v : s.a, span.count, s.pairs[1]);
      const Span pairs = {2 * span.x, 2 * span.n, 2 * span.count};
      return write_pairs(s.pairs[0], s.pairs[1], pairs, s.out, plane[0].row(y));
    }
    case YuvLayout::yuy2:
    case YuvLayout::uyvy:
      return weigh<kBytes>(p, span.count, t.y, s.y);  // write_half() does the rest
    case YuvLayout::planar444:
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
  const auto &plane = t.out.plane;
  const YuvLayout layout = t.params.out;
  const Span half = span.half();
  if (layout == YuvLayout::planar422 || layout == YuvLayout::planar420) {
    if (c < plane[1].height) write<kBytes>(p, half, t.u, s.out, plane[1].row(c));
    if (c < plane[2].height) write<kBytes>(p, half, t.v, s.out, plane[2].row(c));
    return;
  }
  weigh<kBytes>(p, half.count, t.u, s.u);
  weigh<kBytes>(p, half.count, t.v, s.v);
  if (chroma_in_pairs(layout)) {
    const bool nv12 = layout == YuvLayout::nv12;
    if (c < plane[1].height)
      write_pairs(nv12 ? s.u : s.v, nv12 ? s.v : s.u, half, s.out, plane[1].row(c));
    return;
  }
  const bool yuy2 = layout == YuvLayout::yuy2;
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
  const bool h_cosited = t.params.h_cosited, v_cosited = t.params.v_cosited;
  for (int c = first; c < last; ++c) {
    const ChromaRows rows = down ? chroma_rows(c, t.params.interlaced) : ChromaRows{c, 1};
    for (int x = 0; x < t.width; x += kBlock) {
      const int n = std::min(kBlock, t.width - x);
      const Span span = {x, n, (n + kUnit - 1) / kUnit * kUnit};
      for (int j = down && v_cosited ? -1 : 0; j <= down; ++j) {
        const int y = rows.first + j * rows.step;
        Pixels &p = s.rows[1 + j];
        read<kBytes>(t, span, clamp_row(y, t.height, rows.step), s, p);
        if (j >= 0 && y < t.height) write_full<kBytes>(t, span, y, p, s);
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

PixelWeights placed(const ComponentWeights &w, const Rgb2yuvParams &params, int filter_bits) {
  RgbOrder at = rgb_order(params.in);
  if (params.in == RgbLayout::planar) at = rgb_order(RgbLayout::rgb);  // as unpack_planar() does it
  std::uint32_t bytes[4] = {};
  bytes[at.r] = static_cast<std::uint16_t>(w.r);
  bytes[at.g] = static_cast<std::uint16_t>(w.g);
  bytes[at.b] = static_cast<std::uint16_t>(w.b);
  return {bytes[0] | bytes[2] << 16, bytes[1] | bytes[3] << 16, w.bias, filter_bits};
}

}  // namespace

Status rgb2yuv_cpu(const Rgb2yuvParams &params, const RgbImage &in, const YuvImage &out,
                   ThreadPool *pool) {
  const RgbOrder order = rgb_order(params.in);
  const ChromaShift shift = chroma_shift(params.out);
  const int width = in.plane[0].width / order.step, height = in.plane[0].height;
  const int filter_bits =
      shift.across * (params.h_cosited ? 2 : 1) + shift.down * (params.v_cosited ? 2 : 1);
  const YuvWeights w = yuv_weights(params);
  const Task task = {.params = params,
                     .in = in,
                     .out = out,
                     .order = order,
                     .shift = shift,
                     .width = width,
                     .height = height,
                     .y = placed(w.y, params, 0),
                     .u = placed(w.u, params, filter_bits),
                     .v = placed(w.v, params, filter_bits)};
  auto *convert_rows = convert_any;
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) convert_rows = convert_avx2;
#endif
  // Interlaced: four rows and two of chroma, though the last ones may be fewer.
  int rows = height;
  if (shift.down) rows = params.interlaced ? (height - 1) / 4 * 2 + 2 : (height - 1) / 2 + 1;
  for_ranges(pool, rows, std::max(1, (1 << 14) / width),
             [&](int first, int last) { convert_rows(task, first, last); });
  return {};
}

}  // namespace coalesce
