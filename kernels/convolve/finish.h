// SPDX-License-Identifier: LGPL-2.1-or-later
// From a sum to a sample, exactly, without a division instruction: floor((N' + after) / divisor),
// saturated. Prepared on the host from a Filter as small structs that kernels take by value.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../core/host_device.h"
#include "planes.h"

namespace coalesce {

// floor(t / d) for t = 0 .. the largest Sum (std::int32_t or std::int64_t): the upper half of
// t * multiplier, then a shift. Without a multiplier (d a power of two): the shift alone.
template <class Sum>
struct Divider {
  std::make_unsigned_t<Sum> multiplier = 0;
  int shift = 0;
};

// d >= 1. With B = 31 or 63 bits of t and 2^(l - 1) < d < 2^l, the multiplier
// m = floor(2^(B + l) / d) + 1 has 0 < m * d - 2^(B + l) <= 2^l, so that t * m / 2^(B + l) exceeds
// t / d by less than 1 / d.
template <class Sum>
Divider<Sum> make_divider(Sum d) {
  constexpr int kBits = 8 * sizeof(Sum) - 1;
  int l = 0;
  while ((static_cast<std::make_unsigned_t<Sum>>(d) - 1) >> l != 0)
    ++l;
  if ((d & (d - 1)) == 0) return {0, l};
  const auto m = (static_cast<unsigned __int128>(1) << (kBits + l)) / d + 1;
  return {static_cast<std::make_unsigned_t<Sum>>(m), l - 1};
}

COALESCE_HOST_DEVICE std::uint32_t upper_half(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}

COALESCE_HOST_DEVICE std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return __umul64hi(a, b);
#else
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
#endif
}

template <class Sum>
COALESCE_HOST_DEVICE Sum divide(Sum t, const Divider<Sum> &by) {
  auto q = static_cast<std::make_unsigned_t<Sum>>(t);
  if (by.multiplier != 0) q = upper_half(q, by.multiplier);
  return static_cast<Sum>(q >> by.shift);
}

// Any filter of any depth. Sum is std::int32_t (filter.narrow) or std::int64_t.
template <class Sum>
struct Finish {
  struct Offsets {
    Sum before = 0, after = 0;
  };
  Offsets level, chroma;
  Sum top = 0;  // divisor * (max + 1) - 1: what saturates has been cut to 0 .. top
  Divider<Sum> divider;
  bool absolute = false;
};

template <class Sum>
Finish<Sum> make_finish(const Filter &filter) {
  const auto offsets = [](const Filter::Offsets &o) {
    return typename Finish<Sum>::Offsets{static_cast<Sum>(o.before), static_cast<Sum>(o.after)};
  };
  const auto divisor = static_cast<Sum>(filter.divisor);
  return {offsets(filter.level), offsets(filter.chroma),
          static_cast<Sum>(divisor * (filter.depth.max() + Sum{1}) - 1), make_divider(divisor),
          filter.absolute};
}

// The sample, 0 .. max, that the sum over weights becomes.
template <class Sum>
COALESCE_HOST_DEVICE int finish_sum(const Finish<Sum> &f,
                                    const typename Finish<Sum>::Offsets &offsets, Sum sum) {
  Sum t = sum + offsets.before;
  if (f.absolute && t < 0) t = -t;
  t += offsets.after;
  t = t < 0 ? 0 : t > f.top ? f.top : t;
  return static_cast<int>(divide(t, f.divider));
}

// The cheap way for 8 bits, without `absolute`: the sample is the uppermost byte of
//   clamp(N' + after, 0, top) * multiplier + addend     (32 bits)
// Powers of two and all divisors up to 256 have such numbers, others may.
struct ByteFinish {
  int top = 0;
  std::uint32_t multiplier = 0, addend = 0;
};

// False if there are none for this divisor. The multiplier is 2^24 / divisor, rounded up; or
// rounded down, and added once more. Of a quotient q the sums reach from q * divisor to (q + 1) *
// divisor - 1, and their results must lie in 2^24 * q .. 2^24 * (q + 1) - 1: what the multiplier is
// wrong by grows with q, so the last quotient decides for all.
inline bool make_byte_finish(std::int64_t divisor, ByteFinish *finish) {
  constexpr std::int64_t kOne = 1 << 24, kLast = 255;
  if (divisor < 1 || divisor > kOne / 2) return false;
  const std::int64_t down = kOne / divisor, up = (kOne - 1) / divisor + 1;
  const bool rounds_up = (kLast + 1) * (up * divisor - kOne) < up;
  if (!rounds_up && kLast * (kOne - down * divisor) > down) return false;
  *finish = {static_cast<int>((kLast + 1) * divisor - 1),
             static_cast<std::uint32_t>(rounds_up ? up : down),
             static_cast<std::uint32_t>(rounds_up ? 0 : down)};
  return true;
}

// Cut to 0 .. top.
COALESCE_HOST_DEVICE int clamp_sum(int sum, int offset, int top) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && CUDART_VERSION >= 12000
  return __viaddmin_s32_relu(sum, offset, top);
#else
  const int cut = sum + offset < top ? sum + offset : top;
  return cut > 0 ? cut : 0;
#endif
}

// 0 .. top. `offset` is before + after.
COALESCE_HOST_DEVICE int clamp_sum(const ByteFinish &f, int sum, int offset) {
  return clamp_sum(sum, offset, f.top);
}

// The uppermost byte is the sample.
COALESCE_HOST_DEVICE std::uint32_t finish_byte(const ByteFinish &f, int sum, int offset) {
  return static_cast<std::uint32_t>(clamp_sum(f, sum, offset)) * f.multiplier + f.addend;
}

}  // namespace coalesce
