// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: how often symbols occur, and the best Huffman tables for that (ITU-T T.81, K.2).
#include <cstdint>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "segment.cuh"

namespace coalesce::jpeg {
namespace {

constexpr int kThreads = 256, kBlocksOfRound = kThreads / 8, kRounds = 8;

struct CountJob {
  ScanLayout layout;
  const std::int16_t *coefficients;
  Statistics *statistics;
};

struct SharedCounts {
  std::uint32_t dc[2][kDcSymbols + 4], ac[2][kSymbols];
};

__global__ void __launch_bounds__(kThreads) count_kernel(const __grid_constant__ CountJob job) {
  wait_for_grid_before();
  __shared__ SharedCounts counts;
  auto *const all = reinterpret_cast<std::uint32_t *>(&counts);
  for (std::uint32_t i = threadIdx.x; i < sizeof(counts) / 4; i += kThreads)
    all[i] = 0;
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 8;
  const auto interval = static_cast<std::uint32_t>(job.layout.tiling.interval_blocks);
  for (int r = 0; r < kRounds; ++r) {
    const std::uint32_t block =
        (blockIdx.x * kRounds + static_cast<std::uint32_t>(r)) * kBlocksOfRound + threadIdx.x / 8;
    const Segment s = load_segment(job.layout, job.coefficients, block, block % interval,
                                   block < job.layout.blocks);
    if (!s.is_there) continue;
    if (lane == 0) atomicAdd(&counts.dc[s.table][size_of_number(s.numbers[0])], 1u);
    int last = s.last;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if ((s.nonzero >> i & 1) == 0) continue;
      const int run = 8 * lane + i - last - 1;
      if (run > 15) atomicAdd(&counts.ac[s.table][kZeroRun], static_cast<std::uint32_t>(run >> 4));
      atomicAdd(&counts.ac[s.table][(run & 15) << 4 | size_of_number(s.numbers[i])], 1u);
      last = 8 * lane + i;
    }
    if (lane == 7 && (s.nonzero & 128) == 0) atomicAdd(&counts.ac[s.table][kEndOfBlock], 1u);
  }
  __syncthreads();
  for (int table = 0; table < 2; ++table) {
    if (threadIdx.x < kDcSymbols + 4 && counts.dc[table][threadIdx.x] != 0)
      atomicAdd(&job.statistics[table].dc[threadIdx.x], counts.dc[table][threadIdx.x]);
    if (counts.ac[table][threadIdx.x] != 0)
      atomicAdd(&job.statistics[table].ac[threadIdx.x], counts.ac[table][threadIdx.x]);
  }
}

// The tables: a warp for each of luma's and chroma's DC and AC.
constexpr int kTables = 4, kOfLane = kSymbols / 32 + 1;
constexpr int kReserved = kSymbols, kMostTreeBits = kSymbols;

struct SharedTree {
  std::uint32_t count[kSymbols + 32];  // of the tree whose least change made it this symbol's
  std::uint16_t root[kSymbols + 32];   // of the symbol's tree
  std::uint16_t length[kSymbols + 32];
  std::uint32_t of_length[kMostTreeBits + 1];
  std::uint32_t counts[kMostCodeBits + 1];  // of codes of the table
  std::uint32_t first_code[kMostCodeBits + 1], first_place[kMostCodeBits + 1];
};

// The least count, of equal ones the highest symbol: as a number that the least one of is it.
constexpr std::uint64_t kNoTree = ~std::uint64_t{0};
__device__ __forceinline__ std::uint64_t tree_key(std::uint32_t count, int symbol) {
  return count == 0 ? kNoTree : std::uint64_t{count} << 16 | static_cast<unsigned>(0xFFFF - symbol);
}
__device__ __forceinline__ int symbol_of_key(std::uint64_t key) {
  return 0xFFFF - static_cast<int>(key & 0xFFFF);
}

struct TwoLeast {
  std::uint64_t least, next;
  __device__ __forceinline__ void add(std::uint64_t key) {
    if (key < least) {
      next = least;
      least = key;
    } else if (key < next) {
      next = key;
    }
  }
};

__device__ __forceinline__ TwoLeast find_two(const SharedTree &t) {
  TwoLeast two = {kNoTree, kNoTree};
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < kOfLane; ++i) {
    const int symbol = 32 * i + lane;
    if (symbol <= kReserved) two.add(tree_key(t.count[symbol], symbol));
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const std::uint64_t least = __shfl_xor_sync(kWholeWarp, two.least, distance);
    const std::uint64_t next = __shfl_xor_sync(kWholeWarp, two.next, distance);
    two.add(least);
    two.add(next);
  }
  return two;
}

__device__ void grow_tree(SharedTree &t) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (;;) {
    const TwoLeast two = find_two(t);
    if (two.next == kNoTree) return;
    const int into = symbol_of_key(two.least), from = symbol_of_key(two.next);
    __syncwarp();
    if (lane == 0) {
      t.count[into] += t.count[from];
      t.count[from] = 0;
    }
    for (int i = 0; i < kOfLane; ++i) {
      const int symbol = 32 * i + lane, root = t.root[symbol];
      if (root == into || root == from) {
        t.root[symbol] = static_cast<std::uint16_t>(into);
        ++t.length[symbol];
      }
    }
    __syncwarp();
  }
}

// One thread: no code longer than 16 bits (figure K.3), and none for the reserved symbol.
__device__ void shorten(SharedTree &t) {
  for (int i = kMostTreeBits; i > kMostCodeBits; --i)
    while (t.of_length[i] != 0) {
      int j = i - 2;
      while (t.of_length[j] == 0)
        --j;
      t.of_length[i] -= 2;
      ++t.of_length[i - 1];
      t.of_length[j + 1] += 2;
      --t.of_length[j];
    }
  int longest = kMostCodeBits;
  while (longest > 0 && t.of_length[longest] == 0)
    --longest;
  if (longest > 0) --t.of_length[longest];
  std::uint32_t code = 0, place = 0;
  for (int length = 1; length <= kMostCodeBits; ++length) {
    t.counts[length] = t.of_length[length];
    t.first_code[length] = code;
    t.first_place[length] = place;
    code = (code + t.counts[length]) << 1;
    place += t.counts[length];
  }
}

__global__ void __launch_bounds__(32 * kTables)
    tables_kernel(const Statistics *statistics, CodeTable *codes, ScanResult *result) {
  wait_for_grid_before();
  __shared__ SharedTree trees[kTables];
  const int lane = static_cast<int>(threadIdx.x) % 32, which = static_cast<int>(threadIdx.x) / 32;
  const bool is_ac = which >= 2;
  SharedTree &t = trees[which];
  const Statistics &from = statistics[which % 2];
  bool any = false;
  for (int i = 0; i < kOfLane; ++i) {
    const int symbol = 32 * i + lane;
    const std::uint32_t count = symbol >= kSymbols ? 0 : is_ac ? from.ac[symbol] : from.dc[symbol];
    any = any || count != 0;
    t.count[symbol] = symbol == kReserved ? 1 : count;
    t.root[symbol] = static_cast<std::uint16_t>(symbol);
    t.length[symbol] = 0;
  }
  for (int i = lane; i <= kMostTreeBits; i += 32)
    t.of_length[i] = 0;
  any = __any_sync(kWholeWarp, any) != 0;
  __syncwarp();
  if (any) grow_tree(t);
  __syncwarp();
  for (int symbol = lane; symbol <= kReserved; symbol += 32)
    if (t.length[symbol] != 0) atomicAdd(&t.of_length[t.length[symbol]], 1u);
  __syncwarp();
  if (lane == 0) shorten(t);
  __syncwarp();

  TableBytes &table = is_ac ? result->ac[which % 2] : result->dc[which % 2];
  if (lane < kMostCodeBits) table.counts[lane] = static_cast<std::uint8_t>(t.counts[lane + 1]);
  for (int symbol = lane; symbol < kSymbols; symbol += 32) {
    std::uint32_t code = 0;
    const std::uint32_t length_in_tree = t.length[symbol];
    if (length_in_tree != 0) {
      // Symbols by their lengths in the tree, then by number.
      std::uint32_t place = 0;
      for (int other = 0; other < kSymbols; ++other) {
        const std::uint32_t length = t.length[other];
        place += length != 0 &&
                 (length < length_in_tree || (length == length_in_tree && other < symbol));
      }
      table.symbols[place] = static_cast<std::uint8_t>(symbol);
      int length = 1;
      while (place >= t.first_place[length] + t.counts[length])
        ++length;
      code = static_cast<std::uint32_t>(length) << 16 |
             (t.first_code[length] + place - t.first_place[length]);
    }
    if (is_ac)
      codes[which % 2].ac[symbol] = code;
    else if (symbol < kDcSymbols + 4)
      codes[which % 2].dc[symbol] = code;
  }
}

}  // namespace

Status best_codes_cuda(const CodingPlan &plan, const SlotArrays &arrays, void *stream) {
  const CountJob job = {scan_layout(plan), arrays.coefficients, arrays.statistics};
  const unsigned blocks =
      (job.layout.blocks + kBlocksOfRound * kRounds - 1) / (kBlocksOfRound * kRounds);
  if (Status s = launch_early(count_kernel, dim3(blocks), dim3(kThreads), 0,
                              static_cast<cudaStream_t>(stream), job);
      !s.ok())
    return s;
  return launch_early(
      tables_kernel, dim3(1), dim3(32 * kTables), 0, static_cast<cudaStream_t>(stream),
      static_cast<const Statistics *>(arrays.statistics), arrays.codes, arrays.result);
}

}  // namespace coalesce::jpeg
