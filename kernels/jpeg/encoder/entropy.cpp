// SPDX-License-Identifier: LGPL-2.1-or-later
#include "entropy.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace coalesce::jpeg {
namespace {

int size_of(int value) {
  return std::bit_width(static_cast<unsigned>(value < 0 ? -value : value));
}

// Bit k: is coefficient k other than 0?
std::uint64_t nonzero(const std::int16_t *coefficients) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128();
  for (int i = 0; i < 4; ++i) {
    const auto *from = reinterpret_cast<const __m128i *>(coefficients + 16 * i);
    const __m128i zeros = _mm_packs_epi16(_mm_cmpeq_epi16(_mm_loadu_si128(from), zero),
                                          _mm_cmpeq_epi16(_mm_loadu_si128(from + 1), zero));
    mask |= static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(zeros))) << 16 * i;
  }
  return ~mask;
#else
  for (int k = 0; k < kCoefficients; ++k)
    mask |= static_cast<std::uint64_t>(coefficients[k] != 0) << k;
  return mask;
#endif
}

}  // namespace

CodeTable code_table(const HuffmanTable &dc, const HuffmanTable &ac) {
  CodeTable table = {};
  const HuffmanCodes dc_codes = codes_of(dc), ac_codes = codes_of(ac);
  for (std::size_t i = 0; i < kDcSymbols; ++i)
    table.dc[i] = static_cast<std::uint32_t>(dc_codes.length[i]) << 16 | dc_codes.code[i];
  for (std::size_t i = 0; i < kSymbols; ++i)
    table.ac[i] = static_cast<std::uint32_t>(ac_codes.length[i]) << 16 | ac_codes.code[i];
  return table;
}

void count_symbols(const std::int16_t *coefficients, int dc_before, Statistics *statistics) {
  ++statistics->dc[size_of(coefficients[0] - dc_before)];
  std::uint64_t mask = nonzero(coefficients) & ~std::uint64_t{1};
  int last = 0;
  for (; mask != 0; mask &= mask - 1) {
    const int k = std::countr_zero(mask), run = k - last - 1;
    statistics->ac[kZeroRun] += static_cast<std::uint32_t>(run >> 4);
    ++statistics->ac[(run & 15) << 4 | size_of(coefficients[k])];
    last = k;
  }
  if (last != kCoefficients - 1) ++statistics->ac[kEndOfBlock];
}

// Whole bytes go; where none of eight is 0xFF, all at once.
inline void BitWriter::State::flush() {
  // A byte of ones is one whose complement is 0.
  constexpr std::uint64_t kOnes = 0x0101010101010101u, kHighs = 0x8080808080808080u;
  if (((~bits - kOnes) & bits & kHighs) == 0) {
    const std::uint64_t big =
        std::endian::native == std::endian::little ? __builtin_bswap64(bits) : bits;
    std::memcpy(to, &big, sizeof big);
    to += 8;
    return;
  }
  for (int shift = 56; shift >= 0; shift -= 8) {
    const auto byte = static_cast<std::uint8_t>(bits >> shift);
    *to++ = byte;
    if (byte == 0xFF) *to++ = 0;
  }
}

// Up to 32 bits.
inline void BitWriter::State::put(std::uint32_t more, int count) {
  free -= count;
  if (free >= 0) {
    bits = bits << count | more;
    return;
  }
  bits = bits << (count + free) | more >> -free;
  flush();
  free += 64;
  bits = more;
}

void BitWriter::put_block(const std::int16_t *coefficients, int dc_before, const CodeTable &codes) {
  State s = state_;
  const auto put_value = [&s](std::uint32_t code, int value, int size) {
    const auto low = static_cast<std::uint32_t>(value + (value >> 31)) & ((1u << size) - 1);
    s.put((code & 0xFFFF) << size | low, static_cast<int>(code >> 16) + size);
  };
  const auto put_code = [&s](std::uint32_t code) {
    s.put(code & 0xFFFF, static_cast<int>(code >> 16));
  };
  const int difference = coefficients[0] - dc_before, dc_size = size_of(difference);
  put_value(codes.dc[dc_size], difference, dc_size);
  std::uint64_t mask = nonzero(coefficients) >> 1;
  const std::int16_t *at = coefficients + 1;
  while (mask != 0) {
    int run = std::countr_zero(mask);
    at += run;
    mask >>= run;
    mask >>= 1;  // (64 at once would be none)
    for (; run > 15; run -= 16)
      put_code(codes.ac[kZeroRun]);
    const int value = *at++, size = size_of(value);
    put_value(codes.ac[run << 4 | size], value, size);
  }
  if (at != coefficients + kCoefficients) put_code(codes.ac[kEndOfBlock]);
  state_ = s;
}

void BitWriter::end_interval() {
  State &s = state_;
  const int padding = -(64 - s.free) & 7;
  if (padding != 0) s.put((1u << padding) - 1, padding);
  for (int left = 64 - s.free; left > 0; left -= 8) {
    const auto byte = static_cast<std::uint8_t>(s.bits >> (left - 8));
    *s.to++ = byte;
    if (byte == 0xFF) *s.to++ = 0;
  }
  s.bits = 0;
  s.free = 64;
}

void BitWriter::put_marker(int code) {
  *state_.to++ = 0xFF;
  *state_.to++ = static_cast<std::uint8_t>(code);
}

}  // namespace coalesce::jpeg
