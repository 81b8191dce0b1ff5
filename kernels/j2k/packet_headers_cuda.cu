// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "../core/cuda_status.h"
#include "../core/trace.h"
#include "block_scan.cuh"
#include "packet_bits.h"
#include "packet_layout.h"
#include "packet_telling.h"
#include "packets_cuda.h"

namespace coalesce::j2k {
namespace {

constexpr unsigned kMaxThreads = 1024;  // for a packet
constexpr unsigned kLBlockThreads = 128;

// Of all layers but the last, behind which nobody asks.
__global__ void __launch_bounds__(kLBlockThreads)
    find_l_blocks(PacketFormat f, PacketScratch s, PacketInput in) {
  const std::uint32_t b = blockIdx.x * kLBlockThreads + threadIdx.x;
  if (b >= f.blocks) return;
  int l_block = kFirstLBlock;
  for (int layer = 0; layer + 1 < f.layers; ++layer) {
    const PassRun run = pass_run(f, in, layer, b);
    if (run.end > run.first) l_block = grown_l_block(l_block, run);
    s.l_block[std::size_t{f.blocks} * layer + b] = static_cast<std::uint8_t>(l_block);
  }
}

// Below, the threads of a block have one packet together.

__device__ bool same_layers(const PacketView &packet, int a, int b) {
  const FlatPrecinct &p = packet.precinct;
  bool same = true;
  for (std::uint32_t i = p.first_block + threadIdx.x; i < p.first_block + p.blocks; i += blockDim.x)
    same = same && packet.passes_in(a, i) == packet.passes_in(b, i);
  return __syncthreads_and(same) != 0;
}

// Of all bands' trees. Whether there is any such node.
__device__ bool set_level(const PacketView &packet, int level) {
  const FlatBand *bands = packet.format.bands + packet.precinct.first_band;
  std::uint32_t first = 0;  // of the band's, among them
  for (std::uint32_t i = 0; i < packet.precinct.bands; ++i) {
    const TreePlaces tree(bands[i]);
    if (level >= tree.depth) continue;
    const std::uint32_t nodes = tree.level_nodes(level);
    for (std::uint32_t node = (threadIdx.x + blockDim.x - first % blockDim.x) % blockDim.x;
         node < nodes; node += blockDim.x)
      packet.set_node(tree, level, node);
    first += nodes;
  }
  return first > 0;
}

__device__ void make_trees(const PacketView &packet) {
  const FlatPrecinct &p = packet.precinct;
  for (std::uint32_t i = p.first_block + threadIdx.x; i < p.first_block + p.blocks; i += blockDim.x)
    packet.set_leaf(i);
  __syncthreads();
  for (int level = 1; set_level(packet, level); ++level)
    __syncthreads();
}

struct Lengths {
  std::uint32_t bits;  // of the header, without those that are stuffed
  std::uint32_t body;  // bytes
};

// Both of each block, and where they begin. kCount: what the next layer has to know, too.
template <bool kCount>
__device__ Lengths place_blocks(const PacketView &packet, const PacketScratch &s, int told,
                                BlockScan &scan) {
  const FlatPrecinct &p = packet.precinct;
  const std::size_t row = std::size_t{packet.format.blocks} * packet.layer;
  std::uint64_t before = std::uint64_t{1} << 32;  // a bit says that there is anything
  for (std::uint32_t first = 0; first < p.blocks; first += blockDim.x) {
    const std::uint32_t i = first + threadIdx.x, b = p.first_block + i;
    BitString bits;
    BlockTold block = {0, 0};
    if (i < p.blocks) block = tell_block(packet, b, told, &bits);
    std::uint64_t all;
    const std::uint64_t at =
        before + sum_before(std::uint64_t{bits.count} << 32 | block.body, scan, &all);
    before += all;
    if (i >= p.blocks) continue;
    s.bit_at[row + b] = static_cast<std::uint32_t>(at >> 32);
    s.byte_at[row + b] = static_cast<std::uint32_t>(at);
    s.bit_strings[row + b] = bits.bits;
    if (kCount) s.l_block[row + b] = static_cast<std::uint8_t>(block.l_block);
  }
  return {static_cast<std::uint32_t>(before >> 32), static_cast<std::uint32_t>(before)};
}

__device__ void write_bits(const PacketView &packet, const PacketScratch &s, int told,
                           std::uint32_t bits, std::uint32_t *words) {
  const FlatPrecinct &p = packet.precinct;
  const std::size_t row = std::size_t{packet.format.blocks} * packet.layer;
  for (std::uint32_t i = threadIdx.x; i < words_of_bits(bits); i += blockDim.x)
    words[i] = i == 0 ? 1u << 31 : 0;
  __syncthreads();
  const std::uint32_t end = p.first_block + p.blocks;
  for (std::uint32_t b = p.first_block + threadIdx.x; b < end; b += blockDim.x) {
    const std::uint32_t at = s.bit_at[row + b];
    const std::uint32_t count = (b + 1 < end ? s.bit_at[row + b + 1] : bits) - at;
    BitWriter writer(words, at);
    if (count <= kMostStringBits)
      writer.put_string(s.bit_strings[row + b], count);
    else
      tell_block(packet, b, told, &writer);
    writer.end();
  }
  __syncthreads();
}

// By one warp. Bytes are where bits divided by eight are, as long as none of them is FF: so some
// rows of 32 are looked at together, and cut behind the first such byte, which takes seven bits
// with it into the next. Returns how many bytes there are. out: nullptr, if nobody wants them.
__device__ std::uint32_t stuff(const std::uint32_t *words, std::uint32_t bits, std::uint8_t *out) {
  constexpr int kRows = 4;
  const std::uint32_t lane = threadIdx.x % 32;
  std::uint32_t bytes = 0;
  for (std::uint32_t at = 0; at < bits;) {
    std::uint32_t byte[kRows], full = 32 * kRows;  // the first FF
#pragma unroll
    for (int r = kRows - 1; r >= 0; --r) {
      const std::uint32_t from = at + 8 * (32 * r + lane);
      byte[r] = from < bits ? bits_at(words, from, 8) : 0;
      const unsigned ones = __ballot_sync(kWholeWarp, byte[r] == 0xFF);
      if (ones != 0) full = 32 * r + __ffs(static_cast<int>(ones)) - 1;
    }
    const std::uint32_t left = (bits - at + 7) / 8;
    const std::uint32_t count = min(full < 32 * kRows ? full + 1 : full, left);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (out != nullptr && 32 * r + lane < count)
        out[bytes + 32 * r + lane] = static_cast<std::uint8_t>(byte[r]);
    at += 8 * count;
    bytes += count;
    if (full == 32 * kRows) continue;
    if (out != nullptr && lane == 0) out[bytes] = static_cast<std::uint8_t>(bits_at(words, at, 7));
    at += 7;
    ++bytes;
  }
  return bytes;
}

// By one thread: room in the pool, in words.
__device__ std::uint32_t take(const PacketScratch &s, std::uint64_t words) {
  return atomicAdd(&s.result->pool, static_cast<std::uint32_t>(words));
}

// What shared memory has room for: bits of a header, in words, and nodes. What is more, is in the
// scratch memory.
struct SharedRoom {
  std::uint32_t words, nodes;
  constexpr std::size_t bytes() const { return 4 * std::size_t{words} + 5 * std::size_t{nodes}; }
};

struct SharedMemory {
  BlockScan scan;
  std::uint32_t pool_at;
};
extern __shared__ std::uint32_t shared_words[];

// A packet that has something. Only the first thread's result counts.
template <bool kCount>
__device__ PacketHeader make_header(PacketView &packet, const PacketScratch &s,
                                    const SharedRoom &room, SharedMemory &shared) {
  const int told =
      layers_told(packet.layer, [&](int k) { return same_layers(packet, k, packet.layer - 1); });
  if (packet.precinct.nodes <= room.nodes) {
    packet.keys = shared_words + room.words;
    packet.zero_planes = reinterpret_cast<std::uint8_t *>(packet.keys + room.nodes);
  }
  make_trees(packet);
  const Lengths lengths = place_blocks<kCount>(packet, s, told, shared.scan);
  const std::uint64_t words = words_of_bits(lengths.bits);
  const bool fits = words <= room.words;
  const std::uint64_t header_words = kCount ? 0 : words_of_header(lengths.bits);
  if (threadIdx.x == 0) shared.pool_at = take(s, header_words + (fits ? 0 : words));
  __syncthreads();
  std::uint32_t *header = s.pool + shared.pool_at;
  std::uint32_t *const bits = fits ? shared_words : header + header_words;
  write_bits(packet, s, told, lengths.bits, bits);
  if (threadIdx.x >= 32) return {};
  const std::uint32_t bytes =
      stuff(bits, lengths.bits, kCount ? nullptr : reinterpret_cast<std::uint8_t *>(header));
  return {4 * shared.pool_at, bytes, lengths.body};
}

// The last precincts are the largest, so they come first.
template <bool kCount>
__global__ void __launch_bounds__(kMaxThreads)
    make_headers(PacketFormat f, PacketScratch s, PacketInput in, SharedRoom room, int first_layer,
                 unsigned components, std::uint64_t *counted) {
  __shared__ SharedMemory shared;
  const std::uint32_t precinct = f.num_precincts - 1 - blockIdx.x % f.num_precincts;
  const int layer = first_layer + static_cast<int>(blockIdx.x / f.num_precincts);
  PacketView packet(f, in, s, precinct, layer);
  if (kCount && (components >> packet.precinct.component & 1) == 0) return;
  PacketHeader header;
  if (!same_layers(packet, layer, layer - 1)) {
    header = make_header<kCount>(packet, s, room, shared);
  } else {
    header = {0, 1, 0};
    const FlatPrecinct &p = packet.precinct;
    for (std::uint32_t i = threadIdx.x; kCount && i < p.blocks; i += blockDim.x)
      s.l_block[std::size_t{f.blocks} * layer + p.first_block + i] =
          static_cast<std::uint8_t>(packet.l_block(p.first_block + i));
    if (!kCount && threadIdx.x == 0) {
      header.at = 4 * take(s, 1);
      s.pool[header.at / 4] = 0;
    }
  }
  if (threadIdx.x != 0) return;
  if (kCount)
    atomicAdd(reinterpret_cast<unsigned long long *>(counted),
              static_cast<unsigned long long>(counted_bytes(f, header)));
  else
    s.headers[static_cast<std::uint32_t>(layer) * f.num_precincts + precinct] = header;
}

// As many threads as the largest precinct has blocks.
dim3 threads_of(const PacketFormat &f) {
  return dim3(std::clamp((f.most_blocks + 31) / 32 * 32, 32u, kMaxThreads));
}

// Where there are many small precincts, many of them share a multiprocessor's memory: so each takes
// what the largest may need, with two words for each block, and not all that there is.
SharedRoom room_of(const PacketFormat &f) {
  constexpr std::uint32_t kMostBytes = 48 << 10, kOther = sizeof(SharedMemory) + 16;
  constexpr std::uint32_t kMostWords = 6144,
                          kMostNodes = (kMostBytes - kOther - 4 * kMostWords) / 5;
  const std::uint64_t words = words_of_bits(kMostStringBits * std::uint64_t{f.most_blocks});
  return {static_cast<std::uint32_t>(std::min<std::uint64_t>(words, kMostWords)),
          std::min(f.most_nodes, kMostNodes)};
}

template <bool kCount>
Status launch_headers(const PacketJob &job, std::uint32_t packets, int first_layer,
                      unsigned components, std::uint64_t *counted, cudaStream_t stream) {
  if (packets == 0) return {};
  const PacketFormat &f = job.format;
  const SharedRoom room = room_of(f);
  return launch_shared(make_headers<kCount>, dim3(packets), threads_of(f), room.bytes(), stream, f,
                       job.scratch, job.input, room, first_layer, components, counted);
}

Status clear(void *memory, std::size_t bytes, cudaStream_t stream) {
  return cuda_checked(cudaMemsetAsync(memory, 0, bytes, stream));
}

}  // namespace

Status make_headers_cuda(const PacketJob &job, void *to_stream) {
  const TraceRange range("j2k packet headers");
  const PacketFormat &f = job.format;
  const auto stream = static_cast<cudaStream_t>(to_stream);
  if (Status s = clear(job.scratch.result, sizeof *job.scratch.result, stream); !s.ok()) return s;
  if (f.layers > 1 && f.blocks > 0) {
    const dim3 grid((f.blocks - 1) / kLBlockThreads + 1);
    if (Status s =
            launch(find_l_blocks, grid, dim3(kLBlockThreads), stream, f, job.scratch, job.input);
        !s.ok())
      return s;
  }
  return launch_headers<false>(job, f.packets, 0, ~0u, nullptr, stream);
}

Status count_headers_cuda(const PacketJob &job, int layer, unsigned components,
                          std::uint64_t *bytes, void *to_stream) {
  const TraceRange range("j2k header bytes");
  const auto stream = static_cast<cudaStream_t>(to_stream);
  if (Status s = clear(&job.scratch.result->pool, sizeof job.scratch.result->pool, stream); !s.ok())
    return s;
  if (Status s = clear(bytes, sizeof *bytes, stream); !s.ok()) return s;
  return launch_headers<true>(job, job.format.num_precincts, layer, components, bytes, stream);
}

}  // namespace coalesce::j2k
