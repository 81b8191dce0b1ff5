// SPDX-License-Identifier: LGPL-2.1-or-later
// Where JPEG pictures end in bytes that come in any pieces. Segments are left out by their length,
// so that a thumbnail in one of them is no picture. A file that is cut in a segment of tables or in
// the header of a frame or a scan ends where the next one begins: there FF D8 FF, and a marker that
// a file may begin with, are no numbers that anyone would have written. (Not where it lacks two
// bytes of a segment, which may end in FF D8.) It keeps no bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace coalesce::gst {

// What the header says of fields, as far as it has been read.
struct JpegHints {
  int height = 0;
  int polarity = 0;  // of APP0 "AVI1": 0 for a frame, 1 for the field of odd lines, 2 of even ones

  // Is the picture one of two fields? caps_height: of the frame; 0 if it is not known.
  bool is_field(int caps_height) const;
};

class JpegFraming {
 public:
  explicit JpegFraming(int caps_height = 0) : caps_height_(caps_height) {}

  // How many of the last bytes may belong to the next picture, while this one has not ended.
  static constexpr std::size_t kMostBack = 3;
  // The bytes that follow those before. True: the picture, of two fields where it has them, ends
  // in these, or up to kMostBack bytes before them; the rest of them has not been looked at.
  bool look_at(const std::uint8_t *data, std::size_t bytes);

  std::size_t seen() const { return at_; }
  bool has_begun() const { return pictures_ > 0; }
  bool has_frame() const { return hints_.height > 0; }
  std::size_t begin() const { return begin_; }          // of the picture's SOI
  std::size_t end() const { return end_; }              // behind it
  std::size_t second() const { return second_begin_; }  // SOI of the second field; 0: none
  const JpegHints &hints() const { return hints_; }     // of the first field

 private:
  enum class State {
    outside,
    code_outside,
    header,
    code,
    length_high,
    length_low,
    payload,
    data,
    code_in_data
  };
  void picture_begins(std::size_t soi);
  bool picture_ends(std::size_t end);
  bool take_marker(std::uint8_t marker);
  bool may_begin_next_file() const;
  bool next_file_begins(std::uint8_t byte);
  void segment_ends();
  void take_payload(std::uint8_t byte);

  int caps_height_;
  State state_ = State::outside;
  std::size_t at_ = 0, begin_ = 0, end_ = 0, second_begin_ = 0;
  int pictures_ = 0;
  bool ended_ = false;
  std::uint8_t marker_ = 0;
  std::uint32_t recent_ = 0;        // the last bytes of a segment that has no room for a picture
  unsigned length_ = 0, left_ = 0;  // of the segment in hand
  std::uint8_t payload_[8] = {};
  JpegHints hints_;
};

}  // namespace coalesce::gst
