// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2k_mq_decoder.h"

namespace coalesce::test {
namespace {

// Table C.2: Qe, NMPS, NLPS, SWITCH.
const int kTable[47][4] = {
    {0x5601, 1, 1, 1},   {0x3401, 2, 6, 0},   {0x1801, 3, 9, 0},   {0x0AC1, 4, 12, 0},
    {0x0521, 5, 29, 0},  {0x0221, 38, 33, 0}, {0x5601, 7, 6, 1},   {0x5401, 8, 14, 0},
    {0x4801, 9, 14, 0},  {0x3801, 10, 14, 0}, {0x3001, 11, 17, 0}, {0x2401, 12, 18, 0},
    {0x1C01, 13, 20, 0}, {0x1601, 29, 21, 0}, {0x5601, 15, 14, 1}, {0x5401, 16, 14, 0},
    {0x5101, 17, 15, 0}, {0x4801, 18, 16, 0}, {0x3801, 19, 17, 0}, {0x3401, 20, 18, 0},
    {0x3001, 21, 19, 0}, {0x2801, 22, 19, 0}, {0x2401, 23, 20, 0}, {0x2201, 24, 21, 0},
    {0x1C01, 25, 22, 0}, {0x1801, 26, 23, 0}, {0x1601, 27, 24, 0}, {0x1401, 28, 25, 0},
    {0x1201, 29, 26, 0}, {0x1101, 30, 27, 0}, {0x0AC1, 31, 28, 0}, {0x09C1, 32, 29, 0},
    {0x08A1, 33, 30, 0}, {0x0521, 34, 31, 0}, {0x0441, 35, 32, 0}, {0x02A1, 36, 33, 0},
    {0x0221, 37, 34, 0}, {0x0141, 38, 35, 0}, {0x0111, 39, 36, 0}, {0x0085, 40, 37, 0},
    {0x0049, 41, 38, 0}, {0x0025, 42, 39, 0}, {0x0015, 43, 40, 0}, {0x0009, 44, 41, 0},
    {0x0005, 45, 42, 0}, {0x0001, 45, 43, 0}, {0x5601, 46, 46, 0},
};

}  // namespace

void MqDecoder::reset_contexts() {
  for (int i = 0; i < 19; ++i)
    set_context(i, 0);
  set_context(0, 4);
  set_context(17, 3);
  set_context(18, 46);
}

void MqDecoder::set_context(int context, int state) {
  contexts_[context] = {state, 0};
}

// INITDEC
void MqDecoder::start(const std::uint8_t *bytes, int length) {
  bytes_ = bytes;
  length_ = length;
  position_ = 0;
  encoder_ct_ = 12;
  encoder_bytes_ = 0;
  c_ = static_cast<std::uint32_t>(byte(0)) << 16;
  byte_in();
  c_ <<= 7;
  ct_ -= 7;
  a_ = 0x8000;
}

// BYTEIN
void MqDecoder::byte_in() {
  const int next = byte(position_ + 1);
  if (byte(position_) != 0xFF) {
    ++position_;
    c_ += static_cast<std::uint32_t>(next) << 8;
    ct_ = 8;
  } else if (next > 0x8F) {
    c_ += 0xFF00;
    ct_ = 8;
  } else {
    ++position_;
    c_ += static_cast<std::uint32_t>(next) << 9;
    ct_ = 7;
  }
}

// RENORMD
void MqDecoder::renormalise() {
  do {
    if (ct_ == 0) byte_in();
    a_ <<= 1;
    c_ <<= 1;
    --ct_;
    if (--encoder_ct_ == 0) encoder_ct_ = next_encoder_byte(++encoder_bytes_);
  } while ((a_ & 0x8000) == 0);
}

// CT when the encoder's BYTEOUT has put out so many bytes.
int MqDecoder::next_encoder_byte(int count) const {
  return count >= 2 && byte(count - 2) == 0xFF ? 7 : 8;
}

bool MqDecoder::ends_predictably() const {
  int count = encoder_bytes_, ct = encoder_ct_, shifts = 0;
  for (int k = 11 - ct + 1; k > 0; k -= ct) {
    shifts += ct;
    ct = next_encoder_byte(++count);
  }
  if (count == 0) return length_ == 0;
  const int expected = byte(count - 1) == 0xFF ? count - 1 : count;
  // What the encoder did not send of its register C is what C of the decoder may have.
  const int not_sent = 27 - ct - shifts;
  return length_ == expected && c_ >> (16 + not_sent) == 0;
}

// DECODE, with MPS_EXCHANGE and LPS_EXCHANGE
int MqDecoder::decode(int context) {
  auto &cx = contexts_[context];
  const int *row = kTable[cx.state];
  const std::uint32_t qe = static_cast<std::uint32_t>(row[0]);
  a_ -= qe;
  bool less_probable;
  if ((c_ >> 16) >= qe) {
    c_ -= qe << 16;
    if ((a_ & 0x8000) != 0) return cx.mps;
    less_probable = a_ < qe;
  } else {
    less_probable = a_ >= qe;
    a_ = qe;
  }
  const int decision = less_probable ? 1 - cx.mps : cx.mps;
  if (less_probable && row[3] == 1) cx.mps = 1 - cx.mps;
  cx.state = less_probable ? row[2] : row[1];
  renormalise();
  return decision;
}

void RawDecoder::start(const std::uint8_t *bytes, int length) {
  bytes_ = bytes;
  length_ = length;
  position_ = -1;
  left_ = 0;
}

int RawDecoder::decode() {
  if (left_ == 0) {
    left_ = position_ >= 0 && byte(position_) == 0xFF ? 7 : 8;
    ++position_;
  }
  --left_;
  return byte(position_) >> left_ & 1;
}

bool RawDecoder::ends_predictably() const {
  if (position_ + 1 == length_) {
    if (left_ == 0) return length_ == 0 || bytes_[position_] != 0xFF;
    // 0, 1, 0, 1, ... from the left
    const int rest = bytes_[position_] & ((1 << left_) - 1);
    return rest == 0x55 >> (8 - left_);
  }
  // One byte more, because the last one was FF.
  return position_ >= 0 && position_ + 2 == length_ && left_ == 0 && bytes_[position_] == 0xFF &&
         bytes_[length_ - 1] == 0x2A;
}

}  // namespace coalesce::test
