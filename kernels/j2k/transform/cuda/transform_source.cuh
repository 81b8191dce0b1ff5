// SPDX-License-Identifier: LGPL-2.1-or-later
// Where a strip's rows come from. fetch() loads a lane's four columns of a row, as they are in
// memory; values() makes samples of them, of kParts components. Between the two there is time for
// something else.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "../../../core/border.h"
#include "../colour_pixel.h"
#include "../samples.h"
#include "transform_lift.cuh"
#include "transform_plan.h"

namespace coalesce::j2k {

// The four columns from x on, mirrored at the ends of the tile-component; counted from its first.
struct LaneColumns {
  int column[kLaneColumns];
  bool inside;  // they lie as they are

  __device__ __forceinline__ LaneColumns(Interval all, int x) {
    inside = x >= all.first && x + kLaneColumns <= all.end;
#pragma unroll
    for (int i = 0; i < kLaneColumns; ++i)
      column[i] = border_position(Border::reflect_101, x + i - all.first, all.size());
  }
};

// LL of the level before.
template <class T>
class LowRows {
 public:
  static constexpr int kParts = 1;
  struct alignas(kLaneColumns * sizeof(T)) Row {
    T v[kLaneColumns];
  };

  __device__ __forceinline__ LowRows(const T *low, Interval all, int x)
      : columns_(all, x), first_(low + (all.first - low_column(all))), pitch_(low_pitch(all)) {}

  __device__ __forceinline__ Row fetch(int row) const {
    const T *from = first_ + static_cast<std::size_t>(row) * pitch_;
    if (columns_.inside) return *reinterpret_cast<const Row *>(from + columns_.column[0]);
    return {{from[columns_.column[0]], from[columns_.column[1]], from[columns_.column[2]],
             from[columns_.column[3]]}};
  }

  __device__ __forceinline__ void values(const Row &row, T (&v)[1][kLaneColumns]) const {
#pragma unroll
    for (int i = 0; i < kLaneColumns; ++i)
      v[0][i] = row.v[i];
  }

 private:
  LaneColumns columns_;
  const T *first_;
  std::size_t pitch_;
};

// Any address will do.
template <class C>
__device__ __forceinline__ std::uint32_t container_at(const std::uint8_t *from) {
  if (reinterpret_cast<std::uintptr_t>(from) % sizeof(C) == 0)
    return *reinterpret_cast<const C *>(from);
  std::uint32_t value = 0;
  for (unsigned i = 0; i < sizeof(C); ++i)
    value |= std::uint32_t{from[i]} << (8 * i);
  return value;
}

// A component's first sample in a tile, and what is the same for all of them.
struct TileSamples {
  const std::uint8_t *row;  // the first one
  std::size_t pitch;
  int first, step;  // containers from there
  std::uint32_t mask;
  std::int32_t middle;
  std::uint8_t shift;
  Container container;

  __device__ __forceinline__ TileSamples(const Samples &s, const TransformTile &tile)
      : row(static_cast<const std::uint8_t *>(s.data) +
            static_cast<std::size_t>(s.y0 + tile.sample_y) * s.pitch),
        pitch(s.pitch),
        first(s.first + (s.x0 + tile.sample_x) * s.step),
        step(s.step),
        mask((1u << s.bits) - 1),
        middle(1 << (s.bits - 1)),
        shift(s.shift),
        container(s.container) {}

  __device__ __forceinline__ std::int32_t bits(std::uint32_t container_value) const {
    return static_cast<std::int32_t>((container_value >> shift) & mask);
  }
};

// Containers one after the other, four in a word. Bytes are samples of eight bits.
template <class C>
class PlanarColumns {
 public:
  using Word = std::conditional_t<sizeof(C) == 1, std::uint32_t, std::uint64_t>;

  __device__ __forceinline__ PlanarColumns(const TileSamples &s, const LaneColumns &columns)
      : from_(s.row + s.first * sizeof(C)) {
    const std::uintptr_t address =
        reinterpret_cast<std::uintptr_t>(from_ + columns.column[0] * sizeof(C));
    whole_ = __all_sync(
        0xffffffffu, columns.inside && address % sizeof(Word) == 0 && s.pitch % sizeof(Word) == 0);
  }

  __device__ __forceinline__ Word fetch(const TileSamples &s, const LaneColumns &columns,
                                        int row) const {
    const std::uint8_t *from = from_ + static_cast<std::size_t>(row) * s.pitch;
    if (whole_) return *reinterpret_cast<const Word *>(from + columns.column[0] * sizeof(C));
    Word word = 0;
#pragma unroll
    for (int i = 0; i < kLaneColumns; ++i)
      word |= Word{container_at<C>(from + columns.column[i] * sizeof(C))} << (8 * sizeof(C) * i);
    return word;
  }

  static __device__ __forceinline__ std::int32_t bits(const TileSamples &s, Word word, int i) {
    const C container = static_cast<C>(word >> (8 * sizeof(C) * i));
    return sizeof(C) == 1 ? container : s.bits(container);
  }

 private:
  const std::uint8_t *from_;
  bool whole_;  // for all lanes
};

// Whatever else there is.
class AnyColumns {
 public:
  struct Word {
    std::uint32_t c[kLaneColumns];
  };

  __device__ __forceinline__ AnyColumns(const TileSamples &, const LaneColumns &) {}

  __device__ __forceinline__ Word fetch(const TileSamples &s, const LaneColumns &columns,
                                        int row) const {
    const std::uint8_t *from = s.row + static_cast<std::size_t>(row) * s.pitch;
    const auto number = [&](int i) {
      return static_cast<unsigned>(s.first) +
             static_cast<unsigned>(columns.column[i]) * static_cast<unsigned>(s.step);
    };
    if (s.container == Container::u8)
      return each([&](int i) { return at<std::uint8_t>(from, number(i)); });
    if (s.container == Container::u16)
      return each([&](int i) { return at<std::uint16_t>(from, number(i)); });
    if (s.container == Container::u32)
      return each([&](int i) { return at<std::uint32_t>(from, number(i)); });
    if (s.container == Container::be10)
      return each([&](int i) {
        const Be10Place at = be10_place(number(i));
        return (std::uint32_t{from[at.byte]} << 8 | from[at.byte + 1]) >> at.shift & 0x3FF;
      });
    return each([&](int i) {
      const unsigned field = number(i);
      return at<std::uint32_t>(from, field / 3) >> (10 * (field % 3)) & 0x3FF;
    });
  }

  static __device__ __forceinline__ std::int32_t bits(const TileSamples &s, const Word &word,
                                                      int i) {
    return s.bits(word.c[i]);
  }

 private:
  template <class C>
  static __device__ __forceinline__ std::uint32_t at(const std::uint8_t *from, unsigned i) {
    return container_at<C>(from + std::size_t{i} * sizeof(C));
  }

  template <class At>
  static __device__ __forceinline__ Word each(At at) {
    return {{at(0), at(1), at(2), at(3)}};
  }
};

// Level shift, and the component transform. (Of the differences, and of a quarter of the sum of
// four, the shift is the same behind the transform as before it. Of floats, which are whole, it is
// as good as of integers.)
__device__ __forceinline__ Pixel<std::int32_t> colour_pixel(std::int32_t r, std::int32_t g,
                                                            std::int32_t b, std::int32_t middle) {
  const Pixel<std::int32_t> pixel = rct_pixel(r, g, b);
  return {pixel.c0 - middle, pixel.c1, pixel.c2};
}
__device__ __forceinline__ Pixel<float> colour_pixel(float r, float g, float b, float middle) {
  return ict_pixel(r - middle, g - middle, b - middle);
}

// The samples of a component, or of three, which then have the component transform.
template <class T, class Columns, int kPartCount>
class SampleRows {
 public:
  static constexpr int kParts = kPartCount;
  struct Row {
    typename Columns::Word word[kParts];
  };

  __device__ __forceinline__ SampleRows(const Samples *samples, const TransformTile &tile,
                                        Interval all, int x)
      : SampleRows(samples, tile, LaneColumns(all, x), std::make_index_sequence<kParts>()) {}

  __device__ __forceinline__ Row fetch(int row) const {
    Row r;
#pragma unroll
    for (int p = 0; p < kParts; ++p)
      r.word[p] = in_[p].fetch(samples_[p], columns_, row);
    return r;
  }

  __device__ __forceinline__ void values(const Row &row, T (&v)[kParts][kLaneColumns]) const {
    const T middle = static_cast<T>(samples_[0].middle);
#pragma unroll
    for (int i = 0; i < kLaneColumns; ++i) {
      T sample[kParts];
#pragma unroll
      for (int p = 0; p < kParts; ++p)
        sample[p] = static_cast<T>(Columns::bits(samples_[p], row.word[p], i));
      if constexpr (kParts == 3) {
        const Pixel<T> pixel = colour_pixel(sample[0], sample[1], sample[2], middle);
        v[0][i] = pixel.c0;
        v[1][i] = pixel.c1;
        v[2][i] = pixel.c2;
      } else {
        v[0][i] = sample[0] - middle;
      }
    }
  }

 private:
  template <std::size_t... kPart>
  __device__ __forceinline__ SampleRows(const Samples *samples, const TransformTile &tile,
                                        LaneColumns columns, std::index_sequence<kPart...>)
      : columns_(columns),
        samples_{TileSamples(samples[kPart], tile)...},
        in_{Columns(samples_[kPart], columns)...} {}

  LaneColumns columns_;
  TileSamples samples_[kParts];
  Columns in_[kParts];
};

}  // namespace coalesce::j2k
