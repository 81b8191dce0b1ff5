// SPDX-License-Identifier: LGPL-2.1-or-later
#include "colour.h"

#include <algorithm>
#include <cstring>

#include "../../core/clones.h"
#include "../../core/simd.h"
#include "colour_pixel.h"

namespace coalesce::j2k {
namespace {

constexpr int kBlock = 1024;  // samples: a thread's intermediate results stay in the nearest cache

// What is the same for all samples of a row.
struct Field {
  int shift;
  std::uint32_t mask;
  std::int32_t middle;
};

// The step is a constant where it can be one: vectors come of that.
template <class T, int kStep>
COALESCE_INLINE void read_every(const std::uint8_t *in, int step, Field f, int count,
                                std::int32_t *__restrict out) {
  const auto stride = static_cast<std::ptrdiff_t>(kStep > 0 ? kStep : step);
  for (int i = 0; i < count; ++i) {
    T container;
    std::memcpy(&container, in + i * stride * static_cast<std::ptrdiff_t>(sizeof(T)), sizeof(T));
    out[i] = static_cast<std::int32_t>((std::uint32_t{container} >> f.shift) & f.mask) - f.middle;
  }
}

template <class T>
COALESCE_INLINE void read_integers(const std::uint8_t *row, std::ptrdiff_t first, int step, Field f,
                                   int count, std::int32_t *out) {
  const std::uint8_t *in = row + first * static_cast<std::ptrdiff_t>(sizeof(T));
  switch (step) {
    case 1:
      return read_every<T, 1>(in, step, f, count, out);
    case 2:
      return read_every<T, 2>(in, step, f, count, out);
    case 3:
      return read_every<T, 3>(in, step, f, count, out);
    case 4:
      return read_every<T, 4>(in, step, f, count, out);
    default:
      return read_every<T, 0>(in, step, f, count, out);
  }
}

COALESCE_INLINE void read_v210(const std::uint8_t *row, std::ptrdiff_t first, int step, Field f,
                               int count, std::int32_t *__restrict out) {
  const auto begin = static_cast<std::uint32_t>(first), stride = static_cast<std::uint32_t>(step);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t field = begin + static_cast<std::uint32_t>(i) * stride;
    std::uint32_t word;
    std::memcpy(&word, row + 4 * static_cast<std::size_t>(field / 3), sizeof word);
    word = (word >> (10 * (field % 3))) & 0x3FF;
    out[i] = static_cast<std::int32_t>((word >> f.shift) & f.mask) - f.middle;
  }
}

COALESCE_INLINE void read_be10(const std::uint8_t *row, std::ptrdiff_t first, int step, Field f,
                               int count, std::int32_t *__restrict out) {
  for (int i = 0; i < count; ++i) {
    const Be10Place at = be10_place(first + std::ptrdiff_t{step} * i);
    const std::uint32_t word = (row[at.byte] << 8 | row[at.byte + 1]) >> at.shift & 0x3FF;
    out[i] = static_cast<std::int32_t>((word >> f.shift) & f.mask) - f.middle;
  }
}

// Level-shifted samples x to x + count - 1 of row y.
COALESCE_INLINE void read(const Samples &in, int x, int y, int count, std::int32_t *out) {
  const std::uint8_t *row =
      static_cast<const std::uint8_t *>(in.data) + static_cast<std::size_t>(in.y0 + y) * in.pitch;
  const std::ptrdiff_t first = in.first + (std::ptrdiff_t{in.x0} + x) * in.step;
  const Field f = {in.shift, (1u << in.bits) - 1, 1 << (in.bits - 1)};
  switch (in.container) {
    case Container::u8:
      return read_integers<std::uint8_t>(row, first, in.step, f, count, out);
    case Container::u16:
      return read_integers<std::uint16_t>(row, first, in.step, f, count, out);
    case Container::u32:
      return read_integers<std::uint32_t>(row, first, in.step, f, count, out);
    case Container::v210:
      return read_v210(row, first, in.step, f, count, out);
    case Container::be10:
      return read_be10(row, first, in.step, f, count, out);
  }
}

COALESCE_CLONES
void shift_row(const Samples &in, int y, int width, std::int32_t *out) {
  read(in, 0, y, width, out);
}

COALESCE_CLONES
void shift_row_to_float(const Samples &in, int y, int width, float *__restrict out) {
  std::int32_t block[kBlock];
  for (int x = 0; x < width; x += kBlock) {
    const int count = std::min(kBlock, width - x);
    read(in, x, y, count, block);
    for (int i = 0; i < count; ++i)
      out[x + i] = static_cast<float>(block[i]);
  }
}

template <class T, class Transform>
COALESCE_INLINE void transform_row(const Samples (&in)[3], int y, int width, T *__restrict out0,
                                   T *__restrict out1, T *__restrict out2, Transform transform) {
  std::int32_t block[3][kBlock];
  for (int x = 0; x < width; x += kBlock) {
    const int count = std::min(kBlock, width - x);
    for (int c = 0; c < 3; ++c)
      read(in[c], x, y, count, block[c]);
    for (int i = 0; i < count; ++i) {
      const Pixel<T> p = transform(static_cast<T>(block[0][i]), static_cast<T>(block[1][i]),
                                   static_cast<T>(block[2][i]));
      out0[x + i] = p.c0;
      out1[x + i] = p.c1;
      out2[x + i] = p.c2;
    }
  }
}

COALESCE_CLONES
void rct_row(const Samples (&in)[3], const Plane<std::int32_t> (&out)[3], int y) {
  transform_row<std::int32_t>(in, y, out[0].width, out[0].row(y), out[1].row(y), out[2].row(y),
                              rct_pixel);
}

COALESCE_CLONES
void ict_row(const Samples (&in)[3], const Plane<float> (&out)[3], int y) {
  transform_row<float>(in, y, out[0].width, out[0].row(y), out[1].row(y), out[2].row(y), ict_pixel);
}

template <class T>
Status check_one(const Samples &in, const Plane<T> &out) {
  if (Status s = check_plane(out); !s.ok()) return s;
  return check_samples(in, out.width);
}

template <class T>
Status check_three(const Samples (&in)[3], const Plane<T> (&out)[3]) {
  for (int c = 0; c < 3; ++c) {
    if (Status s = check_one(in[c], out[c]); !s.ok()) return s;
    if (in[c].bits != in[0].bits)
      return invalid_argument("j2k: components to be transformed differ in bits");
    if (out[c].width != out[0].width || out[c].height != out[0].height)
      return invalid_argument("j2k: components to be transformed differ in size");
  }
  return {};
}

template <class RowBody>
void for_rows(ThreadPool *pool, int width, int height, RowBody body) {
  const int grain = std::max(1, (1 << 14) / width);  // 64 KiB of results at least
  for_ranges(pool, height, grain, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      body(y);
  });
}

}  // namespace

Status check_samples(const Samples &in, int width) {
  if (in.data == nullptr) return invalid_argument("j2k: a component has no data");
  if (in.container > Container::be10) return invalid_argument("j2k: no such container");
  if (in.bits < 1 || in.bits > 16) return invalid_argument("j2k: a sample has not 1 to 16 bits");
  if (in.shift + in.bits > container_bits(in.container))
    return invalid_argument("j2k: a sample has bits that its container has not");
  if (in.first < 0 || in.step < 1 || in.x0 < 0 || in.y0 < 0)
    return invalid_argument("j2k: samples before the first one");
  const std::int64_t last = in.first + (std::int64_t{in.x0} + width - 1) * in.step;
  const std::int64_t containers = in.container == Container::v210   ? last / 3 + 1
                                  : in.container == Container::be10 ? last / 4 + 1
                                                                    : last + 1;
  // (Fields are counted in 32 bits.)
  if (last > INT32_MAX ||
      static_cast<std::uint64_t>(containers * container_bytes(in.container)) > in.pitch)
    return invalid_argument("j2k: samples beyond the end of a row");
  return {};
}

Status level_shift(const Samples &in, const Plane<std::int32_t> &out, ThreadPool *pool) {
  if (Status s = check_one(in, out); !s.ok()) return s;
  for_rows(pool, out.width, out.height, [&](int y) { shift_row(in, y, out.width, out.row(y)); });
  return {};
}

Status level_shift(const Samples &in, const Plane<float> &out, ThreadPool *pool) {
  if (Status s = check_one(in, out); !s.ok()) return s;
  for_rows(pool, out.width, out.height,
           [&](int y) { shift_row_to_float(in, y, out.width, out.row(y)); });
  return {};
}

Status reversible_transform(const Samples (&in)[3], const Plane<std::int32_t> (&out)[3],
                            ThreadPool *pool) {
  if (Status s = check_three(in, out); !s.ok()) return s;
  for_rows(pool, out[0].width, out[0].height, [&](int y) { rct_row(in, out, y); });
  return {};
}

Status irreversible_transform(const Samples (&in)[3], const Plane<float> (&out)[3],
                              ThreadPool *pool) {
  if (Status s = check_three(in, out); !s.ok()) return s;
  for_rows(pool, out[0].width, out[0].height, [&](int y) { ict_row(in, out, y); });
  return {};
}

}  // namespace coalesce::j2k
