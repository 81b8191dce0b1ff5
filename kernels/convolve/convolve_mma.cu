// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_mma.cuh"

#include <algorithm>
#include <atomic>
#include <limits>

#include "../core/cuda_status.h"
#include "convolve_kernels.h"

namespace coalesce {
namespace {

using Smallest = MmaShape<8, 2, MmaWeights::bytes>;

// Were the kernels built for the current device, with the instructions they want?
bool built_for_device() {
  enum : signed char { unknown, no, yes };
  constexpr int kDevices = 64;
  static std::atomic<signed char> known[kDevices];
  int device = 0;
  if (!cuda_checked(cudaGetDevice(&device)).ok() || device >= kDevices) return false;
  signed char answer = known[device].load(std::memory_order_relaxed);
  if (answer == unknown) {
    cudaFuncAttributes attributes = {};
    const Status s = cuda_checked(
        cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(mma_kernel<Smallest>)));
    answer = s.ok() && attributes.ptxVersion >= 80 ? yes : no;
    known[device].store(answer, std::memory_order_relaxed);
  }
  return answer == yes;
}

// From the first tap to the last of a row, in bytes.
int span_of(const Filter &f, int channels) {
  return (f.width - 1) * channels + 1;
}

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

template <class Shape>
Status launch_shape(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream) {
  const Filter &f = *params.filter;
  const bool chroma = role_of(plane) == ChannelRole::chroma;
  MmaArgs<Shape> a = {};
  static_assert(sizeof a <= 4096, "kernels take no more");
  a.in = make_tile_source(params, plane);
  a.out = plane.out.data;
  a.out_pitch = plane.out.pitch;
  a.wide_stores = (reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch) % 16 == 0;
  for (int i = 0; i < 4; ++i)
    if (plane.role[i % plane.channels] == ChannelRole::copy) a.copied |= 0xffu << 8 * i;
  a.tiles_across = (plane.in.width - 1) / Shape::kColumns + 1;
  a.by_tiles_across = make_divider(a.tiles_across);
  a.left = f.left * plane.channels;
  a.above = f.above;
  a.right = span_of(f, plane.channels) - 1 - a.left;
  a.height = f.height;
  a.way = f.absolute                                   ? MmaFinish::any
          : make_byte_finish(f.divisor, &a.byte)       ? MmaFinish::byte
          : make_reciprocal(f, &a.byte, &a.reciprocal) ? MmaFinish::reciprocal
                                                       : MmaFinish::any;
  a.finish = make_finish<std::int32_t>(f);
  a.offsets = chroma ? a.finish.chroma : a.finish.level;
  a.offset = a.offsets.before + a.offsets.after;
  for (int d = 0; d < Shape::kDigits; ++d)
    for (int j = 0; j < f.height; ++j)
      for (int i = 0; i < f.width; ++i) {
        const int w = f.weights[static_cast<std::size_t>(j * f.width + i)];
        const int at = i * plane.channels;
        a.taps[d][j][at / 4] |= (static_cast<std::uint32_t>(w) >> 8 * d & 0xff) << 8 * (at % 4);
      }
  // As tall as leaves no multiprocessor without its blocks.
  int device = 0, multiprocessors = 1;
  if (Status s = cuda_checked(cudaGetDevice(&device)); !s.ok()) return s;
  if (Status s = cuda_checked(
          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
      !s.ok())
    return s;
  const std::int64_t passes =
      (std::int64_t{plane.in.height - 1} / Shape::kPassRows + 1) * a.tiles_across;
  const int wanted = Shape::kBlocks * multiprocessors;
  a.rows = Shape::kPassRows *
           static_cast<int>(std::clamp<std::int64_t>(passes / wanted, 1, Shape::kPasses));
  const std::int64_t blocks = std::int64_t{(plane.in.height - 1) / a.rows + 1} * a.tiles_across;
  if (blocks > std::numeric_limits<int>::max())
    return {StatusCode::unsupported, "convolve: the picture is too large"};
  return launch(mma_kernel<Shape>, dim3(static_cast<unsigned>(blocks)), dim3(Shape::kThreads),
                stream, a);
}

template <MmaWeights kWeights>
Status launch_weights(const ConvolveParams &params, const ConvolvePlane &plane,
                      cudaStream_t stream) {
  const Filter &f = *params.filter;
  const auto fits = [&](auto shape) {
    return span_of(f, plane.channels) <= shape.kMostWidth && f.height <= shape.kMostHeight;
  };
  if (MmaShape<8, 2, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<8, 3, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<16, 6, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  if (MmaShape<16, 9, kWeights> s; fits(s)) return launch_shape<decltype(s)>(params, plane, stream);
  return launch_shape<MmaShape<32, 0, kWeights>>(params, plane, stream);
}

}  // namespace

bool mma_takes(const Filter &f, const ConvolvePlane &plane) {
  using Largest = MmaShape<32, 0, MmaWeights::bytes>;
  MmaWeights weights;
  if (f.depth.bits != 8 || !f.narrow || f.weights.empty() || !weights_of(f, &weights)) return false;
  if (span_of(f, plane.channels) > Largest::kMostWidth || f.height > Largest::kMostHeight)
    return false;
  if ((reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch) % 16 != 0) return false;
  if (role_of(plane) == ChannelRole::copy) return false;
  if (plane.channels == 3 && std::count(plane.role, plane.role + 3, ChannelRole::copy) > 0)
    return false;
  return built_for_device();
}

Status launch_mma(const ConvolveParams &params, const ConvolvePlane &plane, cudaStream_t stream) {
  MmaWeights weights = MmaWeights::bytes;
  weights_of(*params.filter, &weights);
  switch (weights) {
    case MmaWeights::bytes:
      return launch_weights<MmaWeights::bytes>(params, plane, stream);
    case MmaWeights::words:
      return launch_weights<MmaWeights::words>(params, plane, stream);
    default:
      return launch_weights<MmaWeights::unsigned_words>(params, plane, stream);
  }
}

}  // namespace coalesce
