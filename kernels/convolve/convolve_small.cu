// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_small.cuh"

#include <algorithm>
#include <limits>

#include "../core/cuda_status.h"
#include "convolve_kernels.h"

namespace coalesce {
namespace {

// Blocks of a multiprocessor, by which the compiler decides on registers.
constexpr int small_blocks(int channels, int taps, bool general) {
  if (channels == 3) return taps == 3 ? 6 : 4;
  return taps == 3 ? (general ? 5 : 8) : (general ? 4 : 5);
}

// Planes of kFirst or kSecond channels.
template <int kFirst, int kSecond, int kTaps, bool kGeneral>
__global__ void __launch_bounds__(kSmallThreads, small_blocks(kFirst, kTaps, kGeneral))
    small_kernel(const __grid_constant__ SmallArgs a) {
  const int block = static_cast<int>(blockIdx.x);
  int i = 0;
  while (i + 1 < a.planes && block >= a.plane[i + 1].first_block)
    ++i;
  const SmallPlane &p = a.plane[i];
  if (kFirst == kSecond || p.channels == kFirst)
    small_rows<kFirst, kTaps, kGeneral>(a, p, block - p.first_block);
  else
    small_rows<kSecond, kTaps, kGeneral>(a, p, block - p.first_block);
}

// Where the square of `taps` stands: rows and columns of it before the sample.
struct Square {
  int taps, above, left;
};

// The smallest square that the mask fits into; taps is 0 if there is none.
Square square_of(const Filter &f) {
  for (const int taps : {3, 5}) {
    const int reach = taps / 2;
    if (f.left > reach || f.width - 1 - f.left > reach || f.height > taps) continue;
    const int least = std::max(f.above, 0), most = std::min(taps - f.height + f.above, taps - 1);
    if (least > most) continue;
    const int above = std::clamp(reach, least, most);
    return {taps, above, reach};
  }
  return {0, 0, 0};
}

SmallMask make_mask(const Filter &f, const Square &square) {
  std::uint32_t at[5][5] = {};
  for (int j = 0; j < f.height; ++j)
    for (int i = 0; i < f.width; ++i)
      at[j - f.above + square.above][i - f.left + square.left] =
          static_cast<std::uint8_t>(f.weights[static_cast<std::size_t>(j * f.width + i)]);
  SmallMask mask = {};
  if (square.taps == 3) {
    for (int j = 0; j < 3; ++j) {
      mask.words[j][0] = at[j][0] | at[j][1] << 8 | at[j][2] << 16;
      mask.words[j][1] = mask.words[j][0] << 8;
    }
    return mask;
  }
  for (int j = 0; j < 5; ++j) {
    mask.words[j][0] = at[j][0] | at[j][1] << 8 | at[j][2] << 16 | at[j][3] << 24;
    for (int i = 0; i < 4; ++i)
      mask.words[i][i + j < 4 ? 1 : 2] |= at[j][4] << 8 * ((i + j) % 4);
  }
  return mask;
}

SmallPlane make_plane(const ConvolveParams &params, const ConvolvePlane &plane) {
  const Filter &f = *params.filter;
  const int width = plane.in.width / plane.channels;
  const Finish<std::int32_t> finish = make_finish<std::int32_t>(f);
  SmallPlane p = {};
  p.in = plane.in.data;
  p.out = plane.out.data;
  p.in_pitch = static_cast<int>(plane.in.pitch);
  p.out_pitch = static_cast<int>(plane.out.pitch);
  p.width = width;
  p.height = plane.in.height;
  p.channels = plane.channels;
  p.columns = near_border(params.border, width);
  p.rows = near_border(params.border, p.height);
  for (int c = 0; c < plane.channels; ++c) {
    const bool chroma = plane.role[c] == ChannelRole::chroma;
    const auto value = static_cast<std::uint32_t>(chroma ? f.depth.middle() : params.border_value);
    p.fill |= value << 8 * c;
    if (plane.role[c] == ChannelRole::copy) p.copied |= 0xffu << 8 * c;
    p.offsets[c] = chroma ? finish.chroma : finish.level;
  }
  return p;
}

template <int kFirst, int kSecond, int kTaps>
Status launch_shape(SmallArgs a, bool general, cudaStream_t stream) {
  using First = SmallShape<kFirst, kTaps>;
  using Second = SmallShape<kSecond, kTaps>;
  std::int64_t blocks = 0;
  for (int i = 0; i < a.planes; ++i) {
    SmallPlane &p = a.plane[i];
    const bool first = p.channels == kFirst;
    p.blocks_across =
        (p.width - 1) / (kSmallThreads * (first ? First::kPixels : Second::kPixels)) + 1;
    p.by_blocks_across = make_divider(p.blocks_across);
    p.first_block = static_cast<int>(blocks);
    const int rows = first ? First::kRows : Second::kRows;
    blocks += std::int64_t{(p.height - 1) / rows + 1} * p.blocks_across;
    if (blocks > std::numeric_limits<int>::max())
      return {StatusCode::unsupported, "convolve: the picture is too large"};
  }
  auto *kernel = general ? small_kernel<kFirst, kSecond, kTaps, true>
                         : small_kernel<kFirst, kSecond, kTaps, false>;
  return launch(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kSmallThreads), stream, a);
}

template <int kTaps>
Status launch_taps(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                   SmallArgs a, bool general, cudaStream_t stream) {
  Status status;
  // Planes of one and two channels go together, as those of NV12.
  for (int least = 1; least <= 4 && status.ok(); least += least == 1 ? 2 : 1) {
    a.planes = 0;
    for (int i = 0; i < count; ++i)
      if (planes[i]->channels == least || (least == 1 && planes[i]->channels == 2))
        a.plane[a.planes++] = make_plane(params, *planes[i]);
    if (a.planes == 0) continue;
    status = least == 1   ? launch_shape<1, 2, kTaps>(a, general, stream)
             : least == 3 ? launch_shape<3, 3, kTaps>(a, general, stream)
                          : launch_shape<4, 4, kTaps>(a, general, stream);
  }
  return status;
}

}  // namespace

bool small_takes(const Filter &f, const ConvolvePlane &plane) {
  if (f.depth.bits != 8 || !f.narrow || f.weights.empty()) return false;
  for (const std::int32_t w : f.weights)
    if (w < -128 || w > 127) return false;
  const Square square = square_of(f);
  if (square.taps == 0) return false;
  const auto addresses = reinterpret_cast<std::uintptr_t>(plane.in.data) | plane.in.pitch |
                         reinterpret_cast<std::uintptr_t>(plane.out.data) | plane.out.pitch;
  if (addresses % (plane.channels == 3 ? 4 : 8) != 0) return false;
  constexpr std::size_t kMaxPitch = std::numeric_limits<int>::max();
  if (plane.in.pitch > kMaxPitch || plane.out.pitch > kMaxPitch) return false;
  // As much as a thread takes, and as near_border() needs.
  if (plane.in.width < 8 * plane.channels || plane.in.height < 8) return false;
  for (int c = 0; c < plane.channels; ++c)
    if (plane.role[c] == ChannelRole::copy &&
        (plane.channels != 4 || square.above != square.taps / 2))
      return false;
  return true;
}

Status launch_small(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                    cudaStream_t stream) {
  const Filter &f = *params.filter;
  const Square square = square_of(f);
  SmallArgs a = {};
  a.mask = make_mask(f, square);
  a.above = square.above;
  a.constant = params.border == Border::constant;
  a.general = make_finish<std::int32_t>(f);
  const bool general = f.absolute || !make_byte_finish(f.divisor, &a.finish);
  return square.taps == 3 ? launch_taps<3>(params, planes, count, a, general, stream)
                          : launch_taps<5>(params, planes, count, a, general, stream);
}

}  // namespace coalesce
