// SPDX-License-Identifier: LGPL-2.1-or-later
// The MQ coder as others have it on GPUs, a thread for each codeword and a symbol at a time: for
// what the pipeline has not, and can be chosen here. Built into the benchmark, not into the
// library.
#pragma once

#include <type_traits>

#include "j2k/tier1/mq/mq_launch.cuh"

namespace coalesce::j2k {

// Where the interval, the code register and what belongs to it are from symbol to symbol.
enum class StateIn { registers, shared, local };
// How many bits both are shifted by: counted, looked up for the upper byte of the interval, or
// found out by shifting them one by one.
enum class Renormalise { by_count, by_table, by_ones };
// Which four symbols that move no state are coded as one: none, those of one context, or any.
enum class Series { none, same_context, any_context };

// chunk: symbols that are read at once (1, 4, or 16 times a power of two). resident: blocks of
// threads that a multiprocessor has at a time; 0: as many as fit.
template <StateIn state_in = StateIn::registers, Renormalise renormalise = Renormalise::by_count,
          int chunk = 16, int threads = 128, int resident = 0, Series series = Series::none>
struct LaneShape {
  static constexpr StateIn kStateIn = state_in;
  static constexpr Renormalise kRenormalise = renormalise;
  static constexpr int kChunk = chunk, kThreads = threads, kResident = resident;
  static constexpr Series kSeries = series;
};

struct ByteZeros {
  std::uint8_t of[256];  // zeros above the highest bit
};
constexpr ByteZeros make_byte_zeros() {
  ByteZeros zeros = {};
  for (int i = 0; i < 256; ++i)
    for (int bit = 0x80; bit > i; bit /= 2)
      ++zeros.of[i];
  return zeros;
}
static __constant__ const ByteZeros byte_zeros = make_byte_zeros();

// A codeword's symbols, kChunk at a time.
template <int kChunk>
class ChunkReader {
 public:
  __device__ ChunkReader(const std::uint8_t *symbols, std::uint32_t count) {
    const auto skipped = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(symbols) % kUnit);
    from_ = symbols - skipped;
    end_ = count + skipped;
    for (unsigned i = 0; i < skipped; ++i)
      (void)next();
  }
  __device__ unsigned next() {
    fetch();
    const unsigned symbol = word_ & 0xFF;
    word_ >>= 8;
    ++at_;
    return symbol;
  }
  // Four symbols, where at_word().
  __device__ bool at_word() const { return at_ % 4 == 0; }
  __device__ std::uint32_t next_four() {
    static_assert(kChunk >= 4);
    fetch();
    at_ += 4;
    return word_;
  }

 private:
  static constexpr int kUnit = kChunk < 16 ? kChunk : 16, kUnits = kChunk / kUnit;
  using Unit = std::conditional_t<kUnit == 16, Word4,
                                  std::conditional_t<kUnit == 4, std::uint32_t, std::uint8_t>>;
  static_assert(sizeof(Unit) == kUnit);

  // Into word_, when its symbols have all been taken.
  __device__ void fetch() {
    if (at_ % kChunk == 0) {
#pragma unroll
      for (int i = 0; i < kUnits; ++i)
        if (at_ + i * kUnit < end_)
          units_[i] = *reinterpret_cast<const Unit *>(from_ + at_ + i * kUnit);
      word_ = first_word(units_[0]);
    } else if (at_ % kUnit == 0) {
#pragma unroll
      for (int i = 0; i + 1 < kUnits; ++i)
        units_[i] = units_[i + 1];
      word_ = first_word(units_[0]);
    } else if (at_ % 4 == 0) {
      word_ = next_word(&units_[0]);
    }
  }
  __device__ static std::uint32_t first_word(const Word4 &unit) {
    return unit.x;
  }
  __device__ static std::uint32_t first_word(std::uint32_t unit) {
    return unit;
  }
  __device__ static std::uint32_t next_word(Word4 *unit) {
    *unit = {unit->y, unit->z, unit->w, 0};
    return unit->x;
  }
  __device__ static std::uint32_t next_word(std::uint32_t *unit) {
    return *unit;
  }
  __device__ static std::uint32_t next_word(std::uint8_t *unit) {
    return *unit;
  }

  Unit units_[kUnits];
  const std::uint8_t *from_;
  std::uint32_t word_ = 0, at_ = 0, end_;
};

struct LaneState {
  RegisterStage passes;
  std::uint32_t interval;
};

// Raw bits are symbols of a state that halves the interval: see MqCRegister.
constexpr int kRawRow = 2 * kMqStates + 1, kLaneRows = kRawRow + 1;

template <class Shape>
struct LaneMemory {
  MqRow rows[kLaneRows];
  std::uint32_t contexts[kMqContexts + 1][Shape::kThreads];  // rows
  LaneState states[Shape::kStateIn == StateIn::shared ? Shape::kThreads : 1];
};

// CODE1, CODE0 and RENORME.
template <Renormalise kRenormalise>
__device__ __forceinline__ void code_symbol(LaneState &s, const MqRow *rows, std::uint32_t &context,
                                            unsigned decision) {
  const MqRow row = rows[context];
  const std::uint32_t qe = row.qe, rest = s.interval - qe;
  const bool less_probable = ((context ^ decision) & 1) != 0;
  const bool takes_qe = less_probable != (rest < qe);  // conditional exchange
  if (less_probable || rest < 0x8000) context = less_probable ? row.next_lps : row.next_mps;
  std::uint32_t interval = takes_qe ? qe : rest, add = takes_qe ? 0 : qe;
  int shift = 0;
  if constexpr (kRenormalise == Renormalise::by_ones) {
    for (; interval < 0x8000; add = 0) {
      interval *= 2;
      s.passes.symbol(add, 1, interval);
    }
  } else if constexpr (kRenormalise == Renormalise::by_count) {
    shift = __clz(static_cast<int>(interval)) - 16;
  } else {
    shift = byte_zeros.of[interval >> 8];
    if (shift == 8) shift += byte_zeros.of[interval & 0xFF];
  }
  s.interval = interval << shift;
  s.passes.symbol(add, shift, s.interval);
}

__device__ __forceinline__ void begin_segment(LaneState &s) {
  s.interval = 0x8000;
  s.passes.symbol(0, 0, s.interval);  // a pass may have none
}

// What a thread has of its block's memory.
template <class Shape>
struct Lane {
  LaneMemory<Shape> *memory;

  __device__ std::uint32_t &context(unsigned i) const { return memory->contexts[i][threadIdx.x]; }
  __device__ void reset(int contexts) const {
    for (int i = 0; i < contexts; ++i)
      context(i) = i == kContextRaw ? kRawRow : first_state(i);
  }
};

// False, and nothing has happened, if one of the four moves a state. Else all are the more probable
// ones, and the interval loses the sum of theirs.
template <class Shape>
__device__ __forceinline__ bool code_four(const Lane<Shape> &lane, LaneState &s,
                                          std::uint32_t four) {
  std::uint32_t sum = 0;
  if constexpr (Shape::kSeries == Series::same_context) {
    if (four != (four & 0xFF) * 0x01010101u) return false;
    const std::uint32_t context = lane.context((four & 0xFF) >> 1);
    if (((context ^ four) & 1) != 0) return false;
    sum = 4 * lane.memory->rows[context].qe;
  } else {
    std::uint32_t other = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t symbol = (four >> (8 * i)) & 0xFF, context = lane.context(symbol >> 1);
      other |= context ^ symbol;
      sum += lane.memory->rows[context].qe;
    }
    if ((other & 1) != 0) return false;
  }
  if (s.interval < 0x8000 + sum) return false;
  s.interval -= sum;
  s.passes.symbol(sum, 0, s.interval);
  return true;
}

template <class Shape>
__device__ __forceinline__ void code_codeword(const Lane<Shape> &lane, LaneState &s,
                                              const Codeword &codeword, std::uint32_t symbols) {
  const SymbolSource &source = codeword.source;
  ChunkReader<Shape::kChunk> reader(source.symbols, symbols);
  lane.reset(kMqContexts + 1);
  s.passes.start(codeword);
  begin_segment(s);
  PassType type = PassType::cleanup;
  int plane = source.planes - 1, pass = 0, left = plane < 0 ? 0 : source.made[0].count;
  while (plane >= 0) {
    if constexpr (Shape::kSeries != Series::none) {
      if (left >= 4 && reader.at_word()) {
        std::uint32_t four = reader.next_four();
        left -= 4;
        if (code_four(lane, s, four)) continue;
        for (int i = 0; i < 4; ++i, four >>= 8)
          code_symbol<Shape::kRenormalise>(s, lane.memory->rows, lane.context((four & 0xFF) >> 1),
                                           four & 1);
        continue;
      }
    }
    if (left > 0) {
      const unsigned symbol = reader.next();
      code_symbol<Shape::kRenormalise>(s, lane.memory->rows, lane.context(symbol >> 1), symbol & 1);
      --left;
      // What has an address goes to memory, and comes from there for the next symbol.
      if constexpr (Shape::kStateIn != StateIn::registers) asm volatile("" ::"l"(&s) : "memory");
      continue;
    }
    const std::uint32_t end = end_of_pass(source.style, source.planes, plane, type);
    s.passes.end_pass(end);
    if ((end & kEndsSegment) != 0) begin_segment(s);
    if ((end & kResetsContexts) != 0) lane.reset(kMqContexts);
    if (type == PassType::cleanup) --plane;
    type = pass_place(source.planes, ++pass).type;
    if (plane >= 0) left = source.made[pass].count;
  }
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads)
    code_lanes(DeviceFrame frame, CodingScratch scratch, MqRows rows) {
  __shared__ LaneMemory<Shape> memory;
  for (int i = threadIdx.x; i < kLaneRows; i += Shape::kThreads)
    memory.rows[i] = i < 2 * kMqStates ? rows.at[i] : MqRow{0x4000, kRawRow, kRawRow};
  __syncthreads();
  const std::uint32_t place = blockIdx.x * Shape::kThreads + threadIdx.x;
  if (place >= static_cast<std::uint32_t>(frame.blocks)) return;
  const std::uint32_t index = scratch.order[place];
  LaneState own;
  LaneState &s = Shape::kStateIn == StateIn::shared ? memory.states[threadIdx.x] : own;
  code_codeword<Shape>({&memory}, s, codeword_at(frame, scratch, index), scratch.symbols[index]);
}

// Shared memory that nobody uses, so that no more blocks fit.
template <class Shape>
Status spare_memory(int *bytes) {
  int device = 0, all = 0;
  Status s = cuda_checked(cudaGetDevice(&device));
  if (s.ok())
    s = cuda_checked(
        cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  const auto own = static_cast<int>(sizeof(LaneMemory<Shape>) + 2 * kReservedShared);
  *bytes = all / Shape::kResident - own;
  return s;
}

template <class Shape>
Status code_by_lanes(const DeviceFrame &frame, const CodingScratch &scratch, cudaStream_t stream) {
  int spare = 0;
  if constexpr (Shape::kResident > 0) {
    Status s = spare_memory<Shape>(&spare);
    if (s.ok())
      s = cuda_checked(cudaFuncSetAttribute(code_lanes<Shape>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, spare));
    if (!s.ok()) return s;
  }
  return launch_shared(code_lanes<Shape>,
                       dim3(blocks_for(static_cast<std::uint32_t>(frame.blocks), Shape::kThreads)),
                       dim3(Shape::kThreads), static_cast<std::size_t>(spare), stream, frame,
                       scratch, make_mq_rows());
}

}  // namespace coalesce::j2k
