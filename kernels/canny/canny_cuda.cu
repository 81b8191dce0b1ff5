// SPDX-License-Identifier: LGPL-2.1-or-later
// Three kernels after each other: maxima of tiles, and those among them that hang together with a
// strong one of the tile; what hangs together of those that are open; the picture. None waits for
// another block, and the host waits for none.
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

// The bytes of the pixels from kLead columns left of the tile on, in chunks of 16.
template <int kAperture>
__device__ __forceinline__ void load_pixels(const TileSource &in, const TilePlace &place,
                                            std::uint32_t *pixels) {
  constexpr int kSampleRows = kGradientRows + 2 * (kAperture / 2);
  const int x = (place.x - kLead) * in.pixel, y = place.y - 1 - kAperture / 2;
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
template <int kAperture>
__device__ __forceinline__ void pick_samples(const std::uint32_t *pixels, int step, int first,
                                             std::uint32_t *samples) {
  constexpr int kSampleRows = kGradientRows + 2 * (kAperture / 2);
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
  alignas(16) RowBits found[kRows];  // maxima above the lower threshold
  // Those above the higher one, too; then what hangs together with them.
  alignas(16) RowBits strong[kRows];
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
  static_assert(kRows <= 32, "a thread for each");
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
__device__ __forceinline__ RowBits side_bits(const TilePlace &place, int row) {
  if ((row == 0 && place.y > 0) || (row == kRows - 1 && place.y + kRows < place.height))
    return {~std::uint64_t{0}, ~std::uint64_t{0}};
  return {place.x > 0 ? std::uint64_t{1} : 0,
          place.x + kColumns < place.width ? std::uint64_t{1} << 63 : 0};
}

// Edges are known where maxima hang together with a strong one. Of the others, those that touch the
// side of the tile stay open for the next kernel, which gets a node for each run. The rest is gone.
__device__ __forceinline__ void find_components(const CannyArgs &a, const TilePlace &place,
                                                TileBits &bits, RowBits *reached) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  static_assert(kWarps >= 2, "one floods from strong pixels, another one from the sides");
  if (thread < 64) {
    const bool from_sides = thread >= 32;
    RowBits found = {0, 0}, ones = {0, 0};
    if (lane < kRows) {
      found = bits.found[lane];
      ones = from_sides ? side_bits(place, lane) : bits.strong[lane];
      ones.left &= found.left, ones.right &= found.right;
    }
    ones = flooded(found, ones);
    if (lane < kRows) (from_sides ? reached : bits.strong)[lane] = ones;
  }
  __syncthreads();
  const int row = thread / kWords, k = thread % kWords;
  const unsigned column = static_cast<unsigned>(place.x) / 32 + static_cast<unsigned>(k);
  if (row >= kRows || place.y + row >= place.height || column >= a.words) return;
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
    if (apart || c == 0) load_pixels<kAperture>(in, place, apart ? samples : pixels);
    if (!apart) {
      __syncthreads();
      pick_samples<kAperture>(pixels, in.pixel, a.channel[c].first, samples);
    }
    __syncthreads();
    find_strip<kAperture, kL2>(samples, place, c == 0, gradients);
    find_sides<kAperture, kL2>(samples, place, c == 0, gradients);
    __syncthreads();
  }
  find_maxima(gradients, a.low, a.high, bits);
  __syncthreads();
  find_components(a, place, bits, reinterpret_cast<RowBits *>(gradients));  // (of no more use)
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
  a.tiles_across = divided_up(job.width, kColumns);
  a.words = scratch.words, a.map = scratch.map, a.parent = scratch.parent;
  // (As many words as pictures may have, in tiles, are fewer than 2^31.)
  const auto tiles =
      static_cast<unsigned>(a.tiles_across) * static_cast<unsigned>(divided_up(job.height, kRows));
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
