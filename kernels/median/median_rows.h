// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the CPU back end gets its samples, and what it leaves alone.
#pragma once

#include <algorithm>
#include <cstring>

#include "median_job.h"

namespace coalesce {

// A plane and what stands around it. T: a sample as it is in memory.
template <class T>
class MedianRows {
 public:
  MedianRows(const MedianJob &job, const ChannelPlane &plane)
      : plane_(plane),
        border_(job.border),
        mask_(static_cast<T>(job.mask())),
        pixels_(plane.in.width / (plane.channels * static_cast<int>(sizeof(T)))) {
    for (int c = 0; c < 4; ++c)
      outside_[c] = static_cast<T>(job.outside(plane.role[c]));
  }

  const ChannelPlane &plane() const { return plane_; }
  int channels() const { return plane_.channels; }
  int pixels() const { return pixels_; }  // of a row
  int height() const { return plane_.in.height; }
  bool contains(int x, int y, int columns, int rows) const {
    return x >= 0 && y >= 0 && columns <= pixels_ - x && rows <= height() - y;
  }
  const T *in(int x, int y) const {
    return reinterpret_cast<const T *>(plane_.in.row(y)) +
           static_cast<std::ptrdiff_t>(x) * channels();
  }
  T *out(int x, int y) const {
    return reinterpret_cast<T *>(plane_.out.row(y)) + static_cast<std::ptrdiff_t>(x) * channels();
  }

  // Pixels x to x + count - 1 of row y; all of them may lie outside.
  void load(int x, int y, int count, T *line) const {
    y = border_position(border_, y, height());
    const int first = y < 0 ? count : std::clamp(-x, 0, count);
    const int end = y < 0 ? count : std::clamp(pixels_ - x, first, count);
    for (int i = 0; i < first; ++i)
      load_outside(x + i, y, line + i * channels());
    if (end > first) {
      const T *from = in(x + first, y);
      T *to = line + first * channels();
      const int samples = (end - first) * channels();
      if constexpr (sizeof(T) == 1)
        std::memcpy(to, from, static_cast<std::size_t>(samples));
      else
        for (int i = 0; i < samples; ++i)
          to[i] = from[i] & mask_;
    }
    for (int i = end; i < count; ++i)
      load_outside(x + i, y, line + i * channels());
  }

  // What is not filtered, of pixels x to x + count - 1 of row y.
  void copy(int x, int y, int count) const {
    for (int c = 0; c < channels(); ++c)
      if (plane_.role[c] == ChannelRole::copy)
        for (int i = c; i < count * channels(); i += channels())
          out(x, y)[i] = in(x, y)[i];
  }

 private:
  void load_outside(int x, int y, T *pixel) const {
    x = border_position(border_, x, pixels_);
    for (int c = 0; c < channels(); ++c)
      pixel[c] = x < 0 || y < 0 ? outside_[c] : static_cast<T>(in(x, y)[c] & mask_);
  }

  const ChannelPlane &plane_;
  Border border_;
  T mask_;
  int pixels_;
  T outside_[4] = {};
};

// Rows first to last - 1 of a plane. Any window of samples of 8 bits, or
// of more.
using FilterRows = void (*)(const MedianJob &job, const ChannelPlane &plane, int first, int last);
void median_of_bytes(const MedianJob &job, const ChannelPlane &plane, int first, int last);
void median_of_words(const MedianJob &job, const ChannelPlane &plane, int first, int last);

}  // namespace coalesce
