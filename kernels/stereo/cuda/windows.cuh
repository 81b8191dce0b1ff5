// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: costs of pixels, for windows. A group of lanes walks along a row in steps of a column; each
// lane has the costs of its candidates there.
#pragma once

#include <cstdint>

#include "winner.cuh"

namespace coalesce {
namespace {

struct WindowArgs {
  WinnerArgs winner;
  int half;  // of the window
  int band;  // rows of a block
  StereoPlane<const std::uint8_t> bytes_of[2];
  StereoPlane<const std::uint32_t> census_of[2];
  StereoPlane<const NccWindow> windows_of[2];
};

// Four bytes of the left picture, and for four columns those of the right picture that a lane's
// candidates have there.
template <int kEach>
class ByteRow {
  static constexpr int kQuads = kEach / 4;

 public:
  // x: the first column, a multiple of 4, as is `candidate`, the lane's first one.
  __device__ __forceinline__ ByteRow(const WindowArgs &a, int y, int x, int candidate) {
    left_ = reinterpret_cast<const std::uint32_t *>(a.bytes_of[0].row(y) + x);
    const int first = x - a.winner.min_disparity - candidate - 3, place = first & 3;
    shift_ = 8 * static_cast<unsigned>(place);
    right_ = reinterpret_cast<const std::uint32_t *>(a.bytes_of[1].row(y) + first - place);
    last_ = load_global(right_ + 1);
    std::uint32_t above = last_;
#pragma unroll
    for (int q = 0; q < kQuads; ++q) {
      const std::uint32_t word = load_global(right_ - q);
      word_[q] = __funnelshift_r(word, above, shift_);
      above = word;
    }
    right_ += 2;
  }

  // The next four columns.
  __device__ __forceinline__ void load() {
    from_ = load_global(left_++);
#pragma unroll
    for (int q = kQuads; q > 0; --q)
      word_[q] = word_[q - 1];
    const std::uint32_t next = load_global(right_++);
    word_[0] = __funnelshift_r(last_, next, shift_);
    last_ = next;
  }

  // Byte `column` four times.
  __device__ __forceinline__ std::uint32_t left(int column) const {
    return __byte_perm(from_, 0, 0x1111 * static_cast<unsigned>(column));
  }
  // Candidates 4 q + 3 to 4 q of the lane.
  __device__ __forceinline__ std::uint32_t right(int column, int q) const {
    return column == 0 ? word_[q + 1]
                       : __funnelshift_r(word_[q + 1], word_[q], 8 * static_cast<unsigned>(column));
  }

 private:
  const std::uint32_t *left_, *right_;
  unsigned shift_;
  std::uint32_t from_ = 0, last_;
  std::uint32_t word_[kQuads + 1];  // of the columns in hand, and of those before
};

// What a method adds up:
//   kSums          words of a lane, for a column
//   Row            a row of pictures from a column on; load() before every fourth column
//   add(sums, ...) the costs of a column of a row
//   Finish         of the sums of windows, costs in pairs; at each column from the first one on
template <int kEach>
struct SadCosts {
  static constexpr int kSums = kEach / 2;
  using Row = ByteRow<kEach>;

  // min(byte, 127), four times. (Ones where the uppermost bit is one.)
  __device__ __forceinline__ static std::uint32_t limited(std::uint32_t bytes) {
    return (bytes | ptx::prmt(bytes, 0, 0xBA98)) & 0x7F7F7F7F;
  }
  __device__ __forceinline__ static void costs(const Row &row, int column,
                                               std::uint32_t (&out)[kSums]) {
    const std::uint32_t left = row.left(column);
#pragma unroll
    for (int q = 0; q < kEach / 4; ++q) {
      const std::uint32_t bytes = limited(ptx::distances(left, row.right(column, q)));
      out[2 * q] = __byte_perm(bytes, 0, 0x4243);
      out[2 * q + 1] = __byte_perm(bytes, 0, 0x4041);
    }
  }
  struct Finish {
    __device__ __forceinline__ Finish(const WindowArgs &, int, int, int) {}
    __device__ __forceinline__ void operator()(const std::uint32_t (&sums)[kSums],
                                               std::uint32_t (&out)[kEach / 2]) {
#pragma unroll
      for (int i = 0; i < kSums; ++i)
        out[i] = sums[i];
    }
  };
};

template <int kEach>
struct CensusCosts {
  static constexpr int kSums = kEach / 2;

  // Candidates of a column are those of the column before, one further.
  class Row {
   public:
    __device__ __forceinline__ Row(const WindowArgs &a, int y, int x, int candidate)
        : left_(a.census_of[0].row(y) + x),
          right_(a.census_of[1].row(y) + x - a.winner.min_disparity - candidate) {
#pragma unroll
      for (int j = 0; j < kEach; ++j)
        bits_[j] = load_global(right_ - 1 - j);
    }
    __device__ __forceinline__ void load() {}
    __device__ __forceinline__ void step() {
#pragma unroll
      for (int j = kEach - 1; j > 0; --j)
        bits_[j] = bits_[j - 1];
      bits_[0] = load_global(right_++);
    }
    __device__ __forceinline__ std::uint32_t left() {
      return load_global(left_++);
    }
    __device__ __forceinline__ std::uint32_t right(int j) const {
      return bits_[j];
    }

   private:
    const std::uint32_t *left_, *right_;
    std::uint32_t bits_[kEach];
  };

  __device__ __forceinline__ static void costs(Row &row, int, std::uint32_t (&out)[kSums]) {
    row.step();
    const std::uint32_t left = row.left();
#pragma unroll
    for (int i = 0; i < kSums; ++i)
      out[i] = static_cast<std::uint32_t>(__popc(left ^ row.right(2 * i)) |
                                          __popc(left ^ row.right(2 * i + 1)) << 16);
  }
  using Finish = typename SadCosts<kEach>::Finish;
};

template <int kEach>
struct NccCosts {
  static constexpr int kSums = kEach;
  using Row = ByteRow<kEach>;

  __device__ __forceinline__ static int number(std::uint32_t bytes, int byte) {
    return static_cast<std::int8_t>(bytes >> 8 * byte);
  }
  __device__ __forceinline__ static void costs(const Row &row, int column,
                                               std::uint32_t (&out)[kSums]) {
    const int left = number(row.left(column) ^ 0x80, 0);
#pragma unroll
    for (int q = 0; q < kEach / 4; ++q) {
      const std::uint32_t bytes = row.right(column, q) ^ 0x80808080;
#pragma unroll
      for (int j = 0; j < 4; ++j)
        out[4 * q + j] = static_cast<std::uint32_t>(left * number(bytes, 3 - j));
    }
  }
  class Finish {
   public:
    __device__ __forceinline__ Finish(const WindowArgs &a, int y, int x, int candidate)
        : left_(a.windows_of[0].row(y) + x),
          right_(a.windows_of[1].row(y) + x - a.winner.min_disparity - candidate) {
#pragma unroll
      for (int j = 0; j < kEach; ++j)
        window_[j] = load_global(right_ - 1 - j);
    }
    __device__ __forceinline__ void operator()(const std::uint32_t (&sums)[kSums],
                                               std::uint32_t (&out)[kEach / 2]) {
#pragma unroll
      for (int j = kEach - 1; j > 0; --j)
        window_[j] = window_[j - 1];
      window_[0] = load_global(right_++);
      const NccWindow left = load_global(left_++);
#pragma unroll
      for (int i = 0; i < kEach / 2; ++i)
        out[i] = cost(sums[2 * i], left, window_[2 * i]) |
                 cost(sums[2 * i + 1], left, window_[2 * i + 1]) << 16;
    }

   private:
    __device__ __forceinline__ static std::uint32_t cost(std::uint32_t sum, const NccWindow &left,
                                                         const NccWindow &right) {
      return ncc_cost(static_cast<int>(sum), left, right);
    }
    const NccWindow *left_, *right_;
    NccWindow window_[kEach];
  };
};

// Sums of a column, in shared memory that is the lane's alone.
template <int kSums>
struct ColumnOfSums {
  std::uint32_t at[kSums];
};
template <int kSums>
__device__ __forceinline__ ColumnOfSums<kSums> load_sums(const std::uint32_t *from) {
  ColumnOfSums<kSums> sums;
  if constexpr (kSums == 2) {
    const uint2 v = *reinterpret_cast<const uint2 *>(from);
    sums.at[0] = v.x, sums.at[1] = v.y;
  } else {
#pragma unroll
    for (int i = 0; i < kSums; i += 4) {
      // (Quads of a lane are a row of lanes apart.)
      const uint4 v = *reinterpret_cast<const uint4 *>(from + 32 * i);
      sums.at[i] = v.x, sums.at[i + 1] = v.y, sums.at[i + 2] = v.z, sums.at[i + 3] = v.w;
    }
  }
  return sums;
}
template <int kSums>
__device__ __forceinline__ void store_sums(std::uint32_t *to, const ColumnOfSums<kSums> &sums) {
  if constexpr (kSums == 2) {
    *reinterpret_cast<uint2 *>(to) = make_uint2(sums.at[0], sums.at[1]);
  } else {
#pragma unroll
    for (int i = 0; i < kSums; i += 4)
      *reinterpret_cast<uint4 *>(to + 32 * i) =
          make_uint4(sums.at[i], sums.at[i + 1], sums.at[i + 2], sums.at[i + 3]);
  }
}

// Of a strip's columns: those before the first one that is the last of a window, a multiple of 4;
// and where they begin beside the strip, at one, too. So windows begin up to 3 pixels before it.
COALESCE_HOST_DEVICE int columns_ahead(int half) {
  return (2 * half + 3) / 4 * 4;
}
COALESCE_HOST_DEVICE int columns_before(int half) {
  return (columns_ahead(half) - half + 3) / 4 * 4;
}
COALESCE_HOST_DEVICE int first_window(int half) {
  return columns_ahead(half) - half - columns_before(half);
}
// With a column of zeros in front.
COALESCE_HOST_DEVICE int strip_columns(int half, int strip) {
  return 1 + columns_ahead(half) + strip;
}

// A warp has a strip and a band of rows, or two strips that are beside each other. The sums of
// columns go down with it, the sum of the window goes along each row.
template <template <int> class CostsOf, int kLanes, int kEach, bool kRight>
class WindowStrip {
  using Costs = CostsOf<kEach>;
  using Row = typename Costs::Row;
  using StripWinners = Winners<kLanes, kEach, kRight>;
  static constexpr int kSums = Costs::kSums;
  static constexpr int kLaneWords = kSums < 4 ? kSums : 4;

 public:
  static constexpr int kGroups = 32 / kLanes;
  static constexpr int kColumnWords = 32 * kSums;
  static constexpr int kWinnerWords = kGroups * StripWinners::kShared;

  __device__ __forceinline__ WindowStrip(const WindowArgs &a, std::uint32_t *shared)
      : a_(a),
        lane_(static_cast<int>(threadIdx.x) % kLanes),
        x_((static_cast<int>(blockIdx.x) * kGroups + static_cast<int>(threadIdx.x) / kLanes) *
           a.winner.strip),
        sums_(shared + kWinnerWords + kColumnWords + kLaneWords * static_cast<int>(threadIdx.x)),
        winners_(a.winner, shared + static_cast<int>(threadIdx.x) / kLanes * StripWinners::kShared,
                 lane_, x_ + first_window(a.half)) {}

  __device__ __forceinline__ void find() {
    const ColumnOfSums<kSums> none = {};
    for (int i = -1; i < strip_columns(a_.half, a_.winner.strip) - 1; ++i)
      store_sums(sums_ + i * kColumnWords, none);
    const int first = static_cast<int>(blockIdx.y) * a_.band;
    const int last = min(first + a_.band, a_.winner.height);
    for (int y = first - a_.half; y < first + a_.half; ++y)
      add_row(y);
    pass<false>(first);
    for (int y = first + 1; y < last; ++y)
      pass<true>(y);
  }

 private:
  __device__ __forceinline__ Row row(int y) const {
    y = min(max(y, 0), a_.winner.height - 1);
    return Row(a_, y, x_ - columns_before(a_.half), lane_ * kEach);
  }

  // Of four columns that follow each other: one more row of costs; kLeaves: and one less.
  template <bool kLeaves>
  __device__ __forceinline__ void change_columns(std::uint32_t *at, Row *in, Row *out,
                                                 ColumnOfSums<kSums> (&columns)[4]) const {
    in->load();
    if constexpr (kLeaves) out->load();
#pragma unroll
    for (int c = 0; c < 4; ++c)
      columns[c] = load_sums<kSums>(at + c * kColumnWords);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      std::uint32_t costs[kSums];
      Costs::costs(*in, c, costs);
#pragma unroll
      for (int k = 0; k < kSums; ++k)
        columns[c].at[k] += costs[k];
      if constexpr (kLeaves) {
        Costs::costs(*out, c, costs);
#pragma unroll
        for (int k = 0; k < kSums; ++k)
          columns[c].at[k] -= costs[k];
      }
      store_sums(at + c * kColumnWords, columns[c]);
    }
  }

  __device__ __forceinline__ void add_row(int y) {
    Row in = row(y);
    ColumnOfSums<kSums> columns[4];
    for (int i = 0; i < columns_ahead(a_.half) + a_.winner.strip; i += 4)
      change_columns<false>(sums_ + i * kColumnWords, &in, &in, columns);
  }

  // The window's last row of row y comes in; the one that is above its first one leaves.
  template <bool kLeaves>
  __device__ __forceinline__ void pass(int y) {
    Row in = row(y + a_.half), out = row(y - a_.half - 1);
    ColumnOfSums<kSums> window = {}, columns[4], old[4];
    const int size = 2 * a_.half + 1;
    std::uint32_t *at = sums_;
    const auto move = [&](int c) {
#pragma unroll
      for (int k = 0; k < kSums; ++k)
        window.at[k] += columns[c].at[k] - old[c].at[k];
    };
    for (int i = 0; i < columns_ahead(a_.half); i += 4, at += 4 * kColumnWords) {
      change_columns<kLeaves>(at, &in, &out, columns);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        old[c] =
            load_sums<kSums>(i + c >= size ? at + (c - size) * kColumnWords : sums_ - kColumnWords);
        move(c);
      }
    }
    typename Costs::Finish finish(a_, y, x_ + first_window(a_.half), lane_ * kEach);
    winners_.start_row(y);
    for (int i = 0; i < a_.winner.strip; i += 4, at += 4 * kColumnWords) {
      change_columns<kLeaves>(at, &in, &out, columns);
      // (Behind the columns' stores: a window of three has one of these.)
#pragma unroll
      for (int c = 0; c < 4; ++c)
        old[c] = load_sums<kSums>(at + (c - size) * kColumnWords);
      std::uint32_t pairs[4][kEach / 2];
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        move(c);
        finish(window.at, pairs[c]);
      }
      winners_.put(i, pairs);
    }
    winners_.end_row();
  }

  const WindowArgs &a_;
  int lane_, x_;
  std::uint32_t *sums_;
  StripWinners winners_;
};

}  // namespace
}  // namespace coalesce
