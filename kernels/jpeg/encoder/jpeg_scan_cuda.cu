// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: coefficients to the bytes of the scan, in one kernel. A block of threads has a tile of up
// to kTileBlocks blocks. Where its bits and bytes begin, it learns from the tiles before it, by
// Merrill's and Garland's decoupled look-back (NVIDIA NVR-2016-002), twice: for the bits of its
// first byte, and, after stuffing, for its first byte in the file.
#include <cstdint>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "../../core/warp_sum.cuh"
#include "segment.cuh"

namespace coalesce::jpeg {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32, kBlocksOfRound = kThreads / 8;
constexpr int kRounds = kTileBlocks / kBlocksOfRound;
// Padding and a marker.
constexpr int kMostEndBits = 7 + 16;
constexpr int kMostWords = (kTileBlocks * (kMostBlockBits + kMostEndBits) + 31) / 32 + 2;

struct ScanJob {
  ScanLayout layout;
  const std::int16_t *coefficients;
  const CodeTable *codes;
  std::uint32_t *ticket;
  TileWords *words;
  std::uint8_t *out;
  ScanResult *result;
};

struct Shared {
  CodeTable codes[2];
  std::uint32_t words[kMostWords];              // bits, the first one highest
  std::uint32_t markers[(kMostWords + 7) / 8];  // a bit for each byte that begins a marker
  std::uint32_t warp_sums[kWarps * kRounds];
  std::uint32_t block_ends[kTileBlocks];       // bits
  std::uint32_t ends_before[kTileBlocks + 1];  // bits of padding and markers
  std::uint32_t tile;
  std::uint32_t phase, tail;
  std::uint64_t heard[kWarps];
};

// States of a word.
constexpr std::uint64_t kOfTile = std::uint64_t{1} << 62, kOfAll = std::uint64_t{2} << 62,
                        kState = std::uint64_t{3} << 62;

// Each word says all that its reader needs, so their order does not matter.
__device__ __forceinline__ void tell(std::uint64_t *word, std::uint64_t state,
                                     std::uint64_t value) {
  *reinterpret_cast<volatile std::uint64_t *>(word) = state | value;
}
// The tile before is under way, and tells before it hears. What never comes is an error of the GPU
// after some seconds, and not a GPU that is busy for ever.
constexpr int kMostPauses = 1 << 23;
__device__ __forceinline__ std::uint64_t hear(const std::uint64_t *word) {
  for (int pauses = 0; pauses < kMostPauses; ++pauses) {
    const std::uint64_t heard = *reinterpret_cast<const volatile std::uint64_t *>(word);
    if ((heard & kState) != 0) return heard;
    __nanosleep(20);
  }
  __trap();
  return 0;
}

// How many tiles before it a block of threads looks at together: a sum goes on by so many tiles in
// the time that memory takes. And does a tile tell the sum of all, too? On a GPU it does. The
// emulation has one tile after the other, so that nobody would ever add up tiles, and few tiles:
// there most tell their own number alone, and windows are small.
#if defined(COALESCE_EMULATED)
constexpr std::uint32_t kWindow = 64;
__device__ __forceinline__ bool tells_all(std::uint32_t tile) {
  return tile % 80 == 7;
}
#else
constexpr std::uint32_t kWindow = kThreads;
__device__ __forceinline__ bool tells_all(std::uint32_t) {
  return true;
}
#endif

// Of the tiles from `first` on. All threads call it.
template <std::uint64_t TileWords::*kWord>
__device__ std::uint64_t sum_before(const TileWords *words, std::uint32_t first, std::uint32_t tile,
                                    std::uint64_t *heard_by_warp) {
  const std::uint32_t t = threadIdx.x, lane = t % 32;
  std::uint64_t sum = 0;
  for (std::uint32_t end = tile; end > first;) {
    if (t < kWindow) {
      const bool is_there = end - first > t;
      const std::uint64_t heard = is_there ? hear(&(words[end - 1 - t].*kWord)) : kOfAll;
      const unsigned whole = __ballot_sync(kWholeWarp, (heard & kState) == kOfAll);
      const std::uint32_t used =
          whole != 0 ? static_cast<std::uint32_t>(__ffs(static_cast<int>(whole))) : 32;
      std::uint64_t value = lane < used && is_there ? heard & ~kState : 0;
      value = warp_sum(value);
      if (lane == 0) heard_by_warp[t / 32] = value | (whole != 0 ? kOfAll : kOfTile);
    }
    __syncthreads();
    bool is_whole = false;
    for (std::uint32_t w = 0; w < kWindow / 32 && !is_whole; ++w) {
      sum += heard_by_warp[w] & ~kState;
      is_whole = (heard_by_warp[w] & kState) == kOfAll;
    }
    __syncthreads();
    if (is_whole) break;
    end -= kWindow;
  }
  return sum;
}

// Bits from any place on; words that two threads share are joined.
class SharedBits {
 public:
  __device__ SharedBits(std::uint32_t *words, std::uint32_t at)
      : word_(words + at / 32), free_(32 - static_cast<int>(at % 32)) {}
  // Up to 31 bits.
  __device__ __forceinline__ void put(std::uint32_t bits, int count) {
    if (count <= free_) {
      free_ -= count;
      bits_ |= bits << free_;
      return;
    }
    const int left = count - free_;
    atomicOr(word_++, bits_ | bits >> left);
    free_ = 32 - left;
    bits_ = bits << free_;
  }
  __device__ __forceinline__ void end() {
    if (bits_ != 0) atomicOr(word_, bits_);
  }

 private:
  std::uint32_t *word_;
  std::uint32_t bits_ = 0;
  int free_;
};

// A code with the bits behind it, their count in the lowest five bits; 0: none.
__device__ __forceinline__ std::uint32_t code_with_bits(std::uint32_t code, int number, int size) {
  const auto low = static_cast<std::uint32_t>(number + (number >> 31)) & ((1u << size) - 1);
  return ((code & 0xFFFF) << size | low) << 5 | ((code >> 16) + static_cast<unsigned>(size));
}

// What a thread writes of a block.
struct Codes {
  std::uint32_t of[8];
  std::uint32_t zero_run;  // the code, if any
  int zero_runs;           // before the others
  std::uint32_t end;       // the code, if any

  __device__ __forceinline__ std::uint32_t make(const Segment &s, const CodeTable &table) {
    const int lane = static_cast<int>(threadIdx.x) % 8;
    std::uint32_t bits = 0;
    int last = s.last;
    zero_runs = 0;
    zero_run = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      of[i] = 0;
      const int number = s.numbers[i];
      if ((s.nonzero >> i & 1) != 0) {
        const int k = 8 * lane + i, size = size_of_number(number), run = k - last - 1;
        if (run > 15) {  // the first one alone
          zero_runs = run >> 4;
          zero_run = table.ac[kZeroRun];
          bits += static_cast<std::uint32_t>(zero_runs) * (zero_run >> 16);
        }
        of[i] = code_with_bits(table.ac[(run & 15) << 4 | size], number, size);
        last = k;
      } else if (i == 0 && lane == 0 && s.is_there) {
        const int size = size_of_number(number);
        of[0] = code_with_bits(table.dc[size], number, size);
      }
      bits += of[i] & 31;
    }
    end = s.is_there && lane == 7 && (s.nonzero & 128) == 0 ? table.ac[kEndOfBlock] : 0;
    return bits + (end >> 16);
  }

  __device__ __forceinline__ void write(std::uint32_t *words, std::uint32_t at) const {
    SharedBits to(words, at);
    for (int i = 0; i < zero_runs; ++i)
      to.put(zero_run & 0xFFFF, static_cast<int>(zero_run >> 16));
#pragma unroll
    for (int i = 0; i < 8; ++i)
      if (of[i] != 0) to.put(of[i] >> 5, static_cast<int>(of[i] & 31));
    if (end != 0) to.put(end & 0xFFFF, static_cast<int>(end >> 16));
    to.end();
  }
};

struct Tile {
  std::uint32_t first, blocks;
  std::uint32_t first_in_interval;  // 0 where there are several
  std::uint32_t interval;           // the number of the first one
  std::uint32_t first_tile;         // of the interval
  bool ends_interval;
};

__device__ __forceinline__ Tile find_tile(const ScanLayout &layout, std::uint32_t tile) {
  const auto interval_blocks = static_cast<std::uint32_t>(layout.tiling.interval_blocks);
  Tile t;
  if (layout.tiling.intervals_of_tile != 0) {
    t.interval = tile * static_cast<std::uint32_t>(layout.tiling.intervals_of_tile);
    t.first = t.interval * interval_blocks;
    t.blocks = min(static_cast<std::uint32_t>(layout.tiling.intervals_of_tile) * interval_blocks,
                   layout.blocks - t.first);
    t.first_in_interval = 0;
    t.first_tile = tile;
    t.ends_interval = true;
    return t;
  }
  const auto of_interval = static_cast<std::uint32_t>(layout.tiling.tiles_of_interval);
  t.interval = tile / of_interval;
  t.first_tile = t.interval * of_interval;
  t.first_in_interval = (tile - t.first_tile) * kTileBlocks;
  t.first = t.interval * interval_blocks + t.first_in_interval;
  const std::uint32_t end = min((t.interval + 1) * interval_blocks, layout.blocks);
  t.blocks = min(static_cast<std::uint32_t>(kTileBlocks), end - t.first);
  t.ends_interval = t.first + t.blocks == end;
  return t;
}

__device__ __forceinline__ std::uint32_t warp_sum_up_to(std::uint32_t value) {
  return warp_sum_up_to_here(value, static_cast<int>(threadIdx.x % 32));
}

// Where intervals end within the tile: padding and markers, of which the last one of the file has
// none. One warp calls it. Returns how many bits they have.
__device__ __forceinline__ std::uint32_t place_ends(const ScanLayout &layout, const Tile &t,
                                                    Shared &s) {
  const auto interval = static_cast<std::uint32_t>(layout.tiling.interval_blocks);
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t ends[kTileBlocks / 32], mine = 0;
#pragma unroll
  for (int i = 0; i < kTileBlocks / 32; ++i) {
    const std::uint32_t b = lane * (kTileBlocks / 32) + static_cast<std::uint32_t>(i);
    ends[i] = 0;
    if (b < t.blocks && (b + 1) % interval == 0) {
      const std::uint32_t begin = b + 1 == interval ? 0 : s.block_ends[b - interval];
      ends[i] = (begin - s.block_ends[b]) & 7;
      if (t.first + b + 1 != layout.blocks) ends[i] += 16;
    } else if (b + 1 == t.blocks) {  // the last interval may be shorter
      const std::uint32_t whole = t.blocks / interval * interval;
      const std::uint32_t begin = whole == 0 ? 0 : s.block_ends[whole - 1];
      ends[i] = (begin - s.block_ends[b]) & 7;
    }
    mine += ends[i];
  }
  const std::uint32_t up_to = warp_sum_up_to(mine);
  std::uint32_t before = up_to - mine;
#pragma unroll
  for (int i = 0; i < kTileBlocks / 32; ++i) {
    s.ends_before[lane * (kTileBlocks / 32) + static_cast<std::uint32_t>(i)] = before;
    before += ends[i];
  }
  if (lane == 31) s.ends_before[kTileBlocks] = before;
  return __shfl_sync(kWholeWarp, up_to, 31);
}

// Bytes of ones among those of a word that the mask has.
__device__ __forceinline__ std::uint32_t ones_among(std::uint32_t word, std::uint32_t mask) {
  const std::uint32_t full = ((word & 0x7F7F7F7F) + 0x01010101) & word & 0x80808080;
  return static_cast<std::uint32_t>(__popc(full & mask));
}

__global__ void __launch_bounds__(kThreads) scan_kernel(const __grid_constant__ ScanJob job) {
  wait_for_grid_before();
  __shared__ Shared s;
  const ScanLayout &layout = job.layout;
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // Tiles in the order in which blocks of threads begin, so that those before are under way.
  if (threadIdx.x == 0) s.tile = atomicAdd(job.ticket, 1u);
  const auto *codes = reinterpret_cast<const std::uint32_t *>(job.codes);
  for (std::uint32_t i = threadIdx.x; i < sizeof(s.codes) / 4; i += kThreads)
    reinterpret_cast<std::uint32_t *>(s.codes)[i] = codes[i];
  __syncthreads();
  const std::uint32_t tile = s.tile;
  const Tile t = find_tile(layout, tile);
  const bool several = layout.tiling.intervals_of_tile != 0;
  const auto interval = static_cast<std::uint32_t>(layout.tiling.interval_blocks);

  // Codes, and where their bits are in the tile.
  Codes codes_of_round[kRounds];
  std::uint32_t bits_of_round[kRounds], at_of_round[kRounds];
#pragma unroll
  for (int r = 0; r < kRounds; ++r) {
    const std::uint32_t b = static_cast<std::uint32_t>(r) * kBlocksOfRound + threadIdx.x / 8;
    const std::uint32_t place = several ? b % interval : t.first_in_interval + b;
    const Segment segment =
        load_segment(layout, job.coefficients, t.first + b, place, b < t.blocks);
    bits_of_round[r] = codes_of_round[r].make(segment, s.codes[segment.table]);
    at_of_round[r] = warp_sum_up_to(bits_of_round[r]);
    if (lane == 31) s.warp_sums[r * kWarps + static_cast<int>(warp)] = at_of_round[r];
  }
  __syncthreads();
  std::uint32_t bits;  // of the tile
  {
    const std::uint32_t sum = lane < kWarps * kRounds ? s.warp_sums[lane] : 0;
    const std::uint32_t up_to = warp_sum_up_to(sum);
    bits = __shfl_sync(kWholeWarp, up_to, 31);
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      const std::uint32_t before =
          __shfl_sync(kWholeWarp, up_to - sum, r * kWarps + static_cast<int>(warp));
      at_of_round[r] += before - bits_of_round[r];
    }
  }
  if (several) {
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      const std::uint32_t b = static_cast<std::uint32_t>(r) * kBlocksOfRound + threadIdx.x / 8;
      if (threadIdx.x % 8 == 7) s.block_ends[b] = at_of_round[r] + bits_of_round[r];
    }
    __syncthreads();
    if (warp == 0) place_ends(layout, t, s);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      const std::uint32_t b = static_cast<std::uint32_t>(r) * kBlocksOfRound + threadIdx.x / 8;
      at_of_round[r] += s.ends_before[b];
    }
    bits += s.ends_before[kTileBlocks];
  } else if (threadIdx.x == 0) {
    tell(&job.words[tile].bits, tile == t.first_tile ? kOfAll : kOfTile, bits);
  }

  const std::uint32_t words = bits / 32 + 2;
  for (std::uint32_t i = threadIdx.x; i < words; i += kThreads) {
    s.words[i] = 0;
    if (several && i < (words + 7) / 8) s.markers[i] = 0;
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < kRounds; ++r)
    codes_of_round[r].write(s.words, at_of_round[r]);
  if (several && threadIdx.x < t.blocks) {
    const std::uint32_t b = threadIdx.x, before = s.ends_before[b];
    const std::uint32_t end = s.ends_before[b + 1] - before;
    const bool ends = (b + 1) % interval == 0 || b + 1 == t.blocks;
    if (ends && end != 0) {
      SharedBits to(s.words, s.block_ends[b] + before);
      const std::uint32_t padding = end & 7;
      if (padding != 0) to.put((1u << padding) - 1, static_cast<int>(padding));
      if (end >= 16) {
        const std::uint32_t at = (s.block_ends[b] + before + padding) / 8;
        to.put(0xFFD0 + (t.interval + b / interval) % 8, 16);
        atomicOr(&s.markers[at / 32], 1u << at % 32);
      }
      to.end();
    }
  }
  __syncthreads();

  // The bits of the byte that is begun by the tile before.
  if (several) {
    if (threadIdx.x == 0) s.phase = s.tail = 0;
  } else {
    if (threadIdx.x == 0 && !t.ends_interval) {
      const std::uint32_t last = bits - 7, i = last / 32;
      const std::uint32_t own = __funnelshift_l(s.words[i + 1], s.words[i], last % 32) >> 25;
      tell(&job.words[tile].tail, kOfAll, own);
    }
    const std::uint64_t before =
        sum_before<&TileWords::bits>(job.words, t.first_tile, tile, s.heard);
    if (threadIdx.x == 0) {
      if (tile != t.first_tile && tells_all(tile))
        tell(&job.words[tile].bits, kOfAll, before + bits);
      s.phase = static_cast<std::uint32_t>(before) & 7;
      s.tail = 0;
      if (s.phase != 0)
        s.tail =
            static_cast<std::uint32_t>(hear(&job.words[tile - 1].tail)) & ((1u << s.phase) - 1);
    }
  }
  __syncthreads();
  const std::uint32_t phase = s.phase, tail = s.tail;
  const std::uint32_t all_bits = phase + bits;
  const std::uint32_t bytes = t.ends_interval ? (all_bits + 7) / 8 : all_bits / 8;
  const std::uint32_t padding = bytes * 8 > all_bits ? bytes * 8 - all_bits : 0;
  const std::uint32_t byte_words = (bytes + 3) / 4;
  const std::uint32_t each = (byte_words + kThreads - 1) / kThreads;
  const std::uint32_t begin = min(threadIdx.x * each, byte_words);
  const std::uint32_t end = min(begin + each, byte_words);
  const auto word_at = [&](std::uint32_t i) {
    const std::uint32_t high = i == 0 ? tail : s.words[i - 1];
    std::uint32_t word = __funnelshift_r(s.words[i], high, phase);
    if (i + 1 == byte_words && padding != 0)
      word |= ((1u << padding) - 1) << (8 * (4 * byte_words - bytes));
    return word;
  };
  // The highest bit of each byte that may be stuffed.
  const auto mask_at = [&](std::uint32_t i) {
    std::uint32_t mask = 0x80808080;
    if (i + 1 == byte_words) mask <<= 8 * (4 * byte_words - bytes);
    if (several) {
      const std::uint32_t markers = s.markers[i / 8] >> 4 * (i % 8);
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if ((markers >> j & 1) != 0) mask &= ~(0x80000000u >> 8 * j);
    }
    return mask;
  };
  std::uint32_t stuffed = 0;
  for (std::uint32_t i = begin; i < end; ++i)
    stuffed += ones_among(word_at(i), mask_at(i));
  const std::uint32_t up_to = warp_sum_up_to(stuffed);
  if (lane == 31) s.warp_sums[warp] = up_to;
  __syncthreads();
  const std::uint32_t sum = lane < kWarps ? s.warp_sums[lane] : 0;
  const std::uint32_t sums = warp_sum_up_to(sum);
  const std::uint32_t zeros_before =
      __shfl_sync(kWholeWarp, sums - sum, static_cast<int>(warp)) + up_to - stuffed;
  const bool is_last = t.first + t.blocks == layout.blocks;
  const bool has_marker = !several && t.ends_interval && !is_last;
  const std::uint32_t all_bytes =
      bytes + __shfl_sync(kWholeWarp, sums, 31) + (has_marker || is_last ? 2u : 0u);
  if (threadIdx.x == 0) tell(&job.words[tile].bytes, tile == 0 ? kOfAll : kOfTile, all_bytes);
  const std::uint64_t first_byte = sum_before<&TileWords::bytes>(job.words, 0, tile, s.heard);
  if (threadIdx.x == 0) {
    if (tile != 0 && tells_all(tile)) tell(&job.words[tile].bytes, kOfAll, first_byte + all_bytes);
    if (is_last) job.result->bytes = first_byte + all_bytes;
  }

  std::uint8_t *const out = job.out + first_byte;
  std::uint8_t *to = out + std::size_t{4} * begin + zeros_before;
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t word = word_at(i), mask = mask_at(i);
    const std::uint32_t count = min(bytes - 4 * i, 4u);
    for (std::uint32_t j = 0; j < count; ++j) {
      const std::uint32_t byte = word >> (24 - 8 * j) & 255;
      *to++ = static_cast<std::uint8_t>(byte);
      if (byte == 255 && (mask >> (31 - 8 * j) & 1) != 0) *to++ = 0;
    }
  }
  if (threadIdx.x == 0 && (has_marker || is_last)) {
    std::uint8_t *const marker = out + all_bytes - 2;
    marker[0] = 0xFF;
    marker[1] = static_cast<std::uint8_t>(is_last ? 0xD9 : 0xD0 + t.interval % 8);
  }
}

}  // namespace

Status scan_cuda(const CodingPlan &plan, const SlotArrays &arrays, void *stream) {
  const ScanJob job = {scan_layout(plan), arrays.coefficients, arrays.codes, arrays.ticket,
                       arrays.words,      arrays.scan,         arrays.result};
  return launch_early(scan_kernel, dim3(static_cast<unsigned>(job.layout.tiling.tiles)),
                      dim3(kThreads), 0, static_cast<cudaStream_t>(stream), job);
}

}  // namespace coalesce::jpeg
