// SPDX-License-Identifier: LGPL-2.1-or-later
// The method `best`: blocks of a picture are followed from the field before it to the field after
// it, and what is found is mixed with bwdif's result. The arithmetic of both back ends.
#pragma once

#include <cstdint>

#include "../core/host_device.h"

namespace coalesce {

constexpr int kMotionBlock = 8;     // columns of a component, and rows of both fields
constexpr int kMotionColumns = 12;  // how far a block moves at most from a field to the next
constexpr int kMotionRows = 4;      // by rows of one field, so by an even number

// Of a plane, for a block of threads: whole blocks of the chroma of 4:2:2, whole groups of v210.
constexpr int kTileColumns = 96;

// By columns and rows from a field to the next one; how much of what is found there counts, of 256.
struct Motion {
  std::int8_t columns, rows;
  std::uint16_t weight;
};

// Sums of a block's differences are those of the upper eight bits.
COALESCE_HOST_DEVICE std::uint8_t upper_bits(std::uint32_t sample, int bits) {
  return static_cast<std::uint8_t>(bits >= 8 ? sample >> (bits - 8) : sample << (8 - bits));
}

// Vector `number` of a block with the sum of its differences; a longer one must be better. Of two
// the lower number is the better vector.
COALESCE_HOST_DEVICE std::uint32_t motion_score(std::uint32_t differences, int number) {
  const int columns = number % (2 * kMotionColumns + 1) - kMotionColumns;
  const int rows = 2 * (number / (2 * kMotionColumns + 1)) - kMotionRows;
  const int length = (columns < 0 ? -columns : columns) + (rows < 0 ? -rows : rows);
  return (differences + 3 * static_cast<std::uint32_t>(length)) << 7 |
         static_cast<std::uint32_t>(number);
}

// Of the best score, and of the sum of what the rows of the field alone predict wrongly.
COALESCE_HOST_DEVICE Motion motion_of(std::uint32_t score, std::uint32_t within_field) {
  const auto number = static_cast<int>(score & 127);
  const std::uint64_t along = (score >> 7) + 6, within = within_field + 6;
  const std::uint64_t all = along * along + within * within;
  return {static_cast<std::int8_t>(number % (2 * kMotionColumns + 1) - kMotionColumns),
          static_cast<std::int8_t>(2 * (number / (2 * kMotionColumns + 1)) - kMotionRows),
          static_cast<std::uint16_t>((256 * within * within + all / 2) / all)};
}

// A known sample, less what the rows 2 and 6 away (of its field) make of it.
COALESCE_HOST_DEVICE std::uint32_t within_field_difference(int above, int above6, int here,
                                                           int below, int below6) {
  int value = (5077 * (above + below) - 981 * (above6 + below6)) >> 13;
  value = value < 0 ? 0 : value > 255 ? 255 : value;
  return static_cast<std::uint32_t>(value < here ? here - value : value - here);
}

// bwdif's result, and the samples that the vector leads to.
COALESCE_HOST_DEVICE int along_motion(int bwdif, int before, int after, int weight) {
  return bwdif + (((((before + after + 1) >> 1) - bwdif) * weight + 128) >> 8);
}

}  // namespace coalesce
