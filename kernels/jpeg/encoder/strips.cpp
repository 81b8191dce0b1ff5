// SPDX-License-Identifier: LGPL-2.1-or-later
#include "strips.h"

#include <algorithm>
#include <cstring>

#include "../../core/simd.h"
#include "colour.h"

namespace coalesce::jpeg {
namespace {

using Byte = std::uint8_t;

std::size_t up_to(int width, int part) {
  return static_cast<std::size_t>((width + part - 1) / part * part);
}

void extend(Byte *row, std::size_t width, std::size_t end) {
  if (width < end) std::memset(row + width, row[width - 1], end - width);
}

COALESCE_CLONES void to_bytes(const std::uint16_t *from, std::size_t count, Byte *to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<Byte>(from[i]);
}

struct Rows {
  const std::uint16_t *r, *g, *b;
  Byte *y, *cb, *cr;
};

void convert_from(const Rows &rows, std::size_t first, std::size_t count) {
  for (std::size_t i = first; i < count; ++i) {
    const int r = rows.r[i], g = rows.g[i], b = rows.b[i];
    rows.y[i] = static_cast<Byte>(luma_of(r, g, b));
    rows.cb[i] = static_cast<Byte>(cb_of(r, g, b));
    rows.cr[i] = static_cast<Byte>(cr_of(r, g, b));
  }
}

#if defined(__x86_64__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
// The same sums, of pairs of products of 16 bits: green has two weights in luma, and what has a
// half is shifted. Returns how many pixels it did.
template <int kBytes>
COALESCE_INLINE std::size_t convert_vectors(const Rows &rows, std::size_t count) {
  using V = Vector<kBytes>;
  using Int16 = typename V::Int16;
  using Int32 = typename V::Int32;
  typedef Byte Bytes __attribute__((vector_size(kBytes / 2)));
  constexpr std::size_t kPixels = kBytes / 2;
  const auto pair = [](int a, int b, Int16 &out) {
    out = reinterpret_cast<Int16>(Int32{} + static_cast<int>((static_cast<unsigned>(a) & 0xFFFF) |
                                                             static_cast<unsigned>(b) << 16));
  };
  Int16 luma_rg, luma_bg, cb_rg, cr_bg;
  pair(19595, 38470 - 16384, luma_rg);
  pair(7471, 16384, luma_bg);
  pair(-11059, -21709, cb_rg);
  pair(-5329, -27439, cr_bg);
  std::size_t i = 0;
  for (; i + kPixels <= count; i += kPixels) {
    Int16 r, g, b, rg[2], bg[2], y, cb, cr;
    std::memcpy(&r, rows.r + i, sizeof r);
    std::memcpy(&g, rows.g + i, sizeof g);
    std::memcpy(&b, rows.b + i, sizeof b);
    V::interleave(r, g, rg[0], rg[1]);
    V::interleave(b, g, bg[0], bg[1]);
    Int32 of_y[2], of_cb[2], of_cr[2];
    for (int half = 0; half < 2; ++half) {
      Int32 first, second;
      V::multiply_add(rg[half], luma_rg, first);
      V::multiply_add(bg[half], luma_bg, second);
      of_y[half] = (first + second + 32768) >> 16;
      // The lower half of a pair, times 2^15.
      V::multiply_add(rg[half], cb_rg, first);
      second = reinterpret_cast<Int32>(bg[half]) << 16 >> 1;
      of_cb[half] = (first + second + 8421375) >> 16;
      V::multiply_add(bg[half], cr_bg, first);
      second = reinterpret_cast<Int32>(rg[half]) << 16 >> 1;
      of_cr[half] = (first + second + 8421375) >> 16;
    }
    V::join(of_y[0], of_y[1], y);
    V::join(of_cb[0], of_cb[1], cb);
    V::join(of_cr[0], of_cr[1], cr);
    const auto store = [i](const Int16 &from, Byte *to) {
      const Bytes bytes = __builtin_convertvector(from, Bytes);
      std::memcpy(to + i, &bytes, sizeof bytes);
    };
    store(y, rows.y);
    store(cb, rows.cb);
    store(cr, rows.cr);
  }
  return i;
}
#if defined(COALESCE_AVX2)
COALESCE_AVX2 std::size_t convert_avx2(const Rows &rows, std::size_t count) {
  return convert_vectors<32>(rows, count);
}
#endif
#pragma GCC diagnostic pop
#endif

void convert(const Rows &rows, std::size_t count) {
  std::size_t done = 0;
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2"))
    done = convert_avx2(rows, count);
  else
#endif
#if defined(__x86_64__)
    done = convert_vectors<16>(rows, count);
#endif
  convert_from(rows, done, count);
}

COALESCE_CLONES void halve(const Byte *from, std::size_t count, Byte *to) {
  for (std::size_t x = 0; x < count; ++x)
    to[x] = static_cast<Byte>(half_of(from[2 * x] + from[2 * x + 1], static_cast<int>(x)));
}

COALESCE_CLONES void quarter(const Byte *upper, const Byte *lower, std::size_t count, Byte *to) {
  for (std::size_t x = 0; x < count; ++x)
    to[x] = static_cast<Byte>(quarter_of(
        upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1], static_cast<int>(x)));
}

}  // namespace

Strips::Strips(const PixelFormat &format, const CodingPlan &plan) : plan_(plan), pitch_() {
  for (int i = 0; i < plan.components; ++i) {
    const CodedComponent &c = plan.component[i];
    readers_[i] = RowReader(format.component[i]);
    pitch_[i] = static_cast<std::size_t>(kBlockSize * c.blocks_x);
    rows_[i].resize(pitch_[i] * kBlockSize * c.v);
    colours_[i].resize(up_to(plan.width, 2 * kBlockSize));
  }
  if (!plan.converts) return;
  for (auto &component : chroma_)
    for (std::vector<Byte> &row : component)
      row.resize(up_to(plan.width, kBlockSize * plan.shrink_x));
}

void Strips::load(const ConstImage &image, int mcu_y) {
  if (plan_.converts)
    load_converted(image, mcu_y);
  else
    load_as_they_are(image, mcu_y);
}

void Strips::load_component(const ConstImage &image, int component, int y, Byte *to) {
  const PixelComponent &c = image.format.component[component];
  const auto width = static_cast<std::size_t>(plan_.component[component].width);
  const Byte *from = image.of(c).row(y);
  if (c.step == 1) {
    std::memcpy(to, from + c.first, width);
  } else {
    std::uint16_t *samples = colours_[component].data();
    readers_[component](from, 0, static_cast<int>(width), samples);
    to_bytes(samples, width, to);
  }
  extend(to, width, pitch_[component]);
}

void Strips::load_as_they_are(const ConstImage &image, int mcu_y) {
  for (int i = 0; i < plan_.components; ++i) {
    const CodedComponent &c = plan_.component[i];
    const int rows = kBlockSize * c.v, first = mcu_y * rows;
    const int there = std::min(rows, c.height - first);
    for (int y = 0; y < rows; ++y)
      if (y < there)
        load_component(image, i, first + y, own_row(i, y));
      else
        std::memcpy(own_row(i, y), own_row(i, there - 1), pitch_[i]);
  }
}

// Row y of the picture to luma and to the row of chroma that it has among those that are shrunk
// together.
void Strips::convert_row(const ConstImage &image, int y, Byte *luma) {
  const auto width = static_cast<std::size_t>(plan_.width);
  for (int i = 0; i < kMostComponents; ++i)
    readers_[i](image.of(image.format.component[i]).row(y), 0, plan_.width, colours_[i].data());
  Byte *chroma[2];
  for (int i = 0; i < 2; ++i)
    chroma[i] = plan_.shrink_x == 1 ? own_row(1 + i, y % kBlockSize)
                                    : chroma_[i][y % plan_.shrink_y].data();
  convert({colours_[0].data(), colours_[1].data(), colours_[2].data(), luma, chroma[0], chroma[1]},
          width);
  extend(luma, width, pitch_[0]);
  for (int i = 0; i < 2; ++i)
    extend(chroma[i], width, plan_.shrink_x == 1 ? pitch_[1 + i] : chroma_[i][0].size());
}

// The last row of the picture fills the rows that are shrunk together; below, it is the last row of
// chroma that is repeated.
void Strips::load_converted(const ConstImage &image, int mcu_y) {
  const int down = plan_.shrink_y, rows = kBlockSize * down, first = mcu_y * rows;
  const int there = std::min(rows, plan_.height - first);
  for (int y = 0; y < rows; y += down) {
    const int of_chroma = y / down;
    if (y >= there) {
      for (int i = 0; i < down; ++i)
        std::memcpy(own_row(0, y + i), own_row(0, y - 1), pitch_[0]);
      for (int i = 1; i < 3; ++i)
        std::memcpy(own_row(i, of_chroma), own_row(i, of_chroma - 1), pitch_[i]);
      continue;
    }
    for (int i = 0; i < down; ++i)
      if (y + i < there)
        convert_row(image, first + y + i, own_row(0, y + i));
      else
        std::memcpy(own_row(0, y + i), own_row(0, y + i - 1), pitch_[0]);
    if (plan_.shrink_x == 1) continue;
    for (int i = 0; i < 2; ++i) {
      const Byte *upper = chroma_[i][0].data();
      if (down == 1)
        halve(upper, pitch_[1 + i], own_row(1 + i, of_chroma));
      else
        quarter(upper, y + 1 < there ? chroma_[i][1].data() : upper, pitch_[1 + i],
                own_row(1 + i, of_chroma));
    }
  }
}

}  // namespace coalesce::jpeg
