// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mma_direct.cuh"

#include <algorithm>

namespace coalesce {
namespace {

// False if there are larger ones.
bool weights_of(const Filter &f, MmaWeights *weights) {
  const auto [least, most] = std::minmax_element(f.weights.begin(), f.weights.end());
  if (*least >= -128 && *most <= 127)
    *weights = MmaWeights::bytes;
  else if (*least >= -32768 && *most <= 32767)
    *weights = MmaWeights::words;
  else if (*least >= 0 && *most <= 65535)
    *weights = MmaWeights::unsigned_words;
  else
    return false;
  return true;
}

// The role of what is filtered; copy if there are several.
ChannelRole role_of(const ConvolvePlane &plane) {
  ChannelRole role = ChannelRole::copy;
  for (int c = 0; c < plane.channels; ++c) {
    if (plane.role[c] == ChannelRole::copy) continue;
    if (role != ChannelRole::copy && role != plane.role[c]) return ChannelRole::copy;
    role = plane.role[c];
  }
  return role;
}

// For divisors that ByteFinish has no numbers for. With r = floor(2^32 / d) + 1 the product with t
// exceeds 2^32 * t / d by t * (r * d - 2^32) / d: too little to matter if that is below 2^32 / d.
bool make_reciprocal(const Filter &f, ByteFinish *finish, std::uint32_t *reciprocal) {
  constexpr std::int64_t kOne = std::int64_t{1} << 32;
  const std::int64_t top = 256 * f.divisor - 1, r = kOne / f.divisor + 1;
  if (f.divisor < 2 || top >= kOne / 2 || top * (r * f.divisor - kOne) >= kOne) return false;
  finish->top = static_cast<int>(top);
  *reciprocal = static_cast<std::uint32_t>(r);
  return true;
}

}  // namespace

bool mma_direct_takes(const Filter &f, const ConvolvePlane &plane, MmaWeights *weights) {
  if (f.depth.bits != 8 || !f.narrow || f.weights.empty() || !weights_of(f, weights)) return false;
  if ((reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch) % 16 != 0) return false;
  if (role_of(plane) == ChannelRole::copy) return false;
  return plane.channels != 3 || std::count(plane.role, plane.role + 3, ChannelRole::copy) == 0;
}

MmaOutput make_mma_output(const Filter &f, const ConvolvePlane &plane) {
  MmaOutput o = {};
  o.data = plane.out.data;
  o.pitch = plane.out.pitch;
  o.wide_stores = (reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch) % 16 == 0;
  for (int i = 0; i < 4; ++i)
    if (plane.role[i % plane.channels] == ChannelRole::copy) o.copied |= 0xffu << 8 * i;
  o.way = f.absolute                                   ? MmaFinish::any
          : make_byte_finish(f.divisor, &o.byte)       ? MmaFinish::byte
          : make_reciprocal(f, &o.byte, &o.reciprocal) ? MmaFinish::reciprocal
                                                       : MmaFinish::any;
  o.finish = make_finish<std::int32_t>(f);
  o.offsets = role_of(plane) == ChannelRole::chroma ? o.finish.chroma : o.finish.level;
  o.offset = o.offsets.before + o.offsets.after;
  return o;
}

}  // namespace coalesce
