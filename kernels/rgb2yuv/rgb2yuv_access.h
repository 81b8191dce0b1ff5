// SPDX-License-Identifier: LGPL-2.1-or-later
// How the CUDA back end of rgb2yuv cuts a picture up and reaches memory. Plain arithmetic, so that
// a test on any machine can tell which path a picture takes.
#pragma once

#include <cstdint>

#include "rgb2yuv_job.h"

namespace coalesce {

// A thread takes one chunk of each of a band's rows. A chunk's longest store has 16 bytes, so the
// stores of a warp fill whole sectors.
constexpr int chunk_pixels(YuvSink sink) {
  return sink == YuvSink::packed444 ? 4 : sink == YuvSink::packed422 ? 8 : 16;
}

// Rows of a band where each stands for itself: 16 pixels a thread, enough to have under way. In
// 4:2:0 a band is the two rows that share a row of chroma.
constexpr int band_rows(YuvSink sink) {
  return 16 / chunk_pixels(sink);
}

// Bands of a picture. Interlaced 4:2:0: those of both fields in every four rows, of which the last
// may lack their chroma.
constexpr int band_count(const Rgb2yuvJob &job) {
  const int rows = job.height - 1;
  if (chroma_shift(job.sink).down == 0) return rows / band_rows(job.sink) + 1;
  return job.interlaced ? 2 * (rows / 4 + 1) : rows / 2 + 1;
}

enum class RgbAccess : std::uint8_t {
  aligned,  // all rows start on 16 bytes: vectors as long as the chunk's place allows
  shifted,  // anything else: aligned words, shifted into place. The last chunk of an aligned row
            // goes this way too where the row does not fill it.
};

inline RgbAccess choose_access(const Rgb2yuvJob &job) {
  std::uintptr_t all = 0;
  for (int i = 0; i < job.in_planes(); ++i)
    all |= reinterpret_cast<std::uintptr_t>(job.in.plane[i].data) | job.in.plane[i].pitch;
  for (int i = 0; i < job.out_planes(); ++i)
    all |= reinterpret_cast<std::uintptr_t>(job.out.plane[i].data) | job.out.plane[i].pitch;
  return all % 16 == 0 ? RgbAccess::aligned : RgbAccess::shifted;
}

}  // namespace coalesce
