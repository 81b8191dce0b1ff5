// SPDX-License-Identifier: LGPL-2.1-or-later
// The two ways in which Tier-1 makes bytes of decisions: the MQ coder of ITU-T T.800 Annex C, and
// the raw bits of the selective bypass (D.6). Both write codeword segments: strings of bytes which
// a decoder reads by themselves, in which no FF is followed by a byte above 8F, and which do not
// end in FF. Behind the last byte it was given, a decoder reads ones.
#pragma once

#include <cstdint>

#include "../context/contexts.h"

namespace coalesce::j2k {

// Where a coder stood behind some symbol: what it takes to find out, when the segment is complete,
// how many of its bytes a decoder needs to get there.
struct CoderMark {
  std::uint32_t low, range;  // registers C and A; raw bits have none
  std::int32_t count;        // bytes that were final; raw bits: with the one that was begun
  std::uint8_t shifts;       // register CT; raw bits: what the byte that was begun still takes
  std::uint8_t pending;      // the next byte, to which a carry may still be added
};

class MqCoder {
 public:
  // All contexts as at the beginning of a code-block (Table D.7).
  void reset_contexts();

  // A new segment: INITENC. The contexts stay as they are.
  void start(std::uint8_t *bytes);
  // Contexts 0 to 18.
  void encode(const std::uint8_t *symbols, int count);
  CoderMark mark() const { return {low_, range_, count_, shifts_, pending_}; }

  // Both end the segment and return its length. flush(): FLUSH of C.2.9; least_length() may
  // shorten the result further. flush_predictably(): D.4.2; a decoder finds out whether it went
  // wrong, if all bytes are kept.
  int flush();
  int flush_predictably();

 private:
  void byte_out();
  int finish();

  std::uint8_t contexts_[kMqContexts];  // rows of MqRows
  std::uint8_t shifts_, pending_;
  std::uint32_t low_, range_;
  std::int32_t count_;  // -1 as long as pending_ is no byte at all
  std::uint8_t *bytes_;
};

class RawCoder {
 public:
  void start(std::uint8_t *bytes);
  // The decisions; the contexts are not looked at.
  void encode(const std::uint8_t *symbols, int count);
  CoderMark mark() const;

  // Ends the segment and returns its length. The last byte is filled with 0, 1, 0, ... An FF at the
  // end is left out, for a decoder reads ones; predictably, a byte made of nothing else follows it.
  int flush();
  int flush_predictably();

 private:
  int room() const { return count_ > 0 && bytes_[count_ - 1] == 0xFF ? 7 : 8; }
  void put(int bit);
  void fill();

  std::uint8_t byte_;  // bits so far
  std::int32_t free_;  // bits it still takes; after FF the uppermost is 0
  std::int32_t count_;
  std::uint8_t *bytes_;
};

}  // namespace coalesce::j2k
