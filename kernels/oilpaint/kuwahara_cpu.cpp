// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstring>

#include "../core/simd.h"
#include "../core/thread_pool.h"
#include "kuwahara.h"

#if defined(__clang__)
#define COALESCE_INLINE_LAMBDA
#else
#define COALESCE_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace coalesce {
namespace {

// ---- Codes --------------------------------------------------------------------------------------

constexpr int kColumns = 64, kRows = 32;  // of a tile
constexpr int kWide = kColumns + 2 * kOilTensorReach, kHigh = kRows + 2 * kOilTensorReach;

struct TensorTile {
  OilTensor raw[kHigh][kWide];
  OilTensor across[kHigh][kColumns];
};

OilTensor gradient(const OilWords &in, int x, int y) {
  std::uint32_t around[9];
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      around[3 * j + i] =
          in.row(std::clamp(y + j - 1, 0, in.height - 1))[std::clamp(x + i - 1, 0, in.width - 1)];
  OilTensor t = {};
  for (int c = 0; c < 3; ++c) {
    int samples[9];
    for (int i = 0; i < 9; ++i)
      samples[i] = static_cast<int>(oil_byte(around[i], c));
    oil_add_gradient(samples, &t);
  }
  return t;
}

// Nine tensors, `step` apart.
OilTensor smoothed(const OilTensor *from, int step) {
  OilTensor sum = {};
  for (int i = -kOilTensorReach; i <= kOilTensorReach; ++i, from += step) {
    const int tap = oil_tensor_tap(i);
    sum.e += tap * from->e, sum.f += tap * from->f, sum.g += tap * from->g;
  }
  return {oil_tensor_rounded(sum.e), oil_tensor_rounded(sum.f), oil_tensor_rounded(sum.g)};
}

void make_codes(const OilWords &in, const OilWords &codes, int x0, int y0, int y1,
                TensorTile &tile) {
  const int columns = std::min(kColumns, in.width - x0), rows = y1 - y0;
  for (int j = 0; j < rows + 2 * kOilTensorReach; ++j) {
    for (int i = 0; i < columns + 2 * kOilTensorReach; ++i)
      tile.raw[j][i] = gradient(in, std::clamp(x0 + i - kOilTensorReach, 0, in.width - 1),
                                std::clamp(y0 + j - kOilTensorReach, 0, in.height - 1));
    for (int i = 0; i < columns; ++i)
      tile.across[j][i] = smoothed(&tile.raw[j][i], 1);
  }
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < columns; ++i)
      codes.row(y0 + j)[x0 + i] = oil_code(smoothed(&tile.across[j][i], kColumns));
}

// ---- Lists --------------------------------------------------------------------------------------

// Pixels of an ellipse.
struct Ellipse {
  static constexpr int kSide = 4 * kMaxOilKuwaharaRadius + 1;
  struct Pixel {
    std::int16_t i, j, u, v;
  };
  Pixel pixels[kSide * kSide];
  int count = 0;

  Ellipse(const OilKuwahara &k, int code) {
    for (int j = -k.reach(); j <= k.reach(); ++j)
      for (int i = -k.reach(); i <= k.reach(); ++i)
        if (int u, v; oil_is_in_ellipse(k.radius, code, i, j, &u, &v))
          pixels[count++] = {static_cast<std::int16_t>(i), static_cast<std::int16_t>(j),
                             static_cast<std::int16_t>(u), static_cast<std::int16_t>(v)};
  }
};

void make_list(const OilKuwahara &k, const Ellipse &ellipse, int sector, std::uint32_t *list) {
  std::uint32_t sums[Ellipse::kSide * Ellipse::kSide + 1];  // of weights before a pixel
  sums[0] = 0;
  for (int n = 0; n < ellipse.count; ++n)
    sums[n + 1] =
        sums[n] + oil_sector_weight(k.radius, sector, ellipse.pixels[n].u, ellipse.pixels[n].v);
  const std::uint32_t all = sums[ellipse.count];
  std::uint32_t count = 0;
  for (int n = 0; n < ellipse.count; ++n) {
    if (sums[n + 1] == sums[n]) continue;
    const std::uint32_t part =
        oil_kuwahara_part(sums[n + 1], all) - oil_kuwahara_part(sums[n], all);
    if (part > 0) list[++count] = oil_kuwahara_tap(ellipse.pixels[n].i, ellipse.pixels[n].j, part);
  }
  list[0] = count;
}

// ---- Paint --------------------------------------------------------------------------------------

using Lanes = Vector<16>;
using Shorts = Lanes::Int16;
using Ints = Lanes::Int32;

// out[i] = a[2 i] * b[2 i] + a[2 i + 1] * b[2 i + 1]
COALESCE_INLINE void multiply_pairs(const Shorts &a, const Shorts &b, Ints &out) {
  if constexpr (Lanes::kMultipliesPairs) {
    Lanes::multiply_add(a, b, out);
  } else {
    for (int i = 0; i < 4; ++i)
      out[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  }
}

// Two taps at a time. Squares are those of differences to 128, which fit 16 bits with their sign.
struct Sums {
  Ints sum = {}, squares = {};

  // weights: of a in the lower half, of b in the upper one.
  COALESCE_INLINE void add(std::uint32_t a, std::uint32_t b, std::uint32_t weights) {
    typedef std::uint8_t Bytes __attribute__((vector_size(16)));
    typedef std::uint32_t Words __attribute__((vector_size(16)));
    const Bytes of_a = reinterpret_cast<Bytes>(Words{a, 0, 0, 0});
    const Bytes of_b = reinterpret_cast<Bytes>(Words{b, 0, 0, 0}), none = {};
    const Bytes pairs =
        __builtin_shufflevector(of_a, of_b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const Shorts samples = reinterpret_cast<Shorts>(__builtin_shufflevector(
        pairs, none, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    const Shorts both = reinterpret_cast<Shorts>(Words{weights, weights, weights, weights});
    const Shorts apart = samples - 128;
    Ints product;
    multiply_pairs(samples, both, product);
    sum += product;
    multiply_pairs(apart * apart, both, product);
    squares += product;
  }
  COALESCE_INLINE OilMean mean() const {
    OilSector s = {};
    for (int c = 0; c < 3; ++c) {
      s.sum[c] = static_cast<std::uint32_t>(sum[c]);
      // I^2 = (I - 128)^2 + 256 I - 128^2, times weights that add up to 2^12
      s.squares += static_cast<std::uint32_t>(squares[c]) + 256 * s.sum[c] - (1u << 26);
    }
    return oil_mean(s);
  }
};

// at(i, j): the word so far away, and that on the other side.
template <class At>
COALESCE_INLINE std::uint32_t paint_pixel(const OilKuwahara &k, int code, const At &at) {
  OilMean mean[2 * kOilLists];
  for (int s = 0; s < kOilLists; ++s) {
    Sums ahead, behind;
    const std::uint32_t *list = k.list(code, s);
    for (const std::uint32_t *tap = list + 1, *end = tap + *list; tap < end; tap += 2) {
      const std::uint32_t first = tap[0], second = end - tap > 1 ? tap[1] : 0;
      const auto column = [](std::uint32_t t) { return static_cast<std::int8_t>(t); };
      const auto row = [](std::uint32_t t) { return static_cast<std::int8_t>(t >> 8); };
      const std::uint32_t weights = first >> 16 | (second & 0xffff0000);
      ahead.add(at(column(first), row(first)), at(column(second), row(second)), weights);
      behind.add(at(-column(first), -row(first)), at(-column(second), -row(second)), weights);
    }
    mean[s] = ahead.mean();
    mean[kOilLists + s] = behind.mean();
  }
  return oil_kuwahara_pixel(mean);
}

COALESCE_CLONES void paint_row(const OilKuwahara &k, const OilWords &in, int y,
                               std::uint32_t *out) {
  const int reach = k.reach(), width = in.width, height = in.height;
  const bool rows_inside = y >= reach && y + reach < height;
  for (int x = 0; x < width; ++x) {
    const auto code = static_cast<int>(out[x]);
    const std::uint32_t *here = in.row(y) + x;
    out[x] =
        rows_inside && x >= reach && x + reach < width
            ? paint_pixel(k, code,
                          [=](int i, int j) COALESCE_INLINE_LAMBDA {
                            return here[static_cast<std::ptrdiff_t>(j) * width + i];
                          })
            : paint_pixel(k, code, [&](int i, int j) COALESCE_INLINE_LAMBDA {
                return in.row(std::clamp(y + j, 0, height - 1))[std::clamp(x + i, 0, width - 1)];
              });
  }
}

}  // namespace

void oil_kuwahara_codes_cpu(const OilWords &in, const OilWords &codes, ThreadPool *pool) {
  for_ranges(pool, in.height, kRows, [&](int first, int last) {
    TensorTile tile;
    for (int y = first; y < last; y += kRows)
      for (int x = 0; x < in.width; x += kColumns)
        make_codes(in, codes, x, y, std::min(y + kRows, last), tile);
  });
}

void oil_kuwahara_lists_cpu(const OilKuwahara &kuwahara, ThreadPool *pool) {
  for_ranges(pool, kOilCodes, 16, [&](int first, int last) {
    for (int code = first; code < last; ++code) {
      const Ellipse ellipse(kuwahara, code);
      for (int sector = 0; sector < kOilLists; ++sector)
        make_list(kuwahara, ellipse, sector, kuwahara.list(code, sector));
    }
  });
}

void oil_kuwahara_paint_cpu(const OilKuwahara &kuwahara, const OilWords &in, const OilWords &out,
                            ThreadPool *pool) {
  for_ranges(pool, in.height, 4, [&](int first, int last) {
    for (int y = first; y < last; ++y)
      paint_row(kuwahara, in, y, out.row(y));
  });
}

}  // namespace coalesce
