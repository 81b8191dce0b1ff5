// SPDX-License-Identifier: LGPL-2.1-or-later
// The host's side of strip.cuh: arguments, tiles and launches.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "../../../core/cuda_status.h"
#include "../kernels.h"
#include "strip.cuh"

namespace coalesce {

constexpr int kNoStripBlock = std::numeric_limits<int>::max();

// Pixels before the sample where its window begins.
inline int strip_window_left(const Filter &f) {
  return (f.left + 3) & ~3;
}

// From where windows begin to the last column.
inline int strip_window_width(const Filter &f) {
  return strip_window_left(f) - f.left + f.width;
}

inline int strip_units(int size, int unit) {
  return (size - 1) / unit + 1;
}

// Bytes of a weight, the upper one signed if there is a weight below 0.
inline int strip_digits(const ConvolveParams &params) {
  const auto [least, most] = weight_range(params);
  if (least >= -128 && most <= 127) return 1;
  for (int digits = 2; digits <= 3; ++digits) {
    const std::int32_t limit = 1 << (8 * digits - 1);
    if (least >= -limit && most < (least < 0 ? limit : 2 * limit)) return digits;
  }
  return 4;
}

// How a mask is summed up: weights of so many bytes, 0: not at all; with sums of 64 bits.
struct StripSums {
  int digits;
  bool wide;
};

// Of 32 bits, three digits are few masks', which are small: reals of both signs whose sum is small.
// Wide sums are those of real masks for samples of 16 bits.
inline StripSums strip_sums(const ConvolveParams &params) {
  const Filter &f = *params.filter;
  const int digits = strip_digits(params);
  if (f.narrow && digits <= (f.height <= 9 ? 3 : 2)) return {digits, false};
  const int most = std::max(digits, 3),
            words = most * f.height * strip_units(strip_window_width(f), 4);
  if (f.depth.bytes() == 1 || words > kMostWideWords) return {0, false};
  return {most, true};
}

inline WideSamples make_wide_samples(const Filter &f, ChannelRole role) {
  WideSamples s = {};
  s.finish = make_finish<std::int64_t>(f);
  s.offsets = role == ChannelRole::chroma ? s.finish.chroma : s.finish.level;
  s.offset = s.offsets.before + s.offsets.after;
  s.max = f.depth.max();
  while (s.shift < 31 && std::int64_t{1} << s.shift < f.divisor)
    ++s.shift;
  std::int64_t most = std::abs(s.offset);
  for (const std::int64_t w : f.weights)
    most += std::abs(w) * s.max;
  s.shifts = !f.absolute && std::int64_t{1} << s.shift == f.divisor && most >> s.shift <= INT32_MAX;
  return s;
}

// All that does not depend on the picture.
template <class Shape>
StripArgs<Shape> make_strip_args(const Filter &f, bool is_signed) {
  StripArgs<Shape> a = {};
  static_assert(sizeof a <= 4096, "kernels take no more");
  const auto samples = [&f](ChannelRole role) {
    if constexpr (Shape::kWide)
      return make_wide_samples(f, role);
    else
      return make_mma_samples(f, role);
  };
  a.samples[0] = samples(ChannelRole::level);
  a.samples[1] = samples(ChannelRole::chroma);
  a.shift = f.depth.shift;
  a.max = static_cast<std::uint32_t>(f.depth.max()) * 0x10001u;
  a.left = strip_window_left(f);
  a.above = f.above;
  a.is_signed = is_signed;
  a.behind = f.width - 1 - f.left;
  a.height = f.height;
  a.width = strip_window_width(f);
  a.segments_down = strip_units(f.height, Shape::kHeight);
  a.segments_across = std::max(strip_units(a.width - 1, kSegmentColumns), 1);
  const int slack = a.left - f.left;
  const auto digit_of = [&](int d, int row, int column) {
    const int w = f.weights[static_cast<std::size_t>(row * f.width + column)];
    return static_cast<std::uint32_t>(w) >> 8 * d & 0xff;
  };
  if constexpr (Shape::kSegments) {
    a.row_words = strip_units(a.width, 4);
    for (int d = 0; d < Shape::kDigits; ++d)
      for (int j = 0; j < f.height; ++j)
        for (int i = 0; i < f.width; ++i)
          a.taps[(d * f.height + j) * a.row_words + (slack + i) / 4] |= digit_of(d, j, i)
                                                                        << 8 * ((slack + i) % 4);
  } else {
    for (int d = 0; d < Shape::kDigits; ++d)
      for (int j = 0; j < f.height; ++j)
        for (int i = 0; i < 4 * Shape::kTapWords; ++i) {
          const int at = i / 4 - 7 + i % 4 - slack;
          if (at < 0 || at >= f.width) continue;
          a.taps[(d * Shape::kTapRows + j + 1) * Shape::kTapWords + i / 4] |= digit_of(d, j, at)
                                                                              << 8 * (i % 4);
        }
  }
  return a;
}

// All but the map and the blocks.
inline StripPlane make_strip_plane(const ConvolveParams &params, const ConvolvePlane &plane,
                                   int segments) {
  const int sample = params.filter->depth.bytes(), bytes = plane.channels * sample;
  StripPlane p = {};
  p.in = make_tile_source(params, plane);
  p.out = plane.out.data;
  p.out_pitch = plane.out.pitch;
  p.element = bytes == 8 ? 8 : 4;
  p.channels = plane.channels;
  p.tile_pitch = strip_pitch(bytes, segments);
  p.byte_plane = strip_byte_plane(bytes, segments);
  p.across = strip_across(bytes);
  int filtered = 0;
  for (int c = 0; c < plane.channels; ++c) {
    if (plane.role[c] == ChannelRole::chroma) p.chroma |= 1u << c;
    if (plane.role[c] != ChannelRole::copy)
      p.filtered |= static_cast<std::uint32_t>(c) << 4 * filtered++;
  }
  p.units = filtered * p.across;
  p.has_copied = filtered < plane.channels;
  for (int i = 0; i < 32; ++i)
    if (plane.role[i % 24 / sample % plane.channels] == ChannelRole::copy)
      p.copied[i / 4] |= 0xffu << 8 * (i % 4);
  p.tiles_across = strip_units(plane.in.width, kUnitColumns * p.across * bytes);
  p.by_tiles_across = make_divider(p.tiles_across);
  return p;
}

// Planes with the rows and blocks of their tiles.
template <class Shape>
Status launch_planes(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                     cudaStream_t stream) {
  auto &a = params.cache->get<StripArgs<Shape>>(
      0, [&] { return make_strip_args<Shape>(*params.filter, weight_range(params).least < 0); });
  int multiprocessors = 1;
  if (Status s = count_multiprocessors(&multiprocessors); !s.ok()) return s;
  int warps = 3, down = 1, pitch = 0;
  for (int i = 0; i < count; ++i) {
    a.plane[i] = make_strip_plane(params, *planes[i], a.segments_across);
    if (a.plane[i].units != 3) warps = 4;
    pitch = std::max(pitch, a.plane[i].tile_pitch);
  }
  for (int i = 0; i < count; ++i) {
    StripPlane &p = a.plane[i];
    p.down = p.has_copied ? 1 : warps / p.units;
    down = std::max(down, p.down);
  }
  // As many rows as leave no multiprocessor without its tiles.
  const int step = kUnitRows * down;
  std::int64_t steps = 0, blocks = 0;
  for (int i = 0; i < count; ++i)
    steps += std::int64_t{strip_units(a.plane[i].in.height, step)} * a.plane[i].tiles_across;
  a.rows =
      step * static_cast<int>(std::clamp<std::int64_t>(steps / (Shape::kBlocks * multiprocessors),
                                                       1, strip_most_rows(pitch) / step));
  const int tile_rows = a.rows + a.segments_down * Shape::kHeight - 1;
  a.tile_bytes = tile_rows * pitch;
  const int taps_bytes = Shape::kDigits * a.segments_down * a.segments_across * Shape::kTaps *
                         static_cast<int>(sizeof(uint2));
  for (int i = 0; i < Shape::kPlanes; ++i) {
    StripPlane &p = a.plane[i];
    p.first_block = i < count ? static_cast<int>(blocks) : kNoStripBlock;
    if (i >= count) continue;
    if (!Shape::kAnywhere &&
        !make_plane_map(planes[i]->in, p.element, p.tile_pitch, tile_rows, &p.map))
      return {StatusCode::device_error, "convolve: the driver cannot describe the picture"};
    blocks += std::int64_t{strip_units(p.in.height, a.rows)} * p.tiles_across;
    if (blocks >= kNoStripBlock)
      return {StatusCode::unsupported, "convolve: the picture is too large"};
  }
  return launch_early(
      strip_kernel<Shape>, dim3(static_cast<unsigned>(blocks)),
      dim3(static_cast<unsigned>(32 * warps)),
      sizeof(StripShared<Shape>) + static_cast<std::size_t>(a.tile_bytes + taps_bytes), stream, a);
}

template <bool kAnywhere, class Aligned>
Status launch_shape(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                    cudaStream_t stream) {
  using Shape = std::conditional_t<kAnywhere, StripAnywhere<Aligned>, Aligned>;
  Status s;
  for (int i = 0; i < count && s.ok(); i += Shape::kPlanes)
    s = launch_planes<Shape>(params, planes + i, std::min(count - i, Shape::kPlanes), stream);
  return s;
}

template <bool kAnywhere, int kDigits, int kSampleBytes>
Status launch_digits(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                     cudaStream_t stream) {
  [[maybe_unused]] const Filter &f = *params.filter;
  const auto launch = [&](auto shape) {
    return launch_shape<kAnywhere, decltype(shape)>(params, planes, count, stream);
  };
  if constexpr (kDigits > 2) {
    return launch(StripShape<9, kDigits, kSampleBytes, true, false>());
  } else {
    if (!has_one_segment(f))
      return f.height <= 9 ? launch(StripShape<9, kDigits, kSampleBytes, true, false>())
                           : launch(StripShape<17, kDigits, kSampleBytes, true, false>());
    if (f.height <= 3) return launch(StripShape<3, kDigits, kSampleBytes, false, false>());
    if (f.height <= 5) return launch(StripShape<5, kDigits, kSampleBytes, false, false>());
    if (f.height <= 7) return launch(StripShape<7, kDigits, kSampleBytes, false, false>());
    return launch(StripShape<9, kDigits, kSampleBytes, false, false>());
  }
}

template <bool kAnywhere, int kDigits>
Status launch_wide(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                   cudaStream_t stream) {
  return params.filter->height <= 9
             ? launch_shape<kAnywhere, StripShape<9, kDigits, 2, true, true>>(params, planes, count,
                                                                              stream)
             : launch_shape<kAnywhere, StripShape<17, kDigits, 2, true, true>>(params, planes,
                                                                               count, stream);
}

template <bool kAnywhere, int kSampleBytes>
Status launch_samples(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                      cudaStream_t stream) {
  const StripSums sums = strip_sums(params);
  if constexpr (kSampleBytes == 2)
    if (sums.wide)
      return sums.digits == 3 ? launch_wide<kAnywhere, 3>(params, planes, count, stream)
                              : launch_wide<kAnywhere, 4>(params, planes, count, stream);
  switch (sums.digits) {
    case 1:
      return launch_digits<kAnywhere, 1, kSampleBytes>(params, planes, count, stream);
    case 2:
      return launch_digits<kAnywhere, 2, kSampleBytes>(params, planes, count, stream);
    default:
      return launch_digits<kAnywhere, 3, kSampleBytes>(params, planes, count, stream);
  }
}

template <bool kAnywhere>
Status launch_strips(const ConvolveParams &params, const ConvolvePlane *const *planes, int count,
                     cudaStream_t stream) {
  return params.filter->depth.bytes() == 1
             ? launch_samples<kAnywhere, 1>(params, planes, count, stream)
             : launch_samples<kAnywhere, 2>(params, planes, count, stream);
}

// Planes that need not be aligned: a file of its own, for the compiler's sake.
Status launch_strips_anywhere(const ConvolveParams &params, const ConvolvePlane *const *planes,
                              int count, cudaStream_t stream);

}  // namespace coalesce
