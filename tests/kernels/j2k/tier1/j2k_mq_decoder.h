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

  // Whether the segment ends as the encoder ends it by the procedure of D.4.2 when it has coded
  // what was decoded.
  bool ends_predictably() const;

 private:
  int byte(int i) const { return i < length_ ? bytes_[i] : 0xFF; }
  void byte_in();
  void renormalise();
  int next_encoder_byte(int count) const;

  struct {
    int state, mps;
  } contexts_[19];
  const std::uint8_t *bytes_;
  int length_, position_;
  std::uint32_t c_, a_;
  int ct_;
  int encoder_ct_, encoder_bytes_;  // CT of the encoder, and bytes that it has put out
};

class RawDecoder {
 public:
  void start(const std::uint8_t *bytes, int length);
  int decode();

  // Whether all that is left of the segment is the filling of D.6: 0, 1, 0, 1, ...
  bool ends_predictably() const;

 private:
  int byte(int i) const { return i < length_ ? bytes_[i] : 0xFF; }

  const std::uint8_t *bytes_;
  int length_, position_, left_;  // the byte that is being read, and the bits left of it
};

}  // namespace coalesce::test
