// SPDX-License-Identifier: LGPL-2.1-or-later
// The arithmetic decoder of ITU-T T.800 C.3, flow chart by flow chart, and raw bits.
#pragma once

#include <cstdint>

namespace coalesce::test {

class MqDecoder {
 public:
  // Contexts of Table D.7.
  void reset_contexts();
  void set_context(int context, int state);

  // A segment; behind its last byte FF is read.
  void start(const std::uint8_t *bytes, int length);
  int decode(int context);

  // Whether a segment that was terminated predictably leaves nothing unread and needed no more than
  // the padding that every decoder has ahead.
  bool used_up() const { return position_ + 1 >= length_ && padding_ <= 2; }

 private:
  int byte(int i) const { return i < length_ ? bytes_[i] : 0xFF; }
  void byte_in();
  void renormalise();

  struct {
    int state, mps;
  } contexts_[19];
  const std::uint8_t *bytes_;
  int length_, position_, padding_;
  std::uint32_t c_, a_;
  int ct_;
};

class RawDecoder {
 public:
  void start(const std::uint8_t *bytes, int length);
  int decode();

  // Whether the rest of a segment that was terminated predictably is what it has to be.
  bool used_up() const;

 private:
  int byte(int i) const { return i < length_ ? bytes_[i] : 0xFF; }

  const std::uint8_t *bytes_;
  int length_, position_, left_;  // the byte that is being read, and the bits left of it
};

}  // namespace coalesce::test
