// SPDX-License-Identifier: LGPL-2.1-or-later
// Point operations: each sample of `out` depends on the sample at its place in `in`, a picture of
// the same format and size. The operation is op(plane, x, word): what becomes of the four bytes
// from x on, a multiple of 4, of a row. At its end some of them are missing, which are 0. It goes
// through all planes by point_cpu(), and by point_cuda() (point.cuh).
#pragma once

#include <algorithm>
#include <cstring>

#include "../core/host_device.h"
#include "../core/thread_pool.h"
#include "image.h"

namespace coalesce {

// The row of `in` that a row of `out` is made of. Of interlaced 4:2:0, `out` may have a row of
// chroma that `in` lacks (image.h): it is made of the nearest row of its field.
COALESCE_HOST_DEVICE constexpr int point_row(int y, int rows_of_in) {
  return y < rows_of_in ? y : y >= 2 ? y - 2 : 0;
}

// `count` bytes from x on, which `in` and `out` point to.
template <class Op>
COALESCE_HOST_DEVICE void point_bytes(const Op &op, int plane, const std::uint8_t *in,
                                      std::uint8_t *out, int x, int count) {
  for (int first = 0; first < count; first += 4) {
    const int bytes = count - first < 4 ? count - first : 4;
    std::uint32_t word = 0;
    for (int i = 0; i < bytes; ++i)
      word |= static_cast<std::uint32_t>(in[first + i]) << (8 * i);
    word = op(plane, x + first, word);
    for (int i = 0; i < bytes; ++i)
      out[first + i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
}

// A row on the CPU (little-endian), for a function with COALESCE_CLONES.
template <class Op>
[[gnu::always_inline]] inline void point_words(const Op &op, int plane, const std::uint8_t *in,
                                               std::uint8_t *out, int bytes) {
  const Op own = op;  // not among what `out` may point to
  const int pairs = bytes / 8;
  for (int i = 0; i < pairs; ++i) {
    std::uint32_t words[2];
    std::memcpy(words, in + 8 * i, sizeof words);
    words[0] = own(plane, 8 * i, words[0]);
    words[1] = own(plane, 8 * i + 4, words[1]);
    std::memcpy(out + 8 * i, words, sizeof words);
  }
  point_bytes(own, plane, in + 8 * pairs, out + 8 * pairs, 8 * pairs, bytes - 8 * pairs);
}

template <class Op>
void point_cpu(const ConstImage &in, const Image &out, ThreadPool *pool, const Op &op,
               void (*row)(const Op &op, int plane, const std::uint8_t *in, std::uint8_t *out,
                           int bytes)) {
  for (int p = 0; p < out.format.planes; ++p) {
    const Plane<const std::uint8_t> &from = in.plane[p];
    const Plane<std::uint8_t> &to = out.plane[p];
    // At least 64 KiB a range: waking a thread costs as much as moving that.
    for_ranges(pool, to.height, std::max(1, (1 << 16) / to.width), [&](int first, int last) {
      for (int y = first; y < last; ++y)
        row(op, p, from.row(point_row(y, from.height)), to.row(y), to.width);
    });
  }
}

}  // namespace coalesce
