// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../../core/cuda_status.h"
#include "../../core/ptx.cuh"
#include "../../core/trace.h"
#include "packet_join.cuh"
#include "packet_layout.h"
#include "packets_cuda.h"

namespace coalesce::j2k {
namespace {

constexpr unsigned kBlockThreads = 128;  // where each has a code-block

// What a launch is for: a layer's headers are counted, or all are made.
struct Task {
  const HeadersAsked *asked;  // or nullptr
  std::uint64_t *counted;     // bytes of each component

  __device__ HeadersAsked wanted() const {
    return asked != nullptr ? *asked : HeadersAsked{0, kAllComponents};
  }
};

__device__ __forceinline__ bool is_wanted(const HeadersAsked &wanted, const PacketView &packet) {
  return (wanted.components >> packet.precinct.component & 1) != 0;
}

// Of all layers but the last, behind which nobody asks.
__global__ void __launch_bounds__(kBlockThreads)
    find_l_blocks(PacketFormat f, PacketScratch s, PacketInput in) {
  const std::uint32_t b = blockIdx.x * kBlockThreads + threadIdx.x;
  if (b >= f.blocks) return;
  int l_block = kFirstLBlock;
  for (int layer = 0; layer + 1 < f.layers; ++layer) {
    const PassRun run = pass_run(f, in, layer, b);
    if (run.end > run.first) l_block = grown_l_block(l_block, run);
    s.l_block[std::size_t{f.blocks} * layer + b] = static_cast<std::uint8_t>(l_block);
  }
}

__device__ bool same_layers(const PacketView &packet, int a, int b) {
  const FlatPrecinct &p = packet.precinct;
  bool same = true;
  for (std::uint32_t i = p.first_block + threadIdx.x; i < p.first_block + p.blocks; i += blockDim.x)
    same = same && packet.passes_in(a, i) == packet.passes_in(b, i);
  return __syncthreads_and(same) != 0;
}

// A warp takes a row of nodes, of any of the bands. Whether there are any.
__device__ bool set_level(const PacketView &packet, int level) {
  std::uint32_t first = 0;  // of the band's rows
  for (std::uint32_t i = 0; i < packet.precinct.bands; ++i) {
    const TreePlaces tree(packet.bands[i]);
    if (level >= tree.depth) continue;
    const std::uint32_t wide = halved(tree.band.wide, level), high = halved(tree.band.high, level);
    const std::uint32_t warps = blockDim.x / 32, warp = threadIdx.x / 32;
    for (std::uint32_t row = first + (warp + warps - first % warps) % warps; row < first + high;
         row += warps)
      for (std::uint32_t x = threadIdx.x % 32; x < wide; x += 32)
        packet.set_node(tree, level, x, row - first);
    first += high;
  }
  return first > 0;
}

// A block of threads for each packet: is it empty, and if not, its trees. (The last precincts are
// the largest, so they come first.)
__global__ void __launch_bounds__(kPacketThreads)
    make_trees(PacketFormat f, PacketScratch s, PacketInput in, Task task) {
  const HeadersAsked wanted = task.wanted();
  if (wanted.layer < 0) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) s.result->pool = 0;
  if (blockIdx.x == 0 && threadIdx.x < kMaxComponents && task.counted != nullptr)
    task.counted[threadIdx.x] = 0;
  const std::uint32_t precinct = f.num_precincts - 1 - blockIdx.x % f.num_precincts;
  const int layer = wanted.layer + static_cast<int>(blockIdx.x / f.num_precincts);
  const PacketView packet(f, in, s, precinct, layer);
  if (!is_wanted(wanted, packet)) return;
  const bool empty = same_layers(packet, layer, layer - 1);
  const int told =
      empty ? kNothing
            : layers_told(layer, [&](int k) { return same_layers(packet, k, layer - 1); });
  if (threadIdx.x == 0) s.told[packet.number] = told;
  if (empty) return;
  const FlatPrecinct &p = packet.precinct;
  for (std::uint32_t i = p.first_block + threadIdx.x; i < p.first_block + p.blocks; i += blockDim.x)
    packet.set_leaf(i);
  __syncthreads();
  for (int level = 1; set_level(packet, level); ++level)
    __syncthreads();
}

// A thread for each block and layer: its bits, how many there are, and bytes. When headers are
// counted, also what the next layer has to know.
template <bool kCount>
__global__ void __launch_bounds__(kBlockThreads)
    tell_blocks(PacketFormat f, PacketScratch s, PacketInput in, Task task) {
  const std::uint32_t b = blockIdx.x * kBlockThreads + threadIdx.x;
  const HeadersAsked wanted = task.wanted();
  if (b >= f.blocks || wanted.layer < 0) return;
  const int layer = wanted.layer + static_cast<int>(blockIdx.y);
  const PacketView packet(f, in, s, f.precinct_of[b], layer);
  if (!is_wanted(wanted, packet)) return;
  const int told = s.told[packet.number];
  BitString bits;
  BlockTold block = {0, 0};
  if (told != kNothing)
    block = tell_block(packet, b, told, &bits);
  else if (kCount)
    block.l_block = packet.l_block(b);
  const std::size_t at = std::size_t{f.blocks} * layer + b;
  s.bit_at[at] = bits.count;
  s.byte_at[at] = block.body;
  s.bit_strings[at] = bits.bits;
  if (kCount) s.l_block[at] = static_cast<std::uint8_t>(block.l_block);
}

struct JoinMemory {
  BlockScan scan;
  Guesses guesses;
  std::uint32_t pool_at;
};

// By one thread: room in the pool, in words.
__device__ std::uint32_t take(const PacketScratch &s, std::uint64_t words) {
  return atomicAdd(&s.result->pool, static_cast<std::uint32_t>(words));
}

// A packet that has something. Bits are in shared memory, if that has room for so many words.
template <bool kCount>
__device__ PacketHeader join_blocks(const PacketView &packet, const PacketScratch &s, int told,
                                    std::uint32_t room, JoinMemory &shared) {
  COALESCE_DYNAMIC_SHARED(4, std::uint32_t, shared_words);
  const Lengths lengths = place_blocks(packet, s, shared.scan);
  const std::uint64_t words = words_of_bits(lengths.bits);
  const std::uint64_t header_words = kCount ? 0 : words_of_header(lengths.bits);
  if (threadIdx.x == 0) shared.pool_at = take(s, header_words + (words <= room ? 0 : words));
  __syncthreads();
  std::uint32_t *header = s.pool + shared.pool_at;
  std::uint32_t *const bits = words <= room ? shared_words : header + header_words;
  write_bits(packet, s, told, lengths.bits, bits);
  auto *out = kCount ? nullptr : reinterpret_cast<std::uint8_t *>(header);
  return {4 * shared.pool_at, stuff(bits, lengths.bits, out, shared.guesses), lengths.body};
}

// A block of threads for each packet: its header.
template <bool kCount>
__global__ void __launch_bounds__(kPacketThreads)
    join_headers(PacketFormat f, PacketScratch s, PacketInput in, Task task, std::uint32_t room) {
  __shared__ JoinMemory shared;
  const HeadersAsked wanted = task.wanted();
  if (wanted.layer < 0) return;
  const std::uint32_t precinct = f.num_precincts - 1 - blockIdx.x % f.num_precincts;
  const int layer = wanted.layer + static_cast<int>(blockIdx.x / f.num_precincts);
  const PacketView packet(f, in, s, precinct, layer);
  if (!is_wanted(wanted, packet)) return;
  const int told = s.told[packet.number];
  PacketHeader header = {0, 1, 0};
  if (told != kNothing) {
    header = join_blocks<kCount>(packet, s, told, room, shared);
  } else if (!kCount && threadIdx.x == 0) {
    header.at = 4 * take(s, 1);
    s.pool[header.at / 4] = 0;
  }
  if (threadIdx.x != 0) return;
  if (kCount)
    add_atomically(task.counted + packet.precinct.component, counted_bytes(f, header));
  else
    s.headers[packet.number] = header;
}

// As many threads as the largest precinct has blocks.
dim3 threads_of(const PacketFormat &f) {
  return dim3(std::clamp((f.most_blocks + 31) / 32 * 32, 32u, kPacketThreads));
}

// Where there are many small precincts, many of them share a multiprocessor's memory: so each takes
// what the largest may need, with two words for each block, and not all that there is.
std::uint32_t shared_room(const PacketFormat &f) {
  constexpr std::uint64_t kMost = 8192;
  return static_cast<std::uint32_t>(
      std::min(words_of_bits(kMostStringBits * std::uint64_t{f.most_blocks}), kMost));
}

template <bool kCount>
Status enqueue(const PacketJob &job, int layers, const Task &task, cudaStream_t stream) {
  const PacketFormat &f = job.format;
  const std::uint32_t packets = f.num_precincts * static_cast<std::uint32_t>(layers);
  if (packets == 0) return {};
  if (Status s =
          launch(make_trees, dim3(packets), threads_of(f), stream, f, job.scratch, job.input, task);
      !s.ok())
    return s;
  const dim3 blocks((f.blocks + kBlockThreads - 1) / kBlockThreads, static_cast<unsigned>(layers));
  if (f.blocks > 0)
    if (Status s = launch(tell_blocks<kCount>, blocks, dim3(kBlockThreads), stream, f, job.scratch,
                          job.input, task);
        !s.ok())
      return s;
  const std::uint32_t room = shared_room(f);
  return launch_shared(join_headers<kCount>, dim3(packets), threads_of(f),
                       room * sizeof(std::uint32_t), stream, f, job.scratch, job.input, task, room);
}

}  // namespace

Status make_headers_cuda(const PacketJob &job, void *to_stream) {
  const TraceRange range("j2k packet headers");
  const PacketFormat &f = job.format;
  const auto stream = static_cast<cudaStream_t>(to_stream);
  if (f.layers > 1 && f.blocks > 0) {
    const dim3 grid((f.blocks - 1) / kBlockThreads + 1);
    if (Status s =
            launch(find_l_blocks, grid, dim3(kBlockThreads), stream, f, job.scratch, job.input);
        !s.ok())
      return s;
  }
  return enqueue<false>(job, f.layers, {nullptr, nullptr}, stream);
}

Status count_headers_cuda(const PacketJob &job, const HeadersAsked *asked, std::uint64_t *bytes,
                          void *to_stream) {
  const TraceRange range("j2k header bytes");
  const auto stream = static_cast<cudaStream_t>(to_stream);
  if (job.format.num_precincts == 0)
    return cuda_checked(cudaMemsetAsync(bytes, 0, kMaxComponents * sizeof *bytes, stream));
  return enqueue<true>(job, 1, {asked, bytes}, stream);
}

}  // namespace coalesce::j2k
