// SPDX-License-Identifier: LGPL-2.1-or-later
// The forward DCT of libjpeg's JDCT_ISLOW: Loeffler, Ligtenberg and Moschytz's algorithm of 1989
// with 11 multiplications, in integers; constants have 13 bits of fraction. Rows first, with two
// bits more; then columns. Results are 8 times the DCT's of T.81.
#pragma once

#include <cstdint>

#include "../../core/host_device.h"

namespace coalesce::jpeg {

constexpr int kConstantBits = 13, kRowBits = 2;
// Round(x * 2^13).
constexpr int k0_298631336 = 2446, k0_390180644 = 3196, k0_541196100 = 4433, k0_765366865 = 6270,
              k0_899976223 = 7373, k1_175875602 = 9633, k1_501321110 = 12299, k1_847759065 = 15137,
              k1_961570560 = 16069, k2_053119869 = 16819, k2_562915447 = 20995,
              k3_072711026 = 25172;

// Of eight samples or row results, in place. kRows: of rows, else of columns.
template <bool kRows>
COALESCE_HOST_DEVICE void forward_dct_1d(int (&d)[8]) {
  constexpr int kDown = kRows ? kConstantBits - kRowBits : kConstantBits + kRowBits;
  constexpr int kHalf = 1 << (kDown - 1);
  const int s0 = d[0] + d[7], s1 = d[1] + d[6], s2 = d[2] + d[5], s3 = d[3] + d[4];
  const int d0 = d[0] - d[7], d1 = d[1] - d[6], d2 = d[2] - d[5], d3 = d[3] - d[4];

  const int s03 = s0 + s3, s12 = s1 + s2, d03 = s0 - s3, d12 = s1 - s2;
  if (kRows) {
    d[0] = (s03 + s12) * (1 << kRowBits);
    d[4] = (s03 - s12) * (1 << kRowBits);
  } else {
    d[0] = (s03 + s12 + (1 << (kRowBits - 1))) >> kRowBits;
    d[4] = (s03 - s12 + (1 << (kRowBits - 1))) >> kRowBits;
  }
  const int turned = (d12 + d03) * k0_541196100 + kHalf;
  d[2] = (turned + d03 * k0_765366865) >> kDown;
  d[6] = (turned - d12 * k1_847759065) >> kDown;

  const int both = (d3 + d1 + d2 + d0) * k1_175875602 + kHalf;
  const int z1 = (d3 + d0) * -k0_899976223, z2 = (d2 + d1) * -k2_562915447;
  const int z3 = both - (d3 + d1) * k1_961570560, z4 = both - (d2 + d0) * k0_390180644;
  d[7] = (d3 * k0_298631336 + z1 + z3) >> kDown;
  d[5] = (d2 * k2_053119869 + z2 + z4) >> kDown;
  d[3] = (d1 * k3_072711026 + z2 + z3) >> kDown;
  d[1] = (d0 * k1_501321110 + z1 + z4) >> kDown;
}

// A coefficient divided by its step and 8, rounded to nearest, halves away from zero.
// reciprocal: quant_reciprocal(). |coefficient| is below 2^14, so the quotient is exact.
COALESCE_HOST_DEVICE std::uint32_t quant_reciprocal(int step) {
  return 0xFFFFFFFFu / (8 * static_cast<unsigned>(step)) + 1;
}
COALESCE_HOST_DEVICE int quantised(int coefficient, int step, std::uint32_t reciprocal) {
  const auto size =
      static_cast<unsigned>((coefficient < 0 ? -coefficient : coefficient) + 4 * step);
#if defined(__CUDA_ARCH__)
  const auto quotient = static_cast<int>(__umulhi(size, reciprocal));
#else
  const auto quotient = static_cast<int>(std::uint64_t{size} * reciprocal >> 32);
#endif
  return coefficient < 0 ? -quotient : quotient;
}

}  // namespace coalesce::jpeg
