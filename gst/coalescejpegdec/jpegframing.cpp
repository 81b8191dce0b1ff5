// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegframing.h"

#include <algorithm>
#include <cstring>

#include "jpeg/tables/markers.h"

namespace coalesce::gst {
namespace {

using jpeg::Marker;

constexpr bool is(std::uint8_t byte, Marker marker) {
  return byte == static_cast<std::uint8_t>(marker);
}

// Of what may stand between scans. Spoiled data look like others, too, whose length would lead
// beyond the picture's end.
constexpr bool may_follow_data(std::uint8_t marker) {
  return is(marker, Marker::sos) || is(marker, Marker::dht) || is(marker, Marker::dqt) ||
         is(marker, Marker::dri) || is(marker, Marker::dnl) || is(marker, Marker::dac) ||
         is(marker, Marker::com);
}

// Segments of an application, and comments, may have anything, a picture too.
constexpr bool may_have_picture(std::uint8_t marker) {
  return marker >= static_cast<std::uint8_t>(Marker::app0);
}

// What a file has behind its SOI.
constexpr bool may_follow_soi(std::uint8_t marker) {
  return marker >= static_cast<std::uint8_t>(Marker::app0)
             ? marker != 0xFF
             : is(marker, Marker::dqt) || is(marker, Marker::dri) ||
                   (marker >= static_cast<std::uint8_t>(Marker::sof0) && marker <= 0xC4);
}

constexpr bool is_frame_header(std::uint8_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && !is(marker, Marker::dht) && !is(marker, Marker::jpg) &&
         !is(marker, Marker::dac);
}

}  // namespace

bool JpegHints::is_field(int caps_height) const {
  return caps_height > 0 ? 2 * height == caps_height : polarity == 1 || polarity == 2;
}

void JpegFraming::picture_begins(std::size_t soi) {
  if (pictures_ == 0)
    begin_ = soi;
  else
    second_begin_ = soi;
  pictures_++;
  state_ = State::header;
}

// Returns whether all of it has ended.
bool JpegFraming::picture_ends(std::size_t end) {
  end_ = end;
  if (pictures_ == 1 && hints_.is_field(caps_height_)) {
    state_ = State::outside;
    return false;
  }
  ended_ = true;
  return true;
}

// A segment of known contents, or what follows where it ended in FF: no marker follows that is
// right, if it is the next file's.
bool JpegFraming::may_begin_next_file() const {
  if (state_ == State::header || state_ == State::code) return recent_ != 0;
  // (Any numbers are tables of quantisation, of which there are four.)
  if (state_ == State::payload && is(marker_, Marker::dqt) && length_ <= 2 + 4 * (1 + 2 * 64))
    return false;
  return !may_have_picture(marker_) &&
         (state_ == State::length_high || state_ == State::length_low || state_ == State::payload);
}

// at_ is behind the byte. The marker behind SOI is taken, too.
bool JpegFraming::next_file_begins(std::uint8_t byte) {
  recent_ = recent_ << 8 | byte;
  return recent_ >> 8 == 0xFFD8FF && may_follow_soi(byte);
}

// A good one may have FF D8 as its last numbers.
void JpegFraming::segment_ends() {
  state_ = is(marker_, Marker::sos) ? State::data : State::header;
  if ((recent_ & 0xFF) != 0xFF) recent_ = 0;
}

// at_ is behind it.
bool JpegFraming::take_marker(std::uint8_t marker) {
  if (is(marker, Marker::soi)) {
    if (picture_ends(at_ - 2)) return true;  // which has no EOI
    picture_begins(at_ - 2);
    return false;
  }
  if (is(marker, Marker::eoi)) return picture_ends(at_);
  marker_ = marker;
  const bool alone =
      is(marker, Marker::tem) || (marker >= static_cast<std::uint8_t>(Marker::rst0) &&
                                  marker <= static_cast<std::uint8_t>(Marker::rst7));
  state_ = alone ? State::header : State::length_high;
  recent_ = 0;
  return false;
}

void JpegFraming::take_payload(std::uint8_t byte) {
  const unsigned number = length_ - left_;
  if (number < sizeof payload_) payload_[number] = byte;
  if (pictures_ > 1) return;
  if (is_frame_header(marker_) && number == 2) hints_.height = payload_[1] << 8 | payload_[2];
  if (is(marker_, Marker::app0) && number == 4 && std::memcmp(payload_, "AVI1", 4) == 0)
    hints_.polarity = payload_[4];
}

bool JpegFraming::look_at(const std::uint8_t *data, std::size_t bytes) {
  if (ended_) return true;
  for (std::size_t i = 0; i < bytes;) {
    const bool may_begin = may_begin_next_file();
    if (state_ == State::data || state_ == State::outside ||
        (state_ == State::header && !may_begin)) {
      // Up to the next FF.
      const void *found = std::memchr(data + i, 0xFF, bytes - i);
      const std::size_t next =
          found == nullptr
              ? bytes
              : static_cast<std::size_t>(static_cast<const std::uint8_t *>(found) - data);
      at_ += next - i;
      i = next;
      if (i == bytes) return false;
      state_ = state_ == State::data      ? State::code_in_data
               : state_ == State::outside ? State::code_outside
                                          : State::code;
      at_++, i++;
      continue;
    }
    if (state_ == State::payload && may_have_picture(marker_) &&
        length_ - left_ >= sizeof payload_) {
      const std::size_t skipped = std::min<std::size_t>(left_, bytes - i);
      left_ -= static_cast<unsigned>(skipped);
      at_ += skipped;
      i += skipped;
      if (left_ == 0) segment_ends();
      continue;
    }
    const std::uint8_t byte = data[i++];
    at_++;
    if (may_begin && next_file_begins(byte)) {
      if (picture_ends(at_ - 4)) return true;
      picture_begins(at_ - 4);
      if (take_marker(byte)) return true;
      continue;
    }
    switch (state_) {
      case State::code_outside:
        if (is(byte, Marker::soi))
          picture_begins(at_ - 2);
        else if (byte != 0xFF)
          state_ = State::outside;
        break;
      case State::header:
        if (byte == 0xFF) state_ = State::code;
        break;
      case State::code:
        if (byte == 0)
          state_ = State::header;
        else if (byte != 0xFF && take_marker(byte))
          return true;
        break;
      case State::code_in_data:
        if (byte == 0xFF) break;
        state_ = State::data;
        if ((is(byte, Marker::soi) || is(byte, Marker::eoi) || may_follow_data(byte)) &&
            take_marker(byte))
          return true;
        break;
      case State::length_high:
        length_ = static_cast<unsigned>(byte) << 8;
        state_ = State::length_low;
        break;
      case State::length_low:
        length_ |= byte;
        length_ = left_ = length_ < 2 ? 0 : length_ - 2;
        state_ = left_ > 0                  ? State::payload
                 : is(marker_, Marker::sos) ? State::data
                                            : State::header;
        break;
      case State::payload:
        take_payload(byte);
        if (--left_ == 0) segment_ends();
        break;
      default:
        break;
    }
  }
  return false;
}

}  // namespace coalesce::gst
