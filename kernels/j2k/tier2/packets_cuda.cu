// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/cuda_status.h"
#include "../../core/load.cuh"
#include "../../core/trace.h"
#include "../device/block_scan.cuh"
#include "packet_layout.h"
#include "packets_cuda.h"

namespace coalesce::j2k {
namespace {

constexpr unsigned kPlaceThreads = 1024;

// All by one block of threads: mostly there are some tens of packets, at times some thousands.

__device__ void sum_packets(const PacketFormat &f, const PacketScratch &s, BlockScan &scan) {
  std::uint64_t lengths = 0, plt = 0;  // of what is before
  for (std::uint32_t first = 0; first < f.packets; first += kPlaceThreads) {
    const std::uint32_t i = first + threadIdx.x;
    const std::uint64_t length = i < f.packets ? packet_length(f, s.headers[f.order[i]]) : 0;
    std::uint64_t all_lengths, all_plt = 0, plt_at = 0;
    const std::uint64_t at = sum_before(length, scan, &all_lengths);
    if (f.plt) plt_at = sum_before(i < f.packets ? plt_bytes(length) : 0, scan, &all_plt);
    if (i < f.packets) {
      s.length_sum[i] = lengths + at;
      s.plt_sum[i] = static_cast<std::uint32_t>(plt + plt_at);
    }
    lengths += all_lengths;
    plt += all_plt;
  }
  if (threadIdx.x != 0) return;
  s.length_sum[f.packets] = lengths;
  s.plt_sum[f.packets] = static_cast<std::uint32_t>(plt);
}

// Returns where the last one ends.
__device__ std::uint64_t place_parts(const PacketFormat &f, const PacketScratch &s, BlockScan &scan,
                                     std::uint32_t *errors) {
  std::uint64_t before = f.main_bytes;
  for (std::uint32_t first = 0; first < f.num_parts; first += kPlaceThreads) {
    const std::uint32_t p = first + threadIdx.x;
    PartLength part = {0, 0, 0};
    if (p < f.num_parts) part = part_length(f, s, p);
    std::uint64_t all;
    const std::uint64_t at = before + sum_before(part.bytes, scan, &all);
    before += all;
    if (p >= f.num_parts) continue;
    s.part_at[p] = at;
    s.part_header[p] = part.header;
    s.part_lengths[p] = static_cast<std::uint32_t>(part.bytes);
    if (part.errors != 0) atomicOr(errors, part.errors);
  }
  return before;
}

__global__ void __launch_bounds__(kPlaceThreads)
    lay_out(PacketFormat f, PacketScratch s, std::uint8_t *out, std::uint64_t room) {
  __shared__ BlockScan scan;
  __shared__ std::uint32_t errors;
  if (threadIdx.x == 0) errors = 0;
  sum_packets(f, s, scan);
  __syncthreads();
  const std::uint64_t end = place_parts(f, s, scan, &errors);
  if (threadIdx.x == 0 && end + kEndBytes > room) atomicOr(&errors, PacketResult::kNoRoom);
  __syncthreads();
  if (threadIdx.x == 0) {
    s.result->bytes = end + kEndBytes;
    s.result->errors = errors;
  }
  if (errors != 0) return;
  for (std::uint32_t i = threadIdx.x; i < f.packets; i += kPlaceThreads)
    s.packet_at[f.order[i]] = packet_at(f, s, i);
  for (std::uint32_t i = threadIdx.x; i < f.main_bytes; i += kPlaceThreads)
    out[i] = f.main_header[i];
  if (threadIdx.x == 0) store_u16(kEoc, out + end);
}

constexpr unsigned kThreads = 256, kWarps = kThreads / 32;

// Bytes `shift` to `shift` + 15 of two times 16.
__device__ __forceinline__ uint4 shifted(const uint4 &low, const uint4 &high, unsigned shift) {
  std::uint32_t w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if ((shift & 8) != 0) {
#pragma unroll
    for (int i = 0; i < 6; ++i)
      w[i] = w[i + 2];
  }
  if ((shift & 4) != 0) {
#pragma unroll
    for (int i = 0; i < 5; ++i)
      w[i] = w[i + 1];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    w[i] = __funnelshift_r(w[i], w[i + 1], 8 * (shift & 3));
  return make_uint4(w[0], w[1], w[2], w[3]);
}

// By kLanes threads. Any length, any alignment on both sides. The stores are aligned 16 bytes, made
// of the aligned 16 bytes that they come from and those behind, as far as all of these belong to
// the piece; what is left at both ends, 31 bytes each at most, goes byte by byte.
template <int kLanes>
__device__ __forceinline__ void copy(const Piece &piece) {
  const auto lane = static_cast<int>(threadIdx.x % kLanes);
  const int bytes = static_cast<int>(piece.bytes);
  const int ahead = static_cast<int>(-reinterpret_cast<std::uintptr_t>(piece.to) & 15);
  const auto shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(piece.from + ahead) & 15);
  const int begin = ahead + (ahead < shift ? 16 : 0);  // of the first such store
  const int reach = shift == 0 ? 16 : 32 - shift;      // of its loads, from there on
  const int stores = bytes - begin < reach ? 0 : (bytes - begin - reach) / 16 + 1;
  const int head = stores == 0 ? bytes : begin;
  for (int i = lane; i < head; i += kLanes)
    piece.to[i] = load_global(piece.from + i);
  if (stores == 0) return;
  const auto *from = reinterpret_cast<const uint4 *>(piece.from + begin - shift);
  auto *to = reinterpret_cast<uint4 *>(piece.to + begin);
  constexpr int kAtOnce = 4;  // loads before stores: no load moves above a store
  for (int first = lane; first < stores; first += kAtOnce * kLanes) {
    uint4 low[kAtOnce], high[kAtOnce];
#pragma unroll
    for (int n = 0; n < kAtOnce; ++n) {
      const int i = first + n * kLanes;
      if (i < stores) low[n] = load_global(from + i);
      if (i < stores && shift != 0) high[n] = load_global(from + i + 1);
    }
#pragma unroll
    for (int n = 0; n < kAtOnce; ++n) {
      const int i = first + n * kLanes;
      if (i < stores)
        to[i] = shift == 0 ? low[n] : shifted(low[n], high[n], static_cast<unsigned>(shift));
    }
  }
  for (int i = begin + 16 * stores + lane; i < bytes; i += kLanes)
    piece.to[i] = load_global(piece.from + i);
}

// Blocks of threads for each kind of thing that is written.
struct Shares {
  unsigned bodies, packets;
};

// kLanes threads for each block of each layer, then a warp for each packet's header; a thread for
// each tile-part.
template <int kLanes>
__global__ void __launch_bounds__(kThreads)
    write(PacketFormat f, PacketScratch s, PacketInput in, std::uint8_t *out, Shares shares) {
  if (s.result->errors != 0) return;
  if (blockIdx.x < shares.bodies) {
    const std::uint32_t i = blockIdx.x * (kThreads / kLanes) + threadIdx.x / kLanes;
    if (i >= f.blocks * static_cast<std::uint32_t>(f.layers)) return;
    const auto layer = static_cast<int>(i / f.blocks);
    copy<kLanes>(body_piece(f, s, in, layer, i % f.blocks, out));
  } else if (blockIdx.x < shares.bodies + shares.packets) {
    const std::uint32_t i = (blockIdx.x - shares.bodies) * kWarps + threadIdx.x / 32;
    if (i >= f.packets) return;
    if (threadIdx.x % 32 == 0) write_packet_markers(f, s, i, out);
    copy<32>(header_piece(f, s, f.order[i], out));
  } else {
    const std::uint32_t p = (blockIdx.x - shares.bodies - shares.packets) * kThreads + threadIdx.x;
    if (p < f.num_parts) write_part(f, s, p, out);
  }
}

constexpr unsigned groups(std::uint32_t count, unsigned size) {
  return count / size + (count % size != 0);
}

template <int kLanes>
Status launch_write(const PacketJob &job, std::uint8_t *out, cudaStream_t stream) {
  const PacketFormat &f = job.format;
  const Shares shares = {groups(f.blocks * static_cast<std::uint32_t>(f.layers), kThreads / kLanes),
                         groups(f.packets, kWarps)};
  const unsigned parts = groups(f.num_parts, kThreads);
  return launch(write<kLanes>, dim3(shares.bodies + shares.packets + parts), dim3(kThreads), stream,
                f, job.scratch, job.input, out, shares);
}

}  // namespace

Status lay_out_packets_cuda(const PacketJob &job, std::uint8_t *out, std::uint64_t room,
                            void *stream) {
  const TraceRange range("j2k packet places");
  return launch(lay_out, dim3(1), dim3(kPlaceThreads), static_cast<cudaStream_t>(stream),
                job.format, job.scratch, out, room);
}

// The more layers, the shorter are the pieces.
Status write_packets_cuda(const PacketJob &job, std::uint8_t *out, void *to_stream) {
  const TraceRange range("j2k packets");
  const auto stream = static_cast<cudaStream_t>(to_stream);
  if (job.format.layers <= 2) return launch_write<32>(job, out, stream);
  return launch_write<16>(job, out, stream);
}

Status packets_cuda(const PacketJob &job, std::uint8_t *out, std::uint64_t room, void *stream) {
  if (Status s = make_headers_cuda(job, stream); !s.ok()) return s;
  if (Status s = lay_out_packets_cuda(job, out, room, stream); !s.ok()) return s;
  return write_packets_cuda(job, out, stream);
}

}  // namespace coalesce::j2k
