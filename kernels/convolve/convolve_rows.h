// SPDX-License-Identifier: LGPL-2.1-or-later
// The inner loops of the CPU back end of convolve, each over one row of samples.
//
// Sums are of one of four types. The integers are unsigned and wrap, so neither the order of a sum
// nor what it passes on the way matters, if only the result fits. A double is an integer below 2^53
// and exact; it serves 16-bit samples, because 64-bit multiplications are slow.
#pragma once

#include <cstdint>

#include "filter.h"

namespace coalesce {

// line[i] times weight, for every i of a row.
template <class T>
struct Term {
  const T *line;
  T weight;
};

// From a sum to a sample: floor(value / divisor), saturated, of
// value = sum - zero, or |sum| + after - zero, or 0 where that is negative.
template <class T>
struct Finish {
  T start[4];  // of each channel: what its sums begin with
  bool absolute = false;
  T after[4];  // of each channel, where the absolute value is taken
  T zero = 0;  // keeps unsigned values from being negative
  T limit;     // the largest value that gives the largest sample
  T divisor;
  // value / divisor as value >> shift; else for integers of 16 and 32 bits as
  // (value * multiplier) >> shift, and for doubles as value * multiplier, put right by 1 if need
  // be.
  bool shifts = false;
  int shift = 0;
  T multiplier = 0;
  SampleDepth depth;
};

// line[i] = sample i
void widen(const void *samples, SampleDepth depth, int count, std::uint16_t *line);
void widen(const void *samples, SampleDepth depth, int count, std::uint32_t *line);
void widen(const void *samples, SampleDepth depth, int count, std::uint64_t *line);
void widen(const void *samples, SampleDepth depth, int count, double *line);

// sums[i] = start[i] + the sum of the terms; start may be sums.
void add_terms(const std::uint16_t *start, const Term<std::uint16_t> *terms, int number, int count,
               std::uint16_t *sums);
void add_terms(const std::uint32_t *start, const Term<std::uint32_t> *terms, int number, int count,
               std::uint32_t *sums);
void add_terms(const std::uint64_t *start, const Term<std::uint64_t> *terms, int number, int count,
               std::uint64_t *sums);
void add_terms(const double *start, const Term<double> *terms, int number, int count, double *sums);

// The samples of sums, which are overwritten. after[i] is that of the channel of sample i; nullptr
// if no absolute value is taken.
void finish_row(const Finish<std::uint16_t> &finish, const std::uint16_t *after, int count,
                std::uint16_t *sums, void *samples);
void finish_row(const Finish<std::uint32_t> &finish, const std::uint32_t *after, int count,
                std::uint32_t *sums, void *samples);
void finish_row(const Finish<std::uint64_t> &finish, const std::uint64_t *after, int count,
                std::uint64_t *sums, void *samples);
void finish_row(const Finish<double> &finish, const double *after, int count, double *sums,
                void *samples);

// to[i] = from[i] where mask[i] is 255; it is 0 elsewhere.
void copy_some(const std::uint8_t *from, const std::uint8_t *mask, int bytes, std::uint8_t *to);

}  // namespace coalesce
