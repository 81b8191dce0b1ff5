// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wavelet_rows.h"

#include "../../core/clones.h"
#include "../../core/simd.h"
#include "wavelet_lift.h"

namespace coalesce::j2k {
namespace {

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

// (Clones are for callers in the same file: with another compiler they have other names.)
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

}  // namespace

void Wavelet53::down(const Sample *even, const Sample *odd, const Sample *next,
                     Sample *const *state, Sample *low, Sample *high, int width) {
  down_53(even, odd, next, state, low, high, width);
}

void Wavelet53::along(const Sample *line, int x0, int width, Sample *halves, Sample *low,
                      Sample *high) {
  along_53(line, x0, width, halves, low, high);
}

void Wavelet97::down(const Sample *even, const Sample *odd, const Sample *next,
                     Sample *const *state, Sample *low, Sample *high, int width) {
  down_97(even, odd, next, state, low, high, width);
}

void Wavelet97::along(const Sample *line, int x0, int width, Sample *halves, Sample *low,
                      Sample *high) {
  along_97(line, x0, width, halves, low, high);
}

}  // namespace coalesce::j2k
