// SPDX-License-Identifier: LGPL-2.1-or-later
// Three kernels after each other: maxima of tiles, and those among them that hang together with a
// strong one of the tile; what hangs together of those that are open; the picture. None waits for
// another block, and the host waits for none.
#include <algorithm>
#include <cstring>
#include <limits>

#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/grid_order.cuh"
#include "../core/ptx.cuh"
#include "../core/trace.h"
#include "../picture/byte_words.h"
#include "../picture/runs.cuh"
#include "../picture/tile.cuh"
#include "canny_job.h"
#include "canny_runs.cuh"
#include "canny_scratch.h"

namespace coalesce {
namespace {

constexpr int kColumns = 128, kRows = 30;  // of a tile
constexpr int kWords = kColumns / 32;      // of a row of its map
constexpr int kThreads = 128, kWarps = kThreads / 32;

// Gradients of a tile and of the pixels around it: a warp has a strip of rows, a thread four
// columns.
constexpr int kGradientRows = kRows + 2, kStripRows = kGradientRows / kWarps;
constexpr int kGradientPitch = kColumns + 8;  // column 0 is number 4
// Samples: rows of bytes, in words. A row begins 16 columns left of the tile.
constexpr int kLead = 16, kSampleWords = (kColumns + 2 * kLead) / 4;
static_assert(kStripRows * kWarps == kGradientRows && kColumns == 4 * 32 &&
                  kRows * kWords <= kThreads,
              "threads are shared out so");

struct Channel {
  TileSource in;
  int first;  // its byte in a pixel
};
struct CannyArgs {
  Channel channel[3];
  int channels;
  int width, height;
  std::uint32_t low, high;
  int tiles_across;
  unsigned words;  // of a row of the map
  CannyMapWord *map;
  std::uint32_t *parent;
};

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

// Where the tile is in the picture. Gradients outside are 0.
struct TilePlace {
  int x, y, width, height;
  __device__ __forceinline__ bool contains(int column, int row) const {
    return x + column >= 0 && x + column < width && y + row >= 0 && y + row < height;
  }
};

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

// 16 bytes of pixels of a byte. Beside the picture they are all the same, which takes no loop over
// bytes: the tiles there would take longer than all others.
__device__ __forceinline__ uint4 chunk_of_bytes(const TileSource &in, int x, int y) {
  std::uint32_t words[4];
  if (in.alignment >= 16 && x >= 0 && x + 16 <= in.width) {
    load_wide(
        in.data + static_cast<std::size_t>(border_position(in.border, y, in.height)) * in.pitch + x,
        words);
  } else if (x <= -16 || x >= in.width) {
    const std::uint8_t *row =
        in.data + static_cast<std::size_t>(border_position(in.border, y, in.height)) * in.pitch;
    const std::uint32_t byte = load_global(row + (x < 0 ? 0 : in.width - 1));
    words[0] = words[1] = words[2] = words[3] = byte * 0x01010101u;
  } else {
    const Words<4> all = load_words_anywhere<4>(in, x, y);
    return make_uint4(all.at[0], all.at[1], all.at[2], all.at[3]);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

template <int kSampleRows>
__device__ __forceinline__ void load_bytes(const TileSource &in, int x, int y,
                                           std::uint32_t *samples) {
  constexpr int kChunks = kSampleWords / 4, kAll = kChunks * kSampleRows;
  constexpr int kEach = (kAll + kThreads - 1) / kThreads;  // all under way at a time
  uint4 chunk[kEach];
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = thread + k * kThreads;
    if (i < kAll) chunk[k] = chunk_of_bytes(in, x + 16 * (i % kChunks), y + i / kChunks);
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    const int i = thread + k * kThreads;
    if (i < kAll) reinterpret_cast<uint4 *>(samples)[i] = chunk[k];
  }
}

// The bytes of the pixels from kLead columns left of the tile on, in chunks of 16.
template <int kAperture, int kSampleRows>
__device__ __forceinline__ void load_pixels(const TileSource &in, const TilePlace &place,
                                            std::uint32_t *pixels) {
  const int x = (place.x - kLead) * in.pixel, y = place.y - 1 - kAperture / 2;
  const int chunks = kSampleWords / 4 * in.pixel, pitch = kSampleWords * in.pixel;
  const int thread = static_cast<int>(threadIdx.x);
  if (in.pixel == 1) {
    load_bytes<kSampleRows>(in, x, y, pixels);
    return;
  }
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

// ---- Maxima and what hangs together in a tile ---------------------------------------------------

// A row of the tile, the leftmost pixel the lowest bit.
struct RowBits {
  std::uint64_t left, right;
};
static_assert(kWords == 4, "words of 32 pixels in a row");

struct TileBits {
  alignas(16) RowBits found[32];  // maxima above the lower threshold
  // Those above the higher one, too; then what hangs together with them.
  alignas(16) RowBits strong[32];
};

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

// Of each run of `ones`, what lies from one of `begins` on, towards higher bits: a sum carries to
// the end of the run.
__device__ __forceinline__ RowBits filled_upwards(const RowBits &ones, const RowBits &begins) {
  RowBits sum = {ones.left + begins.left, ones.right + begins.right};
  sum.right += sum.left < ones.left ? 1 : 0;
  return {((sum.left ^ ones.left) & ones.left) | begins.left,
          ((sum.right ^ ones.right) & ones.right) | begins.right};
}

__device__ __forceinline__ RowBits reversed(const RowBits &row) {
  return {__brevll(row.right), __brevll(row.left)};
}

// What hangs together with `ones` among `found`, which has them: a warp has the tile, a thread a
// row.
__device__ __forceinline__ RowBits flooded(const RowBits &found, RowBits ones) {
  const RowBits found_reversed = reversed(found);
  for (;;) {
    RowBits near = ones;  // or above or below one (the first and the last thread: or their own)
    near.left |= __shfl_up_sync(~0u, ones.left, 1) | __shfl_down_sync(~0u, ones.left, 1);
    near.right |= __shfl_up_sync(~0u, ones.right, 1) | __shfl_down_sync(~0u, ones.right, 1);
    const RowBits next = {
        (near.left | near.left << 1 | near.left >> 1 | near.right << 63) & found.left,
        (near.right | near.right << 1 | near.right >> 1 | near.left >> 63) & found.right};
    const RowBits up = filled_upwards(found, next);
    const RowBits down = reversed(filled_upwards(found_reversed, reversed(next)));
    const RowBits all = {up.left | down.left, up.right | down.right};
    const bool more = all.left != ones.left || all.right != ones.right;
    ones = all;
    if (!__any_sync(~0u, more)) return ones;
  }
}

// Pixels that have neighbours in other tiles.
template <int kTileRows>
__device__ __forceinline__ RowBits side_bits(const TilePlace &place, int row) {
  if ((row == 0 && place.y > 0) || (row == kTileRows - 1 && place.y + kTileRows < place.height))
    return {~std::uint64_t{0}, ~std::uint64_t{0}};
  return {place.x > 0 ? std::uint64_t{1} : 0,
          place.x + kColumns < place.width ? std::uint64_t{1} << 63 : 0};
}

// Edges are known where maxima hang together with a strong one. Of the others, those that touch the
// side of the tile stay open for the next kernel, which gets a node for each run. The rest is gone.
template <int kTileRows>
__device__ __forceinline__ void find_components(const CannyArgs &a, const TilePlace &place,
                                                TileBits &bits, RowBits *reached) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  static_assert(kWarps >= 2, "one floods from strong pixels, another one from the sides");
  if (thread < 64) {
    const bool from_sides = thread >= 32;
    RowBits found = {0, 0}, ones = {0, 0};
    if (lane < kTileRows) {
      found = bits.found[lane];
      ones = from_sides ? side_bits<kTileRows>(place, lane) : bits.strong[lane];
      ones.left &= found.left, ones.right &= found.right;
    }
    ones = flooded(found, ones);
    if (lane < kTileRows) (from_sides ? reached : bits.strong)[lane] = ones;
  }
  __syncthreads();
  const int row = thread / kWords, k = thread % kWords;
  const unsigned column = static_cast<unsigned>(place.x) / 32 + static_cast<unsigned>(k);
  if (row >= kTileRows || place.y + row >= place.height || column >= a.words) return;
  const auto word_of = [k](const RowBits &bits_of_row) {
    return static_cast<std::uint32_t>((k < 2 ? bits_of_row.left : bits_of_row.right) >>
                                      32 * (k % 2));
  };
  const std::uint32_t edge = word_of(bits.strong[row]);
  const std::uint32_t open = word_of(reached[row]) & ~edge;
  const std::size_t at = static_cast<std::size_t>(place.y + row) * a.words + column;
  *reinterpret_cast<uint2 *>(a.map + at) = make_uint2(edge, open);
  const std::uint32_t node = static_cast<std::uint32_t>(at) * kCannyNodesOfWord + 1;
  for_runs(open, [&](const BitRun &run) { a.parent[node + run.first / 2] = node + run.first / 2; });
}

// Blocks of a multiprocessor, by their registers.
constexpr int blocks_at_once(int aperture) {
  return aperture == 3 ? 8 : aperture == 5 ? 6 : 5;
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
    if (apart || c == 0) load_pixels<kAperture, kSampleRows>(in, place, apart ? samples : pixels);
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

// ---- Sums of absolute values of one channel, aperture 3 ----------------------------------------

// Two pixels in a word, as halves: all numbers are integers up to 2^11, so nothing is rounded. A
// thread has four columns: pixels 0 and 2 are even ones, 1 and 3 odd ones. Between them, nothing
// goes through memory but what is beside the tile.
constexpr int kPairRows = 32, kPairStripRows = kPairRows / kWarps;  // of a tile, of a warp
constexpr int kPairSampleRows = kPairRows + 4, kPairBlocks = 1024 / kThreads;
constexpr std::uint32_t kSigns = 0x80008000;

// Of a row: pixels 0 and 2, 1 and 3; -1 and 4.
struct Pairs {
  std::uint32_t even, odd, outer;
  // Left of the even ones: -1 and 1. Right of the odd ones: 2 and 4.
  __device__ __forceinline__ std::uint32_t left() const { return __byte_perm(outer, odd, 0x5410); }
  __device__ __forceinline__ std::uint32_t right() const {
    return __byte_perm(even, outer, 0x7632);
  }
};

// Bytes become halves: 1024 + byte, in a half, is the byte below 0x64.
__device__ __forceinline__ Pairs pairs_of(const std::uint32_t *words) {
  constexpr std::uint32_t kMinus1024 = 0xe400e400, k1024 = 0x64006400;
  const std::uint32_t outer = __byte_perm(words[0], words[2], 0x4433) & 0x00ff00ff;
  return {ptx::add_halves(__byte_perm(words[1], k1024, 0x7250), kMinus1024),
          ptx::add_halves(__byte_perm(words[1], k1024, 0x7351), kMinus1024),
          ptx::add_halves(outer | k1024, kMinus1024)};
}

// Where a magnitude's neighbours across the edge are: by signs.
struct PairDirections {
  std::uint32_t not_flat, steep, rising;
};
__device__ __forceinline__ PairDirections directions_of(std::uint32_t dx, std::uint32_t dy) {
  // Of x and y without signs, y - 13573 / 2^15 x and y - (that plus 2) x in two steps. The first
  // one is exact where it is small, so the sign of the second one is right (flat_limit()).
  const std::uint32_t x = dx & ~kSigns, minus_y = dy | kSigns;
  constexpr std::uint32_t kFlatHigh = 0x36a136a1, kFlatLow = 0x86008600;  // 1697 / 2^12, -3 / 2^15
  constexpr std::uint32_t kSteepHigh = 0x40d440d4, kSteepLow = 0x09000900;  // 1236 / 2^9, 5 / 2^15
  return {ptx::fma_halves(x, kFlatLow, ptx::fma_halves(x, kFlatHigh, minus_y)),
          ptx::fma_halves(x, kSteepLow, ptx::fma_halves(x, kSteepHigh, minus_y)), dx ^ dy};
}

// Gradients of a row, from the three rows around it.
struct PairRow {
  Pairs magnitude;
  PairDirections even, odd;
};
__device__ __forceinline__ PairRow gradient_pairs(const Pairs &a, const Pairs &b, const Pairs &c) {
  constexpr std::uint32_t kTwo = 0x40004000;
  const auto smoothed = [](std::uint32_t before, std::uint32_t here, std::uint32_t behind) {
    return ptx::fma_halves(here, kTwo, ptx::add_halves(before, behind));
  };
  const Pairs smooth = {smoothed(a.even, b.even, c.even), smoothed(a.odd, b.odd, c.odd),
                        smoothed(a.outer, b.outer, c.outer)};
  const Pairs slope = {ptx::subtract_halves(c.even, a.even), ptx::subtract_halves(c.odd, a.odd),
                       ptx::subtract_halves(c.outer, a.outer)};
  const std::uint32_t even_dx = ptx::subtract_halves(smooth.odd, smooth.left()),
                      odd_dx = ptx::subtract_halves(smooth.right(), smooth.even),
                      even_dy = smoothed(slope.left(), slope.even, slope.odd),
                      odd_dy = smoothed(slope.even, slope.odd, slope.right());
  const auto magnitude = [](std::uint32_t dx, std::uint32_t dy) {
    return ptx::add_halves(dx & ~kSigns, dy & ~kSigns);
  };
  return {{magnitude(even_dx, even_dy), magnitude(odd_dx, odd_dy), 0},
          directions_of(even_dx, even_dy),
          directions_of(odd_dx, odd_dy)};
}

// Ones in halves that have a sign.
__device__ __forceinline__ std::uint32_t mask_of(std::uint32_t signs) {
  return ptx::prmt(signs, 0, 0xbb99);
}
__device__ __forceinline__ std::uint32_t chosen(std::uint32_t mask, std::uint32_t ones,
                                                std::uint32_t zeros) {
  return (ones & mask) | (zeros & ~mask);
}

// Magnitudes around two pixels: above, beside and below them.
struct PairsAround {
  std::uint32_t above_left, above, above_right, left, right, below_left, below, below_right;
};

// Signs where they are maxima.
__device__ __forceinline__ std::uint32_t maxima_of(std::uint32_t here, const PairDirections &to,
                                                   const PairsAround &a) {
  const std::uint32_t not_flat = mask_of(to.not_flat), is_steep = mask_of(to.steep),
                      is_rising = mask_of(to.rising);
  const std::uint32_t before = chosen(
      not_flat, chosen(is_steep, a.above, chosen(is_rising, a.above_right, a.above_left)), a.left);
  const std::uint32_t behind = chosen(
      not_flat, chosen(is_steep, a.below, chosen(is_rising, a.below_left, a.below_right)), a.right);
  // Equal ones behind it are no more only where the gradient is flat or steep.
  const std::uint32_t one = not_flat & ~is_steep & 0x3c003c00;
  return ptx::subtract_halves(before, here) &
         ~ptx::subtract_halves(ptx::subtract_halves(here, one), behind);
}

// An integer up to 2047.
__device__ __forceinline__ std::uint32_t half_of(int number) {
  const auto n = static_cast<std::uint32_t>(number);
  return ptx::add_halves(0x6400 | (n & 1023), n < 1024 ? 0xe400 : 0) & 0xffff;
}

// Magnitudes left and right of a warp's strip: a thread has one.
__device__ __forceinline__ void find_side_pairs(const std::uint32_t *samples,
                                                const TilePlace &place, int top,
                                                std::uint32_t *sides) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = top + lane / 2;
  if (lane >= 2 * (kPairStripRows + 2)) return;
  const int column = lane % 2 == 0 ? -1 : kColumns, at = kLead + column - 1;
  int smooth[3], slope[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const std::uint32_t *from = samples + (row + k) * kSampleWords + at / 4;
    row_sums<3>(__funnelshift_r(from[0], from[1], static_cast<unsigned>(8 * (at % 4))), 0,
                &smooth[k], &slope[k]);
  }
  const int dx = slope[0] + 2 * slope[1] + slope[2], dy = smooth[2] - smooth[0];
  sides[lane] = place.contains(column, row - 1) ? half_of(abs(dx) + abs(dy)) : 0;
}

// What a row's ballots have, the pixels of a thread apart, as a row: a thread has a word. Byte k of
// the words is word k; its bits change places by numbers: 8 i + j becomes 4 j + i.
__device__ __forceinline__ std::uint32_t word_of_ballots(const uint4 &ballots, int k) {
  const auto pick = static_cast<std::uint32_t>(k | (k + 4) << 4);
  std::uint32_t word = __byte_perm(__byte_perm(ballots.x, ballots.y, pick),
                                   __byte_perm(ballots.z, ballots.w, pick), 0x5410);
  const auto swap = [&](unsigned distance, std::uint32_t mask) {
    const std::uint32_t other = (word ^ word >> distance) & mask;
    word ^= other ^ other << distance;
  };
  swap(12, 0x0000f0f0), swap(6, 0x00cc00cc), swap(3, 0x0a0a0a0a), swap(1, 0x22222222);
  return word;
}

// The strip's maxima. A warp has kPairStripRows rows, from the top down.
__device__ __forceinline__ void find_pair_maxima(const CannyArgs &a, const std::uint32_t *samples,
                                                 const TilePlace &place, std::uint32_t *sides,
                                                 TileBits &bits) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int top = warp * kPairStripRows;
  sides += warp * 2 * (kPairStripRows + 2);
  find_side_pairs(samples, place, top, sides);
  __syncwarp();
  const std::uint32_t *from = samples + top * kSampleWords + kLead / 4 + lane - 1;
  const auto halves_inside = [&](int column) {
    const int x = place.x + 4 * lane + column;
    return (x < place.width ? 0xffffu : 0u) | (x + 2 < place.width ? 0xffff0000u : 0u);
  };
  const std::uint32_t even_inside = halves_inside(0), odd_inside = halves_inside(1);
  const std::uint32_t low = a.low * 0x00010001u, high = a.high * 0x00010001u;
  Pairs first = pairs_of(from), second = pairs_of(from + kSampleWords);
  PairRow above = {}, here = {};
#pragma unroll
  for (int row = 0; row < kPairStripRows + 2; ++row) {
    const Pairs third = pairs_of(from + (row + 2) * kSampleWords);
    PairRow below = gradient_pairs(first, second, third);
    first = second, second = third;
    const int y = place.y + top + row - 1;
    const std::uint32_t row_inside = y >= 0 && y < place.height ? ~0u : 0;
    Pairs &m = below.magnitude;
    m.even &= even_inside & row_inside, m.odd &= odd_inside & row_inside;
    const std::uint32_t side = sides[2 * row + (lane == 0 ? 0 : 1)];
    std::uint32_t left = __shfl_up_sync(~0u, m.odd, 1) >> 16,
                  right = __shfl_down_sync(~0u, m.even, 1);
    if (lane == 0) left = side;
    if (lane == 31) right = side;
    m.outer = __byte_perm(left, right, 0x5410);
    if (row >= 2) {
      const Pairs &p = above.magnitude, &c = here.magnitude, &n = m;
      const std::uint32_t even_more = ptx::subtract_halves(low, c.even),
                          odd_more = ptx::subtract_halves(low, c.odd);
      uint4 found = {}, strong = {};
      if (__any_sync(~0u, ((even_more | odd_more) & kSigns) != 0)) {
        const std::uint32_t even = even_more & maxima_of(c.even, here.even,
                                                         {p.left(), p.even, p.odd, c.left(), c.odd,
                                                          n.left(), n.even, n.odd});
        const std::uint32_t odd = odd_more & maxima_of(c.odd, here.odd,
                                                       {p.even, p.odd, p.right(), c.even, c.right(),
                                                        n.even, n.odd, n.right()});
        const std::uint32_t even_strong = even & ptx::subtract_halves(high, c.even),
                            odd_strong = odd & ptx::subtract_halves(high, c.odd);
        const auto ballots = [](std::uint32_t evens, std::uint32_t odds) -> uint4 {
          return {__ballot_sync(~0u, (evens & 0x8000) != 0),
                  __ballot_sync(~0u, (odds & 0x8000) != 0), __ballot_sync(~0u, evens >> 31 != 0),
                  __ballot_sync(~0u, odds >> 31 != 0)};
        };
        found = ballots(even, odd), strong = ballots(even_strong, odd_strong);
      }
      if (lane == 0) {
        reinterpret_cast<uint4 *>(bits.found)[top + row - 2] = found;
        reinterpret_cast<uint4 *>(bits.strong)[top + row - 2] = strong;
      }
    }
    above = here, here = below;
  }
  __syncwarp();
  static_assert(kPairStripRows * kWords <= 32, "a word each");
  if (lane >= kPairStripRows * kWords) return;
  const int row = top + lane / kWords, k = lane % kWords;
  const std::uint32_t found = word_of_ballots(reinterpret_cast<uint4 *>(bits.found)[row], k),
                      strong = word_of_ballots(reinterpret_cast<uint4 *>(bits.strong)[row], k);
  __syncwarp(kPairStripRows * kWords == 32 ? ~0u : (1u << (kPairStripRows * kWords % 32)) - 1);
  reinterpret_cast<std::uint32_t *>(bits.found)[kWords * row + k] = found;
  reinterpret_cast<std::uint32_t *>(bits.strong)[kWords * row + k] = strong;
}

__global__ void __launch_bounds__(kThreads, kPairBlocks)
    pair_tile_kernel(const __grid_constant__ CannyArgs a) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, shared);
  __shared__ TileBits bits;
  __shared__ std::uint32_t sides[kWarps * 2 * (kPairStripRows + 2)];
  std::uint32_t *const samples = shared, *const pixels = samples + kPairSampleRows * kSampleWords;
  const auto block = static_cast<int>(blockIdx.x);
  const int down = block / a.tiles_across;
  const TilePlace place = {(block - down * a.tiles_across) * kColumns, down * kPairRows, a.width,
                           a.height};
  if (block == 0 && threadIdx.x == 0) a.parent[0] = 0;
  const TileSource &in = a.channel[0].in;
  load_pixels<3, kPairSampleRows>(in, place, in.pixel == 1 ? samples : pixels);
  if (in.pixel != 1) {
    __syncthreads();
    pick_samples<kPairSampleRows>(pixels, in.pixel, a.channel[0].first, samples);
  }
  __syncthreads();
  find_pair_maxima(a, samples, place, sides, bits);
  __syncthreads();
  find_components<kPairRows>(a, place, bits, reinterpret_cast<RowBits *>(shared));
}

// ---- Open pixels -------------------------------------------------------------------------------

struct MergeArgs {
  int height;
  unsigned words, all_words;
  const CannyMapWord *map;
  std::uint32_t *parent;
};

// A word of the map; none outside the picture.
struct MapPlace {
  std::uint32_t edge = 0, open = 0, node = 0;
  __device__ __forceinline__ MapPlace(const MergeArgs &a, int row, unsigned column) {
    if (row < 0 || row >= a.height || column >= a.words) return;
    const std::size_t at = static_cast<std::size_t>(row) * a.words + column;
    const uint2 word = load_global(reinterpret_cast<const uint2 *>(a.map + at));
    edge = word.x, open = word.y;
    node = static_cast<std::uint32_t>(at) * kCannyNodesOfWord + 1;
  }
  // Of the open run that this bit is in.
  __device__ __forceinline__ std::uint32_t node_at(unsigned bit) const {
    return node + run_at(open, bit).first / 2;
  }
};

// Two pixels beside each other.
__device__ __forceinline__ void join_bits(const MapPlace &a, unsigned bit, const MapPlace &b,
                                          unsigned other, std::uint32_t *parent) {
  const std::uint32_t open = a.open >> bit & 1, other_open = b.open >> other & 1;
  if (((open | a.edge >> bit) & (other_open | b.edge >> other) & (open | other_open) & 1) == 0)
    return;
  join(parent, open != 0 ? a.node_at(bit) : 0, other_open != 0 ? b.node_at(other) : 0);
}

constexpr int kMergeThreads = 128;

// A thread has a word of the map, and joins it with the word left of it and the three above it. (Of
// one tile, edges have no open neighbours.)
__global__ void __launch_bounds__(kMergeThreads) merge_kernel(const __grid_constant__ MergeArgs a) {
  wait_for_grid_before();
  const unsigned i = blockIdx.x * kMergeThreads + threadIdx.x;
  if (i >= a.all_words) return;
  const int row = static_cast<int>(i / a.words);
  const unsigned column = i % a.words;
  const MapPlace here(a, row, column);
  const std::uint32_t ones = here.edge | here.open;
  if (ones == 0) return;
  const MapPlace above(a, row - 1, column);
  if ((ones & 1) != 0 && column > 0) {
    join_bits(here, 0, MapPlace(a, row, column - 1), 31, a.parent);
    join_bits(here, 0, MapPlace(a, row - 1, column - 1), 31, a.parent);
  }
  if (ones >> 31 != 0) join_bits(here, 31, MapPlace(a, row - 1, column + 1), 0, a.parent);
  for_runs(here.open, [&](const BitRun &run) {
    const std::uint32_t node = here.node + run.first / 2, around = widened(run.bits);
    if ((above.edge & around) != 0) join(a.parent, node, 0);
    for_runs(above.open & around,
             [&](const BitRun &other) { join(a.parent, node, above.node_at(other.first)); });
  });
  for_runs(above.open & widened(here.edge),
           [&](const BitRun &other) { join(a.parent, above.node_at(other.first), 0); });
}

// ---- The picture --------------------------------------------------------------------------------

struct WriteArgs {
  Plane<std::uint8_t> out;
  int alignment;
  unsigned words, all_words;
  const CannyMapWord *map;
  std::uint32_t *parent;
};

// Four bits as four bytes.
__device__ __forceinline__ std::uint32_t bytes_of_bits(std::uint32_t bits) {
  return ((bits & 15) * 0x00204081u & 0x01010101u) * 255;
}

constexpr int kWriteThreads = 128;

// A thread has a word of the map.
__global__ void __launch_bounds__(kWriteThreads) write_kernel(const __grid_constant__ WriteArgs a) {
  wait_for_grid_before();
  const unsigned i = blockIdx.x * kWriteThreads + threadIdx.x;
  if (i >= a.all_words) return;
  const uint2 word = load_global(reinterpret_cast<const uint2 *>(a.map + i));
  std::uint32_t edge = word.x;
  for_runs(word.y, [&](const BitRun &run) {
    if (find_root(a.parent, i * kCannyNodesOfWord + run.first / 2 + 1) == 0) edge |= run.bits;
  });
  const unsigned row = i / a.words, column = i - row * a.words;
  const int x = static_cast<int>(32 * column);
  std::uint8_t *to = a.out.row(static_cast<int>(row)) + x;
  if (x + 32 <= a.out.width) {
    std::uint32_t bytes[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
      bytes[k] = bytes_of_bits(edge >> 4 * k);
    store_run<32>(to, a.alignment, bytes);
    return;
  }
  for (int k = 0; x + k < a.out.width; ++k)
    to[k] = (edge >> k & 1) != 0 ? 255 : 0;
}

// ---- Launches -----------------------------------------------------------------------------------

using TileKernel = void (*)(CannyArgs);

TileKernel tile_kernel_of(int aperture, bool l2) {
  return aperture == 3   ? l2 ? tile_kernel<3, true> : tile_kernel<3, false>
           : aperture == 5 ? l2 ? tile_kernel<5, true> : tile_kernel<5, false>
           : l2 ? tile_kernel<7, true>
                         : tile_kernel<7, false>;
}

constexpr std::size_t shared_bytes(int aperture, int step) {
  const int sample_rows = kGradientRows + aperture - 1;
  const int words =
      kGradientRows * kGradientPitch + sample_rows * kSampleWords * (step > 1 ? 1 + step : 1);
  return static_cast<std::size_t>(words) * 4;
}
static_assert(shared_bytes(7, 4) + sizeof(TileBits) <= 48 << 10, "what every device has");

constexpr std::size_t pair_shared_bytes(int step) {
  return std::size_t{4} * kPairSampleRows * kSampleWords *
         static_cast<std::size_t>(step > 1 ? 1 + step : 1);
}

// A threshold as a half. No magnitude is more than 2040.
std::uint32_t half_bits(std::uint32_t number) {
  if (number == 0) return 0;
  number = std::min(number, 2047u);
  std::uint32_t exponent = 0;
  for (; number >> exponent > 1;)
    ++exponent;
  return (exponent + 15) << 10 | ((number << (10 - exponent)) & 1023);
}

Status launch_tiles(const CannyJob &job, const CannyCudaScratch &scratch, cudaStream_t stream) {
  CannyArgs a = {};
  a.channels = job.channels;
  for (int c = 0; c < job.channels; ++c) {
    // Pixels of the plane, whose rows may have more at their end.
    const PixelComponent &component = job.channel[c];
    Plane<const std::uint8_t> plane = job.in[c];
    plane.width = job.width * component.step;
    a.channel[c] = {make_tile_source(plane, component.step, Border::replicate, 0), component.first};
  }
  a.width = job.width, a.height = job.height;
  a.low = static_cast<std::uint32_t>(job.low), a.high = static_cast<std::uint32_t>(job.high);
  const bool pairs = job.channels == 1 && job.aperture == 3 && !job.l2;
  if (pairs) a.low = half_bits(a.low), a.high = half_bits(a.high);
  const int rows = pairs ? kPairRows : kRows;
  a.tiles_across = divided_up(job.width, kColumns);
  a.words = scratch.words, a.map = scratch.map, a.parent = scratch.parent;
  // (As many words as pictures may have, in tiles, are fewer than 2^31.)
  const auto tiles =
      static_cast<unsigned>(a.tiles_across) * static_cast<unsigned>(divided_up(job.height, rows));
  if (pairs)
    return launch_early(pair_tile_kernel, dim3(tiles), dim3(kThreads),
                        pair_shared_bytes(job.channel[0].step), stream, a);
  return launch_early(tile_kernel_of(job.aperture, job.l2), dim3(tiles), dim3(kThreads),
                      shared_bytes(job.aperture, job.channel[0].step), stream, a);
}

Status launch_merge(const CannyJob &job, const CannyCudaScratch &scratch, cudaStream_t stream) {
  MergeArgs a = {};
  a.height = job.height, a.words = scratch.words;
  a.all_words = scratch.words * static_cast<unsigned>(job.height);
  a.map = scratch.map, a.parent = scratch.parent;
  return launch_early(merge_kernel, dim3((a.all_words - 1) / kMergeThreads + 1),
                      dim3(kMergeThreads), 0, stream, a);
}

Status launch_write(const CannyJob &job, const CannyCudaScratch &scratch, cudaStream_t stream) {
  WriteArgs a = {};
  a.out = job.out;
  a.alignment = alignment_of(job.out);
  a.words = scratch.words, a.all_words = scratch.words * static_cast<unsigned>(job.height);
  a.map = scratch.map, a.parent = scratch.parent;
  return launch_early(write_kernel, dim3((a.all_words - 1) / kWriteThreads + 1),
                      dim3(kWriteThreads), 0, stream, a);
}

}  // namespace

Status canny_cuda(const CannyJob &job, void *stream) {
  const TraceRange range("canny");
  const CannyCudaScratch scratch(job.scratch, job.width, job.height);
  const auto on = static_cast<cudaStream_t>(stream);
  if (Status s = launch_tiles(job, scratch, on); !s.ok()) return s;
  if (Status s = launch_merge(job, scratch, on); !s.ok()) return s;
  return launch_write(job, scratch, on);
}

}  // namespace coalesce
