// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <iterator>
#include <limits>

#include "../core/cuda_status.h"
#include "../core/divided_up.h"
#include "../core/ptx.cuh"
#include "../core/trace.h"
#include "median_job.h"
#include "median_plane.cuh"
#include "median_ranks.cuh"
#include "median_three.cuh"

namespace coalesce {
namespace {

// ---- Networks -----------------------------------------------------------------------------------

// A tile is twice as wide as its words: a word has the samples of a column and of the one kColumns
// further, so that neighbours are words, whatever the channels.
constexpr int kColumns = 96;  // all numbers of channels divide it
constexpr int kNetworkRows = 32;
// Of threads, one below the other. (A column of large windows wants many registers, and has much to
// do before its first one.)
template <int kSize>
constexpr int kGroups = kSize > 7 ? 1 : 2;
constexpr int kChannelsMultiple = 24;  // of all numbers of channels, and more than a tile's lead
// Samples before a tile, at most.
template <int kHalf>
constexpr int kMaxLead = kHalf > 3   ? 16
                         : kHalf > 0 ? 12
                                     : 0;

// Four words of the tile, of samples in bytes or in halves of words.
__device__ __forceinline__ uint4 pairs_of(const std::uint32_t (&a)[1],
                                          const std::uint32_t (&b)[1]) {
  const std::uint32_t even = __byte_perm(a[0], b[0], 0x6240);
  const std::uint32_t odd = __byte_perm(a[0], b[0], 0x7351);
  return make_uint4(__byte_perm(even, 0, 0x4140), __byte_perm(odd, 0, 0x4140),
                    __byte_perm(even, 0, 0x4342), __byte_perm(odd, 0, 0x4342));
}
__device__ __forceinline__ uint4 pairs_of(const std::uint32_t (&a)[2],
                                          const std::uint32_t (&b)[2]) {
  return make_uint4(__byte_perm(a[0], b[0], 0x5410), __byte_perm(a[0], b[0], 0x7632),
                    __byte_perm(a[1], b[1], 0x5410), __byte_perm(a[1], b[1], 0x7632));
}

// The tile from the sample at (x, y) on, `fours` times four words wide, without bits that are not
// looked at.
template <int kThreads, int kBytes, int kRows, int kWords>
__device__ __forceinline__ void load_pairs(const MedianPlane &p, std::uint32_t mask, int x, int y,
                                           int fours, std::uint32_t (&tile)[kRows][kWords]) {
  const TileSource &in = p.in;
  static_assert(kWords <= 4 * 32, "a warp has a row");
  constexpr int kStep = kThreads / 32, kBatch = 3;  // loads under way at a time
  const int column = 4 * (static_cast<int>(threadIdx.x) % 32);
  const int first = static_cast<int>(threadIdx.x) / 32, at = (x + column) * kBytes;
  if (column >= 4 * fours) return;
  std::uint32_t masks[4];  // copied samples keep every bit
  int channel = (x + kChannelsMultiple + column) % p.channels;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    masks[i] = p.role[channel] == ChannelRole::copy ? ~0u : mask;
    if (++channel == p.channels) channel = 0;
  }
  const auto put = [&](int row, const std::uint32_t(&a)[kBytes], const std::uint32_t(&b)[kBytes]) {
    uint4 pairs = pairs_of(a, b);
    if (kBytes > 1)
      pairs = make_uint4(pairs.x & masks[0], pairs.y & masks[1], pairs.z & masks[2],
                         pairs.w & masks[3]);
    *reinterpret_cast<uint4 *>(&tile[row][column]) = pairs;
  };
  const bool inside = in.alignment >= 4 * kBytes && x >= 0 && y >= 0 &&
                      (x + 4 * fours + kColumns) * kBytes <= in.width && y + kRows <= in.height;
  if (!inside && in.alignment >= 4 * kBytes) {
#pragma unroll 1
    for (int row = first; row < kRows; row += kStep) {
      std::uint32_t a[kBytes], b[kBytes];
      load_words(in, at, y + row, a);
      load_words(in, at + kColumns * kBytes, y + row, b);
      put(row, a, b);
    }
    return;
  }
  if (!inside) {
#pragma unroll 1
    for (int row = first; row < kRows; row += kStep) {
      const auto a = load_words_anywhere<kBytes>(in, at, y + row);
      const auto b = load_words_anywhere<kBytes>(in, at + kColumns * kBytes, y + row);
      put(row, a.at, b.at);
    }
    return;
  }
  const std::uint8_t *from = in.data + static_cast<std::size_t>(y + first) * in.pitch + at;
  for (int row = first; row < kRows; row += kBatch * kStep) {
    std::uint32_t a[kBatch][kBytes], b[kBatch][kBytes];
#pragma unroll
    for (int k = 0; k < kBatch; ++k, from += kStep * in.pitch)
      if (row + k * kStep < kRows) {
        load_wide(from, a[k]);
        load_wide(from + kColumns * kBytes, b[k]);
      }
#pragma unroll
    for (int k = 0; k < kBatch; ++k)
      if (row + k * kStep < kRows) put(row + k * kStep, a[k], b[k]);
  }
}

template <int kSize, int kRank>
__global__ void __launch_bounds__(kColumns *kGroups<kSize>)
    network_kernel(const __grid_constant__ MedianArgs a) {
  wait_for_grid_before();
  constexpr int kHalf = kSize / 2, kRows = kNetworkRows + 2 * kHalf;
  constexpr int kThreads = kColumns * kGroups<kSize>, kGroupRows = kNetworkRows / kGroups<kSize>;
  constexpr int kWords = kColumns + 2 * kMaxLead<kHalf>;
  __shared__ __align__(16) std::uint32_t tile[kRows][kWords];
  int block;
  const MedianPlane &p = plane_of_block(a, &block);
  const int band = block / p.tiles_across;
  const int x = (block - band * p.tiles_across) * 2 * kColumns, y = band * kNetworkRows;
  const int lead = (kHalf * p.channels + 3) & ~3, fours = (kColumns + 2 * lead) / 4;
  const int thread = static_cast<int>(threadIdx.x);
  const std::uint32_t mask = a.mask * 0x10001;
  if (a.sample_bytes == 1)
    load_pairs<kThreads, 1>(p, mask, x - lead, y - kHalf, fours, tile);
  else
    load_pairs<kThreads, 2>(p, mask, x - lead, y - kHalf, fours, tile);
  __syncthreads();
  const int column = thread % kColumns, first = thread / kColumns * kGroupRows;
  const int rows = p.in.height - y - first;
  const bool bytes = a.sample_bytes == 1, left = x + column < p.samples,
             right = x + column + kColumns < p.samples;
  const std::uint32_t *centre = &tile[first + kHalf][lead + column];
  std::uint8_t *out =
      p.out + static_cast<std::size_t>(y + first) * p.out_pitch + (x + column) * a.sample_bytes;
  // (Four stores that are done or not take less than to branch.)
  const auto put_word = [&](int row, std::uint32_t word) {
    if (row >= rows) return;
    std::uint8_t *to = out + static_cast<std::size_t>(row) * p.out_pitch;
    if (left && bytes) to[0] = static_cast<std::uint8_t>(word);
    if (right && bytes) to[kColumns] = static_cast<std::uint8_t>(word >> 16);
    auto *words = reinterpret_cast<std::uint16_t *>(to);
    if (left && !bytes) words[0] = static_cast<std::uint16_t>(word);
    if (right && !bytes) words[kColumns] = static_cast<std::uint16_t>(word >> 16);
  };
  if (kSize == 1 || p.role[column % p.channels] == ChannelRole::copy) {
    for (int row = 0; row < kGroupRows; ++row)
      put_word(row, centre[row * kWords]);
    return;
  }
  if constexpr (kSize > 1) {
    const std::uint32_t *from = centre - kHalf * kWords - kHalf * p.channels;
    using Words = PairOf<(kSize > 7)>;
    const auto load = [&](int row, int i) { return Words{from[row * kWords + i * p.channels]}; };
    WindowColumn<kSize, kRank, Words> window(load);
    from += (kSize - 1) * kWords;
#pragma unroll 1
    for (int row = 0; row < kGroupRows; row += 4, from += 4 * kWords)
      window.step(load, [&](int i, Words value) { put_word(row + i, value.word); });
  }
}

// ---- Counts -------------------------------------------------------------------------------------

// A thread has a column of one channel. It counts the samples of the window's rows by their bits,
// two at a time, in a tree: the nodes of a level are what the upper digits of samples may be, and a
// node's word counts those that go on from there by digits of at most 0, 1 and 2, in a byte each.
// So a window's rank is found digit by digit, from sums of words over columns. Threads side by side
// are in different banks of memory, whatever their nodes.
//
// A block has as many outputs as threads but for width - 1: so it is larger for wide windows.
constexpr int kCountThreads = 128, kWideCountThreads = 256;
constexpr int kWideWindow = 31;  // from this width on
constexpr int kLevels = 4, kNodes = 1 + 4 + 16 + 64;
constexpr int count_bytes(int threads) {
  return kNodes * threads * 4;
}

template <int kThreads>
class ColumnCounts {
 public:
  __device__ __forceinline__ ColumnCounts(std::uint32_t *count, int width, int height)
      : own_(count + threadIdx.x), width_(width), small_(width * height < 256) {}

  __device__ __forceinline__ void clear() {
    for (int node = 0; node < kNodes; ++node)
      at(node) = 0;
  }
  // by: 1 or -1. (The highest byte of a word is nobody's.)
  __device__ __forceinline__ void change(int sample, int by) {
    std::uint32_t words[kLevels];
#pragma unroll
    for (int level = 0; level < kLevels; ++level)
      words[level] = at(node_of(level, sample >> (8 - 2 * level)));
#pragma unroll
    for (int level = 0; level < kLevels; ++level) {
      const std::uint32_t counted = 0x010101u << 8 * (sample >> (6 - 2 * level) & 3);
      at(node_of(level, sample >> (8 - 2 * level))) =
          by > 0 ? words[level] + counted : words[level] - counted;
    }
  }

  // Over the columns of the window that begins at this thread's.
  __device__ __forceinline__ int sample_of(int rank) const {
    int sample = 0;
#pragma unroll
    for (int level = 0; level < kLevels; ++level) {
      const Sums sums = sums_of(own_ + node_of(level, sample) * kThreads);
      int digit = 0, below = 0;
      if (rank >= sums.of[0]) digit = 1, below = sums.of[0];
      if (rank >= sums.of[1]) digit = 2, below = sums.of[1];
      if (rank >= sums.of[2]) digit = 3, below = sums.of[2];
      rank -= below;
      sample = 4 * sample + digit;
    }
    return sample;
  }

 private:
  struct Sums {
    int of[3];
  };

  static __device__ __forceinline__ int node_of(int level, int upper) {
    return ((1 << 2 * level) - 1) / 3 + upper;
  }
  __device__ __forceinline__ std::uint32_t &at(int node) {
    return own_[node * kThreads];
  }

  // Bytes have room for all samples of a small window, and for three columns of any.
  __device__ __forceinline__ Sums sums_of(const std::uint32_t *words) const {
    static_assert(3 * kMaxMedianSize < 256, "bytes");
    if (small_) {
      std::uint32_t sum = words[0];
#pragma unroll 4
      for (int i = 0; i < width_ / 2; ++i, words += 2)
        sum += words[1] + words[2];
      return {{static_cast<int>(sum & 255), static_cast<int>(sum >> 8 & 255),
               static_cast<int>(sum >> 16 & 255)}};
    }
    unsigned sums[3] = {};
    const auto add = [&](std::uint32_t word) {
#pragma unroll
      for (int i = 0; i < 3; ++i)
        sums[i] = __dp4a(word, 1u << 8 * i, sums[i]);
    };
    const int threes = width_ / 3;
#pragma unroll 4
    for (int i = 0; i < threes; ++i, words += 3)
      add(words[0] + words[1] + words[2]);
    if (width_ - 3 * threes > 0) add(words[0]);
    if (width_ - 3 * threes > 1) add(words[1]);
    return {{static_cast<int>(sums[0]), static_cast<int>(sums[1]), static_cast<int>(sums[2])}};
  }

  std::uint32_t *own_;  // word of node 0, in its column
  int width_;           // of the window
  bool small_;
};

// What a thread does to its column, and to the window that begins there.
struct CountTile {
  const MedianArgs &a;
  const MedianPlane &p;
  int channel, x, y, rows;  // of the outputs: the first pixel and row
  int pixels;               // of a row of the plane
  int outputs;              // of a row of the tile
  int column;  // of the plane, that this thread counts; -1: outside, by border=constant
  bool counts, writes;

  __device__ __forceinline__ CountTile(const MedianArgs &args, const MedianPlane &plane, int block)
      : a(args), p(plane) {
    const int thread = static_cast<int>(threadIdx.x),
              columns = static_cast<int>(blockDim.x) - a.width + 1;
    const int band = block / p.tiles_across;
    const int tile = block - band * p.tiles_across;
    channel = tile % p.channels;
    x = tile / p.channels * columns;
    y = band * a.band_rows;
    rows = min(a.band_rows, p.in.height - y);
    pixels = p.samples / p.channels;
    outputs = min(columns, pixels - x);
    writes = thread < outputs;
    counts = thread < outputs + a.width - 1;
    column = border_position(p.in.border, x - a.width / 2 + thread, pixels);
  }

  __device__ __forceinline__ int place() const {  // of the output, in samples
    return (x + static_cast<int>(threadIdx.x)) * p.channels + channel;
  }
  // Of row `row` of the first window, or of those that follow.
  __device__ __forceinline__ int sample(int row) const {
    const int at = border_position(p.in.border, y - a.height / 2 + row, p.in.height);
    const bool outside = column < 0 || at < 0;
    if (outside) return static_cast<int>(p.in.fill >> 8 * channel & 255);
    return static_cast<int>(load_global(p.in.data + static_cast<std::size_t>(at) * p.in.pitch +
                                        column * p.channels + channel));
  }

  // Goes down the rows: change(sample, by) for those that enter and leave, and row(y) when the
  // counts are those of the window of output row y.
  template <class Change, class Row>
  __device__ __forceinline__ void walk(const Change &change, const Row &row) const {
    constexpr int kBatch = 4;  // loads under way at a time
    for (int i = 0; counts && i < a.height - 1; i += kBatch) {
      int samples[kBatch];
#pragma unroll
      for (int k = 0; k < kBatch; ++k)
        samples[k] = sample(min(i + k, a.height - 2));
#pragma unroll
      for (int k = 0; k < kBatch; ++k)
        if (i + k < a.height - 1) change(samples[k], 1);
    }
    int entering = counts ? sample(a.height - 1) : 0, leaving = 0;
    for (int i = 0; i < rows; ++i) {
      if (counts) {
        if (i > 0) change(leaving, -1);
        change(entering, 1);
        // What the next row needs comes meanwhile.
        leaving = sample(i);
        if (i + 1 < rows) entering = sample(i + a.height);
      }
      __syncthreads();
      if (writes) row(y + i);
      __syncthreads();
    }
  }

  __device__ __forceinline__ void copy() const {
    for (int i = 0; i < rows && writes; ++i)
      store<std::uint8_t>(
          p, place(), y + i,
          load_global(p.in.data + static_cast<std::size_t>(y + i) * p.in.pitch + place()));
  }
};

template <int kThreads>
__global__ void __launch_bounds__(kThreads) count_kernel(const __grid_constant__ MedianArgs a) {
  wait_for_grid_before();
  COALESCE_DYNAMIC_SHARED(16, std::uint32_t, count);
  int block;
  const MedianPlane &p = plane_of_block(a, &block);
  const CountTile tile(a, p, block);
  if (p.role[tile.channel] == ChannelRole::copy) {
    tile.copy();
    return;
  }
  ColumnCounts<kThreads> counts(count, a.width, a.height);
  counts.clear();
  tile.walk([&](int sample, int by) { counts.change(sample, by); },
            [&](int y) {
              store<std::uint8_t>(p, tile.place(), y,
                                  static_cast<std::uint32_t>(counts.sample_of(a.rank)));
            });
}

// ---- Launches -----------------------------------------------------------------------------------

using Kernel = void (*)(MedianArgs);

template <int kSize>
Kernel network_of(int rank) {
  constexpr int kLast = kSize * kSize - 1;
  return rank == 0       ? network_kernel<kSize, 0>
         : rank == kLast ? network_kernel<kSize, kLast>
                         : network_kernel<kSize, kLast / 2>;
}
Kernel network_of(const MedianJob &job) {
  return job.width == 3   ? network_of<3>(job.rank)
         : job.width == 5 ? network_of<5>(job.rank)
         : job.width == 7 ? network_of<7>(job.rank)
                          : network_of<9>(job.rank);
}

Kernel three_of(int rank) {
  return rank == 0 ? three_kernel<0> : rank == 8 ? three_kernel<8> : three_kernel<4>;
}

MedianPlane make_plane(const MedianJob &job, const ChannelPlane &plane) {
  const int bytes = job.depth.bytes();
  std::uint64_t fill = 0;
  for (int c = 0; c < plane.channels; ++c)
    fill |= std::uint64_t{job.outside(plane.role[c])} << 8 * bytes * c;
  MedianPlane p = {};
  p.in = make_tile_source(plane.in, plane.channels * bytes, job.border, fill);
  p.out = plane.out.data;
  p.out_pitch = plane.out.pitch;
  p.channels = plane.channels;
  p.samples = plane.in.width / bytes;
  std::copy_n(plane.role, 4, p.role);
  for (int i = 0; i < 4; ++i)
    if (p.role[i % p.channels] == ChannelRole::copy) p.copied |= 0xffu << 8 * i;
  return p;
}

// Is the window for three_kernel()? In words of three channels, bytes that are copied move.
bool is_three(const MedianJob &job) {
  if (!job.is_small() || job.width != 3 || job.depth.bytes() != 1) return false;
  for (int i = 0; i < job.planes.planes; ++i) {
    const ChannelPlane &plane = job.planes.plane[i];
    if (plane.channels == 3 && !is_copied(plane) &&
        std::count(plane.role, plane.role + 3, ChannelRole::copy) > 0)
      return false;
  }
  return true;
}

// Rows of a block that counts: as few as fill the device, but so many that what it does before the
// first one pays.
Status choose_band_rows(const MedianJob &job, int threads, int *rows) {
  int processors = 0;
  if (Status s = count_multiprocessors(&processors); !s.ok()) return s;
  std::int64_t columns = 0;  // of blocks
  int height = 1;
  for (int i = 0; i < job.planes.planes; ++i) {
    const ChannelPlane &plane = job.planes.plane[i];
    const int pixels = plane.in.width / plane.channels;
    columns += std::int64_t{divided_up(pixels, threads - job.width + 1)} * plane.channels;
    height = std::max(height, plane.in.height);
  }
  const int of_processor = 5 * kCountThreads / threads;  // at once
  const std::int64_t bands = std::max<std::int64_t>(of_processor * processors / columns, 1);
  *rows = std::max(divided_up(height, static_cast<int>(bands)), 32);
  return {};
}

// Of wide windows, larger blocks, where there is memory for two of them.
Status choose_count_blocks(const MedianJob &job, MedianArgs *a) {
  int of_block = 0, of_multiprocessor = 0;
  if (Status s = count_shared_bytes(&of_block, &of_multiprocessor); !s.ok()) return s;
  constexpr int kOfSystem = 1024;  // of each block's memory
  const bool large = job.width >= kWideWindow &&
                     of_multiprocessor >= 2 * (count_bytes(kWideCountThreads) + kOfSystem);
  a->threads = large ? kWideCountThreads : kCountThreads;
  return choose_band_rows(job, a->threads, &a->band_rows);
}

// The first one that has memory, and bits for a tile's places.
Status choose_rank_shape(const MedianJob &job, int *shape) {
  int of_block = 0, of_multiprocessor = 0;
  if (Status s = count_shared_bytes(&of_block, &of_multiprocessor); !s.ok()) return s;
  const int last = static_cast<int>(std::size(kRankShapes)) - 1;
  while (*shape < last && (kRankShapes[*shape].columns(job.width) >= kRankSides ||
                           kRankShapes[*shape].bytes(job.width, job.height) > of_block))
    ++*shape;
  return {};
}

enum class KernelKind : std::uint8_t { three, network, counts, ranks };

KernelKind kind_of(const MedianJob &job, bool copied) {
  if (copied) return KernelKind::network;
  return is_three(job)            ? KernelKind::three
         : job.is_small()         ? KernelKind::network
         : job.depth.bytes() == 1 ? KernelKind::counts
                                  : KernelKind::ranks;
}

// How a plane is cut into blocks.
struct Tiles {
  int across, down;
};
Tiles tiles_of(const MedianPlane &p, KernelKind kind, const MedianArgs &a, int shape) {
  if (kind == KernelKind::three)
    return {divided_up(p.in.width, 4 * kThreeAcross),
            divided_up(p.in.height, kThreeRows * kThreeDown)};
  if (kind == KernelKind::network)
    return {divided_up(p.samples, 2 * kColumns), divided_up(p.in.height, kNetworkRows)};
  if (kind == KernelKind::ranks)
    return {divided_up(p.samples / p.channels, kRankShapes[shape].across) * p.channels,
            divided_up(p.in.height, kRankShapes[shape].down)};
  return {divided_up(p.samples / p.channels, a.threads - a.width + 1) * p.channels,
          divided_up(p.in.height, a.band_rows)};
}

// The planes that are filtered, or those that are copied.
Status launch_planes(const MedianJob &job, bool copied, cudaStream_t stream) {
  const KernelKind kind = kind_of(job, copied);
  MedianArgs a = {};
  a.sample_bytes = job.depth.bytes();
  a.shift = job.depth.shift;
  a.mask = job.mask();
  a.width = job.width, a.height = job.height, a.rank = job.rank;
  int shape = 0;
  if (kind == KernelKind::counts) {
    if (Status s = choose_count_blocks(job, &a); !s.ok()) return s;
  } else if (kind == KernelKind::ranks) {
    if (Status s = choose_rank_shape(job, &shape); !s.ok()) return s;
  }
  std::int64_t blocks = 0;
  for (int i = 0, n = 0; i < job.planes.planes; ++i) {
    const ChannelPlane &plane = job.planes.plane[i];
    if (is_copied(plane) != copied) continue;
    MedianPlane &p = a.plane[n++] = make_plane(job, plane);
    const Tiles tiles = tiles_of(p, kind, a, shape);
    p.tiles_across = tiles.across;
    blocks += std::int64_t{tiles.across} * tiles.down;
    if (blocks > std::numeric_limits<int>::max())
      return {StatusCode::unsupported, "median: the picture is too large"};
    p.end = static_cast<int>(blocks);
  }
  if (blocks == 0) return {};
  const dim3 grid(static_cast<unsigned>(blocks));
  if (kind == KernelKind::counts)
    return launch_early(
        a.threads == kCountThreads ? count_kernel<kCountThreads> : count_kernel<kWideCountThreads>,
        grid, dim3(static_cast<unsigned>(a.threads)),
        static_cast<std::size_t>(count_bytes(a.threads)), stream, a);
  if (kind == KernelKind::ranks)
    return launch_early(shape == 0   ? rank_kernel<0>
                        : shape == 1 ? rank_kernel<1>
                                     : rank_kernel<2>,
                        grid, dim3(kRankThreads),
                        static_cast<std::size_t>(kRankShapes[shape].bytes(job.width, job.height)),
                        stream, a);
  if (kind == KernelKind::three)
    return launch_early(three_of(job.rank), grid, dim3(kThreeAcross * kThreeDown), 0, stream, a);
  const int groups = !copied && job.width > 7 ? kGroups<9> : kGroups<1>;
  return launch_early(copied ? network_kernel<1, 0> : network_of(job), grid,
                      dim3(static_cast<unsigned>(kColumns * groups)), 0, stream, a);
}

}  // namespace

Status median_cuda(const MedianJob &job, void *stream) {
  const TraceRange range("median");
  for (const bool copied : {false, true})
    if (Status s = launch_planes(job, copied, static_cast<cudaStream_t>(stream)); !s.ok()) return s;
  return {};
}

}  // namespace coalesce
