// SPDX-License-Identifier: LGPL-2.1-or-later
#include "invert.h"

#include "../core/clones.h"
#include "../picture/point.h"
#include "invert_pixel.h"

namespace coalesce {
namespace {

Status check(const ConstImage &in, const Image &out) {
  if (Status s = check_alike(in, out); !s.ok()) return s;
  // Pixels of three samples repeat in 8 bytes only if all of them are alike.
  for (int i = 0; i < in.format.components; ++i) {
    const PixelComponent &c = in.format.component[i];
    if (c.step == 3 && ~invert_bits(in.format).of_plane[c.plane] != 0)
      return invalid_argument("invert: no such format");
  }
  return {};
}

COALESCE_CLONES
void invert_row(const InvertBits &bits, int plane, const std::uint8_t *in, std::uint8_t *out,
                int bytes) {
  point_words(bits, plane, in, out, bytes);
}

}  // namespace

InvertBits invert_bits(const PixelFormat &format) {
  InvertBits bits = {};
  for (int i = 0; i < format.components; ++i) {
    const PixelComponent &c = format.component[i];
    if (c.role == Role::alpha) continue;
    const bool v210 = c.container == Container::v210;
    const int in_word = v210 ? 3 : 1, word_bits = 8 * container_bytes(c.container);
    const std::uint64_t max = (std::uint64_t{1} << c.bits) - 1;
    for (int n = c.first; n / in_word * word_bits < 64; n += c.step)
      bits.of_plane[c.plane] |= max << (n / in_word * word_bits + n % in_word * 10 + c.shift);
  }
  return bits;
}

Status invert_cpu(const ConstImage &in, const Image &out, ThreadPool *pool) {
  point_cpu(in, out, pool, invert_bits(in.format), invert_row);
  return {};
}

Status invert(const ConstImage &in, const Image &out, const Queue &queue) {
  if (Status s = check(in, out); !s.ok()) return s;
  if (!queue.on_cuda()) return invert_cpu(in, out, queue.pool());
#if COALESCE_CUDA_KERNELS
  return invert_cuda(in, out, queue.stream());
#else
  return {StatusCode::unsupported, "this build has no CUDA kernels"};
#endif
}

}  // namespace coalesce
