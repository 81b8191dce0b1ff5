// SPDX-License-Identifier: LGPL-2.1-or-later
#include "blocks_cpu.h"

#include <bit>
#include <cstring>
#include <utility>

#include "../../core/simd.h"
#include "forward_dct.h"

namespace coalesce::jpeg {
namespace {

#if !defined(__x86_64__)

void quantise(const int (&block)[kCoefficients], const QuantFactors &quant, std::int16_t *out) {
  for (int k = 0; k < kCoefficients; ++k) {
    const int at = kNaturalOrder[static_cast<std::size_t>(k)], value = block[at];
    const auto n =
        static_cast<std::uint32_t>((value < 0 ? -value : value) + quant.add[at / 8][at % 8]);
    const std::uint32_t quotient =
        (n * quant.factor[at / 8][at % 8] >> 16) * quant.scale[at / 8][at % 8] >> 16;
    out[k] = static_cast<std::int16_t>(value < 0 ? -static_cast<int>(quotient)
                                                 : static_cast<int>(quotient));
  }
}

void code_block(const std::uint8_t *const (&rows)[8], int number, const QuantFactors &quant,
                std::int16_t *out) {
  int block[kCoefficients], line[8];
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x)
      line[x] = rows[y][8 * number + x] - 128;
    forward_dct_1d<true>(line);
    std::memcpy(block + 8 * y, line, sizeof line);
  }
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y)
      line[y] = block[8 * y + x];
    forward_dct_1d<false>(line);
    for (int y = 0; y < 8; ++y)
      block[8 * y + x] = line[y];
  }
  quantise(block, quant, out);
}

#else

// Lanes of 16 bits; each half of a vector of 32 bytes has a block of its own.
COALESCE_INLINE void product_high(const Vector<16>::Uint16 &a, const Vector<16>::Uint16 &b,
                                  Vector<16>::Uint16 &out) {
  typedef std::int16_t Int16 __attribute__((vector_size(16)));
  out = reinterpret_cast<Vector<16>::Uint16>(
      __builtin_ia32_pmulhuw128(reinterpret_cast<Int16>(a), reinterpret_cast<Int16>(b)));
}
#if defined(COALESCE_AVX2)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
COALESCE_INLINE void product_high(const Vector<32>::Uint16 &a, const Vector<32>::Uint16 &b,
                                  Vector<32>::Uint16 &out) {
  typedef std::int16_t Int16 __attribute__((vector_size(32)));
  out = reinterpret_cast<Vector<32>::Uint16>(
      __builtin_ia32_pmulhuw256(reinterpret_cast<Int16>(a), reinterpret_cast<Int16>(b)));
}
#pragma GCC diagnostic pop
#endif

#if defined(COALESCE_AVX2)
// Eight numbers in the order of the file are those of a few rows: where each byte comes from in a
// row, or 0x80.
struct ZigzagShuffles {
  alignas(32) std::uint8_t from[8][8][32] = {};  // by eight, by row
  bool used[8][8] = {};
};
constexpr ZigzagShuffles make_zigzag_shuffles() {
  ZigzagShuffles s;
  for (auto &eight : s.from)
    for (auto &row : eight)
      for (std::uint8_t &byte : row)
        byte = 0x80;
  for (std::size_t k = 0; k < kCoefficients; ++k) {
    const std::size_t row = kNaturalOrder[k] / 8, column = kNaturalOrder[k] % 8;
    s.used[k / 8][row] = true;
    for (std::size_t i = 0; i < 32; ++i)
      if (i % 16 / 2 == k % 8)
        s.from[k / 8][row][i] = static_cast<std::uint8_t>(2 * column + i % 2);
  }
  return s;
}
constexpr ZigzagShuffles kZigzag = make_zigzag_shuffles();

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
// Each half of the vectors has a block.
template <std::size_t kEight, std::size_t kRow>
COALESCE_INLINE void add_of_row(const Vector<32>::Int16 (&v)[8], Vector<32>::Int16 &sum) {
  if constexpr (kZigzag.used[kEight][kRow]) {
    typedef char Bytes __attribute__((vector_size(32)));
    Bytes from;
    std::memcpy(&from, kZigzag.from[kEight][kRow], sizeof from);
    sum |= reinterpret_cast<Vector<32>::Int16>(
        __builtin_ia32_pshufb256(reinterpret_cast<Bytes>(v[kRow]), from));
  }
}
template <std::size_t kEight, std::size_t... kRow>
COALESCE_INLINE void store_eight(const Vector<32>::Int16 (&v)[8], std::int16_t *a, std::int16_t *b,
                                 std::index_sequence<kRow...>) {
  Vector<32>::Int16 sum = {};
  (add_of_row<kEight, kRow>(v, sum), ...);
  std::memcpy(a + 8 * kEight, &sum, 16);
  std::memcpy(b + 8 * kEight, reinterpret_cast<const char *>(&sum) + 16, 16);
}
template <std::size_t... kEight>
COALESCE_INLINE void store_zigzag(const Vector<32>::Int16 (&v)[8], std::int16_t *a, std::int16_t *b,
                                  std::index_sequence<kEight...>) {
  (store_eight<kEight>(v, a, b, std::make_index_sequence<8>()), ...);
}
COALESCE_INLINE void store_zigzag(const Vector<32>::Int16 (&v)[8], std::int16_t *a,
                                  std::int16_t *b) {
  store_zigzag(v, a, b, std::make_index_sequence<8>());
}
#pragma GCC diagnostic pop
#endif

template <int kBytes>
struct Lanes {
  using V = Vector<kBytes>;
  using Int16 = typename V::Int16;
  using Uint16 = typename V::Uint16;
  using Int32 = typename V::Int32;
  static constexpr int kBlocks = kBytes / 16;

  // Each round moves the highest bit of an element's row behind the bits of its column.
  COALESCE_INLINE static void transpose(Int16 (&v)[8]) {
    for (int round = 0; round < 3; ++round) {
      Int16 in[8];
      for (int i = 0; i < 8; ++i)
        in[i] = v[i];
      for (int i = 0; i < 4; ++i)
        V::interleave(in[i], in[i + 4], v[2 * i], v[2 * i + 1]);
    }
  }

  // Two factors in every pair of lanes.
  COALESCE_INLINE static void pairs_of(int a, int b, Int16 &out) {
    out = reinterpret_cast<Int16>(Int32{} + static_cast<int>((static_cast<unsigned>(a) & 0xFFFF) |
                                                             static_cast<unsigned>(b) << 16));
  }

  // (a * of_a + b * of_b + half) >> kDown for each lane, the pairs being interleaved.
  template <int kDown>
  COALESCE_INLINE static void turn(const Int16 &low, const Int16 &high, int of_a, int of_b,
                                   Int16 &out) {
    Int16 factors;
    pairs_of(of_a, of_b, factors);
    Int32 l, h;
    V::multiply_add(low, factors, l);
    V::multiply_add(high, factors, h);
    V::join((l + (1 << (kDown - 1))) >> kDown, (h + (1 << (kDown - 1))) >> kDown, out);
  }
  // The same of four numbers.
  template <int kDown>
  COALESCE_INLINE static void turn(const Int16 (&ab)[2], int of_a, int of_b, const Int16 (&cd)[2],
                                   int of_c, int of_d, Int16 &out) {
    Int16 first, second;
    pairs_of(of_a, of_b, first);
    pairs_of(of_c, of_d, second);
    Int32 sum[2];
    for (int half = 0; half < 2; ++half) {
      Int32 more;
      V::multiply_add(ab[half], first, sum[half]);
      V::multiply_add(cd[half], second, more);
      sum[half] = (sum[half] + more + (1 << (kDown - 1))) >> kDown;
    }
    V::join(sum[0], sum[1], out);
  }

  // forward_dct_1d() of each lane: its products are joined so that they are of pairs.
  template <bool kRows>
  COALESCE_INLINE static void dct(Int16 (&d)[8]) {
    constexpr int kDown = kRows ? kConstantBits - kRowBits : kConstantBits + kRowBits;
    const Int16 s0 = d[0] + d[7], s1 = d[1] + d[6], s2 = d[2] + d[5], s3 = d[3] + d[4];
    const Int16 d0 = d[0] - d[7], d1 = d[1] - d[6], d2 = d[2] - d[5], d3 = d[3] - d[4];
    const Int16 s03 = s0 + s3, s12 = s1 + s2, d03 = s0 - s3, d12 = s1 - s2;
    if constexpr (kRows) {
      d[0] = (s03 + s12) << kRowBits;
      d[4] = (s03 - s12) << kRowBits;
    } else {
      d[0] = (s03 + s12 + (1 << (kRowBits - 1))) >> kRowBits;
      d[4] = (s03 - s12 + (1 << (kRowBits - 1))) >> kRowBits;
    }
    Int16 low, high;
    V::interleave(d03, d12, low, high);
    turn<kDown>(low, high, k0_541196100 + k0_765366865, k0_541196100, d[2]);
    turn<kDown>(low, high, k0_541196100, k0_541196100 - k1_847759065, d[6]);
    // Of d3 and d0, and of d2 and d1: what each of them has in each sum of forward_dct_1d().
    Int16 outer[2], inner[2];
    V::interleave(d0, d3, outer[0], outer[1]);
    V::interleave(d1, d2, inner[0], inner[1]);
    constexpr int k5 = k1_175875602;
    turn<kDown>(outer, k5 - k0_899976223, k0_298631336 - k0_899976223 + k5 - k1_961570560, inner,
                k5 - k1_961570560, k5, d[7]);
    turn<kDown>(outer, k5 - k0_390180644, k5, inner, k5 - k2_562915447,
                k2_053119869 - k2_562915447 + k5 - k0_390180644, d[5]);
    turn<kDown>(outer, k5, k5 - k1_961570560, inner,
                k3_072711026 - k2_562915447 + k5 - k1_961570560, k5 - k2_562915447, d[3]);
    turn<kDown>(outer, k1_501321110 - k0_899976223 + k5 - k0_390180644, k5 - k0_899976223, inner,
                k5, k5 - k0_390180644, d[1]);
  }

  COALESCE_INLINE static void quantise(Int16 &v, const QuantFactors &quant, int row) {
    Uint16 add, factor, scale;
    std::memcpy(&add, quant.add[row], sizeof add);
    std::memcpy(&factor, quant.factor[row], sizeof factor);
    std::memcpy(&scale, quant.scale[row], sizeof scale);
    const Int16 sign = v >> 15;
    Uint16 quotient = reinterpret_cast<Uint16>((v ^ sign) - sign) + add;
    product_high(quotient, factor, quotient);
    product_high(quotient, scale, quotient);
    v = (reinterpret_cast<Int16>(quotient) ^ sign) - sign;
  }

  COALESCE_INLINE static void code(const std::uint8_t *const (&rows)[8], int first,
                                   const QuantFactors &quant, const BlockPlaces &places) {
    Int16 v[8];
    for (int y = 0; y < 8; ++y) {
      V::widen(rows[y] + 8 * first, v[y]);
      v[y] -= 128;
    }
    transpose(v);
    dct<true>(v);
    transpose(v);
    dct<false>(v);
    for (int y = 0; y < 8; ++y)
      quantise(v[y], quant, y);
    if constexpr (kBlocks == 2) {
      store_zigzag(v, places.at(first), places.at(first + 1));
    } else {
      alignas(16) std::int16_t block[kCoefficients];
      for (int y = 0; y < 8; ++y)
        std::memcpy(block + 8 * y, &v[y], sizeof v[y]);
      std::int16_t *const out = places.at(first);
      for (std::size_t k = 0; k < kCoefficients; ++k)
        out[k] = block[kNaturalOrder[k]];
    }
  }
};

#endif

#if defined(COALESCE_AVX2)
COALESCE_AVX2 void code_pairs(const std::uint8_t *const (&rows)[8], int pairs,
                              const QuantFactors &quant, const BlockPlaces &places) {
  for (int i = 0; i < pairs; ++i)
    Lanes<32>::code(rows, 2 * i, quant, places);
}
#endif

}  // namespace

QuantFactors quant_factors(const QuantTable &steps) {
  QuantFactors quant;
  for (std::size_t i = 0; i < kCoefficients; ++i) {
    const unsigned divisor = 8u * steps[i];
    const int bits = std::bit_width(divisor) - 1;
    const std::uint32_t whole = std::uint32_t{1} << (16 + bits);
    std::uint32_t factor = whole / divisor;
    const std::uint32_t rest = whole % divisor;
    std::uint32_t add = divisor / 2;
    int down = bits;
    if (rest == 0)
      factor /= 2, --down;
    else if (rest <= divisor / 2)
      ++add;
    else
      ++factor;
    for (const std::size_t column : {i % 8, i % 8 + 8}) {
      quant.add[i / 8][column] = static_cast<std::uint16_t>(add);
      quant.factor[i / 8][column] = static_cast<std::uint16_t>(factor);
      quant.scale[i / 8][column] = static_cast<std::uint16_t>(1 << (16 - down));
    }
  }
  return quant;
}

void code_blocks(const std::uint8_t *const (&rows)[8], int blocks, const QuantFactors &quant,
                 const BlockPlaces &places) {
  int done = 0;
#if defined(COALESCE_AVX2)
  if (__builtin_cpu_supports("avx2")) {
    code_pairs(rows, blocks / 2, quant, places);
    done = blocks / 2 * 2;
  }
#endif
  for (; done < blocks; ++done) {
#if defined(__x86_64__)
    Lanes<16>::code(rows, done, quant, places);
#else
    code_block(rows, done, quant, places.at(done));
#endif
  }
}

}  // namespace coalesce::jpeg
