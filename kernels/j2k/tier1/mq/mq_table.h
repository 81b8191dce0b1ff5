// SPDX-License-Identifier: LGPL-2.1-or-later
// The probability model of the MQ coder: ITU-T T.800 Table C.2.
#pragma once

#include <cstdint>

namespace coalesce::j2k {

constexpr int kMqStates = 47;

// A state: the size of the less probable decision's interval, the states that follow each of the
// decisions when the interval has been renormalised, and whether the less probable one then becomes
// the more probable one.
struct MqState {
  std::uint16_t qe;
  std::uint8_t next_mps, next_lps;
  bool switches;
};

inline constexpr MqState kMqTable[kMqStates] = {
    {0x5601, 1, 1, true},    {0x3401, 2, 6, false},   {0x1801, 3, 9, false},
    {0x0AC1, 4, 12, false},  {0x0521, 5, 29, false},  {0x0221, 38, 33, false},
    {0x5601, 7, 6, true},    {0x5401, 8, 14, false},  {0x4801, 9, 14, false},
    {0x3801, 10, 14, false}, {0x3001, 11, 17, false}, {0x2401, 12, 18, false},
    {0x1C01, 13, 20, false}, {0x1601, 29, 21, false}, {0x5601, 15, 14, true},
    {0x5401, 16, 14, false}, {0x5101, 17, 15, false}, {0x4801, 18, 16, false},
    {0x3801, 19, 17, false}, {0x3401, 20, 18, false}, {0x3001, 21, 19, false},
    {0x2801, 22, 19, false}, {0x2401, 23, 20, false}, {0x2201, 24, 21, false},
    {0x1C01, 25, 22, false}, {0x1801, 26, 23, false}, {0x1601, 27, 24, false},
    {0x1401, 28, 25, false}, {0x1201, 29, 26, false}, {0x1101, 30, 27, false},
    {0x0AC1, 31, 28, false}, {0x09C1, 32, 29, false}, {0x08A1, 33, 30, false},
    {0x0521, 34, 31, false}, {0x0441, 35, 32, false}, {0x02A1, 36, 33, false},
    {0x0221, 37, 34, false}, {0x0141, 38, 35, false}, {0x0111, 39, 36, false},
    {0x0085, 40, 37, false}, {0x0049, 41, 38, false}, {0x0025, 42, 39, false},
    {0x0015, 43, 40, false}, {0x0009, 44, 41, false}, {0x0005, 45, 42, false},
    {0x0001, 45, 43, false}, {0x5601, 46, 46, false},
};

// The same for a coder: row 2 * state + mps, where mps is the more probable decision, and so are
// the next ones.
struct MqRow {
  std::uint16_t qe;
  std::uint8_t next_mps, next_lps;
};
struct MqRows {
  MqRow at[2 * kMqStates];
};

constexpr MqRows make_mq_rows() {
  MqRows rows = {};
  for (int i = 0; i < 2 * kMqStates; ++i) {
    const MqState &state = kMqTable[i / 2];
    const int mps = i & 1;
    const int after_lps = state.switches ? 1 - mps : mps;
    rows.at[i].qe = state.qe;
    rows.at[i].next_mps = static_cast<std::uint8_t>(2 * state.next_mps + mps);
    rows.at[i].next_lps = static_cast<std::uint8_t>(2 * state.next_lps + after_lps);
  }
  return rows;
}

}  // namespace coalesce::j2k
