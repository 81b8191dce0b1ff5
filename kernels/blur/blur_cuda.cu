// SPDX-License-Identifier: LGPL-2.1-or-later
// Pixels go through registers as byte planes, four pixels a word.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>

#include "../core/cuda_status.h"
#include "../core/grid_order.cuh"
#include "../core/ptx.cuh"
#include "../core/trace.h"
#include "../picture/byte_planes.h"
#include "../picture/runs.cuh"
#include "../picture/tile.cuh"
#include "blur_job.h"

namespace coalesce {
namespace {

constexpr int kThreads = 256;

// A plane of `low` or `smooth`. Without columns: of a channel that is not filtered.
struct LowPlane {
  std::uint16_t *data = nullptr;
  std::size_t pitch = 0;  // samples
  int width = 0, height = 0;
};

// ---- Pixels ------------------------------------------------------------------------------------

constexpr int kTileWidth = 256;  // pixels

// A thread's pixels of a row: whole accesses of 16 bytes.
template <int kBytes>
constexpr int kPixels = kBytes % 2 != 0 ? 16
                        : kBytes == 2   ? 8
                                        : 4;
// Rows of them that it has under way.
template <int kBytes>
constexpr int kBatch = kBytes == 3 || kBytes == 8 ? 2 : 4;

// What tiles of factor 2^kLog2 have on the way down.
template <int kLog2>
struct DownShape {
  static constexpr int kFactor = 1 << kLog2;
  static constexpr int kRows = kLog2 == 2 ? 64 : 128;  // of the picture
  static constexpr int kThreadRows = kLog2 == 2 ? 4 : 8;
  // Samples that belong to the tile: the first cells serve the samples behind them only, and tiles
  // begin at multiples of 16 pixels.
  static constexpr int kOwnColumns = (kTileWidth - 16) / kFactor;
  static constexpr int kOwnRows = kRows / kFactor - 1;
  // Sums of a byte of the pixels: a column and a row more than cells.
  static constexpr int kColumns = kTileWidth / kFactor + 1;
  static constexpr int kSums = kColumns * (kRows / kFactor + 1);
};

struct DownPlane {
  TileSource source;
  int channels, first_block, tiles_across;
  int width, height;  // of `low`
  LowPlane low[4];
};

struct DownArgs {
  DownPlane plane[4];
  int planes, pad;
  std::uint32_t used;  // bits of a word of samples
  BlurNumbers numbers;
};

// Not a part of each of the loads, of which it would be most.
__device__ __noinline__ uint4 words_outside(const TileSource &source, int x, int y) {
  std::uint32_t words[4];
  load_words(source, x, y, words);
  return make_uint4(words[0], words[1], words[2], words[3]);
}

__device__ __forceinline__ void load_outside(const TileSource &source, int x, int y,
                                             std::uint32_t (&words)[4]) {
  const uint4 all = words_outside(source, x, y);
  words[0] = all.x, words[1] = all.y, words[2] = all.z, words[3] = all.w;
}

template <int kRows, int kRun, class Load>
__device__ __forceinline__ void load_rows(std::uint32_t (&words)[kRows][kRun], Load load) {
#pragma unroll
  for (int r = 0; r < kRows; ++r)
#pragma unroll
    for (int i = 0; i < kRun; i += 4) {
      std::uint32_t four[4];
      load(i, r, four);
#pragma unroll
      for (int j = 0; j < 4; ++j)
        words[r][i + j] = four[j];
    }
}

// Adds a thread's pixels to the sums of the triangles that they are in. x, y: in the picture;
// column, row: in the tile.
template <int kBytes, bool kWords, int kLog2>
__device__ __forceinline__ void add_pixels(const TileSource &source, std::uint32_t used, int x,
                                           int y, bool inside, int column, int row, int *sums) {
  using Shape = DownShape<kLog2>;
  constexpr int kGroups = kPixels<kBytes> / 4, kWide = kPixels<kBytes> * kBytes / 4;
  constexpr int kFactor = Shape::kFactor;
  const int phase = column % kFactor;
  // Across: from 0 upwards for the next triangle, down to 1 for that of the cell.
  std::uint32_t weights[kGroups][2];
#pragma unroll
  for (int g = 0; g < kGroups; ++g) {
    const int at = (phase + 4 * g) % kFactor;
    weights[g][1] = 0x03020100u + 0x01010101u * static_cast<std::uint32_t>(at);
    weights[g][0] = 0x01010101u * kFactor - weights[g][1];
  }
  // Down: the sum of the rows, and that with weights from kThreadRows to 1.
  int sum[kBytes][kGroups][2] = {}, falling[kBytes][kGroups][2] = {};
#pragma unroll 1
  for (int batch = 0; batch < Shape::kThreadRows; batch += kBatch<kBytes>) {
    std::uint32_t words[kBatch<kBytes>][kWide];
    // (All loads of one way, so that they are under way together.)
    if (inside)
      load_rows<kBatch<kBytes>, kWide>(words, [&](int i, int r, std::uint32_t(&four)[4]) {
        load_wide(source.data + static_cast<std::size_t>(y + batch + r) * source.pitch +
                      (x * kBytes + 4 * i),
                  four);
      });
    else
      load_rows<kBatch<kBytes>, kWide>(words, [&](int i, int r, std::uint32_t(&four)[4]) {
        load_outside(source, x * kBytes + 4 * i, y + batch + r, four);
      });
#pragma unroll
    for (int r = 0; r < kBatch<kBytes>; ++r)
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        PixelWords<kBytes> pixels;
#pragma unroll
        for (int i = 0; i < kBytes; ++i)
          pixels.words[i] = kWords ? words[r][g * kBytes + i] & used : words[r][g * kBytes + i];
        pixels = split_pixels(pixels);
#pragma unroll
        for (int b = 0; b < kBytes; ++b)
#pragma unroll
          for (int i = 0; i < 2; ++i) {
            sum[b][g][i] = dot4(pixels.words[b], weights[g][i], sum[b][g][i]);
            falling[b][g][i] += sum[b][g][i];
          }
      }
  }
  const int rest = kFactor - row % kFactor - Shape::kThreadRows;
  sums += row / kFactor * Shape::kColumns + column / kFactor;
#pragma unroll
  for (int b = 0; b < kBytes; ++b) {
    int *at = sums + b * Shape::kSums;
    int upper[2] = {}, lower[2] = {};  // of the cell's triangle, and of the next
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int part = falling[b][g][i] + rest * sum[b][g][i];
        upper[i] += part;
        lower[i] += kFactor * sum[b][g][i] - part;
      }
      const bool ends = 4 * (g + 1) % kFactor == 0;  // a cell, which is no wider than the pixels
      if (!ends && g + 1 < kGroups) continue;
      atomicAdd(at, upper[0]);
      atomicAdd(at + Shape::kColumns, lower[0]);
      upper[0] = upper[1], lower[0] = lower[1];
      upper[1] = lower[1] = 0;
      ++at;
    }
    atomicAdd(at, upper[0]);
    atomicAdd(at + Shape::kColumns, lower[0]);
  }
}

template <int kBytes, bool kWords, int kLog2>
__device__ __forceinline__ void down_tile(const DownArgs &a, const DownPlane &p, int tile,
                                          int *sums) {
  using Shape = DownShape<kLog2>;
  constexpr int kFactor = Shape::kFactor, kAcross = kTileWidth / kPixels<kBytes>;
  const int thread = static_cast<int>(threadIdx.x);
  const int band = tile / p.tiles_across;
  const int first_column = (tile - band * p.tiles_across) * Shape::kOwnColumns;
  const int first_row = band * Shape::kOwnRows;
  const int own_columns = min(p.width - first_column, Shape::kOwnColumns);
  const int own_rows = min(p.height - first_row, Shape::kOwnRows);
  // The cell before that of the first sample, and more.
  const int before = (first_column - a.pad - 1) * kFactor;
  const int x = before & ~15, y = (first_row - a.pad - 1) * kFactor;
  const int used_columns = before - x + (own_columns + 1) * kFactor;
  const int used_rows = (own_rows + 1) * kFactor;
  for (int i = thread; i < kBytes * Shape::kSums; i += kThreads)
    sums[i] = 0;
  __syncthreads();
  const bool inside = p.source.alignment >= 16 && x >= 0 && y >= 0 &&
                      (x + kTileWidth) * kBytes <= p.source.width &&
                      y + Shape::kRows <= p.source.height;
  const int column = thread % kAcross * kPixels<kBytes>;
  if (column < used_columns)
#pragma unroll 1
    for (int row = thread / kAcross * Shape::kThreadRows; row < used_rows;
         row += kThreads / kAcross * Shape::kThreadRows)
      add_pixels<kBytes, kWords, kLog2>(p.source, a.used, x + column, y + row, inside, column, row,
                                        sums);
  __syncthreads();
  const int skipped = (before - x) / kFactor + 1;
#pragma unroll 1
  for (int c = 0; c < p.channels; ++c) {
    const LowPlane &low = p.low[c];
    if (low.width == 0) continue;
    const int *of_channel = sums + (kWords ? 2 * c : c) * Shape::kSums + Shape::kColumns + skipped;
    for (int i = thread; i < Shape::kOwnColumns * own_rows; i += kThreads) {
      const int r = i / Shape::kOwnColumns, k = i - r * Shape::kOwnColumns;
      if (k >= own_columns) continue;
      const int *sum = of_channel + r * Shape::kColumns + k;
      std::conditional_t<kWords, std::uint64_t, std::uint32_t> all = static_cast<unsigned>(sum[0]);
      if constexpr (kWords) all += std::uint64_t{static_cast<unsigned>(sum[Shape::kSums])} << 8;
      low.data[(first_row + r) * low.pitch + (first_column + k)] = a.numbers.low(all);
    }
  }
}

// Which plane's tile is this? The number becomes that in the plane.
template <class Args>
__device__ __forceinline__ int plane_of(const Args &a, int *tile) {
  int plane = 0;
  while (plane + 1 < a.planes && *tile >= a.plane[plane + 1].first_block)
    ++plane;
  *tile -= a.plane[plane].first_block;
  return plane;
}

// Calls tile() with a pixel's bytes, as a constant.
template <bool kWords, class Tile>
__device__ __forceinline__ void by_channels(int channels, const Tile &tile) {
  constexpr int kBytes = kWords ? 2 : 1;
  if (channels == 1)
    tile(std::integral_constant<int, kBytes>());
  else if (channels == 2)
    tile(std::integral_constant<int, 2 * kBytes>());
  else if (kWords || channels == 4)
    tile(std::integral_constant<int, 4 * kBytes>());
  else if constexpr (!kWords)
    tile(std::integral_constant<int, 3>());
}

template <bool kWords, int kLog2>
__global__ void __launch_bounds__(kThreads, 2) down_kernel(const __grid_constant__ DownArgs a) {
  COALESCE_DYNAMIC_SHARED(16, int, sums);
  wait_for_grid_before();
  int tile = static_cast<int>(blockIdx.x);
  const DownPlane &p = a.plane[plane_of(a, &tile)];
  by_channels<kWords>(p.channels, [&](auto bytes) {
    down_tile<decltype(bytes)::value, kWords, kLog2>(a, p, tile, sums);
  });
}

// ---- Smooth ------------------------------------------------------------------------------------

constexpr int kSmoothColumns = 64, kSmoothRows = 32;  // of a tile
constexpr int kRun = 8;                               // samples of a thread, in a row or column
constexpr int kMostTaps = 2 * Blur::kMostReach;
constexpr int kSourceColumns = 96, kSourceRows = kSmoothRows + kMostTaps;
// (An odd number of words, lest rows meet in the banks.)
constexpr int kSmoothPitch = kSourceColumns + 2;
static_assert(kSmoothColumns + kMostTaps <= kSourceColumns);
static_assert(kSmoothRows * kSmoothColumns == kRun * kThreads);

struct SmoothPlane {
  LowPlane low;
  std::uint16_t *smooth;  // of the same pitch and size
  int first_block, tiles_across;
};

struct SmoothArgs {
  SmoothPlane plane[4];
  int planes, reach;
  std::uint32_t tap[kMostTaps];
};

// kRun sums of samples that are `step` apart in shared memory.
__device__ __forceinline__ void add_taps(const SmoothArgs &a, const std::uint16_t *from, int step,
                                         std::uint32_t (&sums)[kRun]) {
  std::uint32_t window[kRun];
#pragma unroll
  for (int i = 0; i < kRun - 1; ++i)
    window[i] = from[i * step];
  from += (kRun - 1) * step;
#pragma unroll 2
  for (int t = 0; t < 2 * a.reach; ++t, from += step) {
    window[kRun - 1] = *from;
    const std::uint32_t tap = a.tap[t];
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      sums[i] += tap * window[i];
#pragma unroll
    for (int i = 0; i + 1 < kRun; ++i)
      window[i] = window[i + 1];
  }
}

__global__ void __launch_bounds__(kThreads) smooth_kernel(const __grid_constant__ SmoothArgs a) {
  __shared__ std::uint16_t source[kSourceRows][kSmoothPitch], down[kSmoothRows][kSmoothPitch];
  wait_for_grid_before();
  int tile = static_cast<int>(blockIdx.x);
  const SmoothPlane &p = a.plane[plane_of(a, &tile)];
  const int thread = static_cast<int>(threadIdx.x), band = tile / p.tiles_across;
  const int x0 = (tile - band * p.tiles_across) * kSmoothColumns, y0 = band * kSmoothRows;
  const int rows = kSmoothRows + 2 * a.reach - 1, lane = thread % 32;
  for (int row = thread / 32; row < rows; row += kThreads / 32) {
    const int y = min(max(y0 + row - a.reach + 1, 0), p.low.height - 1);
    const std::uint16_t *from = p.low.data + y * p.low.pitch;
#pragma unroll
    for (int column = lane; column < kSourceColumns; column += 32)
      source[row][column] =
          load_global(from + min(max(x0 + column - a.reach + 1, 0), p.low.width - 1));
  }
  __syncthreads();
  constexpr int kRuns = kSmoothRows / kRun;
  for (int job = thread / 32; job < kRuns * kSourceColumns / 32; job += kThreads / 32) {
    const int column = job / kRuns * 32 + lane, row = job % kRuns * kRun;
    std::uint32_t sums[kRun] = {};
    add_taps(a, &source[row][column], kSmoothPitch, sums);
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      down[row + i][column] = smooth_sample(sums[i]);
  }
  __syncthreads();
  const int row = thread / (kSmoothColumns / kRun),
            column = thread % (kSmoothColumns / kRun) * kRun;
  std::uint32_t sums[kRun] = {};
  add_taps(a, &down[row][column], 1, sums);
  const int x = x0 + column, y = y0 + row;
  if (y >= p.low.height) return;
  std::uint16_t *to = p.smooth + y * p.low.pitch + x;
  std::uint32_t words[kRun / 2];
#pragma unroll
  for (int i = 0; i < kRun / 2; ++i)
    words[i] = smooth_sample(sums[2 * i]) |
               static_cast<std::uint32_t>(smooth_sample(sums[2 * i + 1])) << 16;
  if (x + kRun <= p.low.width) {  // rows begin at multiples of 16 bytes
    *reinterpret_cast<uint4 *>(to) = make_uint4(words[0], words[1], words[2], words[3]);
  } else {
#pragma unroll
    for (int i = 0; i < kRun; ++i)
      if (x + i < p.low.width) to[i] = static_cast<std::uint16_t>(words[i / 2] >> 16 * (i % 2));
  }
}

// ---- Up ----------------------------------------------------------------------------------------

constexpr int kUpRows = 32;  // of a tile

struct UpPlane {
  const std::uint8_t *in;  // for what is kept
  std::uint8_t *out;
  std::size_t in_pitch, out_pitch;
  int width, height;  // bytes, rows
  int in_alignment, out_alignment;
  int channels, first_block, tiles_across;
  bool keeps;
  std::uint32_t kept[8];  // bits of four pixels
  LowPlane smooth[4];
};

struct UpArgs {
  UpPlane plane[4];
  int planes, pad;
  int down;            // from the uppermost bits of a sample's 16 to where they belong
  std::uint32_t used;  // bits of a word of samples, or 8
  std::uint32_t half;
  BlurNumbers numbers;
};

// Columns of a tile, of a channel: of all cells, and of one more on either side.
template <int kLog2>
constexpr int kUpColumns = (kTileWidth >> kLog2) + 2;

// Of one channel, for the whole tile. A thread has a column of cells.
template <int kLog2>
__device__ __forceinline__ void make_columns(const UpArgs &a, const LowPlane &smooth, int cell,
                                             int y, std::uint32_t *columns) {
  constexpr int kFactor = 1 << kLog2, kWidth = kUpColumns<kLog2>;
  constexpr int kAcross = kLog2 == 2 ? 128 : kLog2 == 3 ? 64 : 32;
  constexpr int kShift = 14 - 4 * kLog2;
  const BlurNumbers numbers = {kLog2, 0, max(kShift, 0), max(-kShift, 0)};  // as in blur_numbers()
  const int k = static_cast<int>(threadIdx.x) % kAcross, column = cell + k + a.pad - 1;
  if (k >= kWidth || column >= smooth.width) return;
  const int first_row = y / kFactor + a.pad - 1;
  const std::uint16_t *from = smooth.data + first_row * smooth.pitch + column;
#pragma unroll 1
  for (int row = static_cast<int>(threadIdx.x) / kAcross * 4; row < kUpRows;
       row += kThreads / kAcross * 4) {
    if (first_row + row / kFactor + 2 >= smooth.height) return;
    const std::uint16_t *above = from + row / kFactor * smooth.pitch;
    const std::uint32_t first = load_global(above), here = load_global(above + smooth.pitch),
                        last = load_global(above + 2 * smooth.pitch);
#pragma unroll
    for (int r = 0; r < 4; ++r)
      columns[(row + r) * kWidth + k] = numbers.column(row % kFactor + r, first, here, last);
  }
}

// Four samples as the uppermost bits of words, from the columns of their cell and its neighbours.
// at: of the first one in the cell.
template <int kLog2>
__device__ __forceinline__ void make_samples(const std::uint32_t *columns, int at,
                                             std::uint32_t half, std::uint32_t (&samples)[4]) {
  const std::uint32_t here = columns[1];
  const std::uint32_t before = columns[0] - here, behind = columns[2] - here;
  const std::uint32_t base = (here << (2 * kLog2 + 1)) + half;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const auto r = static_cast<std::uint32_t>(at + i), rest = (1u << kLog2) - r;
    samples[i] = base + rest * rest * before + r * r * behind;
  }
}

template <int kBytes, bool kWords, int kLog2>
__device__ __forceinline__ void up_tile(const UpArgs &a, const UpPlane &p, int tile,
                                        std::uint32_t *columns) {
  constexpr int kChannels = kWords ? kBytes / 2 : kBytes;
  constexpr int kFactor = 1 << kLog2, kWidth = kUpColumns<kLog2>, kRow = kPixels<kBytes> * kBytes;
  constexpr int kAcross = kTileWidth / kPixels<kBytes>, kGroups = kPixels<kBytes> / 4;
  const int thread = static_cast<int>(threadIdx.x);
  const int band = tile / p.tiles_across;
  const int x0 = (tile - band * p.tiles_across) * kTileWidth, y0 = band * kUpRows;
#pragma unroll 1
  for (int c = 0; c < kChannels; ++c)
    if (p.smooth[c].width > 0)
      make_columns<kLog2>(a, p.smooth[c], x0 >> kLog2, y0, columns + c * kUpRows * kWidth);
  __syncthreads();
  const int column = thread % kAcross * kPixels<kBytes>;
  const int phase = kFactor > kPixels<kBytes> ? column % kFactor : 0;
  const int bytes = min(kRow, p.width - (x0 + column) * kBytes);
  if (bytes <= 0) return;
  columns += column >> kLog2;
#pragma unroll 1
  for (int row = thread / kAcross; row < min(kUpRows, p.height - y0); row += kThreads / kAcross) {
    std::uint32_t words[kRow / 4];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      std::uint32_t samples[kChannels][4];
#pragma unroll
      for (int c = 0; c < kChannels; ++c)
        make_samples<kLog2>(columns + (c * kUpRows + row) * kWidth + 4 * g / kFactor,
                            phase + 4 * g % kFactor, a.half, samples[c]);
      if constexpr (kWords) {
#pragma unroll
        for (int i = 0; i < kBytes; ++i) {
          // Halves of the word: channels of a pixel, or pixels.
          const int low = 2 * i, high = 2 * i + 1;
          const std::uint32_t both =
              shuffle_bytes(samples[low % kChannels][low / kChannels],
                            samples[high % kChannels][high / kChannels], 0x7632);
          words[g * kBytes + i] = (both >> a.down) & a.used;
        }
      } else {
        PixelWords<kBytes> planes;
#pragma unroll
        for (int c = 0; c < kChannels; ++c)
          planes.words[c] = same_bytes(samples[c], kTopByte);
        planes = join_pixels(planes);
#pragma unroll
        for (int i = 0; i < kBytes; ++i)
          words[g * kBytes + i] = planes.words[i];
      }
    }
    const int x = (x0 + column) * kBytes, y = y0 + row;
    std::uint8_t *to = p.out + static_cast<std::size_t>(y) * p.out_pitch + x;
    if (p.keeps) {
      const std::uint8_t *from = p.in + static_cast<std::size_t>(y) * p.in_pitch + x;
      std::uint32_t before[kRow / 4] = {};
      if (bytes == kRow)
        load_run<kRow>(from, p.in_alignment, before);
      else
        for (int i = 0; i < kRow; ++i)
          if (i < bytes) before[i / 4] |= std::uint32_t{load_global(from + i)} << 8 * (i % 4);
#pragma unroll
      for (int i = 0; i < kRow / 4; ++i) {
        const std::uint32_t kept = p.kept[i % kBytes];
        words[i] = (words[i] & ~kept) | (before[i] & kept);
      }
    }
    if (bytes == kRow) {
      store_run<kRow>(to, p.out_alignment, words);
    } else {
#pragma unroll
      for (int i = 0; i < kRow; ++i)
        if (i < bytes) to[i] = static_cast<std::uint8_t>(words[i / 4] >> 8 * (i % 4));
    }
  }
}

template <bool kWords, int kLog2>
__global__ void __launch_bounds__(kThreads, 2) up_kernel(const __grid_constant__ UpArgs a) {
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, columns);
  wait_for_grid_before();
  int tile = static_cast<int>(blockIdx.x);
  const UpPlane &p = a.plane[plane_of(a, &tile)];
  by_channels<kWords>(p.channels, [&](auto bytes) {
    up_tile<decltype(bytes)::value, kWords, kLog2>(a, p, tile, columns);
  });
}

// ---- Launches ----------------------------------------------------------------------------------

constexpr Status kTooLarge = {StatusCode::unsupported, "blur: the picture is too large"};

LowPlane low_plane(const Plane<std::uint16_t> &plane) {
  return {plane.data, plane.pitch / sizeof(std::uint16_t), plane.width, plane.height};
}

// A word of samples: the bits that are used.
std::uint32_t used_bits(SampleDepth depth) {
  if (depth.bytes() == 1) return 0xffffffffu;
  return static_cast<std::uint32_t>(depth.max() << depth.shift) * 0x10001u;
}

// What is filtered in a plane.
struct Channels {
  const BlurComponent *of[4] = {};  // by component
  int components = 0, step = 0;     // how many are filtered; channels of a pixel
};

Channels channels_of(const BlurJob &job, int plane) {
  Channels channels;
  for (int i = 0; i < job.components; ++i) {
    const BlurComponent &c = job.component[i];
    const PixelComponent &place = job.in.format.component[c.number];
    if (place.plane != plane) continue;
    channels.of[c.number] = &c;
    channels.components++;
    channels.step = place.step;
  }
  return channels;
}

const BlurComponent &any_of(const Channels &channels) {
  for (const BlurComponent *c : channels.of)
    if (c != nullptr) return *c;
  return *channels.of[0];
}

// kernels: by the factor.
template <class Args>
Status launch_pixels(void (*const (&kernels)[4])(Args), int log2_factor, std::int64_t blocks,
                     std::size_t shared, cudaStream_t stream, const Args &args) {
  if (blocks > std::numeric_limits<int>::max()) return kTooLarge;
  return launch_early(kernels[log2_factor - 2], dim3(static_cast<unsigned>(blocks)), dim3(kThreads),
                      shared, stream, args);
}

template <class Shape>
void add_tiles(DownPlane *plane, std::int64_t *blocks) {
  plane->tiles_across = (plane->width - 1) / Shape::kOwnColumns + 1;
  plane->first_block = static_cast<int>(*blocks);
  *blocks += std::int64_t{plane->tiles_across} * ((plane->height - 1) / Shape::kOwnRows + 1);
}

using AddTiles = void (*)(DownPlane *, std::int64_t *);
constexpr AddTiles kAddTiles[] = {add_tiles<DownShape<2>>, add_tiles<DownShape<3>>,
                                  add_tiles<DownShape<4>>, add_tiles<DownShape<5>>};
constexpr int kSums[] = {DownShape<2>::kSums, DownShape<3>::kSums, DownShape<4>::kSums,
                         DownShape<5>::kSums};

DownPlane down_plane(const BlurJob &job, int plane, const Channels &channels) {
  const BlurComponent &any = any_of(channels);
  const int bytes = job.depth.bytes();
  DownPlane p = {};
  std::uint64_t fill = 0;
  for (int i = 0; i < job.in.format.components; ++i) {
    const BlurComponent *c = channels.of[i];
    if (c == nullptr) continue;
    const int first = job.in.format.component[i].first;
    p.low[first] = low_plane(c->low);
    fill |= static_cast<std::uint64_t>(job.outside(*c) << job.depth.shift) << 8 * bytes * first;
  }
  Plane<const std::uint8_t> in = job.in.plane[plane];
  in.width = any.columns * channels.step * bytes;
  in.height = any.rows;
  p.source = make_tile_source(in, channels.step * bytes, job.border, fill);
  p.channels = channels.step;
  p.width = any.low.width, p.height = any.low.height;
  return p;
}

UpPlane up_plane(const BlurJob &job, int plane, const Channels &channels, std::int64_t *blocks) {
  const BlurComponent &any = any_of(channels);
  const int bytes = job.depth.bytes(), pixel = bytes * channels.step;
  const Plane<const std::uint8_t> in = job.in.plane[plane], out = job.out.plane[plane];
  UpPlane p = {};
  p.in = in.data, p.out = job.out.plane[plane].data;
  p.in_pitch = in.pitch, p.out_pitch = out.pitch;
  p.width = any.columns * pixel, p.height = any.rows;
  p.in_alignment = alignment_of(in), p.out_alignment = alignment_of(out);
  p.channels = channels.step;
  p.tiles_across = (any.columns - 1) / kTileWidth + 1;
  p.first_block = static_cast<int>(*blocks);
  *blocks += std::int64_t{p.tiles_across} * ((p.height - 1) / kUpRows + 1);
  bool filtered[8] = {};  // bytes of a pixel
  for (int i = 0; i < job.in.format.components; ++i) {
    if (channels.of[i] == nullptr) continue;
    const int first = job.in.format.component[i].first;
    p.smooth[first] = low_plane(channels.of[i]->smooth);
    for (int b = 0; b < bytes; ++b)
      filtered[bytes * first + b] = true;
  }
  p.keeps = channels.components < channels.step;
  for (int i = 0; i < 4 * pixel; ++i)
    if (!filtered[i % pixel]) p.kept[i / 4] |= 0xffu << 8 * (i % 4);
  return p;
}

}  // namespace

Status blur_down_cuda(const BlurJob &job, void *stream) {
  const TraceRange range("blur, down");
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  DownArgs args = {};
  args.pad = job.pad;
  args.used = used_bits(job.depth);
  args.numbers = blur_numbers(job.log2_factor, job.depth, true);
  std::int64_t blocks = 0;
  int most_channels = 0;
  for (int p = 0; p < job.in.format.planes; ++p) {
    const Channels channels = channels_of(job, p);
    if (channels.components == 0) continue;
    DownPlane &plane = args.plane[args.planes++] = down_plane(job, p, channels);
    kAddTiles[job.log2_factor - 2](&plane, &blocks);
    most_channels = std::max(most_channels, channels.step);
  }
  if (args.planes == 0) return {};
  const std::size_t shared =
      sizeof(int) * static_cast<std::size_t>(most_channels) *
      static_cast<std::size_t>(job.depth.bytes() * kSums[job.log2_factor - 2]);
  using Kernel = void (*)(DownArgs);
  const Kernel kBytes[] = {down_kernel<false, 2>, down_kernel<false, 3>, down_kernel<false, 4>,
                           down_kernel<false, 5>};
  const Kernel kWords[] = {down_kernel<true, 2>, down_kernel<true, 3>, down_kernel<true, 4>,
                           down_kernel<true, 5>};
  return launch_pixels(job.depth.bytes() == 1 ? kBytes : kWords, job.log2_factor, blocks, shared,
                       cuda_stream, args);
}

Status blur_smooth_cuda(const BlurJob &job, void *stream) {
  const TraceRange range("blur, smooth");
  SmoothArgs args = {};
  args.planes = job.components;
  args.reach = job.reach;
  std::copy(std::begin(job.tap), std::end(job.tap), args.tap);
  std::int64_t blocks = 0;
  for (int i = 0; i < job.components; ++i) {
    const LowPlane low = low_plane(job.component[i].low);
    SmoothPlane &p = args.plane[i];
    p.low = low;
    p.smooth = job.component[i].smooth.data;
    p.first_block = static_cast<int>(blocks);
    p.tiles_across = (low.width - 1) / kSmoothColumns + 1;
    blocks += std::int64_t{p.tiles_across} * ((low.height - 1) / kSmoothRows + 1);
  }
  if (blocks > std::numeric_limits<int>::max()) return kTooLarge;
  return launch_early(smooth_kernel, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0,
                      static_cast<cudaStream_t>(stream), args);
}

Status blur_up_cuda(const BlurJob &job, void *stream) {
  const TraceRange range("blur, up");
  const auto cuda_stream = static_cast<cudaStream_t>(stream);
  UpArgs args = {};
  args.pad = job.pad;
  args.down = 16 - job.depth.bits - job.depth.shift;
  args.used = used_bits(job.depth);
  args.half = 1u << (31 - job.depth.bits);
  args.numbers = blur_numbers(job.log2_factor, job.depth, false);
  std::int64_t blocks = 0;
  int most_channels = 0;
  for (int p = 0; p < job.in.format.planes; ++p) {
    const Channels channels = channels_of(job, p);
    if (channels.components == 0) continue;
    args.plane[args.planes++] = up_plane(job, p, channels, &blocks);
    most_channels = std::max(most_channels, channels.step);
  }
  if (args.planes == 0) return {};
  const std::size_t columns = (static_cast<std::size_t>(kTileWidth) >> job.log2_factor) + 2;
  const std::size_t shared =
      sizeof(std::uint32_t) * static_cast<std::size_t>(most_channels) * kUpRows * columns;
  using Kernel = void (*)(UpArgs);
  const Kernel kBytes[] = {up_kernel<false, 2>, up_kernel<false, 3>, up_kernel<false, 4>,
                           up_kernel<false, 5>};
  const Kernel kWords[] = {up_kernel<true, 2>, up_kernel<true, 3>, up_kernel<true, 4>,
                           up_kernel<true, 5>};
  return launch_pixels(job.depth.bytes() == 1 ? kBytes : kWords, job.log2_factor, blocks, shared,
                       cuda_stream, args);
}

}  // namespace coalesce
