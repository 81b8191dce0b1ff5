// SPDX-License-Identifier: LGPL-2.1-or-later
// From the bits of blocks to the bytes of a header. All threads of a block have one packet
// together.
#pragma once

#include "../device/block_scan.cuh"
#include "packet_header_bits.h"
#include "packet_stuffing.h"

namespace coalesce::j2k {

constexpr unsigned kPacketThreads = 1024;  // at most; whole warps

struct Lengths {
  std::uint32_t bits;  // of the header, without those that are stuffed
  std::uint32_t body;  // bytes
};

// bit_at and byte_at: how many each block has; then, where they begin.
__device__ __forceinline__ Lengths place_blocks(const PacketView &packet, const PacketScratch &s,
                                                BlockScan &scan) {
  const FlatPrecinct &p = packet.precinct;
  const std::size_t row = std::size_t{packet.format.blocks} * packet.layer;
  std::uint64_t before = std::uint64_t{1} << 32;  // a bit says that there is anything
  for (std::uint32_t first = 0; first < p.blocks; first += blockDim.x) {
    const std::uint32_t i = first + threadIdx.x;
    const std::size_t b = row + p.first_block + i;
    std::uint64_t both = 0, all;
    if (i < p.blocks) both = std::uint64_t{s.bit_at[b]} << 32 | s.byte_at[b];
    const std::uint64_t at = before + sum_before(both, scan, &all);
    before += all;
    if (i >= p.blocks) continue;
    s.bit_at[b] = static_cast<std::uint32_t>(at >> 32);
    s.byte_at[b] = static_cast<std::uint32_t>(at);
  }
  return {static_cast<std::uint32_t>(before >> 32), static_cast<std::uint32_t>(before)};
}

__device__ __forceinline__ void write_bits(const PacketView &packet, const PacketScratch &s,
                                           int told, std::uint32_t bits, std::uint32_t *words) {
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

// 16 threads for each part of the bits, one of which has nothing to do.
constexpr unsigned kGuesses = 16;
static_assert(kGuesses >= kByteStarts);
struct Guesses {
  std::uint32_t ends[kPacketThreads];  // zeros in the part, and where the next one begins
  ByteStart starts[kPacketThreads / kGuesses];
  std::uint32_t zeros;  // in all
};

// Returns how many bytes there are. out: nullptr, if nobody wants them.
__device__ __forceinline__ std::uint32_t stuff(const std::uint32_t *words, std::uint32_t bits,
                                               std::uint8_t *out, Guesses &shared) {
  const std::uint32_t parts = blockDim.x / kGuesses, part = threadIdx.x / kGuesses;
  const std::uint32_t guess = threadIdx.x % kGuesses;
  const std::uint32_t all = (bits + 31) / 32, each = (all + parts - 1) / parts;
  const std::uint32_t begin = 32 * min(part * each, all), end = 32 * min((part + 1) * each, all);
  const ByteStart next = pass_bytes(words, {begin + guess, 0}, end);
  shared.ends[threadIdx.x] = next.zeros * kGuesses + (next.at - end);
  __syncthreads();
  if (threadIdx.x == 0) {
    std::uint32_t right = 0, zeros = 0;
    for (std::uint32_t i = 0; i < parts; ++i) {
      shared.starts[i] = {right, zeros};
      const std::uint32_t after = shared.ends[i * kGuesses + right];
      right = after % kGuesses;
      zeros += after / kGuesses;
    }
    shared.zeros = zeros;
  }
  __syncthreads();
  const ByteStart start = shared.starts[part];
  if (out != nullptr && guess == start.at)
    write_bytes(words, {begin + guess, start.zeros}, end, bits, out);
  return (bits + shared.zeros + 7) / 8;
}

}  // namespace coalesce::j2k
