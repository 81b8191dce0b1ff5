// SPDX-License-Identifier: LGPL-2.1-or-later
// CUDA: bits to coefficients by decoders that synchronise themselves (Klein and Wiseman 2003;
// Weissenberger and Schmidt, ICPP 2018 and HPDC 2021). Each thread begins its subsequence as if a
// picture began there, and goes on from where the one before has ended until nothing changes. The
// last kernel decodes once more, writes, and finds out whether all of this holds together.
//
// All threads of a warp wait for the slowest one. So a symbol is a few steps without a branch:
// stuffed zeros are gone, and no code crosses a marker but in the last bits before it.
#include <cstdint>

#include "../../core/cuda_status.h"
#include "../../core/grid_order.cuh"
#include "cuda_decode_job.h"

namespace coalesce::jpeg {
namespace {

constexpr int kComponents = 3;  // of a file that is decoded
constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::uint32_t kMostBits = 31;          // of a code and the number behind it
constexpr std::uint32_t kHalo = 16;              // raw bytes behind a group: kMostBits and a marker
constexpr std::uint32_t kNoCode = kBadCodeBits;  // length and size of an entry of no code
constexpr std::uint32_t kLengthAndSize = 511;

struct BitsJob {
  ScanPlan plan;
  DecodeArrays arrays;
  std::uint32_t components;  // two bits for each block of an MCU
};

// Where a code begins, in bits of a group's clean bytes.
struct State {
  std::uint32_t at, block, k;  // block: in the MCU; k: in the block, 0 before DC

  __device__ __forceinline__ std::uint32_t packed() const { return at << 11 | block << 7 | k; }
};
constexpr std::uint32_t kEnd = kNone;  // no more data; packed

__device__ __forceinline__ State state_of(std::uint32_t packed) {
  return {packed >> 11, packed >> 7 & 15, packed & 127};
}
// As seen from a place so many bytes later.
__device__ __forceinline__ std::uint32_t seen_from(std::uint32_t packed, std::uint32_t bytes) {
  return packed == kEnd ? kEnd : packed - (bytes << 14);
}
__device__ __forceinline__ std::uint32_t seen_before(std::uint32_t packed, std::uint32_t bytes) {
  return packed == kEnd ? kEnd : packed + (bytes << 14);
}

__device__ __forceinline__ bool is_restart(std::uint32_t byte) {
  return byte >= 0xD0 && byte <= 0xD7;
}

// The bytes of a group and of its lead, in shared memory.
struct Clean {
  static constexpr std::uint32_t kBytes = (kGroup + kLead) * kSubsequenceBytes + kHalo;

  // The first byte of a word is its highest. Some words more are there for who reads ahead.
  std::uint32_t words[kBytes / 4 + 4];
  std::uint32_t marks[kBytes / 32 + 2];  // a bit for each byte: it is a marker's

  __device__ __forceinline__ std::uint32_t byte(std::uint32_t i) const {
    return words[i / 4] >> (24 - i % 4 * 8) & 255;
  }
  __device__ __forceinline__ bool is_mark(std::uint32_t i) const {
    return (marks[i / 32] >> i % 32 & 1) != 0;
  }
  // The first marker from `byte` on that a code beginning before `end` (bits) may meet: its bit.
  __device__ __forceinline__ std::uint32_t next_mark(std::uint32_t byte, std::uint32_t end) const {
    const std::uint32_t last = (end + kMostBits + 7) / 256;
    std::uint32_t i = byte / 32, found = marks[i] & kNone << byte % 32;
    while (found == 0 && i < last)
      found = marks[++i];
    return found == 0
               ? kNone
               : 256 * i + 8 * static_cast<std::uint32_t>(__ffs(static_cast<int>(found)) - 1);
  }
};

// The highest bit of each byte that is 0.
__device__ __forceinline__ std::uint32_t zeros_of(std::uint32_t word) {
  return ~(((word & 0x7F7F7F7F) + 0x7F7F7F7F) | word | 0x7F7F7F7F);
}

// Four bytes of a scan: which of them are dropped, and which are markers.
struct Bytes {
  std::uint32_t word, dropped, marks;

  // The bytes at `at` (aligned); none is there from `end` on.
  __device__ __forceinline__ Bytes(const std::uint8_t *data, std::uint32_t at, std::uint32_t end) {
    const auto *words = reinterpret_cast<const std::uint32_t *>(data + at);
    word = words[0];
    const std::uint32_t before = at == 0 ? 0 : data[at - 1], behind = data[at + 4];
    const std::uint32_t full = zeros_of(~word);
    const std::uint32_t full_before = full << 8 | (before == 0xFF ? 0x80 : 0);
    const std::uint32_t zero = zeros_of(word);
    const std::uint32_t zero_behind = zero >> 8 | (behind == 0 ? 0x80000000 : 0);
    dropped = (full_before & zero) | (full & ~full_before & ~zero_behind);
    marks = full_before & ~zero & 0x80808080;
    if (at + 4 > end) {
      const std::uint32_t missing = at >= end ? 0x80808080 : 0x80808080 << 8 * (end - at);
      dropped |= missing;
      marks &= ~missing;
    }
  }
  __device__ __forceinline__ std::uint32_t count() const {
    return 4 - static_cast<std::uint32_t>(__popc(dropped));
  }
  // Returns the place behind them.
  __device__ __forceinline__ std::uint32_t write(std::uint32_t to, Clean *clean) const {
    auto *const bytes = reinterpret_cast<std::uint8_t *>(clean->words);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((marks >> (8 * i + 7) & 1) != 0) atomicOr(&clean->marks[to / 32], 1u << to % 32);
      if ((dropped >> (8 * i + 7) & 1) == 0)
        bytes[to++ ^ 3] = static_cast<std::uint8_t>(word >> 8 * i);
    }
    return to;
  }
};

// Sums of `own` of this thread and those before it. sums: of all threads.
template <std::uint32_t kThreads>
__device__ __forceinline__ std::uint32_t add_up(std::uint32_t own, std::uint32_t *sums) {
  const std::uint32_t t = threadIdx.x;
  sums[t] = own;
  __syncthreads();
  for (std::uint32_t distance = 1; distance < kThreads; distance *= 2) {
    const std::uint32_t other = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += other;
    __syncthreads();
  }
  return sums[t];
}

// Where a group is in Clean: bytes.
struct Extent {
  std::uint32_t begin, end;
};

// The clean bytes of a group, of kLeading subsequences before it, and of the halo behind it; each
// thread has kSubsequenceBytes of the file. sums: of all threads.
template <std::uint32_t kLeading>
__device__ __forceinline__ Extent clean_bytes(const BitsJob &job, std::uint32_t group, Clean *clean,
                                              std::uint32_t *sums) {
  constexpr std::uint32_t kThreads = kGroup + kLeading;
  const std::uint8_t *const data = job.arrays.data;
  const std::uint32_t t = threadIdx.x, all = job.plan.bytes + 2;  // with EOI
  for (std::uint32_t i = t; i < sizeof(Clean) / 4; i += kThreads)
    reinterpret_cast<std::uint32_t *>(clean)[i] = 0;
  const bool is_there = group != 0 || t + 1 > kLeading;
  const std::uint32_t from =
      is_there ? group * kGroupBytes + t * kSubsequenceBytes - kLeading * kSubsequenceBytes : all;
  std::uint32_t to = min(from + kSubsequenceBytes, all), count = 0;
  for (std::uint32_t at = from; at < to; at += 4)
    count += Bytes(data, at, to).count();
  std::uint32_t place = add_up<kThreads>(count, sums) - count;
  if (t == kThreads - 1) to = min(to + kHalo, all);
  for (std::uint32_t at = from; at < to; at += 4)
    place = Bytes(data, at, to).write(place, clean);
  const Extent extent = {kLeading == 0 ? 0 : sums[kLeading - 1], sums[kThreads - 1]};
  __syncthreads();
  return extent;
}

// 64 bits that begin with the word of a state, and the word behind them. That one is loaded a step
// after the step that used it up, so that no step waits for it.
class Window {
 public:
  __device__ __forceinline__ Window(const Clean &clean, std::uint32_t at) { go_to(clean, at); }
  __device__ __forceinline__ void go_to(const Clean &clean, std::uint32_t at) {
    const std::uint32_t *words = clean.words + at / 32;
    high_ = words[0];
    low_ = words[1];
    next_ = words + 2;
    is_short_ = 1;
  }
  // The 32 bits from `at` on.
  __device__ __forceinline__ std::uint32_t at(std::uint32_t at) {
    if (is_short_ != 0) behind_ = *next_++;
    is_short_ = 0;
    return __funnelshift_l(low_, high_, at);
  }
  // By 31 bits at most; after at().
  __device__ __forceinline__ void move(std::uint32_t from, std::uint32_t to) {
    is_short_ = (from ^ to) & 32;
    high_ = is_short_ != 0 ? low_ : high_;
    low_ = is_short_ != 0 ? behind_ : low_;
  }

 private:
  const std::uint32_t *next_;
  std::uint32_t high_, low_, behind_ = 0;
  std::uint32_t is_short_;  // not 0: there is no word behind them yet
};

// Tables of all components, DC and AC.
struct Tables {
  BitTable table[2 * kComponents];

  __device__ __forceinline__ void load(const BitsJob &job, std::uint32_t threads) {
    const auto *from = reinterpret_cast<const uint4 *>(job.arrays.tables);
    const std::uint32_t words =
        2 * static_cast<std::uint32_t>(job.plan.components) * sizeof(BitTable) / sizeof(uint4);
    for (std::uint32_t i = threadIdx.x; i < words; i += threads)
      reinterpret_cast<uint4 *>(table)[i] = from[i];
  }
};

// bits: the next 32.
__device__ __forceinline__ std::uint32_t entry_at(const BitTable *table, const DecodeTable *rest,
                                                  std::uint32_t bits) {
  const std::uint32_t found = table->first[bits >> (32 - kFirstBits)];
  if (found != 0) return found;
  const std::uint32_t place = (bits >> 16) - table->tail_start;
  if (place < kTail) return table->tail[place];
  const std::uint32_t code = look_up(*rest, bits >> 16);
  return entry_of(code & 255, code >> 8, table->is_dc != 0);
}

// block: in the MCU.
__device__ __forceinline__ std::uint32_t component_of(const BitsJob &job, std::uint32_t block) {
  return job.components >> 2 * block & 3;
}

// Decodes the codes that begin before `end` (bits). Sink: what becomes of them. Returns the state
// in which it ends, packed.
template <class Sink>
__device__ __forceinline__ std::uint32_t walk(const BitsJob &job, const Clean &clean,
                                              const Tables &tables, std::uint32_t entry,
                                              std::uint32_t end, Sink &sink) {
  State s = state_of(entry);
  if (s.at >= end) return entry;
  const auto blocks_of_mcu = static_cast<std::uint32_t>(job.plan.blocks_of_mcu);
  std::uint32_t mark = clean.next_mark(s.at / 8, end);
  Window window(clean, s.at);
  std::uint32_t component = component_of(job, s.block);
  // (A pointer that moves: from a fixed one the compiler would work out an address for each code.)
  const BitTable *dc = tables.table + 2 * component;
  const auto look_up_here = [&](std::uint32_t bits) {
    const std::uint32_t is_ac = s.k == 0 ? 0 : 1;
    return entry_at(dc + is_ac, job.arrays.rest + 2 * component + is_ac, bits);
  };
  // Returns false behind the last block.
  const auto step = [&](std::uint32_t found, std::uint32_t bits) {
    sink.symbol(found, bits, s.k);
    const std::uint32_t to = s.at + (found & 31);
    window.move(s.at, to);
    s.at = to;
    s.k += found >> 9;
    if (s.k < kCoefficients) return true;
    s.k = 0;
    if (++s.block == blocks_of_mcu) s.block = 0;
    const std::uint32_t next = component_of(job, s.block);
    dc += 2 * static_cast<int>(next - component);
    component = next;
    return sink.end_block();
  };
  for (;;) {
    // No code that begins before this one ends behind the marker.
    const std::uint32_t bound = min(end, max(mark, kMostBits - 1) - (kMostBits - 1));
    while (s.at < bound) {
      const std::uint32_t bits = window.at(s.at);
      if (!step(look_up_here(bits), bits)) return kEnd;
    }
    if (s.at >= end) return s.packed();
    const std::uint32_t bits = window.at(s.at), left = mark - s.at;
    // Nothing but ones, and less than a byte: no code is there, as none has only ones.
    const bool is_padding = s.k == 0 && s.block == 0 && left < 8 && (~bits & ~(kNone >> left)) == 0;
    if (!is_padding) {
      const std::uint32_t found = look_up_here(bits);
      if ((found & 31) <= left) {
        if (!step(found, bits)) return kEnd;
        continue;
      }
      sink.spoil();
    }
    if (!is_restart(clean.byte(mark / 8))) return kEnd;
    sink.restart(clean, mark);
    s = {mark + 8, 0, 0};
    component = component_of(job, 0);
    dc = tables.table + 2 * component;
    window.go_to(clean, s.at);
    mark = clean.next_mark(s.at / 8, max(end, s.at));
  }
}

struct Counter {
  std::uint32_t blocks = 0;

  __device__ __forceinline__ void symbol(std::uint32_t, std::uint32_t, std::uint32_t) {}
  __device__ __forceinline__ bool end_block() {
    ++blocks;
    return true;
  }
  __device__ __forceinline__ void spoil() {}
  __device__ __forceinline__ void restart(const Clean &, std::uint32_t) {}
};

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
  __device__ __forceinline__ bool end_block() {
    out_ += kCoefficients;
    return ++block_ != blocks_;
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

// Groups begin with a guess, and in later passes with the end of the one before, in the pass
// before.
__global__ void __launch_bounds__(kGroup + kLead)
    synchronise_kernel(const __grid_constant__ BitsJob job, int pass) {
  wait_for_grid_before();
  constexpr std::uint32_t kThreads = kGroup + kLead;
  __shared__ Tables tables;
  __shared__ Clean clean;
  __shared__ std::uint32_t exits[kThreads], sum;
  const DecodeArrays &a = job.arrays;
  const std::uint32_t t = threadIdx.x, group = blockIdx.x;
  const std::uint32_t *last_in = a.last[(pass + 1) & 1];
  std::uint32_t *last_out = a.last[pass & 1];
  std::uint32_t incoming = 0;  // of the group
  if (pass > 0) {
    incoming = group == 0 ? a.first[0] : last_in[group - 1];
    if (incoming == a.first[group]) {  // nothing new
      if (t == 0) last_out[group] = last_in[group];
      return;
    }
  }
  tables.load(job, kThreads);
  if (t == 0) sum = 0;
  const Extent own = clean_bytes<kLead>(job, group, &clean, exits);
  // The lead is counted back from the group's begin.
  const std::uint32_t back = kLead * kSubsequenceBytes, place = own.begin + t * kSubsequenceBytes;
  const std::uint32_t most = t < kLead ? own.begin : own.end;
  const std::uint32_t from = min(max(place, back) - back, most);
  const std::uint32_t end = 8 * min(max(place + kSubsequenceBytes, back) - back, most);
  const std::uint32_t i = group * kGroup + t - kLead;
  const bool is_own = t >= kLead, is_there = is_own || pass == 0;
  const std::uint32_t first = pass == 0 ? 0 : kLead;  // thread
  std::uint32_t entry = kEnd, exit = kEnd;
  Counter counter;
  if (pass == 0) {
    entry = State{8 * from, 0, 0}.packed();
    incoming = entry;
    exit = walk(job, clean, tables, entry, end, counter);
  } else if (is_own) {
    entry = seen_before(t == kLead ? a.first[group] : a.exits[i - 1], own.begin);
    exit = seen_before(a.exits[i], own.begin);
    incoming = seen_before(incoming, own.begin);
    counter.blocks = a.counts[i];
  }
  for (;;) {
    exits[t] = exit;
    __syncthreads();
    const std::uint32_t now = t == first ? incoming : exits[max(t, 1u) - 1];
    const bool changes = is_there && now != entry;
    if (__syncthreads_and(changes ? 0 : 1) != 0) break;
    if (!changes) continue;
    entry = now;
    counter.blocks = 0;
    exit = walk(job, clean, tables, entry, end, counter);
  }
  if (is_own) {
    a.exits[i] = seen_from(exit, own.begin);
    a.counts[i] = counter.blocks;
    atomicAdd(&sum, counter.blocks);
    if (t == kLead) a.first[group] = seen_from(entry, own.begin);
    if (t == kThreads - 1) last_out[group] = seen_from(exit, own.end);
  }
  __syncthreads();
  if (t == 0) a.group_counts[group] = sum;
}

__global__ void __launch_bounds__(kGroup) write_kernel(const __grid_constant__ BitsJob job) {
  wait_for_grid_before();
  __shared__ Tables tables;
  __shared__ Clean clean;
  __shared__ std::uint32_t sums[kGroup], before;
  __shared__ std::uint8_t order[kCoefficients];
  const DecodeArrays &a = job.arrays;
  const std::uint32_t t = threadIdx.x, group = blockIdx.x, i = group * kGroup + t;
  if (t == 0) before = 0;
  for (std::uint32_t k = t; k < kCoefficients; k += kGroup)
    order[k] = natural_order[k];
  tables.load(job, kGroup);
  const Extent own = clean_bytes<0>(job, group, &clean, sums);
  std::uint32_t mine = 0;
  for (std::uint32_t g = t; g < group; g += kGroup)
    mine += a.group_counts[g];
  if (mine != 0) atomicAdd(&before, mine);
  const std::uint32_t count = a.counts[i], behind = add_up<kGroup>(count, sums);
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
      walk(job, clean, tables, entry, 8 * min((t + 1) * kSubsequenceBytes, own.end), writer);
  // All is well if each thread comes to where the next one has begun, and has as many blocks as the
  // next one has counted.
  std::uint32_t told = a.exits[i];
  if (t == kGroup - 1)
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
  const std::size_t cleared =
      static_cast<std::size_t>(reinterpret_cast<std::uint8_t *>(arrays.coefficients) -
                               reinterpret_cast<std::uint8_t *>(arrays.result)) +
      std::size_t{plan.blocks} * kCoefficients * sizeof(std::int16_t);
  if (Status s = cuda_checked(cudaMemsetAsync(arrays.result, 0, cleared, to)); !s.ok()) return s;
  BitsJob job = {plan, arrays, 0};
  for (int b = 0; b < plan.blocks_of_mcu; ++b)
    job.components |= std::uint32_t{plan.component[b]} << 2 * b;
  const dim3 grid(plan.groups), block(kGroup), with_lead(kGroup + kLead);
  for (int pass = 0; pass < kSyncPasses; ++pass)
    if (Status s = launch_with(synchronise_kernel, grid, with_lead, 0, to, pass > 0, job, pass);
        !s.ok())
      return s;
  return launch_early(write_kernel, grid, block, 0, to, job);
}

}  // namespace coalesce::jpeg
