// SPDX-License-Identifier: LGPL-2.1-or-later
// Stands in for the instructions that kernels name in PTX: the functions of core/ptx.cuh and of the
// kernels on tensor cores, in C++ (PTX ISA).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "cuda.h"

namespace coalesce::ptx {

inline std::uint32_t prmt(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  const std::uint64_t all = std::uint64_t{high} << 32 | low;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t which = selector >> 4 * i & 15;
    const auto byte = static_cast<std::uint8_t>(all >> 8 * (which & 7));
    const std::uint32_t picked = (which & 8) == 0 ? byte : (byte & 128) != 0 ? 255 : 0;
    result |= picked << 8 * i;
  }
  return result;
}

inline std::uint32_t distances(std::uint32_t a, std::uint32_t b) {
  std::uint32_t all = 0;
  for (int i = 0; i < 32; i += 8) {
    const std::uint32_t x = a >> i & 255, y = b >> i & 255;
    all |= (x < y ? y - x : x - y) << i;
  }
  return all;
}
inline std::uint32_t add_distances(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
  for (int i = 0; i < 32; i += 8)
    sum += static_cast<std::uint32_t>(
        std::abs(static_cast<int>(a >> i & 255) - static_cast<int>(b >> i & 255)));
  return sum;
}

// (A bit off, as the instruction may be.)
inline float reciprocal(float x) {
  return 1 / x * (1 + 0x1p-23f);
}

// A half is a sign, five bits of exponent and ten of fraction. (No infinities and no NaN.)
inline double half_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -value : value;
}
inline std::uint32_t half_bits_of(double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  value = std::fabs(value);
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), -14);
  // (A carry makes it the next exponent.)
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(value, 10 - exponent)));
  return sign | (static_cast<std::uint32_t>(exponent + 14) * 1024 + steps);
}

inline std::uint32_t fma_halves(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t result = 0;
  for (int i = 0; i < 32; i += 16)
    result |= half_bits_of(half_value(a >> i) * half_value(b >> i) + half_value(c >> i)) << i;
  return result;
}
inline std::uint32_t add_halves(std::uint32_t a, std::uint32_t b) {
  return fma_halves(a, 0x3c003c00, b);
}
inline std::uint32_t subtract_halves(std::uint32_t a, std::uint32_t b) {
  return fma_halves(b, 0xbc00bc00, a);
}

// What is copied is there when it was waited for, not before.
inline void cp_async(std::uint32_t to, const void *from) {
  emulated::pending().copies.push_back(
      {emulated::aligned(static_cast<uint4 *>(emulated::shared_pointer(to))),
       emulated::aligned(static_cast<const uint4 *>(from))});
}
inline void cp_async_wait_all() {
  for (const emulated::Copy &copy : emulated::pending().copies)
    *copy.to = *copy.from;
  emulated::pending().copies.clear();
}

template <int kThreads>
void barrier_sync(int number) {
  emulated::meet_at_barrier(static_cast<unsigned>(number), kThreads, false);
}

}  // namespace coalesce::ptx

namespace coalesce {

// Operands and results of a lane for a product of 16 x kTerms by kTerms x 8 (mma.m16n8k32, k16).
template <int kTerms>
struct MmaLane {
  std::uint32_t a[kTerms / 8], b[kTerms / 16];
  int c[4];
};

inline std::int16_t byte_of_word(std::uint32_t word, int i, bool is_signed) {
  const auto byte = static_cast<std::uint8_t>(word >> 8 * i);
  return is_signed ? static_cast<std::int8_t>(byte) : std::int16_t{byte};
}

template <int kTerms, bool kSignedA, bool kSignedB>
void multiply_lanes(void *const *lane) {
  std::int16_t a[16][kTerms], b[8][kTerms];
  int c[16][8];
  const auto place = [&c](int l, int i) -> int & {
    return c[l / 4 + 8 * (i / 2)][2 * (l % 4) + i % 2];
  };
  for (int l = 0; l < 32; ++l) {
    const auto &mine = *static_cast<const MmaLane<kTerms> *>(lane[l]);
    for (int term = 0; term < kTerms; term += 16)
      for (int i = 0; i < 4; ++i) {
        const int k = term + 4 * (l % 4) + i;
        for (int half = 0; half < 2; ++half)
          a[l / 4 + 8 * half][k] = byte_of_word(mine.a[term / 8 + half], i, kSignedA);
        b[l / 4][k] = byte_of_word(mine.b[term / 16], i, kSignedB);
      }
    for (int i = 0; i < 4; ++i)
      place(l, i) = mine.c[i];
  }
  emulated::add_products(16, 8, kTerms, a[0], b[0], c[0]);
  for (int l = 0; l < 32; ++l)
    for (int i = 0; i < 4; ++i)
      static_cast<MmaLane<kTerms> *>(lane[l])->c[i] = place(l, i);
}

// tensor/instructions.cuh
template <bool kSignedA, bool kSignedB>
void mma_32(int (&d)[4], const std::uint32_t (&a0)[2], const std::uint32_t (&a1)[2],
            std::uint32_t b0, std::uint32_t b1, const int (&c)[4]) {
  MmaLane<32> mine = {{a0[0], a0[1], a1[0], a1[1]}, {b0, b1}, {c[0], c[1], c[2], c[3]}};
  emulated::meet(~0u, &mine, multiply_lanes<32, kSignedA, kSignedB>);
  std::copy_n(mine.c, 4, d);
}
template <bool kSignedA, bool kSignedB>
void mma_16(int (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b, const int (&c)[4]) {
  MmaLane<16> mine = {{a[0], a[1]}, {b}, {c[0], c[1], c[2], c[3]}};
  emulated::meet(~0u, &mine, multiply_lanes<16, kSignedA, kSignedB>);
  std::copy_n(mine.c, 4, d);
}

// Up to four matrices of 8 x 8 halves of words, in shared memory and in lanes.
struct MatrixLane {
  std::uint16_t *row;  // that this lane gives the address of
  std::uint32_t words[4];

  MatrixLane(std::uint32_t address, bool is_used)
      : row(is_used ? reinterpret_cast<std::uint16_t *>(emulated::aligned(
                          static_cast<uint4 *>(emulated::shared_pointer(address))))
                    : nullptr),
        words() {}
};
template <bool kTransposed, class Visit>
void for_halves(void *const *lane, int matrices, Visit visit) {
  for (int l = 0; l < 32; ++l)
    for (int m = 0; m < matrices; ++m)
      for (int half = 0; half < 2; ++half) {
        const int row = kTransposed ? 2 * (l % 4) + half : l / 4;
        const int column = kTransposed ? l / 4 : 2 * (l % 4) + half;
        visit(static_cast<MatrixLane *>(lane[8 * m + row])->row[column],
              static_cast<MatrixLane *>(lane[l])->words[m], 16 * half);
      }
}
template <bool kTransposed>
void store_halves(void *const *lane) {
  for_halves<kTransposed>(lane, 4, [](std::uint16_t &memory, std::uint32_t word, int shift) {
    memory = static_cast<std::uint16_t>(word >> shift);
  });
}

template <int kMatrices>
void load_transposed(std::uint32_t address, std::uint32_t *words) {
  MatrixLane mine(address, emulated::lane_number() < 8 * kMatrices);
  emulated::meet(~0u, &mine, [](void *const *lane) {
    for_halves<true>(lane, kMatrices, [](std::uint16_t memory, std::uint32_t &word, int shift) {
      word |= std::uint32_t{memory} << shift;
    });
  });
  std::copy_n(mine.words, kMatrices, words);
}
inline void store_matrices(std::uint32_t address, const std::uint32_t (&words)[4]) {
  MatrixLane mine(address, true);
  std::copy_n(words, 4, mine.words);
  emulated::meet(~0u, &mine, store_halves<false>);
}
inline std::uint32_t saturate_bytes(int a, int b, int c, int d) {
  const auto cut = [](int v) { return static_cast<std::uint32_t>(v < 0 ? 0 : v > 255 ? 255 : v); };
  return cut(a) | cut(b) << 8 | cut(c) << 16 | cut(d) << 24;
}
inline int upper_half_of_sum(int a, int b, std::int64_t c) {
  return static_cast<int>((std::int64_t{a} * b + c) >> 32);
}

// tensor/bulk_copy.cuh. What is copied is there when somebody waits for it; what was there is gone
// at once.
class BulkBarrier {
 public:
  void init() { state_ = {0, 1, 0}; }
  void expect(int bytes) {
    if (state_.awaited == 0) emulated::fail("a phase of a barrier has too many arrivals");
    state_.awaited = 0;
    state_.bytes += bytes;
    end_phase();
  }
  void copy(void *to, const void *from, int bytes) {
    if (bytes <= 0 || bytes % 16 != 0) emulated::fail("a bulk copy of %d bytes", bytes);
    const auto size = static_cast<std::size_t>(bytes);
    (void)emulated::aligned(static_cast<const uint4 *>(from));
    add(emulated::aligned(static_cast<uint4 *>(to)), from, size);
  }
  void copy(void *to, const CUtensorMap &map, int x, int y) {
    if (reinterpret_cast<std::uintptr_t>(to) % 128 != 0 || x * map.element % 16 != 0)
      emulated::fail("a rectangle is copied to %p from element %d", to, x);
    auto *element = static_cast<std::uint8_t *>(to);
    for (int row = y; row < y + map.rows; ++row)
      for (int column = x; column < x + map.columns; ++column, element += map.element) {
        const bool inside = row >= 0 && row < map.height && column >= 0 && column < map.width;
        add(element, inside ? map.data + row * map.pitch + map.element * column : nullptr,
            static_cast<std::size_t>(map.element));
      }
  }
  void wait(int parity) {
    while (!is_over(parity))
      emulated::pause();
  }

 private:
  void add(void *to, const void *from, std::size_t bytes) {
    std::memset(to, emulated::kUndefined, bytes);
    emulated::bulk_copies().push_back(
        {this, static_cast<std::uint8_t *>(to), static_cast<const std::uint8_t *>(from), bytes});
  }
  bool is_over(int parity) {
    std::erase_if(emulated::bulk_copies(), [this](const emulated::BulkCopy &copy) {
      if (copy.barrier != this) return false;
      if (copy.from != nullptr)
        std::memcpy(copy.to, copy.from, copy.bytes);
      else
        std::memset(copy.to, 0, copy.bytes);
      state_.bytes -= static_cast<int>(copy.bytes);
      return true;
    });
    end_phase();
    return state_.phase % 2 != parity;
  }
  void end_phase() {
    if (state_.awaited == 0 && state_.bytes == 0) state_ = {0, 1, (state_.phase + 1) % 2};
  }

  struct alignas(8) State {
    std::int32_t bytes;
    std::int16_t awaited;  // arrivals
    int phase : 16;
  };
  State state_;
  static_assert(sizeof(State) == 8);
};
inline void fence_for_copies() {}

// tensor/sparse_instructions.cuh
inline std::uint32_t sparse_address(std::uint32_t address, int pitch) {
  return address >> 4 | static_cast<std::uint32_t>(pitch >> 4) << 16;
}
inline std::uint64_t sparse_operand(std::uint32_t address) {
  return std::uint64_t{128 >> 4} << 32 | address;
}
template <bool kSigned>
void multiply_sparse(int (&d)[32], const std::uint32_t (&a)[4], std::uint64_t b,
                     std::uint32_t places, bool add) {
  if (emulated::pending().products.empty()) emulated::pending().products.emplace_back();
  emulated::pending().products.back().push_back(
      {d, {a[0], a[1], a[2], a[3]}, places, b, kSigned, add});
}
inline void start_products() {}
inline void end_products() {
  emulated::pending().products.emplace_back();
}
// Of a warp: 16 rows of sums, whose terms are stored two of each four.
inline void multiply_lanes_sparse(void *const *lane) {
  std::int16_t a[16][64] = {}, b[64][64];
  int c[16][64];
  const auto product = [lane](int l) -> const emulated::Product & {
    return *static_cast<const emulated::Product *>(lane[l]);
  };
  const std::uint64_t described = product(0).b;
  const auto field = [described](int bit) {
    return static_cast<std::uint32_t>(described >> bit & 0x3FFF) << 4;
  };
  const auto *from = static_cast<const std::uint8_t *>(emulated::shared_pointer(field(0)));
  for (int column = 0; column < 64; ++column)
    for (int k = 0; k < 64; ++k)
      b[column][k] = from[k / 16 * field(16) + column / 8 * field(32) + column % 8 * 16 + k % 16];
  for (int l = 0; l < 32; ++l) {
    if (product(l).b != described) emulated::fail("lanes multiply by different matrices");
    for (int upper = 0; upper < 2; ++upper) {
      const int row = l / 4 + 8 * upper;
      for (int i = 0; i < 8;
           ++i) {  // stored: four of 8 terms, and four of 8 that are 32 further on
        const int four = l % 4 * 2 + i % 4 / 2 + i / 4 * 8;
        const std::uint32_t places = product(l / 4 * 4 + upper + four / 8 * 2).places;
        const auto place = static_cast<int>(places >> (four % 8 * 4 + i % 2 * 2) & 3);
        a[row][4 * four + place] =
            byte_of_word(product(l).a[i / 4 * 2 + upper], i % 4, product(l).a_is_signed);
      }
      for (int j = 0; j < 16; ++j)
        c[row][j / 2 * 8 + l % 4 * 2 + j % 2] =
            product(l).add ? product(l).d[j / 2 * 4 + 2 * upper + j % 2] : 0;
    }
  }
  emulated::add_products(16, 64, 64, a[0], b[0], c[0]);
  for (int l = 0; l < 32; ++l)
    for (int j = 0; j < 32; ++j)
      product(l).d[j] = c[l / 4 + j / 2 % 2 * 8][j / 4 * 8 + l % 4 * 2 + j % 2];
}
template <int kPending>
void wait_for_products(int (&)[32]) {
  auto &groups = emulated::pending().products;
  while (groups.size() > kPending + 1) {
    for (emulated::Product product : groups.front())
      emulated::meet(~0u, &product, multiply_lanes_sparse);
    groups.erase(groups.begin());
  }
}
inline void store_transposed(std::uint32_t address, const std::uint32_t (&words)[4]) {
  MatrixLane mine(address, true);
  std::copy_n(words, 4, mine.words);
  emulated::meet(~0u, &mine, store_halves<true>);
}
inline void *same_in_all_lanes(void *shared) {
  return emulated::shared_pointer(__shfl_sync(~0u, emulated::shared_address(shared), 0));
}
inline bool elect_lane() {
  __syncwarp();
  return emulated::lane_number() == 31;  // any one
}
inline void sync_two_warps(int number) {
  emulated::meet_at_barrier(static_cast<unsigned>(number) + 1, 64, false);
}

}  // namespace coalesce
