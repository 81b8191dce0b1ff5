// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wavelet.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "../../core/border.h"
#include "../../core/clones.h"
#include "../../core/simd.h"
#include "wavelet_lift.h"

namespace coalesce::j2k {
namespace {

// ---- Rows --------------------------------------------------------------------------------------

// One step of a transform: down all columns at once, a pair of rows at a time, and along a row.
//
// Down: step n takes rows 2n, 2n + 1 and 2n + 2 and carries every lifting step as far as these
// allow, so a row is read once. What the next step needs of the lifted rows stays in kStateRows
// rows. Step n gives low-pass and high-pass row number n - kDelay; the first kWarmUp + kDelay steps
// of a range give none.
//
// Along: `line` has kMargin samples before x0 and behind the last that mirror the row, `halves`
// room for width + 2 * kMargin. Low-pass and high-pass samples go to rows of their own.
constexpr int kMargin = 8;  // both wavelets need at most 5

// The samples along a row that give low-pass and high-pass samples k0 to k1 - 1, and `reach` pairs
// more on either side: even ones and odd ones. even[0] is sample 2 (k0 - reach).
template <class T>
struct Halves {
  T *__restrict even;
  T *__restrict odd;
  int pairs;  // and one even sample more
};

template <class T>
COALESCE_INLINE Halves<T> split(const T *line, int x0, int width, int reach, T *halves) {
  const int k0 = x0 >> 1, k1 = (x0 + width + 1) >> 1;
  const int pairs = k1 - k0 + 2 * reach - 1;
  const T *__restrict in = line + 2 * (k0 - reach) - x0;
  T *__restrict even = halves;
  T *__restrict odd = halves + pairs + 1;
  for (int i = 0; i < pairs; ++i) {
    even[i] = in[2 * i];
    odd[i] = in[2 * i + 1];
  }
  even[pairs] = in[2 * pairs];
  return {even, odd, pairs};
}

COALESCE_CLONES
void down_53(const std::int32_t *even, const std::int32_t *odd, const std::int32_t *next,
             std::int32_t *const *state, std::int32_t *__restrict low,
             std::int32_t *__restrict high, int width) {
  std::int32_t *__restrict before = state[0];  // the high-pass row before
  for (int x = 0; x < width; ++x) {
    const std::int32_t h = high_53(odd[x], even[x], next[x]);
    low[x] = low_53(even[x], before[x], h);
    high[x] = h;
    before[x] = h;
  }
}

COALESCE_CLONES
void down_97(const float *even, const float *odd, const float *next, float *const *state,
             float *__restrict low, float *__restrict high, int width) {
  float *__restrict alpha = state[0];  // row 2n - 1 after the step of that name
  float *__restrict beta = state[1];   // row 2n - 2
  float *__restrict gamma = state[2];  // row 2n - 3
  for (int x = 0; x < width; ++x) {
    const float a = lift_97(odd[x], kAlpha, even[x], next[x]);
    const float b = lift_97(even[x], kBeta, alpha[x], a);
    const float c = lift_97(alpha[x], kGamma, beta[x], b);
    const float d = lift_97(beta[x], kDelta, gamma[x], c);
    alpha[x] = a;
    beta[x] = b;
    gamma[x] = c;
    low[x] = d * kScaleLow;
    high[x] = c * kScaleHigh;
  }
}

COALESCE_CLONES
void along_53(const std::int32_t *line, int x0, int width, std::int32_t *halves,
              std::int32_t *__restrict low, std::int32_t *__restrict high) {
  const Halves<std::int32_t> h = split(line, x0, width, 1, halves);
  for (int i = 0; i < h.pairs; ++i)
    h.odd[i] = high_53(h.odd[i], h.even[i], h.even[i + 1]);
  const int first = 1 + (x0 & 1);  // an odd x0 has no low-pass sample of its own
  for (int i = 0; i < (width + 1 - (x0 & 1)) / 2; ++i)
    low[i] = low_53(h.even[first + i], h.odd[first + i - 1], h.odd[first + i]);
  for (int i = 0; i < (width + (x0 & 1)) / 2; ++i)
    high[i] = h.odd[1 + i];
}

COALESCE_CLONES
void along_97(const float *line, int x0, int width, float *halves, float *__restrict low,
              float *__restrict high) {
  const Halves<float> h = split(line, x0, width, 2, halves);
  for (int i = 0; i < h.pairs; ++i)
    h.odd[i] = lift_97(h.odd[i], kAlpha, h.even[i], h.even[i + 1]);
  for (int i = 1; i < h.pairs; ++i)
    h.even[i] = lift_97(h.even[i], kBeta, h.odd[i - 1], h.odd[i]);
  for (int i = 1; i < h.pairs - 1; ++i)
    h.odd[i] = lift_97(h.odd[i], kGamma, h.even[i], h.even[i + 1]);
  const int first = 2 + (x0 & 1);
  for (int i = 0; i < (width + 1 - (x0 & 1)) / 2; ++i)
    low[i] = lift_97(h.even[first + i], kDelta, h.odd[first + i - 1], h.odd[first + i]) * kScaleLow;
  for (int i = 0; i < (width + (x0 & 1)) / 2; ++i)
    high[i] = h.odd[2 + i] * kScaleHigh;
}

struct Wavelet53 {
  using Sample = std::int32_t;
  static constexpr int kStateRows = 1, kDelay = 0, kWarmUp = 1;
  static constexpr auto down = down_53;
  static constexpr auto along = along_53;
};

struct Wavelet97 {
  using Sample = float;
  static constexpr int kStateRows = 3, kDelay = 1, kWarmUp = 2;
  static constexpr auto down = down_97;
  static constexpr auto along = along_97;
};

// ---- Planes -------------------------------------------------------------------------------------

constexpr int kLeastPairs = 32;  // of rows, in a thread's share: a few more are read at its top

// Rows of memory, each beginning at 64 bytes.
std::size_t padded(std::size_t samples) {
  return (samples + 15) / 16 * 16;
}

std::size_t row_samples(int width) {
  return padded(static_cast<std::size_t>(width) + 2 * kMargin);
}

// The state, a low-pass and a high-pass row, the halves of a row.
template <class W>
std::size_t range_samples(int width) {
  return (W::kStateRows + 3) * row_samples(width);
}

// A decomposition of `in`, whose first sample is at x0, y0.
template <class T>
struct Level {
  Plane<const T> in;
  int x0, y0;
  Plane<T> band[4];  // by Band; those that are empty have no rows or columns

  int x1() const { return x0 + in.width; }
  int y1() const { return y0 + in.height; }
};

// Rows of one thread.
template <class W>
class Range {
 public:
  using T = typename W::Sample;

  Range(const Level<T> &level, T *memory) : l_(level), memory_(memory) {
    const std::size_t row = row_samples(l_.in.width);
    for (T *&state : state_)
      state = take(row);
    low_ = take(row) + kMargin;
    high_ = take(row) + kMargin;
    halves_ = take(row);
    for (T *state : state_)  // what comes of it is not used, but is computed with
      std::memset(state, 0, row * sizeof(T));
  }

  // Low-pass and high-pass rows k0 to k1 - 1, counted in pairs of the whole picture.
  void run(int k0, int k1) {
    for (int n = k0 - W::kWarmUp; n < k1 + W::kDelay; ++n) {
      W::down(source(2 * n), source(2 * n + 1), source(2 * n + 2), state_, low_, high_,
              l_.in.width);
      const int k = n - W::kDelay;
      if (k < k0) continue;
      if (2 * k >= l_.y0) along(low_, Band::ll, k - (l_.y0 + 1) / 2);
      if (2 * k + 1 < l_.y1()) along(high_, Band::lh, k - l_.y0 / 2);
    }
  }

  // F.4.6: a single row is low-pass as it is, or high-pass and doubled.
  void run_single() {
    const bool odd = (l_.y0 & 1) != 0;
    const T *row = l_.in.row(0);
    for (int x = 0; x < l_.in.width; ++x)
      low_[x] = odd ? 2 * row[x] : row[x];
    along(low_, odd ? Band::lh : Band::ll, 0);
  }

 private:
  T *take(std::size_t samples) {
    T *memory = memory_;
    memory_ += samples;
    return memory;
  }

  // At any distance from the picture, by mirroring.
  const T *source(int y) const {
    return l_.in.row(border_position(Border::reflect_101, y - l_.y0, l_.in.height));
  }

  // A row that is low-pass or high-pass down becomes row y of that band and the one at its right.
  void along(T *line, Band down, int y) const {
    const int width = l_.in.width;
    const auto left = static_cast<std::size_t>(down);
    T *low = l_.band[left].row(y), *high = l_.band[left + 1].row(y);
    if (width == 1) {
      if ((l_.x0 & 1) != 0)
        high[0] = 2 * line[0];
      else
        low[0] = line[0];
      return;
    }
    for (int i = 1; i <= kMargin; ++i) {
      line[-i] = line[border_position(Border::reflect_101, -i, width)];
      line[width - 1 + i] = line[border_position(Border::reflect_101, width - 1 + i, width)];
    }
    W::along(line, l_.x0, width, halves_, low, high);
  }

  const Level<T> &l_;
  T *memory_;
  T *state_[W::kStateRows];
  T *low_, *high_, *halves_;
};

int ranges(int height, ThreadPool *pool) {
  const int most = pool == nullptr ? 1 : pool->threads() == 1 ? 1 : 4 * pool->threads();
  return std::clamp(height / 2 / kLeastPairs, 1, most);
}

template <class W>
void decompose(const Level<typename W::Sample> &level, typename W::Sample *memory,
               ThreadPool *pool) {
  if (level.in.height == 1) return Range<W>(level, memory).run_single();
  const int first = level.y0 >> 1, last = (level.y1() + 1) >> 1;
  const std::int64_t pairs = last - first;
  const int count = ranges(level.in.height, pool);
  for_ranges(pool, count, 1, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const auto slot = static_cast<std::size_t>(i) * range_samples<W>(level.in.width);
      Range<W>(level, memory + slot)
          .run(first + static_cast<int>(pairs * i / count),
               first + static_cast<int>(pairs * (i + 1) / count));
    }
  });
}

template <class W>
std::size_t memory_bound(int width, int height, ThreadPool *pool) {
  const auto plane = [&](int share) {
    return row_samples(width / share + 1) * static_cast<std::size_t>(height / share + 1);
  };
  return plane(2) + plane(4) +
         static_cast<std::size_t>(ranges(height, pool)) * range_samples<W>(width);
}

template <class T>
Plane<T> part(const Plane<T> &plane, int x, int y, int width, int height) {
  // (Where a part is empty, no address is made of it.)
  return {width > 0 && height > 0 ? plane.row(y) + x : plane.data, width, height, plane.pitch};
}

template <class W>
Status transform(const Rect &tc, int levels, const Plane<const typename W::Sample> &in,
                 const Plane<typename W::Sample> &out, WaveletMemory<typename W::Sample> *memory,
                 ThreadPool *pool) {
  using T = typename W::Sample;
  if (levels < 0 || levels > kMaxLevels)
    return invalid_argument("j2k: the number of resolutions is not 1 to 11");
  if (Status s = check_plane(in); !s.ok()) return s;
  if (Status s = check_plane(out); !s.ok()) return s;
  for (const Plane<const T> &plane : {in, Plane<const T>(out)})
    if (plane.width != tc.width() || plane.height != tc.height())
      return invalid_argument("j2k: a plane has not the size of its tile-component");
  if (levels == 0) {
    for (int y = 0; y < in.height; ++y)
      std::memcpy(out.row(y), in.row(y), static_cast<std::size_t>(in.width) * sizeof(T));
    return {};
  }

  // LL of each level but the last is kept in one of two planes, by turns.
  const Rect half = band_rect(tc, Band::ll, 1), quarter = band_rect(tc, Band::ll, 2);
  const std::size_t pitch[2] = {row_samples(half.width()), row_samples(quarter.width())};
  const std::size_t kept[2] = {
      levels > 1 ? pitch[0] * static_cast<std::size_t>(half.height()) : 0,
      levels > 2 ? pitch[1] * static_cast<std::size_t>(quarter.height()) : 0};
  T *const base =
      memory->get(kept[0] + kept[1] +
                  static_cast<std::size_t>(ranges(in.height, pool)) * range_samples<W>(in.width));
  if (base == nullptr) return {StatusCode::out_of_memory, "j2k: no memory for the wavelet"};

  Plane<const T> source = in;
  for (int i = 1; i <= levels; ++i) {
    const Rect from = band_rect(tc, Band::ll, i - 1), low = band_rect(tc, Band::ll, i);
    if (from.empty()) break;
    const int w = low.width(), h = low.height();
    const int turn = (i - 1) % 2;
    const Plane<T> ll =
        i == levels ? part(out, 0, 0, w, h)
                    : Plane<T>{base + (turn != 0 ? kept[0] : 0), w, h, pitch[turn] * sizeof(T)};
    const Level<T> level = {
        source,
        from.x0,
        from.y0,
        {ll, part(out, w, 0, from.width() - w, h), part(out, 0, h, w, from.height() - h),
         part(out, w, h, from.width() - w, from.height() - h)}};
    decompose<W>(level, base + kept[0] + kept[1], pool);
    source = ll;
  }
  return {};
}

}  // namespace

template <class T>
T *WaveletMemory<T>::get(std::size_t samples) {
  constexpr std::size_t kAlign = 64;
  try {
    if (storage_.size() < samples + kAlign / sizeof(T)) {
      storage_.clear();  // nothing of it is kept
      storage_.resize(samples + kAlign / sizeof(T));
    }
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  return storage_.data() + (kAlign - address % kAlign) % kAlign / sizeof(T);
}

template class WaveletMemory<std::int32_t>;
template class WaveletMemory<float>;

template <>
std::size_t wavelet_memory_bound<std::int32_t>(int width, int height, ThreadPool *pool) {
  return memory_bound<Wavelet53>(width, height, pool);
}

template <>
std::size_t wavelet_memory_bound<float>(int width, int height, ThreadPool *pool) {
  return memory_bound<Wavelet97>(width, height, pool);
}

Status wavelet_53(const Rect &tile_component, int levels, const Plane<const std::int32_t> &in,
                  const Plane<std::int32_t> &out, WaveletMemory<std::int32_t> *memory,
                  ThreadPool *pool) {
  return transform<Wavelet53>(tile_component, levels, in, out, memory, pool);
}

Status wavelet_97(const Rect &tile_component, int levels, const Plane<const float> &in,
                  const Plane<float> &out, WaveletMemory<float> *memory, ThreadPool *pool) {
  return transform<Wavelet97>(tile_component, levels, in, out, memory, pool);
}

}  // namespace coalesce::j2k
