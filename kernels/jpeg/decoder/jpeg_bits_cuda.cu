// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: bits to coefficients by decoders that synchronise themselves (Klein and Wiseman 2003;
// Weissenberger and Schmidt, ICPP 2018 and HPDC 2021). Each thread begins its subsequence with a
// guess, and again from where the one before has ended, until nothing changes. The last kernel
// decodes once more, writes, and finds out whether all of this holds together.
#include <cstdint>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "cuda_decode_job.h"
#include "paths.cuh"

namespace coalesce::jpeg {
namespace {

__constant__ std::uint8_t natural_order[kCoefficients] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

class CoefficientWriter {
 public:
  // first: the block under way. order: natural_order, in shared memory.
  __device__ __forceinline__ CoefficientWriter(const BitsJob &job, const std::uint8_t *order,
                                               std::uint32_t first)
      : out_(job.arrays.coefficients + std::size_t{first} * kCoefficients),
        order_(order),
        block_(first),
        blocks_(job.plan.blocks),
        interval_(job.plan.interval * static_cast<std::uint32_t>(job.plan.blocks_of_mcu)) {}
  // at_marker: a restart marker may be next, as an MCU begins there that is not behind one.
  __device__ __forceinline__ void begin(bool at_marker) {
    if (interval_ == 0) return;
    const std::uint32_t over = block_ % interval_;
    due_ = block_ - over + (over == 0 && block_ != 0 && at_marker ? 0 : interval_);
  }
  __device__ __forceinline__ void symbol(std::uint32_t found, std::uint32_t bits, std::uint32_t k) {
    const std::uint32_t size = found >> 5 & 15;
    if ((found & kLengthAndSize) == kNoCode) is_spoiled_ = true;
    if (size == 0) return;
    const std::uint32_t to = k + (found >> 9) - 1;
    if (to >= kCoefficients) {
      is_spoiled_ = true;
      return;
    }
    const std::uint32_t number = bits << ((found & 31) - size) >> (32 - size);
    out_[order_[to]] = static_cast<std::int16_t>(extend(number, static_cast<int>(size)));
  }
  __device__ __forceinline__ bool end_block(bool is_end) {
    out_ += is_end ? kCoefficients : 0;
    block_ += is_end ? 1 : 0;
    return block_ != blocks_;
  }
  __device__ __forceinline__ void spoil() { is_spoiled_ = true; }
  // A marker ends a whole interval that is not empty, and has its number.
  __device__ __forceinline__ void restart(const Clean &clean, std::uint32_t mark) {
    const std::uint32_t byte = mark / 8;
    if (block_ != due_ || ((due_ / interval_ - 1) & 7) != (clean.byte(byte) & 7))
      is_spoiled_ = true;
    due_ += interval_;
  }
  __device__ __forceinline__ std::uint32_t block() const { return block_; }
  // Also if a marker was due and has not come. left: the state at the end.
  __device__ __forceinline__ bool is_spoiled(const State &left) const {
    return is_spoiled_ || block_ > due_ || (block_ == due_ && (left.block != 0 || left.k != 0));
  }
  __device__ __forceinline__ bool is_last() const { return block_ == blocks_; }

 private:
  std::int16_t *out_;
  const std::uint8_t *order_;
  std::uint32_t block_, blocks_;
  std::uint32_t interval_;     // blocks; 0: no restart markers
  std::uint32_t due_ = kNone;  // the block before which the next marker is
  bool is_spoiled_ = false;
};

// The first subsequence from `from` on whose bit is set, or kSubsequences.
__device__ __forceinline__ std::uint32_t next_break(const std::uint32_t *breaks,
                                                    std::uint32_t from) {
  for (std::uint32_t word = from / 32; word < kSubsequences / 32; ++word) {
    std::uint32_t found = breaks[word];
    if (word == from / 32) found &= kNone << from % 32;
    if (found != 0)
      return 32 * word + static_cast<std::uint32_t>(__ffs(static_cast<int>(found)) - 1);
  }
  return kSubsequences;
}

// A subsequence from `entry` to `end` (bits), part by part; `parts` is the number of its first one,
// or kNone of a lead's, which nobody wants to know. Returns the state in which it ends.
__device__ __forceinline__ std::uint32_t walk_parts(const BitsJob &job, const Clean &clean,
                                                    const Tables &tables, const Extent &own,
                                                    std::uint32_t entry, std::uint32_t begin,
                                                    std::uint32_t end, std::uint32_t parts,
                                                    Counter *counter) {
  std::uint32_t state = entry;
  counter->blocks = 0;
#pragma unroll 1
  for (std::uint32_t p = 0; p < kParts; ++p) {
    const std::uint32_t before = counter->blocks;
    const std::uint32_t stop = p + 1 == kParts ? end : min(begin + 8 * (p + 1) * kPartBytes, end);
    state = walk(job, clean, tables, state, stop, *counter);
    if (parts == kNone) continue;
    job.arrays.exits[parts + p] = seen_from(state, own.begin);
    job.arrays.counts[parts + p] = counter->blocks - before;
  }
  return state;
}

// Groups begin with a guess, and in later passes with the end of the one before, in the pass
// before.
__global__ void __launch_bounds__(kSyncThreads)
    synchronise_kernel(const __grid_constant__ BitsJob job, int pass) {
  wait_for_grid_before();
  static_assert(kSubsequences <= kSyncThreads && kSubsequences % 32 == 0);
  __shared__ Tables tables;
  __shared__ Clean clean;
  __shared__ Paths paths;
  __shared__ std::uint32_t sums[kSyncThreads], entries[kSubsequences], exits[kSubsequences];
  __shared__ std::uint32_t breaks[kSubsequences / 32], sum;
  const DecodeArrays &a = job.arrays;
  const std::uint32_t t = threadIdx.x, group = blockIdx.x;
  const std::uint32_t *last_in = a.last[(pass + 1) & 1];
  std::uint32_t *last_out = a.last[pass & 1];
  std::uint32_t incoming = kEnd;  // of the group
  if (pass > 0) {
    incoming = group == 0 ? a.first[0] : last_in[group - 1];
    if (incoming == a.first[group]) {  // nothing new
      if (t == 0) last_out[group] = last_in[group];
      return;
    }
  }
  tables.load(job, kSyncThreads);
  if (t == 0) sum = 0;
  const Extent own = clean_bytes<kLead, kSyncThreads>(job, group, &clean, sums);
  // Of each subsequence, a thread each.
  const bool is_there = t < kSubsequences, is_own = is_there && t >= kLead;
  const std::uint32_t begin = 8 * place_of(own, t), end = 8 * place_of(own, t + 1);
  const std::uint32_t parts = is_own ? kParts * (group * kGroup + t - kLead) : kNone;
  std::uint32_t entry = pass == 0 ? kNowhere : kEnd, exit = kEnd;
  Counter counter;
  if (pass == 0) {
    const std::uint32_t count = Paths::count_of(job) * kSubsequences;
    for (std::uint32_t n = t; n < count; n += kSyncThreads)
      paths.walk_one(job, clean, tables, own, n);
    __syncthreads();
    for (std::uint32_t n = t; n < count; n += kSyncThreads)
      paths.link_one(job, n);
    __syncthreads();
    if (t == 0) paths.follow_all(job, own, entries);
  } else {
    if (is_own) {
      entry = seen_before(t == kLead ? a.first[group] : a.exits[parts - 1], own.begin);
      exit = seen_before(a.exits[parts + kParts - 1], own.begin);
      for (std::uint32_t p = 0; p < kParts; ++p)
        counter.blocks += a.counts[parts + p];
    }
    if (is_there) entries[t] = t == kLead ? seen_before(incoming, own.begin) : entry;
  }
  const std::uint32_t first = pass == 0 ? 0 : kLead;
  for (;;) {
    __syncthreads();
    if (is_there) {
      if (entries[t] != entry) {
        entry = entries[t];
        exit = walk_parts(job, clean, tables, own, entry, begin, end, parts, &counter);
      }
      exits[t] = exit;
    }
    __syncthreads();
    const bool is_break = is_there && t > first && exits[t - 1] != entry;
    const std::uint32_t of_warp = __ballot_sync(kNone, is_break ? 1 : 0);
    if (is_there && t % 32 == 0) breaks[t / 32] = of_warp;
    if (__syncthreads_and(is_break ? 0 : 1) != 0) break;
    if (t != 0) continue;
    // Up to the first break all is right. So each round makes one entry right at least.
    for (std::uint32_t s = next_break(breaks, 0); s < kSubsequences;) {
      entries[s] = exits[s - 1];
      if (pass == 0) s = paths.follow(job, own, s, entries);
      s = next_break(breaks, s + 2);  // (The next one has been compared with what is no more.)
    }
  }
  if (is_own) {
    atomicAdd(&sum, counter.blocks);
    if (t == kLead) a.first[group] = seen_from(entry, own.begin);
    if (t == kSubsequences - 1) last_out[group] = seen_from(exit, own.end);
  }
  __syncthreads();
  if (t == 0) a.group_counts[group] = sum;
}

__global__ void __launch_bounds__(kWriters) write_kernel(const __grid_constant__ BitsJob job) {
  wait_for_grid_before();
  __shared__ Tables tables;
  __shared__ Clean clean;
  __shared__ std::uint32_t sums[kWriters], before;
  __shared__ std::uint8_t order[kCoefficients];
  const DecodeArrays &a = job.arrays;
  const std::uint32_t t = threadIdx.x, group = blockIdx.x, i = group * kWriters + t;
  if (t == 0) before = 0;
  for (std::uint32_t k = t; k < kCoefficients; k += kWriters)
    order[k] = natural_order[k];
  tables.load(job, kWriters);
  const Extent own = clean_bytes<0, kWriters>(job, group, &clean, sums);
  std::uint32_t mine = 0;
  for (std::uint32_t g = t; g < group; g += kWriters)
    mine += a.group_counts[g];
  if (mine != 0) atomicAdd(&before, mine);
  const std::uint32_t count = a.counts[i], behind = add_up<kWriters>(count, sums);
  CoefficientWriter writer(job, order, before + behind - count);
  if (writer.block() >= job.plan.blocks) return;
  const std::uint32_t entry = t == 0 ? a.first[group] : a.exits[i - 1];
  const State state = state_of(entry);
  bool at_marker = state.k == 0 && state.block == 0;
  if (state.at == 0 && group != 0) {
    const std::uint8_t *raw = a.data + group * kGroupBytes;
    at_marker &= raw[-2] != 0xFF || !is_restart(raw[-1]);
  } else if (at_marker && state.at % 8 == 0 && state.at != 0) {
    at_marker = !clean.is_mark(state.at / 8 - 1);
  }
  writer.begin(at_marker);
  const std::uint32_t exit =
      walk(job, clean, tables, entry, 8 * min((t + 1) * kPartBytes, own.end), writer);
  // All is well if each thread comes to where the next one has begun, and has as many blocks as the
  // next one has counted.
  std::uint32_t told = a.exits[i];
  if (t == kWriters - 1)
    told = group + 1 == job.plan.groups ? exit : seen_before(a.first[group + 1], own.end);
  const bool is_spoiled =
      writer.is_spoiled(writer.is_last() ? State{} : state_of(exit)) ||
      (!writer.is_last() && (exit != told || writer.block() != before + behind));
  if (is_spoiled || writer.is_last())
    atomicOr(a.result, (is_spoiled ? kSpoiled : 0) | (writer.is_last() ? kAllBlocks : 0));
}

}  // namespace

Status decode_bits_cuda(const ScanPlan &plan, const DecodeArrays &arrays, void *stream) {
  auto *const to = static_cast<cudaStream_t>(stream);
  BitsJob job = {plan, arrays, 0};
  for (int b = 0; b < plan.blocks_of_mcu; ++b)
    job.components |= std::uint32_t{plan.component[b]} << 2 * b;
  const dim3 grid(plan.groups), writers(kWriters), all(kSyncThreads);
  for (int pass = 0; pass < kSyncPasses; ++pass)
    if (Status s = launch_with(synchronise_kernel, grid, all, 0, to, pass > 0, job, pass); !s.ok())
      return s;
  return launch_early(write_kernel, grid, writers, 0, to, job);
}

}  // namespace coalesce::jpeg
