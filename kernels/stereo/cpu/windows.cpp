// SPDX-License-Identifier: LGPL-2.1-or-later
// sad, ncc and census: costs are added up down each column of a strip, a row after the other, and
// along the row from column to column. So the time does not depend on the window.
#include <algorithm>
#include <cstring>

#include "costs.h"
#include "steps.h"
#include "winner.h"

namespace coalesce {
namespace {

constexpr int kGrain = 64;  // rows of a range, at least
constexpr int kStrip = 64;  // columns: whole batches
static_assert(kStrip % CostBatch::kPixels == 0);
constexpr int kColumns = kStrip + kMaxStereoWindow - 1;
constexpr int kPixels = kColumns + kMaxDisparities;  // of the right picture

// A row of a strip and what windows look at beside it.
struct StripRow {
  std::uint8_t left[kColumns];
  std::uint8_t right[kPixels + kStereoSlack];
};
struct CensusStripRow {
  std::uint32_t left[kColumns];
  std::uint8_t right[4][kPixels + kStereoSlack];
};

// count samples from position x on, continued where the row ends.
template <class T>
void load_row(const T *row, int width, int x, int count, T *out) {
  const int first = std::clamp(-x, 0, count), end = std::clamp(width - x, first, count);
  std::fill_n(out, first, row[0]);
  if (end > first) std::copy(row + x + first, row + x + end, out + first);
  std::fill(out + end, out + count, row[width - 1]);
}

class Strip {
 public:
  Strip(const StereoJob &job, const StereoCpuScratch &s, int x)
      : job_(job),
        s_(s),
        half_(job.params.window / 2),
        x_(x),
        columns_(std::min(kStrip, job.width - x)),
        all_columns_(columns_ + 2 * half_) {}

  int half() const { return half_; }
  int first() const { return x_; }
  int columns() const { return columns_; }
  int all_columns() const { return all_columns_; }
  int count() const { return job_.params.disparities; }

  void load(int y, StripRow *row) const {
    const std::size_t at = place(y);
    load_row(s_.left_bytes + at, job_.width, x_ - half_, all_columns_, row->left);
    load_row(s_.right_bytes + at, job_.width, right_first(), all_columns_ + count() - 1,
             row->right);
  }
  void load(int y, CensusStripRow *row) const {
    const std::size_t at = place(y);
    load_row(s_.left_census + at, job_.width, x_ - half_, all_columns_, row->left);
    for (int b = 0; b < 4; ++b)
      load_row(s_.right_census[b] + at, job_.width, right_first(), all_columns_ + count() - 1,
               row->right[b]);
  }

  // Candidates left of the right picture have no cost. They are the first ones.
  void limit(int x, std::uint16_t *costs) const {
    const int outside = std::clamp(job_.params.min_disparity + count() - 1 - x, 0, count());
    std::fill_n(costs, outside, static_cast<std::uint16_t>(kNoCost));
  }

 private:
  std::size_t place(int y) const {
    return static_cast<std::size_t>(std::clamp(y, 0, job_.height - 1)) * s_.width;
  }
  int right_first() const { return x_ - half_ - job_.params.min_disparity - count() + 1; }

  const StereoJob &job_;
  const StereoCpuScratch &s_;
  int half_, x_, columns_, all_columns_;
};

// ---- Sums of 16 bits ----------------------------------------------------------------------------

struct SadRows {
  using Row = StripRow;
  template <int kBytes>
  COALESCE_INLINE static void costs(const Row &row, int column, int count, std::uint8_t *out) {
    sad_costs<kBytes>(row.left[column], row.right + column, count, out);
  }
};
struct CensusRows {
  using Row = CensusStripRow;
  template <int kBytes>
  COALESCE_INLINE static void costs(const Row &row, int column, int count, std::uint8_t *out) {
    census_costs<kBytes>(row.left[column], {row.right[0], row.right[1], row.right[2], row.right[3]},
                         column, count, out);
  }
};

// What a column adds up, and the window along the row.
struct ColumnSums {
  alignas(64) std::uint16_t column[kColumns][kMaxDisparities];
  alignas(64) std::uint16_t window[kMaxDisparities];
  alignas(64) std::uint8_t in[kMaxDisparities], out[kMaxDisparities];
};

template <class Rows, int kBytes>
class SumStrip {
  using L = StereoLanes<kBytes>;
  using Words = typename L::Words;
  using Row = typename Rows::Row;

 public:
  COALESCE_INLINE SumStrip(const StereoJob &job, const StereoCpuScratch &s, int x)
      : job_(job), s_(s), strip_(job, s, x), batch_(job.params.disparities) {}

  COALESCE_INLINE void find(int first, int last) {
    std::memset(sums_.column, 0, sizeof sums_.column);
    const int half = strip_.half();
    for (int y = first - half; y <= first + half; ++y) {
      strip_.load(y, &in_);
      for (int i = 0; i < strip_.all_columns(); ++i)
        add_column<false>(i);
    }
    put_row(first);
    for (int y = first + 1; y < last; ++y) {
      strip_.load(y + half, &in_);
      strip_.load(y - half - 1, &out_);
      for (int i = 0; i < strip_.all_columns(); ++i)
        add_column<true>(i);
      put_row(y);
    }
  }

 private:
  COALESCE_INLINE static Words widened(const std::uint8_t *from) {
    return __builtin_convertvector(load_lanes<typename L::HalfBytes>(from), Words);
  }

  template <bool kMoves>
  COALESCE_INLINE void add_column(int i) {
    const int count = strip_.count();
    std::uint16_t *const column = sums_.column[i];
    Rows::template costs<kBytes>(in_, i, count, sums_.in);
    if constexpr (kMoves) Rows::template costs<kBytes>(out_, i, count, sums_.out);
    for (int k = 0; k < count; k += L::kCount) {
      Words sum = load_lanes<Words>(column + k) + widened(sums_.in + k);
      if constexpr (kMoves) sum -= widened(sums_.out + k);
      store_lanes(column + k, sum);
    }
  }

  COALESCE_INLINE void put_row(int y) {
    const int count = strip_.count(), behind = 2 * strip_.half();
    std::uint16_t *const window = sums_.window;
    std::memset(window, 0, sizeof sums_.window);
    for (int i = 0; i < behind; ++i)
      for (int k = 0; k < count; k += L::kCount)
        store_lanes(window + k,
                    load_lanes<Words>(window + k) + load_lanes<Words>(sums_.column[i] + k));
    const RowWinners<kBytes, false> winners(job_, s_, y);
    for (int i = 0; i < strip_.columns(); ++i) {
      const int x = strip_.first() + i;
      std::uint16_t *const costs = batch_.of(x);
      const std::uint16_t *const next = sums_.column[i + behind], *const old = sums_.column[i];
      for (int k = 0; k < count; k += L::kCount) {
        const Words sum = load_lanes<Words>(window + k) + load_lanes<Words>(next + k);
        store_lanes(costs + k, sum);
        store_lanes(window + k, sum - load_lanes<Words>(old + k));
      }
      strip_.limit(x, costs);
      winners.put(x, batch_);
    }
  }

  const StereoJob &job_;
  const StereoCpuScratch &s_;
  const Strip strip_;
  Row in_, out_;
  ColumnSums sums_;
  CostBatch batch_;
};

// ---- Correlations -------------------------------------------------------------------------------

struct ProductSums {
  alignas(64) std::int32_t column[kColumns][kMaxDisparities];
  alignas(64) std::int32_t window[kMaxDisparities];
};

template <int kBytes>
class NccStrip {
  using L = StereoLanes<kBytes>;
  using Ints = typename L::Ints;
  using Floats = typename L::Floats;
  using HalfSigned = typename L::HalfSigned;
  static constexpr int kCount = kBytes / 4;

 public:
  COALESCE_INLINE NccStrip(const StereoJob &job, const StereoCpuScratch &s, int x)
      : job_(job), s_(s), strip_(job, s, x), batch_(job.params.disparities) {}

  COALESCE_INLINE void find(int first, int last) {
    std::memset(sums_.column, 0, sizeof sums_.column);
    const int half = strip_.half();
    for (int y = first - half; y <= first + half; ++y) {
      load(y, &in_);
      for (int i = 0; i < strip_.all_columns(); ++i)
        add_column<false>(i);
    }
    put_row(first);
    for (int y = first + 1; y < last; ++y) {
      load(y + half, &in_);
      load(y - half - 1, &out_);
      for (int i = 0; i < strip_.all_columns(); ++i)
        add_column<true>(i);
      put_row(y);
    }
  }

 private:
  // Samples less 128.
  void load(int y, StripRow *row) const {
    strip_.load(y, row);
    for (int i = 0; i < strip_.all_columns(); ++i)
      row->left[i] ^= 0x80;
    for (int i = 0; i < strip_.all_columns() + strip_.count() - 1; ++i)
      row->right[i] ^= 0x80;
  }

  COALESCE_INLINE static HalfSigned products(const StripRow &row, int i, int k) {
    const auto left = static_cast<std::int16_t>(static_cast<std::int8_t>(row.left[i]));
    return __builtin_convertvector(load_lanes<typename L::QuarterBytes>(row.right + i + k),
                                   HalfSigned) *
           left;
  }

  template <bool kMoves>
  COALESCE_INLINE void add_column(int i) {
    std::int32_t *const column = sums_.column[i];
    for (int k = 0; k < strip_.count(); k += kCount) {
      HalfSigned change = products(in_, i, k);
      if constexpr (kMoves) change -= products(out_, i, k);
      store_lanes(column + k, load_lanes<Ints>(column + k) + __builtin_convertvector(change, Ints));
    }
  }

  COALESCE_INLINE void put_row(int y) {
    const int count = strip_.count(), behind = 2 * strip_.half();
    std::int32_t *const window = sums_.window;
    std::memset(window, 0, sizeof sums_.window);
    for (int i = 0; i < behind; ++i)
      for (int k = 0; k < count; k += kCount)
        store_lanes(window + k,
                    load_lanes<Ints>(window + k) + load_lanes<Ints>(sums_.column[i] + k));
    const RowWinners<kBytes, false> winners(job_, s_, y);
    for (int i = 0; i < strip_.columns(); ++i) {
      const int x = strip_.first() + i;
      std::uint16_t *const costs = batch_.of(x);
      const std::size_t at = static_cast<std::size_t>(y) * s_.width + static_cast<std::size_t>(x);
      const NccWindow left = s_.left_window[at];
      const std::ptrdiff_t right =
          static_cast<std::ptrdiff_t>(at) - job_.params.min_disparity - count + 1;
      const std::int32_t *const next = sums_.column[i + behind], *const old = sums_.column[i];
      for (int k = 0; k < count; k += kCount) {
        const Ints sum = load_lanes<Ints>(window + k) + load_lanes<Ints>(next + k);
        store_lanes(window + k, sum - load_lanes<Ints>(old + k));
        put_costs(sum, left, right + k, costs + k);
      }
      strip_.limit(x, costs);
      winners.put(x, batch_);
    }
  }

  // As ncc_cost() does it.
  COALESCE_INLINE void put_costs(const Ints &sum, const NccWindow &left, std::ptrdiff_t right,
                                 std::uint16_t *costs) const {
    const Floats level = load_lanes<Floats>(s_.right_level + right);
    const Floats scale = load_lanes<Floats>(s_.right_scale + right);
    const Floats covariance = __builtin_convertvector(sum, Floats) - left.level * level;
    const Floats zero = {}, most = zero + 2.0f * kNccOne;
    Floats cost = (kNccOne + 0.5f) - covariance * scale * left.scale;
    cost = cost < zero ? zero : cost;
    cost = cost > most ? most : cost;
    const Ints whole = __builtin_convertvector(cost, Ints);
    store_lanes(costs, __builtin_convertvector(whole, typename L::HalfWords));
  }

  const StereoJob &job_;
  const StereoCpuScratch &s_;
  const Strip strip_;
  StripRow in_, out_;
  ProductSums sums_;
  CostBatch batch_;
};

// ---- Rows ---------------------------------------------------------------------------------------

template <class StripOf>
COALESCE_INLINE void find_rows(const StereoJob &job, const StereoCpuScratch &s, int first,
                               int last) {
  for (int x = 0; x < job.width; x += kStrip) {
    StripOf strip(job, s, x);
    strip.find(first, last);
  }
}

using FindRows = void (*)(const StereoJob &job, const StereoCpuScratch &s, int first, int last);

template <int kBytes>
COALESCE_INLINE void find_rows_of(const StereoJob &job, const StereoCpuScratch &s, int first,
                                  int last) {
  switch (job.params.method) {
    case StereoMethod::sad:
      return find_rows<SumStrip<SadRows, kBytes>>(job, s, first, last);
    case StereoMethod::ncc:
      return find_rows<NccStrip<kBytes>>(job, s, first, last);
    default:
      return find_rows<SumStrip<CensusRows, kBytes>>(job, s, first, last);
  }
}

void find_plain(const StereoJob &job, const StereoCpuScratch &s, int first, int last) {
  find_rows_of<16>(job, s, first, last);
}
#if defined(COALESCE_AVX2)
COALESCE_AVX2 void find_avx2(const StereoJob &job, const StereoCpuScratch &s, int first, int last) {
  find_rows_of<32>(job, s, first, last);
}
#endif

FindRows find_rows_for([[maybe_unused]] const StereoJob &job) {
#if defined(COALESCE_AVX2)
  if (job.params.disparities >= 32 && __builtin_cpu_supports("avx2")) return find_avx2;
#endif
  return find_plain;
}

}  // namespace

void find_by_windows(const StereoJob &job, const StereoCpuScratch &s, ThreadPool *pool) {
  const FindRows find = find_rows_for(job);
  for_ranges(pool, job.height, kGrain, [&](int first, int last) {
    if (job.checks_right())
      for (int y = first; y < last; ++y)
        std::fill_n(s.right_cost + s.right_place(y), s.width, static_cast<std::uint16_t>(kNoCost));
    find(job, s, first, last);
  });
}

}  // namespace coalesce
