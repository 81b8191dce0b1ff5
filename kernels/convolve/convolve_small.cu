// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_small.cuh"

#include <algorithm>
#include <limits>

#include "../core/cuda_status.h"
#include "convolve_kernels.h"

namespace coalesce {
namespace {

constexpr int kMaxBlocks = std::numeric_limits<int>::max();

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
  // No access by index: it would take longer.
  SmallPlane p = a.plane[0];
#pragma unroll
  for (int i = 1; i < 4; ++i)
    if (block >= a.plane[i].first_block) p = a.plane[i];
  if (kFirst == kSecond || p.channels == kFirst)
    small_block<kFirst, kTaps, kGeneral>(a, p, block - p.first_block);
  else
    small_block<kSecond, kTaps, kGeneral>(a, p, block - p.first_block);
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

void place_weights(const Filter &f, const Square &square, std::int8_t (&weights)[5][5]) {
  for (int j = 0; j < f.height; ++j)
    for (int i = 0; i < f.width; ++i)
      weights[j - f.above + square.above][i - f.left + square.left] =
          static_cast<std::int8_t>(f.weights[static_cast<std::size_t>(j * f.width + i)]);
}

SmallMask make_mask(const std::int8_t (&weights)[5][5], int taps) {
  const auto at = [&](int j, int i) -> std::uint32_t {
    return static_cast<std::uint8_t>(weights[j][i]);
  };
  SmallMask mask = {};
  if (taps == 3) {
    for (int j = 0; j < 3; ++j) {
      mask.words[j][0] = at(j, 0) | at(j, 1) << 8 | at(j, 2) << 16;
      mask.words[j][1] = mask.words[j][0] << 8;
    }
    return mask;
  }
  for (int j = 0; j < 5; ++j) {
    mask.words[j][0] = at(j, 0) | at(j, 1) << 8 | at(j, 2) << 16 | at(j, 3) << 24;
    for (int i = 0; i < 4; ++i)
      mask.words[i][i + j < 4 ? 1 : 2] |= at(j, 4) << 8 * ((i + j) % 4);
  }
  return mask;
}

SmallPlane make_plane(const ConvolveParams &params, const ConvolvePlane &plane) {
  SmallPlane p = {};
  p.in = plane.in.data;
  p.out = plane.out.data;
  p.in_pitch = static_cast<int>(plane.in.pitch);
  p.out_pitch = static_cast<int>(plane.out.pitch);
  p.width = plane.in.width / plane.channels;
  p.height = plane.in.height;
  p.channels = plane.channels;
  p.border = params.border;
  for (int c = 0; c < plane.channels; ++c) {
    const bool chroma = plane.role[c] == ChannelRole::chroma;
    p.fill |=
        static_cast<std::uint32_t>(chroma ? params.filter->depth.middle() : params.border_value)
        << 8 * c;
    if (plane.role[c] == ChannelRole::copy) p.copied |= 0xffu << 8 * c;
    if (chroma) p.chroma |= 1u << c;
  }
  return p;
}

// Cuts a plane into chunks and rim. Returns how many blocks it needs.
template <class Shape>
std::int64_t cut(SmallPlane *p) {
  const int bytes = p->width * Shape::kChannels;
  const bool wrap = p->border == Border::wrap;
  // Chunks need the words beside them, unless they are the first or the last of a row whose border
  // is made of what is near.
  const bool to_end = !wrap && bytes % Shape::kBytes == 0;
  p->first_chunk = wrap ? 1 : 0;
  p->last_chunk = std::max((bytes - (to_end ? 0 : Shape::kHalo)) / Shape::kBytes, p->first_chunk);
  const int chunks = p->last_chunk - p->first_chunk;
  const int rim = bytes - chunks * Shape::kBytes;
  p->blocks_across = std::max((chunks + kSmallThreads - 1) / kSmallThreads, 1);
  p->by_blocks_across = make_divider(p->blocks_across);
  const int bands = chunks == 0 ? 0 : (p->height - 1) / Shape::kRows + 1;
  const std::int64_t blocks = std::int64_t{bands} * p->blocks_across;
  p->rim_block = static_cast<int>(std::min<std::int64_t>(blocks, kMaxBlocks));
  return blocks + (std::int64_t{rim} * p->height + kSmallThreads - 1) / kSmallThreads;
}

template <int kFirst, int kSecond, int kTaps>
Status launch_shape(SmallArgs a, int planes, bool general, cudaStream_t stream) {
  std::int64_t blocks = 0;
  for (int i = 0; i < 4; ++i) {
    SmallPlane &p = a.plane[i];
    p.first_block = i < planes ? static_cast<int>(blocks) : kMaxBlocks;
    if (i >= planes) continue;
    blocks += p.channels == kFirst ? cut<SmallShape<kFirst, kTaps>>(&p)
                                   : cut<SmallShape<kSecond, kTaps>>(&p);
    if (blocks > kMaxBlocks) return {StatusCode::unsupported, "convolve: the picture is too large"};
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
    int used = 0;
    for (int i = 0; i < count; ++i)
      if (planes[i]->channels == least || (least == 1 && planes[i]->channels == 2))
        a.plane[used++] = make_plane(params, *planes[i]);
    if (used == 0) continue;
    status = least == 1   ? launch_shape<1, 2, kTaps>(a, used, general, stream)
             : least == 3 ? launch_shape<3, 3, kTaps>(a, used, general, stream)
                          : launch_shape<4, 4, kTaps>(a, used, general, stream);
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
  // As much as a thread takes; and the rim's bytes can be counted.
  if (plane.in.width < 8 * plane.channels || plane.in.height < 8 || plane.in.height > 1 << 24)
    return false;
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
  place_weights(f, square, a.weights);
  a.mask = make_mask(a.weights, square.taps);
  a.above = square.above;
  a.general = make_finish<std::int32_t>(f);
  a.level = a.general.level.before + a.general.level.after;
  a.chroma = a.general.chroma.before + a.general.chroma.after;
  const bool general = f.absolute || !make_byte_finish(f.divisor, &a.finish);
  return square.taps == 3 ? launch_taps<3>(params, planes, count, a, general, stream)
                          : launch_taps<5>(params, planes, count, a, general, stream);
}

}  // namespace coalesce
