// SPDX-License-Identifier: LGPL-2.1-or-later
#include "small.cuh"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "kernels.h"

namespace coalesce {
namespace {

constexpr int kMaxBlocks = std::numeric_limits<int>::max();

// Threads that a multiprocessor takes, at least.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr int kMultiprocessorThreads = 1024;
#else
constexpr int kMultiprocessorThreads = 1536;
#endif

// Blocks of a multiprocessor, by which the compiler decides on registers: the most that it manages
// without spilling any.
constexpr int small_blocks(int channels, int taps, bool aligned) {
  if (!aligned) return taps == 5 ? 4 : 6;
  if (channels == 3) return taps == 3 ? 7 : 4;
  if (taps == 5) return 5;
  return channels == 4 ? 8 : std::min(9, kMultiprocessorThreads / kSmallThreads);
}

// Planes of kFirst or kSecond channels.
template <int kFirst, int kSecond, int kTaps, SmallFinish kFinish, bool kAligned>
__global__ void __launch_bounds__(kSmallThreads, small_blocks(kFirst, kTaps, kAligned))
    small_kernel(const __grid_constant__ SmallArgs a) {
  wait_for_grid_before();
  const int block = static_cast<int>(blockIdx.x);
  // No access by index: it would take longer.
  SmallPlane p = a.plane[0];
#pragma unroll
  for (int i = 1; i < 4; ++i)
    if (block >= a.plane[i].first_block) p = a.plane[i];
  if (kFirst == kSecond || p.channels == kFirst)
    small_block<kFirst, kTaps, kFinish, kAligned>(a, p, block - p.first_block);
  else
    small_block<kSecond, kTaps, kFinish, kAligned>(a, p, block - p.first_block);
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

// What the mask can be multiplied with to divide by 1 or 256, or 0.
int byte_scale(const Filter &f, const std::int8_t (&weights)[5][5]) {
  if (f.absolute || f.divisor > 256 || (f.divisor > 1 && 256 % f.divisor != 0)) return 0;
  const int scale = f.divisor == 1 ? 1 : static_cast<int>(256 / f.divisor);
  for (const auto &row : weights)
    for (const int w : row)
      if (w * scale < -128 || w * scale > 127) return 0;
  // The sums stay far from the end of an int; the offsets may be anything.
  for (const Filter::Offsets &o : {f.level, f.chroma})
    if (std::abs(o.before + o.after) > 1 << 20) return 0;
  return scale;
}

SmallMask make_mask(const std::int8_t (&weights)[5][5], int taps, int scale) {
  const auto at = [&](int j, int i) -> std::uint32_t {
    return static_cast<std::uint8_t>(weights[j][i] * scale);
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
  p.rows = near_border(params.border, plane.in.height);
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

// May a thread load and store words of so many bytes, wherever it is?
bool is_aligned(const SmallPlane &p, int bytes) {
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(p.in) | static_cast<std::uintptr_t>(p.in_pitch) |
      reinterpret_cast<std::uintptr_t>(p.out) | static_cast<std::uintptr_t>(p.out_pitch);
  return addresses % static_cast<std::uintptr_t>(bytes) == 0;
}

// Cuts a plane into chunks and rim. Returns how many blocks it needs.
template <class Shape>
std::int64_t cut(SmallPlane *p, bool aligned) {
  const int bytes = p->width * Shape::kChannels;
  const bool wrap = p->border == Border::wrap;
  // Chunks need the words beside them, unless they are the first or the last of a row whose border
  // is made of what is near.
  // What is not aligned loads a word more, which may end 3 bytes further on.
  const bool to_end = !wrap && bytes % Shape::kBytes == 0 && aligned;
  p->first_chunk = wrap ? 1 : 0;
  const int behind = to_end ? 0 : Shape::kHalo + (aligned ? 0 : 4);
  p->last_chunk = std::max((bytes - behind) / Shape::kBytes, p->first_chunk);
  const int chunks = p->last_chunk - p->first_chunk;
  const int rim = bytes - chunks * Shape::kBytes;
  p->blocks_across = std::max((chunks + kSmallThreads - 1) / kSmallThreads, 1);
  p->by_blocks_across = make_divider(p->blocks_across);
  const int bands = chunks == 0 ? 0 : (p->rows.size - 1) / Shape::kRows + 1;
  const std::int64_t blocks = std::int64_t{bands} * p->blocks_across;
  p->rim_block = static_cast<int>(std::min<std::int64_t>(blocks, kMaxBlocks));
  return blocks + (std::int64_t{rim} * p->rows.size + kSmallThreads - 1) / kSmallThreads;
}

// What a filter is for these kernels, whatever the picture.
struct SmallFilter {
  bool fits = false;
  int taps = 0;  // of the square: 3 or 5
  SmallFinish finish = SmallFinish::absolute;
  SmallArgs args = {};
};

SmallFilter make_small_filter(const Filter &f) {
  SmallFilter filter;
  SmallArgs &a = filter.args;
  if (f.depth.bits != 8 || !f.narrow || f.weights.empty()) return filter;
  for (const std::int32_t w : f.weights)
    if (w < -128 || w > 127) return filter;
  const Square square = square_of(f);
  if (square.taps == 0 || !make_byte_finish(f.divisor, &a.finish)) return filter;
  filter.fits = true;
  filter.taps = square.taps;
  a.rim = make_finish<std::int32_t>(f);
  a.level_before = a.rim.level.before;
  a.level_after = a.rim.level.after;
  a.chroma_before = a.rim.chroma.before;
  a.chroma_after = a.rim.chroma.after;
  place_weights(f, square, a.weights);
  const int scale = byte_scale(f, a.weights);
  a.mask = make_mask(a.weights, square.taps, std::max(scale, 1));
  a.above = square.above;
  if (!f.absolute) {
    filter.finish = scale > 0 ? SmallFinish::byte : SmallFinish::multiplied;
    a.level_after = (a.level_before + a.level_after) * std::max(scale, 1);
    a.chroma_after = (a.chroma_before + a.chroma_after) * std::max(scale, 1);
  }
  if (scale > 0) {
    a.byte = f.divisor == 1 ? 0x40 : 0x51;
    a.finish.top = f.divisor == 1 ? 0xff : 0xffff;
  }
  return filter;
}

SmallFilter &small_filter(const ConvolveParams &params) {
  return params.cache->get<SmallFilter>(0, [&] { return make_small_filter(*params.filter); });
}

template <int kFirst, int kSecond, int kTaps>
Status launch_shape(SmallArgs &a, int planes, SmallFinish finish, cudaStream_t stream) {
  std::int64_t blocks = 0;
  bool aligned = true;
  for (int i = 0; i < planes; ++i)
    aligned = aligned && is_aligned(a.plane[i], kFirst == 3 ? 4 : 8);
  for (int i = 0; i < 4; ++i) {
    SmallPlane &p = a.plane[i];
    p.first_block = i < planes ? static_cast<int>(blocks) : kMaxBlocks;
    if (i >= planes) continue;
    blocks += p.channels == kFirst ? cut<SmallShape<kFirst, kTaps>>(&p, aligned)
                                   : cut<SmallShape<kSecond, kTaps>>(&p, aligned);
    if (blocks > kMaxBlocks) return {StatusCode::unsupported, "convolve: the picture is too large"};
  }
  const auto kernel_of = [finish](auto is_aligned) {
    constexpr bool kAligned = decltype(is_aligned)::value;
    return finish == SmallFinish::byte
               ? small_kernel<kFirst, kSecond, kTaps, SmallFinish::byte, kAligned>
           : finish == SmallFinish::multiplied
               ? small_kernel<kFirst, kSecond, kTaps, SmallFinish::multiplied, kAligned>
               : small_kernel<kFirst, kSecond, kTaps, SmallFinish::absolute, kAligned>;
  };
  auto *kernel = aligned ? kernel_of(std::true_type()) : kernel_of(std::false_type());
  return launch_early(kernel, dim3(static_cast<unsigned>(blocks)), dim3(kSmallThreads), 0, stream,
                      a);
}

template <int kTaps>
Status launch_taps(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                   SmallFilter *filter, cudaStream_t stream) {
  // Planes of one and two channels go together, as those of NV12.
  constexpr int kGroups[3][2] = {{1, 2}, {3, 3}, {4, 4}};
  Status status;
  for (int group = 0; group < 3 && status.ok(); ++group) {
    int used = 0;
    for (int i = 0; i < count; ++i)
      if (planes[i]->channels == kGroups[group][0] || planes[i]->channels == kGroups[group][1])
        filter->args.plane[used++] = make_plane(params, *planes[i]);
    if (used == 0) continue;
    status = group == 0   ? launch_shape<1, 2, kTaps>(filter->args, used, filter->finish, stream)
             : group == 1 ? launch_shape<3, 3, kTaps>(filter->args, used, filter->finish, stream)
                          : launch_shape<4, 4, kTaps>(filter->args, used, filter->finish, stream);
  }
  return status;
}

}  // namespace

bool small_takes(const ConvolveParams &params, const ConvolvePlane &plane) {
  const SmallFilter &filter = small_filter(params);
  if (!filter.fits) return false;
  constexpr std::size_t kMaxPitch = std::numeric_limits<int>::max();
  if (plane.in.pitch > kMaxPitch || plane.out.pitch > kMaxPitch) return false;
  // As much as a thread takes; and the rim's bytes can be counted.
  if (plane.in.width < 8 * plane.channels || plane.in.height < 8 || plane.in.height > 1 << 24)
    return false;
  for (int c = 0; c < plane.channels; ++c)
    if (plane.role[c] == ChannelRole::copy &&
        (plane.channels != 4 || filter.args.above != filter.taps / 2))
      return false;
  return true;
}

Status launch_small(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                    cudaStream_t stream) {
  SmallFilter &filter = small_filter(params);
  return filter.taps == 3 ? launch_taps<3>(params, planes, count, &filter, stream)
                          : launch_taps<5>(params, planes, count, &filter, stream);
}

}  // namespace coalesce
