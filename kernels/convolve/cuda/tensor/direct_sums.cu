// SPDX-License-Identifier: LGPL-2.1-or-later
#include "direct_sums.cuh"

#include <algorithm>
#include <iterator>
#include <vector>

#include "../../../core/cuda_status.h"
#include "../kernels.h"

namespace coalesce {
namespace {

// False if there are larger ones.
bool weights_of(const ConvolveParams &params, MmaWeights *weights) {
  const auto [least, most] = weight_range(params);
  if (least >= -128 && most <= 127)
    *weights = MmaWeights::bytes;
  else if (least >= -32768 && most <= 32767)
    *weights = MmaWeights::words;
  else if (least >= 0 && most <= 65535)
    *weights = MmaWeights::unsigned_words;
  else
    return false;
  return true;
}

int channels_of(const ConvolvePlane &plane, ChannelRole role) {
  return static_cast<int>(std::count(plane.role, plane.role + plane.channels, role));
}

std::int64_t offset_of(const Filter::Offsets &o) {
  return o.before + o.after;
}

// Are there samples of both roles, and not the same offset for both?
bool has_two_offsets(const Filter &f, const ConvolvePlane &plane) {
  return channels_of(plane, ChannelRole::level) != 0 &&
         channels_of(plane, ChannelRole::chroma) != 0 &&
         (f.absolute || offset_of(f.level) != offset_of(f.chroma));
}

// Of each four bytes of a plane.
std::uint32_t bytes_of(const ConvolvePlane &plane, ChannelRole role) {
  std::uint32_t bits = 0;
  for (int i = 0; i < 4; ++i)
    if (plane.role[i % plane.channels] == role) bits |= 0xffu << 8 * i;
  return bits;
}

// For sums of 0 .. n * d - 1, with n = max + 1: with r = 2^32 / d, rounded up, the product with t
// exceeds 2^32 * t / d by t * (r * d - 2^32) / d: too little to matter if that is below 2^32 / d.
// Sums below give something negative, those above n and more. r is signed.
bool make_reciprocal(const Filter &f, int *reciprocal) {
  constexpr std::int64_t kOne = std::int64_t{1} << 32;
  const std::int64_t n = f.depth.max() + 1;
  if (f.divisor <= 2 || f.divisor > kOne / 2 / n) return false;
  const std::int64_t r = (kOne - 1) / f.divisor + 1;
  *reciprocal = static_cast<int>(r);
  return (n * f.divisor - 1) * (r * f.divisor - kOne) < kOne;
}

// The same for planes whose pixels are alike.
int pixel_kind(const ConvolvePlane &plane) {
  int kind = 0;
  for (int c = 0; c < plane.channels; ++c)
    kind = 4 * kind + 1 + static_cast<int>(plane.role[c]);
  return kind;
}

// All that does not depend on where the plane is.
MmaOutput make_placeless_output(const Filter &f, const ConvolvePlane &plane) {
  MmaOutput o = {};
  const bool two = has_two_offsets(f, plane);
  static_cast<MmaSamples &>(o) =
      make_mma_samples(f, two                                           ? ChannelRole::copy
                          : channels_of(plane, ChannelRole::level) == 0 ? ChannelRole::chroma
                                                                        : ChannelRole::level);
  o.copied = bytes_of(plane, ChannelRole::copy);
  if (two) o.chroma = bytes_of(plane, ChannelRole::chroma);
  return o;
}

}  // namespace

WeightRange weight_range(const ConvolveParams &params) {
  return params.cache->get<WeightRange>(0, [&] {
    const std::vector<std::int32_t> &weights = params.filter->weights;
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    return WeightRange{*least, *most};
  });
}

bool direct_sums_take(const ConvolveParams &params, const ConvolvePlane &plane, MmaWeights *weights,
                      bool *by_role) {
  const Filter &f = *params.filter;
  if (f.depth.bits != 8 || !f.narrow || f.weights.empty() || !weights_of(params, weights))
    return false;
  if ((reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch) % 16 != 0) return false;
  const int copied = channels_of(plane, ChannelRole::copy);
  if (copied == plane.channels) return false;
  const bool two = has_two_offsets(f, plane);
  if (by_role != nullptr) *by_role = two;
  if (two && (by_role == nullptr || f.absolute)) return false;
  return plane.channels != 3 || (copied == 0 && !two);
}

bool MmaKernel::built() {
  int device = 0;
  if (!cuda_checked(cudaGetDevice(&device)).ok() || device >= static_cast<int>(std::size(known_)))
    return false;
  signed char answer = known_[device].load(std::memory_order_relaxed);
  if (answer == unknown) {
    cudaFuncAttributes attributes = {};
    const Status s = cuda_checked(cudaFuncGetAttributes(&attributes, kernel_));
    if (!s.ok() && s.code() != StatusCode::unsupported) return false;  // for now
    answer = s.ok() && attributes.ptxVersion >= from_ ? yes : no;
    known_[device].store(answer, std::memory_order_relaxed);
  }
  return answer == yes;
}

MmaSamples make_mma_samples(const Filter &f, ChannelRole role) {
  MmaSamples s = {};
  s.finish = make_finish<std::int32_t>(f);
  if (role != ChannelRole::copy)
    s.offsets = role == ChannelRole::chroma ? s.finish.chroma : s.finish.level;
  s.offset = s.offsets.before + s.offsets.after;
  s.max = f.depth.max();
  if (f.absolute) {
    s.way = MmaFinish::any;
  } else if (make_reciprocal(f, &s.reciprocal)) {
    s.way = MmaFinish::saturated;
    s.addend = std::int64_t{s.offset} * s.reciprocal;
  } else {
    s.way = f.depth.bits == 8 && make_byte_finish(f.divisor, &s.byte) ? MmaFinish::byte
                                                                      : MmaFinish::any;
  }
  return s;
}

MmaOutput make_mma_output(const ConvolveParams &params, const ConvolvePlane &plane) {
  auto o = params.cache->get<MmaOutput>(
      pixel_kind(plane), [&] { return make_placeless_output(*params.filter, plane); });
  o.data = plane.out.data;
  o.pitch = plane.out.pitch;
  o.wide_stores = (reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch) % 16 == 0;
  return o;
}

}  // namespace coalesce
