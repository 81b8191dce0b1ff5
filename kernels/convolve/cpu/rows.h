// SPDX-License-Identifier: LGPL-2.1-or-later
// The inner loops of the CPU back end of convolve, each over a line: one row of samples, or of
// sums.
//
// Sums are of one of four types. The integers are unsigned and wrap, so neither the order of a sum
// nor what it passes on the way matters, if only the result fits. A double is an integer below 2^53
// and exact; it serves sums of more than 32 bits, because 64-bit multiplications are slow.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../finish.h"
#include "../mask/filter.h"

namespace coalesce {

// A sample and the same channel of the next pixel; or two weights. x86 has an instruction for the
// sum of two 16-bit products, which compilers do not find by themselves. It takes signed factors:
// of samples of 16 bits, what they exceed their middle by.
struct SamplePair {
  std::uint16_t first, second;
};
constexpr int pair_middle(SampleDepth depth) {
  return depth.bits == 16 ? depth.middle() : 0;
}
constexpr int kVectorPairs = 8;  // lines of pairs are read to a multiple of so many
#if defined(__x86_64__)
constexpr bool kMultipliesPairs = true;
#else
constexpr bool kMultipliesPairs = false;
#endif

// What the products of samples are added up as, unless it is said.
template <class Sample>
using SumOf = std::conditional_t<std::is_same_v<Sample, SamplePair>, std::uint32_t, Sample>;

// line[i] times weight, for every i of a line.
template <class Sample>
struct Term {
  const Sample *line;
  Sample weight;
};

// How values from 0 to a limit are divided.
struct Divider16 {  // (value * multiplier) >> shift
  std::uint16_t multiplier = 1;
  int shift = 0;
};
struct Divider32 {
  Divider<std::int32_t> any;
  bool has_bytes = false;
  ByteFinish bytes;  // cheaper; serves 8-bit samples of most filters
};
struct DividerDouble {  // (value + 0.5) * inverse, cut off
  double inverse = 1;
};
template <class Sum>
struct DividerOf;
template <>
struct DividerOf<std::uint16_t> {
  using Type = Divider16;
};
template <>
struct DividerOf<std::uint32_t> {
  using Type = Divider32;
};
template <>
struct DividerOf<std::uint64_t> {
  using Type = Divider<std::int64_t>;
};
template <>
struct DividerOf<double> {
  using Type = DividerDouble;
};

// From sums to samples: sum + offset is cut to zero .. limit, then divided; a 16-bit sum less zero,
// which keeps it from being negative.
template <class Sum>
struct RowFinish {
  Sum offset = 0;
  Sum zero = 0;   // stands for 0; of doubles: 0.5, which is part of the offset
  Sum limit = 0;  // the largest value that gives the largest sample
  typename DividerOf<Sum>::Type divider;
  SampleDepth depth;
};

// line[i] = sample i. Of pairs the second sample is `channels` further, and is read as well.
void widen(const void *samples, SampleDepth depth, int channels, int count, SamplePair *line);
void widen(const void *samples, SampleDepth depth, int channels, int count, std::uint16_t *line);
void widen(const void *samples, SampleDepth depth, int channels, int count, std::uint32_t *line);
void widen(const void *samples, SampleDepth depth, int channels, int count, std::uint64_t *line);
void widen(const void *samples, SampleDepth depth, int channels, int count, double *line);

// sums[i] = the sum of the terms, added to what is there if `onto`. With pairs, lines are read and
// sums written up to a multiple of 32 bytes.
void add_terms(const Term<SamplePair> *terms, int number, int count, bool onto,
               std::uint32_t *sums);
void add_terms(const Term<std::uint16_t> *terms, int number, int count, bool onto,
               std::uint16_t *sums);
void add_terms(const Term<std::uint32_t> *terms, int number, int count, bool onto,
               std::uint32_t *sums);
void add_terms(const Term<std::uint64_t> *terms, int number, int count, bool onto,
               std::uint64_t *sums);
void add_terms(const Term<double> *terms, int number, int count, bool onto, double *sums);

// The same values, signed, in a type with more room.
void widen(const std::uint32_t *from, int count, double *to);
void widen(const double *from, int count, std::uint64_t *to);

// sums[i] + before[i], or its absolute value (the sums being signed), + after[i]
void add_offsets(const std::uint16_t *before, bool absolute, const std::uint16_t *after, int count,
                 std::uint16_t *sums);
void add_offsets(const std::uint32_t *before, bool absolute, const std::uint32_t *after, int count,
                 std::uint32_t *sums);
void add_offsets(const std::uint64_t *before, bool absolute, const std::uint64_t *after, int count,
                 std::uint64_t *sums);
void add_offsets(const double *before, bool absolute, const double *after, int count, double *sums);

void finish_row(const RowFinish<std::uint16_t> &finish, const std::uint16_t *sums, int count,
                void *samples);
void finish_row(const RowFinish<std::uint32_t> &finish, const std::uint32_t *sums, int count,
                void *samples);
void finish_row(const RowFinish<std::uint64_t> &finish, const std::uint64_t *sums, int count,
                void *samples);
void finish_row(const RowFinish<double> &finish, const double *sums, int count, void *samples);

// to[i] = from[i] where mask[i] is 255; it is 0 elsewhere.
void copy_some(const std::uint8_t *from, const std::uint8_t *mask, int bytes, std::uint8_t *to);

}  // namespace coalesce
