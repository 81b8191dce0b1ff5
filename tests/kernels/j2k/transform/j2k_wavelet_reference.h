// SPDX-License-Identifier: LGPL-2.1-or-later
// The wavelet transforms as T.800 Annex F writes them: a row is extended on both sides, each
// lifting step is a loop over it. Forward and inverse, in integers, floats or doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "j2k/canvas/geometry.h"

namespace coalesce::test {

// T = int32_t: 5/3. Else 9/7.
template <class T>
class ReferenceWavelet {
 public:
  // In place on samples i0 to i0 + n - 1; results lie between each other as they came (low-pass at
  // even coordinates).
  static void forward(std::vector<T> &x, int i0) {
    if (x.size() == 1) {
      if (odd(i0)) x[0] = 2 * x[0];
      return;
    }
    Extended e(x, i0);
    if constexpr (kInteger) {
      e.step(1, [](T v, T a, T b) { return v - floor_div(a + b, 2); });
      e.step(0, [](T v, T a, T b) { return v + floor_div(a + b + 2, 4); });
    } else {
      for (int i = 0; i < 4; ++i)
        e.step(1 - i % 2, [i](T v, T a, T b) { return v + weight(i) * (a + b); });
      e.scale(static_cast<T>(1 / 1.230174104914001), static_cast<T>(1.230174104914001));
    }
    x = e.cut();
  }

  static void inverse(std::vector<T> &x, int i0) {
    if (x.size() == 1) {
      if (odd(i0)) x[0] = x[0] / 2;
      return;
    }
    Extended e(x, i0);
    if constexpr (kInteger) {
      e.step(0, [](T v, T a, T b) { return v - floor_div(a + b + 2, 4); });
      e.step(1, [](T v, T a, T b) { return v + floor_div(a + b, 2); });
    } else {
      e.scale(static_cast<T>(1.230174104914001), static_cast<T>(1 / 1.230174104914001));
      for (int i = 3; i >= 0; --i)
        e.step(1 - i % 2, [i](T v, T a, T b) { return v - weight(i) * (a + b); });
    }
    x = e.cut();
  }

 private:
  static constexpr bool kInteger = std::is_same_v<T, std::int32_t>;

  static bool odd(int i) { return i % 2 != 0; }
  static T floor_div(T a, T b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
  static T weight(int step) {
    constexpr double kWeights[] = {-1.586134342059924, -0.052980118572961, 0.882911075530934,
                                   0.443506852043971};
    return static_cast<T>(kWeights[step]);
  }

  class Extended {
   public:
    Extended(const std::vector<T> &x, int i0) : size_(static_cast<int>(x.size())), i0_(i0) {
      const int period = 2 * (size_ - 1);
      for (int i = -kExtra; i < size_ + kExtra; ++i) {
        const int m = ((i % period) + period) % period;
        at_.push_back(x[static_cast<std::size_t>(m < size_ ? m : period - m)]);
      }
    }

    // Odd or even samples become what `lift` makes of them and their neighbours.
    template <class Lift>
    void step(int parity, Lift lift) {
      for (int i = 1; i + 1 < static_cast<int>(at_.size()); ++i)
        if (odd(i0_ - kExtra + i) == (parity != 0)) {
          T *v = &at_[static_cast<std::size_t>(i)];
          *v = lift(*v, v[-1], v[1]);
        }
    }
    void scale(T even_ones, T odd_ones) {
      for (std::size_t i = 0; i < at_.size(); ++i)
        at_[i] = at_[i] * (odd(i0_ - kExtra + static_cast<int>(i)) ? odd_ones : even_ones);
    }
    std::vector<T> cut() const { return {at_.begin() + kExtra, at_.begin() + kExtra + size_}; }

   private:
    static constexpr int kExtra = 6;  // what the ends lack does not reach the middle in four steps
    int size_, i0_;
    std::vector<T> at_;
  };
};

// A picture with coordinates, all levels.
template <class T>
struct ReferencePicture {
  j2k::Rect rect;
  std::vector<T> at;  // row by row; after forward(), bands as in kernels/j2k/geometry.h

  T &operator()(int x, int y) { return at[static_cast<std::size_t>(y * rect.width() + x)]; }

  void forward(int levels) {
    for (int level = 1; level <= levels; ++level) {
      const j2k::Rect r = j2k::band_rect(rect, j2k::Band::ll, level - 1);
      columns(r, [&](std::vector<T> &v) {
        ReferenceWavelet<T>::forward(v, r.y0);
        v = parted(v, r.y0);
      });
      rows(r, [&](std::vector<T> &v) {
        ReferenceWavelet<T>::forward(v, r.x0);
        v = parted(v, r.x0);
      });
    }
  }
  void inverse(int levels) {
    for (int level = levels; level >= 1; --level) {
      const j2k::Rect r = j2k::band_rect(rect, j2k::Band::ll, level - 1);
      rows(r, [&](std::vector<T> &v) {
        v = mixed(v, r.x0);
        ReferenceWavelet<T>::inverse(v, r.x0);
      });
      columns(r, [&](std::vector<T> &v) {
        v = mixed(v, r.y0);
        ReferenceWavelet<T>::inverse(v, r.y0);
      });
    }
  }

 private:
  // Even coordinates first, then odd ones; and back.
  static std::vector<T> parted(const std::vector<T> &v, int i0) {
    std::vector<T> out;
    for (std::size_t parity = 0; parity < 2; ++parity)
      for (std::size_t i = 0; i < v.size(); ++i)
        if ((static_cast<std::size_t>(i0) + i) % 2 == parity) out.push_back(v[i]);
    return out;
  }
  static std::vector<T> mixed(const std::vector<T> &v, int i0) {
    std::vector<T> out(v.size());
    std::size_t next = 0;
    for (std::size_t parity = 0; parity < 2; ++parity)
      for (std::size_t i = 0; i < v.size(); ++i)
        if ((static_cast<std::size_t>(i0) + i) % 2 == parity) out[i] = v[next++];
    return out;
  }

  template <class Body>
  void columns(const j2k::Rect &r, Body body) {
    if (r.empty()) return;
    for (int x = 0; x < r.width(); ++x) {
      std::vector<T> v;
      for (int y = 0; y < r.height(); ++y)
        v.push_back((*this)(x, y));
      body(v);
      for (int y = 0; y < r.height(); ++y)
        (*this)(x, y) = v[static_cast<std::size_t>(y)];
    }
  }
  template <class Body>
  void rows(const j2k::Rect &r, Body body) {
    if (r.empty()) return;
    for (int y = 0; y < r.height(); ++y) {
      std::vector<T> v;
      for (int x = 0; x < r.width(); ++x)
        v.push_back((*this)(x, y));
      body(v);
      for (int x = 0; x < r.width(); ++x)
        (*this)(x, y) = v[static_cast<std::size_t>(x)];
    }
  }
};

}  // namespace coalesce::test
