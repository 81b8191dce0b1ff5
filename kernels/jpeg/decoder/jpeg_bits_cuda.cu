// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: bits to coefficients by decoders that synchronise themselves (Klein and Wiseman 2003;
// Weissenberger and Schmidt, ICPP 2018 and HPDC 2021). Each thread begins its subsequence as if a
// picture began there, and goes on from where the one before has ended until nothing changes. The
// last kernel decodes once more, writes, and finds out whether all of this holds together.
#include <cstdint>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "cuda_decode_job.h"

namespace coalesce::jpeg {
namespace {

constexpr std::uint32_t kNoMore = 0xFFFFFFFF;

// Where a code begins: bit 8 * byte + bit of the data. A position at a byte's end is that of the
// next byte, behind a stuffed zero.
struct State {
  std::uint32_t at;
  std::uint32_t block, k;  // in the MCU, in the block; k is 0 before DC

  __device__ __forceinline__ std::uint64_t packed() const {
    return std::uint64_t{at} << 32 | block << 8 | k;
  }
};

__device__ __forceinline__ State state_of(std::uint64_t packed) {
  return {static_cast<std::uint32_t>(packed >> 32), static_cast<std::uint32_t>(packed) >> 8,
          static_cast<std::uint32_t>(packed) & 255};
}

constexpr std::uint64_t kEnd = std::uint64_t{kNoMore} << 32;

__device__ __forceinline__ bool is_restart(std::uint32_t byte) {
  return byte >= 0xD0 && byte <= 0xD7;
}

// Is it behind a restart marker?
__device__ __forceinline__ bool is_behind_marker(const std::uint8_t *data, std::uint32_t at) {
  const std::uint32_t byte = at >> 3;
  return (at & 7) == 0 && byte >= 2 && data[byte - 2] == 0xFF && is_restart(data[byte - 1]);
}

class Bits {
 public:
  __device__ __forceinline__ Bits(const std::uint8_t *data, std::uint32_t size)
      : data_(data), size_(size) {}

  __device__ __forceinline__ void go_to(std::uint32_t at) {
    next_ = at >> 3;
    bits_ = 0;
    count_ = 0;
    stuffed_ = 0;
    ended_ = false;
    fill();
    drop(static_cast<int>(at & 7));
  }
  // At least 33 bits, or all up to a marker, and zeros behind it.
  __device__ __forceinline__ void fill() {
    while (count_ <= 32 && !ended_) {
      if (next_ + 4 <= size_) {
        const auto *words = reinterpret_cast<const std::uint32_t *>(data_ + (next_ & ~3u));
        const std::uint32_t four =
            __byte_perm(__funnelshift_r(words[0], words[1], 8 * (next_ & 3)), 0, 0x0123);
        if (((~four - 0x01010101) & four & 0x80808080) == 0) {
          bits_ |= std::uint64_t{four} << (32 - count_);
          count_ += 32;
          stuffed_ <<= 4;
          next_ += 4;
          continue;
        }
      }
      const std::uint32_t byte = next_ < size_ ? data_[next_] : 0xFF;
      const bool is_full = byte == 0xFF;
      if (is_full) {
        // At the end of the file, as at EOI.
        marker_ = next_ + 1 < size_ ? data_[next_ + 1] : 0xD9;
        if (marker_ != 0) {
          ended_ = true;
          return;
        }
      }
      bits_ |= std::uint64_t{byte} << (56 - count_);
      count_ += 8;
      stuffed_ = stuffed_ << 1 | (is_full ? 1 : 0);
      next_ += is_full ? 2 : 1;
    }
  }
  __device__ __forceinline__ std::uint32_t peek(int skip, int n) const {
    return static_cast<std::uint32_t>(bits_ << skip >> (64 - n));
  }
  __device__ __forceinline__ void drop(int n) {
    bits_ <<= n;
    count_ -= n;
  }
  __device__ __forceinline__ std::uint32_t position() const {
    const int bytes = (count_ + 7) >> 3;
    const std::uint32_t before =
        static_cast<std::uint32_t>(bytes + __popc(stuffed_ & ((1u << bytes) - 1)));
    return 8 * (next_ - before) + static_cast<std::uint32_t>(8 * bytes - count_);
  }
  __device__ __forceinline__ bool has(int n) const { return !ended_ || n <= count_; }
  // Nothing but ones, and less than a byte, before a marker: no code is there, as none has only
  // ones.
  __device__ __forceinline__ bool is_padding() const {
    return ended_ && count_ < 8 && (bits_ | ~std::uint64_t{0} >> count_) == ~std::uint64_t{0};
  }
  __device__ __forceinline__ std::uint32_t marker() const { return marker_; }
  __device__ __forceinline__ std::uint32_t marker_at() const { return 8 * next_; }

 private:
  const std::uint8_t *data_;
  std::uint32_t size_;
  std::uint32_t next_ = 0;  // byte
  std::uint64_t bits_ = 0;  // the next one is the highest
  int count_ = 0;
  std::uint32_t stuffed_ = 0;  // which of the last bytes a zero follows; the last one is bit 0
  bool ended_ = false;
  std::uint32_t marker_ = 0;
};

// Decodes the codes that begin before `end` (bits). Sink: what becomes of them.
template <class Sink>
__device__ __forceinline__ std::uint64_t walk(const ScanPlan &plan, const std::uint8_t *data,
                                              const DecodeTable *tables, State state,
                                              std::uint32_t end, Sink &sink) {
  if (state.at >= end) return state.packed();
  Bits bits(data, plan.bytes);
  bits.go_to(state.at);
  const auto blocks_of_mcu = static_cast<std::uint32_t>(plan.blocks_of_mcu);
  for (;;) {
    bits.fill();
    state.at = bits.position();
    if (state.at >= end) return state.packed();
    bool at_marker = state.k == 0 && state.block == 0 && bits.is_padding();
    if (!at_marker) {
      if (state.k == 0 && state.block == 0 && !sink.begin_mcu(state.at)) return kEnd;
      const DecodeTable &table = tables[2 * plan.component[state.block] + (state.k == 0 ? 0 : 1)];
      const std::uint32_t found = look_up(table, bits.peek(0, 16));
      const int length = static_cast<int>(found >> 8), size = static_cast<int>(found & 15);
      if (!bits.has(length + size) || length > kMostCodeBits) {
        sink.spoil();
        at_marker = !bits.has(length + size);
      }
      if (!at_marker) {
        const std::uint32_t run = found >> 4 & 15;
        if (state.k != 0 && size == 0 && run != 15) {
          state.k = kCoefficients;
        } else {
          if (state.k != 0) state.k += run;
          if (size != 0) {
            const auto value = extend(bits.peek(length, size), size);
            sink.put(state.k, value);
          }
          ++state.k;
        }
        bits.drop(length + size);
        if (state.k >= kCoefficients) {
          state.k = 0;
          state.block = state.block + 1 == blocks_of_mcu ? 0 : state.block + 1;
          if (!sink.end_block()) return kEnd;
        }
        continue;
      }
    }
    if (!is_restart(bits.marker())) return kEnd;
    sink.restart(bits.marker(), bits.marker_at());
    state.block = state.k = 0;
    bits.go_to(bits.marker_at() + 16);
  }
}

struct Counter {
  std::uint32_t blocks = 0;

  __device__ __forceinline__ void spoil() {}
  __device__ __forceinline__ bool begin_mcu(std::uint32_t) { return true; }
  __device__ __forceinline__ void put(std::uint32_t, int) {}
  __device__ __forceinline__ bool end_block() {
    ++blocks;
    return true;
  }
  __device__ __forceinline__ void restart(std::uint32_t, std::uint32_t) {}
};

__constant__ std::uint8_t natural_order[kCoefficients] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

struct CoefficientWriter {
  const std::uint8_t *data;
  std::int16_t *out;
  std::uint32_t block, blocks;    // the one under way, and all
  std::uint32_t interval_blocks;  // 0: no restart markers
  bool is_spoiled = false, is_last = false;

  __device__ __forceinline__ void spoil() { is_spoiled = true; }
  // A restart interval begins behind a marker.
  __device__ __forceinline__ bool begin_mcu(std::uint32_t at) {
    if (interval_blocks != 0 && block != 0 && block % interval_blocks == 0 &&
        !is_behind_marker(data, at))
      is_spoiled = true;
    return true;
  }
  __device__ __forceinline__ void put(std::uint32_t k, int value) {
    if (k >= kCoefficients) {
      is_spoiled = true;
      return;
    }
    out[std::size_t{block} * kCoefficients + natural_order[k]] = static_cast<std::int16_t>(value);
  }
  __device__ __forceinline__ bool end_block() {
    is_last = ++block == blocks;
    return !is_last;
  }
  // A marker ends a whole interval that is not empty, and has its number.
  __device__ __forceinline__ void restart(std::uint32_t marker, std::uint32_t at) {
    if (interval_blocks == 0 || block == 0 || block % interval_blocks != 0 ||
        ((block / interval_blocks - 1) & 7) != (marker & 7) || is_behind_marker(data, at))
      is_spoiled = true;
  }
};

struct BitsJob {
  ScanPlan plan;
  DecodeArrays arrays;
};

__device__ __forceinline__ void load_tables(const BitsJob &job, DecodeTable *tables) {
  const auto *from = reinterpret_cast<const std::uint32_t *>(job.arrays.tables);
  const std::uint32_t words =
      2 * static_cast<std::uint32_t>(job.plan.components) * sizeof(DecodeTable) / 4;
  for (std::uint32_t i = threadIdx.x; i < words; i += kGroup)
    reinterpret_cast<std::uint32_t *>(tables)[i] = from[i];
}

constexpr int kComponents = 3;  // of a file that is decoded

// Groups begin with a guess, and in later passes with the end of the one before, in the pass
// before.
__global__ void __launch_bounds__(kGroup)
    synchronise_kernel(const __grid_constant__ BitsJob job, int pass) {
  wait_for_grid_before();
  __shared__ DecodeTable tables[2 * kComponents];
  __shared__ std::uint64_t exits[kGroup];
  __shared__ std::uint32_t sum;
  const ScanPlan &plan = job.plan;
  const DecodeArrays &a = job.arrays;
  const std::uint32_t t = threadIdx.x, group = blockIdx.x, i = group * kGroup + t;
  const bool is_there = i < plan.subsequences;
  const std::uint64_t *last_in = a.last[(pass + 1) & 1];
  std::uint64_t *last_out = a.last[pass & 1];
  std::uint64_t incoming = 0;  // of the group
  if (pass > 0) {
    incoming = group == 0 ? a.first[0] : last_in[group - 1];
    if (incoming == a.first[group]) {  // nothing new
      if (t == 0) last_out[group] = last_in[group];
      return;
    }
  }
  load_tables(job, tables);
  if (t == 0) sum = 0;
  __syncthreads();
  const std::uint32_t end = 8 * (i + 1) * kSubsequenceBytes;
  std::uint64_t entry = kEnd, exit = kEnd;
  Counter counter;
  if (is_there) {
    if (pass == 0) {
      std::uint32_t byte = i * kSubsequenceBytes;
      if (byte != 0 && a.data[byte - 1] == 0xFF) ++byte;  // a stuffed zero, or half a marker
      entry = State{8 * byte, 0, 0}.packed();
      if (t == 0) a.first[group] = entry;
      exit = walk(plan, a.data, tables, state_of(entry), end, counter);
    } else {
      entry = t == 0 ? a.first[group] : a.exits[i - 1];
      exit = a.exits[i];
      counter.blocks = a.counts[i];
    }
  }
  if (pass == 0) incoming = entry;
  for (;;) {
    exits[t] = exit;
    __syncthreads();
    const std::uint64_t now = t == 0 ? incoming : exits[t - 1];
    const bool changes = is_there && now != entry;
    if (__syncthreads_and(changes ? 0 : 1) != 0) break;
    if (!changes) continue;
    entry = now;
    counter.blocks = 0;
    exit = walk(plan, a.data, tables, state_of(entry), end, counter);
  }
  if (is_there) {
    a.exits[i] = exit;
    a.counts[i] = counter.blocks;
    atomicAdd(&sum, counter.blocks);
    if (t == 0 && pass > 0) a.first[group] = incoming;
    if (t == kGroup - 1 || i + 1 == plan.subsequences) last_out[group] = exit;
  }
  __syncthreads();
  if (t == 0) a.group_counts[group] = sum;
}

__global__ void __launch_bounds__(kGroup) write_kernel(const __grid_constant__ BitsJob job) {
  wait_for_grid_before();
  __shared__ DecodeTable tables[2 * kComponents];
  __shared__ std::uint32_t sums[kGroup], before;
  const ScanPlan &plan = job.plan;
  const DecodeArrays &a = job.arrays;
  const std::uint32_t t = threadIdx.x, group = blockIdx.x, i = group * kGroup + t;
  const bool is_there = i < plan.subsequences;
  if (t == 0) before = 0;
  load_tables(job, tables);
  const std::uint32_t count = is_there ? a.counts[i] : 0;
  sums[t] = count;
  __syncthreads();
  std::uint32_t mine = 0;
  for (std::uint32_t g = t; g < group; g += kGroup)
    mine += a.group_counts[g];
  if (mine != 0) atomicAdd(&before, mine);
  for (std::uint32_t distance = 1; distance < kGroup; distance *= 2) {
    const std::uint32_t other = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  if (!is_there) return;
  CoefficientWriter writer = {a.data, a.coefficients, before + sums[t] - count, plan.blocks,
                              plan.interval * static_cast<std::uint32_t>(plan.blocks_of_mcu)};
  if (writer.block >= plan.blocks) return;
  const std::uint64_t entry = i == 0 ? 0 : a.exits[i - 1];
  const std::uint64_t exit =
      walk(plan, a.data, tables, state_of(entry), 8 * (i + 1) * kSubsequenceBytes, writer);
  // All is well if each thread comes to where the next one has begun, and has as many blocks as the
  // next one has counted.
  const bool is_spoiled =
      writer.is_spoiled ||
      (!writer.is_last && (exit != a.exits[i] || writer.block != before + sums[t]));
  if (is_spoiled || writer.is_last)
    atomicOr(a.result, (is_spoiled ? kSpoiled : 0) | (writer.is_last ? kAllBlocks : 0));
}

}  // namespace

Status decode_bits_cuda(const ScanPlan &plan, const DecodeArrays &arrays, void *stream) {
  auto *const to = static_cast<cudaStream_t>(stream);
  const std::size_t cleared =
      static_cast<std::size_t>(reinterpret_cast<std::uint8_t *>(arrays.coefficients) -
                               reinterpret_cast<std::uint8_t *>(arrays.result)) +
      std::size_t{plan.blocks} * kCoefficients * sizeof(std::int16_t);
  if (Status s = cuda_checked(cudaMemsetAsync(arrays.result, 0, cleared, to)); !s.ok()) return s;
  const BitsJob job = {plan, arrays};
  const dim3 grid(plan.groups), block(kGroup);
  for (int pass = 0; pass < kSyncPasses; ++pass)
    if (Status s = launch_with(synchronise_kernel, grid, block, 0, to, pass > 0, job, pass);
        !s.ok())
      return s;
  return launch_early(write_kernel, grid, block, 0, to, job);
}

}  // namespace coalesce::jpeg
