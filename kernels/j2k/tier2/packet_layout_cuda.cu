// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../core/cuda_status.h"
#include "../../core/trace.h"
#include "../device/block_scan.cuh"
#include "packet_layout.h"
#include "packets_cuda.h"

namespace coalesce::j2k {
namespace {

constexpr unsigned kThreads = 1024;

// All by one block of threads: mostly there are some tens of packets, at times some thousands.

__device__ void sum_packets(const PacketFormat &f, const PacketScratch &s, BlockScan &scan) {
  std::uint64_t lengths = 0, plt = 0;  // of what is before
  for (std::uint32_t first = 0; first < f.packets; first += kThreads) {
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
  for (std::uint32_t first = 0; first < f.num_parts; first += kThreads) {
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

__global__ void __launch_bounds__(kThreads)
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
  for (std::uint32_t i = threadIdx.x; i < f.packets; i += kThreads)
    s.packet_at[f.order[i]] = packet_at(f, s, i);
  for (std::uint32_t i = threadIdx.x; i < f.main_bytes; i += kThreads)
    out[i] = f.main_header[i];
  if (threadIdx.x == 0) store_u16(kEoc, out + end);
}

}  // namespace

Status lay_out_packets_cuda(const PacketJob &job, std::uint8_t *out, std::uint64_t room,
                            void *stream) {
  const TraceRange range("j2k packet places");
  return launch(lay_out, dim3(1), dim3(kThreads), static_cast<cudaStream_t>(stream), job.format,
                job.scratch, out, room);
}

}  // namespace coalesce::j2k
