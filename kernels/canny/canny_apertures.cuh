// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: maxima of tiles for every aperture and magnitude. Gradients are words in shared memory.
// (Aperture 3 with sums of absolute values has canny_pairs.cuh.)
#pragma once

#include "../core/grid_order.cuh"
#include "../core/ptx.cuh"
#include "../picture/byte_words.h"
#include "canny_job.h"
#include "canny_tile.cuh"

namespace coalesce {
namespace {

constexpr int kRows = 30;  // of a tile
// Gradients of a tile and of the pixels around it: a warp has a strip of rows, a thread four
// columns.
constexpr int kGradientRows = kRows + 2, kStripRows = kGradientRows / kWarps;
constexpr int kGradientPitch = kColumns + 8;  // column 0 is number 4
static_assert(kStripRows * kWarps == kGradientRows && kColumns == 4 * 32 &&
                  kRows * kWords <= kThreads,
              "threads are shared out so");

// ---- Gradients ----------------------------------------------------------------------------------

// A gradient in a word: its magnitude, then two bits of direction.
enum Direction : std::uint32_t { flat = 0, steep = 1, falling = 2, rising = 3 };

template <bool kL2>
__device__ __forceinline__ std::uint32_t packed_gradient(int dx, int dy) {
  const auto x = static_cast<unsigned>(abs(dx)), y = static_cast<unsigned>(abs(dy));
  const unsigned limit = flat_limit(x);
  const std::uint32_t diagonal = (dx ^ dy) < 0 ? rising : falling;
  const std::uint32_t direction = y <= limit ? flat : y > limit + 2 * x ? steep : diagonal;
  const std::uint32_t magnitude = kL2 ? x * x + y * y : x + y;
  return magnitude << 2 | direction;
}

// Weights of bytes, the first four of the aperture or the rest, for dot4().
template <int kAperture>
COALESCE_HOST_DEVICE constexpr std::uint32_t tap_word(bool slope, int part) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    const int at = 4 * part + i - kAperture / 2, away = at < 0 ? -at : at;
    if (away > kAperture / 2) continue;
    const int tap = slope ? (at < 0 ? -slope_tap(kAperture, away) : slope_tap(kAperture, away))
                          : smooth_tap(kAperture, away);
    word |= (static_cast<std::uint32_t>(tap) & 0xff) << 8 * i;
  }
  return word;
}

// Of a pixel's samples in a row, from the first of the aperture on.
template <int kAperture>
__device__ __forceinline__ void row_sums(std::uint32_t low, std::uint32_t high, int *smooth,
                                         int *slope) {
  constexpr std::uint32_t kSmooth[2] = {tap_word<kAperture>(false, 0),
                                        tap_word<kAperture>(false, 1)};
  constexpr std::uint32_t kSlope[2] = {tap_word<kAperture>(true, 0), tap_word<kAperture>(true, 1)};
  *smooth = dot4(low, kSmooth[0], 0);
  *slope = dot4(low, kSlope[0], 0);
  if (kAperture == 3) return;
  *smooth = dot4(high, kSmooth[1], *smooth);
  *slope = dot4(high, kSlope[1], *slope);
}

// Of the rows around a pixel.
template <int kAperture, bool kL2>
__device__ __forceinline__ std::uint32_t gradient_of(const int (&smooth)[kAperture],
                                                     const int (&slope)[kAperture]) {
  constexpr int kHalf = kAperture / 2;
  int dx = smooth_tap(kAperture, 0) * slope[kHalf], dy = 0;
#pragma unroll
  for (int k = 1; k <= kHalf; ++k) {
    dx += smooth_tap(kAperture, k) * (slope[kHalf + k] + slope[kHalf - k]);
    dy += slope_tap(kAperture, k) * (smooth[kHalf + k] - smooth[kHalf - k]);
  }
  return packed_gradient<kL2>(scaled_gradient<kAperture>(dx), scaled_gradient<kAperture>(dy));
}

// Bytes from `at` on of three words.
__device__ __forceinline__ std::uint32_t bytes_at(const std::uint32_t (&words)[3], int at) {
  const int word = at / 4;
  return at % 4 == 0 ? words[word]
                     : __funnelshift_r(words[word], word < 2 ? words[word + 1] : 0, 8 * (at % 4));
}

// The stronger one, the first one of equals: of the channels so far, and of a further one.
__device__ __forceinline__ std::uint32_t stronger(std::uint32_t before, std::uint32_t now) {
  return now >> 2 > before >> 2 ? now : before;
}
// Four columns of a strip of rows, from the top down.
template <int kAperture, bool kL2>
__device__ __forceinline__ void find_strip(const std::uint32_t *samples, const TilePlace &place,
                                           bool first_channel, std::uint32_t *gradients) {
  constexpr int kHalf = kAperture / 2;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int top = warp * kStripRows;  // of the gradients' rows, the first of which is row -1
  const std::uint32_t *from = samples + top * kSampleWords + kLead / 4 + lane - 1;
  std::uint32_t *to = gradients + top * kGradientPitch + 4 + 4 * lane;
  int smooth[4][kAperture], slope[4][kAperture];
#pragma unroll
  for (int row = 0; row < kStripRows + 2 * kHalf; ++row, from += kSampleWords) {
    const std::uint32_t words[3] = {from[0], from[1], from[2]};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int k = 0; k + 1 < kAperture; ++k)
        smooth[i][k] = smooth[i][k + 1], slope[i][k] = slope[i][k + 1];
      const int at = 4 + i - kHalf;
      row_sums<kAperture>(bytes_at(words, at), kAperture == 3 ? 0 : bytes_at(words, at + 4),
                          &smooth[i][kAperture - 1], &slope[i][kAperture - 1]);
    }
    if (row < 2 * kHalf) continue;
    const int y = top + row - 2 * kHalf - 1;
    auto *out = reinterpret_cast<uint4 *>(to);
    to += kGradientPitch;
    std::uint32_t found[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t gradient = gradient_of<kAperture, kL2>(smooth[i], slope[i]);
      found[i] = place.contains(4 * lane + i, y) ? gradient : 0;
    }
    if (!first_channel) {
      const uint4 before = *out;
      found[0] = stronger(before.x, found[0]), found[1] = stronger(before.y, found[1]);
      found[2] = stronger(before.z, found[2]), found[3] = stronger(before.w, found[3]);
    }
    *out = make_uint4(found[0], found[1], found[2], found[3]);
  }
}

// The columns left and right of the tile: a thread has one pixel.
template <int kAperture, bool kL2>
__device__ __forceinline__ void find_sides(const std::uint32_t *samples, const TilePlace &place,
                                           bool first_channel, std::uint32_t *gradients) {
  constexpr int kHalf = kAperture / 2;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread >= 2 * kGradientRows) return;
  const int row = thread / 2, column = thread % 2 == 0 ? -1 : kColumns;
  const int at = kLead + column - kHalf;
  int smooth[kAperture], slope[kAperture];
#pragma unroll
  for (int k = 0; k < kAperture; ++k) {
    const std::uint32_t *from = samples + (row + k) * kSampleWords + at / 4;
    const auto shift = static_cast<unsigned>(8 * (at % 4));
    row_sums<kAperture>(__funnelshift_r(from[0], from[1], shift),
                        __funnelshift_r(from[1], from[2], shift), &smooth[k], &slope[k]);
  }
  std::uint32_t *to = gradients + row * kGradientPitch + 4 + column;
  const std::uint32_t found =
      place.contains(column, row - 1) ? gradient_of<kAperture, kL2>(smooth, slope) : 0;
  *to = first_channel ? found : stronger(*to, found);
}

// ---- Samples ------------------------------------------------------------------------------------

// The bytes of the pixels from kLead columns left of the tile on, in chunks of 16. A function of
// its own, so that what is under way takes no registers of the gradients.
template <int kSampleRows>
__device__ __noinline__ void load_pixels(const TileSource &in, int x, int y,
                                         std::uint32_t *pixels) {
  if (in.pixel == 1) {
    load_chunks<1, kSampleRows>(in, x, y, pixels);
    return;
  }
  const int chunks = kSampleWords / 4 * in.pixel, pitch = kSampleWords * in.pixel;
  const int thread = static_cast<int>(threadIdx.x);
  const auto put = [&](int row, int chunk, const std::uint32_t(&words)[4]) {
    *reinterpret_cast<uint4 *>(pixels + row * pitch + 4 * chunk) =
        make_uint4(words[0], words[1], words[2], words[3]);
  };
  if (in.alignment >= 16) {
    load_tile<4>(in, x, y, chunks, kSampleRows, thread, kThreads, put);
    return;
  }
  for (int i = thread; i < chunks * kSampleRows; i += kThreads) {
    const int row = i / chunks, chunk = i - row * chunks;
    put(row, chunk, load_words_anywhere<4>(in, x + 16 * chunk, y + row).at);
  }
}

// One sample of each pixel.
template <int kSampleRows>
__device__ __forceinline__ void pick_samples(const std::uint32_t *pixels, int step, int first,
                                             std::uint32_t *samples) {
  for (int i = static_cast<int>(threadIdx.x); i < kSampleRows * kSampleWords; i += kThreads) {
    // (Rows have no gaps, so words are as many pixels apart in both.)
    const auto *from = reinterpret_cast<const std::uint8_t *>(pixels) + 4 * i * step + first;
    samples[i] = from[0] | from[step] << 8 | from[2 * step] << 16 |
                 static_cast<std::uint32_t>(from[3 * step]) << 24;
  }
}

// ---- Maxima -------------------------------------------------------------------------------------

// How many gradients before a pixel one of its neighbours is, by direction; the other one is as
// many behind it.
constexpr std::uint32_t kNeighbourWords =
    1 | kGradientPitch << 8 | (kGradientPitch + 1) << 16 | (kGradientPitch - 1u) << 24;
static_assert(kGradientPitch < 255 && flat == 0 && steep == 1 && falling == 2 && rising == 3,
              "a byte each");

// Equal ones behind it are no more only where the gradient is flat or steep.
__device__ __forceinline__ bool is_maximum(const std::uint32_t *gradient, std::uint32_t here) {
  const auto away = static_cast<int>(__byte_perm(kNeighbourWords, 0, 0x4440 | (here & 3)));
  const std::uint32_t before = gradient[-away], behind = gradient[away];
  // (No branch: both are loaded.)
  return static_cast<int>(here > (before | 3)) &
         static_cast<int>((here >> 2) - (here >> 1 & 1) >= behind >> 2);
}

// A warp has a row of a word's pixels. Most words of most pictures have none above the threshold.
__device__ __forceinline__ void find_maxima(const std::uint32_t *gradients, std::uint32_t low,
                                            std::uint32_t high, TileBits &bits) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int row = warp; row < kRows; row += kWarps) {
    const std::uint32_t *from = gradients + (row + 1) * kGradientPitch + 4 + lane;
    std::uint32_t found[kWords] = {}, strong[kWords] = {};
#pragma unroll
    for (int k = 0; k < kWords; ++k, from += 32) {
      const std::uint32_t here = *from, m = here >> 2;
      if (!__any_sync(~0u, m > low)) continue;
      const bool is_found = static_cast<int>(m > low) & static_cast<int>(is_maximum(from, here));
      found[k] = __ballot_sync(~0u, is_found);
      strong[k] = __ballot_sync(~0u, is_found && m > high);
    }
    if (lane != 0) continue;
    const auto row_of = [](const std::uint32_t(&words)[kWords]) -> RowBits {
      return {words[0] | std::uint64_t{words[1]} << 32, words[2] | std::uint64_t{words[3]} << 32};
    };
    bits.found[row] = row_of(found), bits.strong[row] = row_of(strong);
  }
}

// Blocks of a multiprocessor, by their registers.
constexpr int blocks_at_once(int aperture) {
  return aperture == 3 ? 7 : aperture == 5 ? 6 : 5;
}

template <int kAperture, bool kL2>
__global__ void __launch_bounds__(kThreads, blocks_at_once(kAperture))
    tile_kernel(const __grid_constant__ CannyArgs a) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, shared);
  __shared__ TileBits bits;
  constexpr int kSampleRows = kGradientRows + 2 * (kAperture / 2);
  std::uint32_t *const gradients = shared;
  std::uint32_t *const samples = gradients + kGradientRows * kGradientPitch;
  std::uint32_t *const pixels = samples + kSampleRows * kSampleWords;
  const auto block = static_cast<int>(blockIdx.x);
  const int down = block / a.tiles_across;
  const TilePlace place = {(block - down * a.tiles_across) * kColumns, down * kRows, a.width,
                           a.height};
  if (block == 0 && threadIdx.x == 0) a.parent[0] = 0;
  for (int c = 0; c < a.channels; ++c) {
    const TileSource &in = a.channel[c].in;
    const bool apart = in.pixel == 1;  // in planes; else one load has all channels
    if (apart || c == 0)
      load_pixels<kSampleRows>(in, (place.x - kLead) * in.pixel, place.y - 1 - kAperture / 2,
                               apart ? samples : pixels);
    if (!apart) {
      __syncthreads();
      pick_samples<kSampleRows>(pixels, in.pixel, a.channel[c].first, samples);
    }
    __syncthreads();
    find_strip<kAperture, kL2>(samples, place, c == 0, gradients);
    find_sides<kAperture, kL2>(samples, place, c == 0, gradients);
    __syncthreads();
  }
  find_maxima(gradients, a.low, a.high, bits);
  __syncthreads();
  find_components<kRows>(a, place, bits,
                         reinterpret_cast<RowBits *>(gradients));  // (of no more use)
}

constexpr std::size_t shared_bytes(int aperture, int step) {
  const int sample_rows = kGradientRows + aperture - 1;
  const int words =
      kGradientRows * kGradientPitch + sample_rows * kSampleWords * (step > 1 ? 1 + step : 1);
  return static_cast<std::size_t>(words) * 4;
}
static_assert(shared_bytes(7, 4) + sizeof(TileBits) <= 48 << 10, "what every device has");

}  // namespace
}  // namespace coalesce
