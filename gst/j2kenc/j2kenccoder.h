// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of one format to what stands in a buffer: one codestream or two, and boxes around them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "j2k/encoder/encoder.h"
#include "j2kencformat.h"
#include "j2kencsettings.h"

namespace coalesce::gst {

// image/x-jpc, image/x-j2c (the header of a jp2c box before each codestream), image/jp2 (a file).
enum class J2kMedia { codestream, box, file };
constexpr J2kMedia kJ2kMedia[] = {J2kMedia::codestream, J2kMedia::box, J2kMedia::file};
const char *j2k_media_type(J2kMedia media);

// How many codestreams a frame becomes: fields have one each, but a file has room for one.
int j2k_fields(const GstVideoInfo &info, J2kMedia media);

class J2kCoder {
 public:
  // nullptr, and what is wrong with the settings, if they do not go together with the format.
  static std::unique_ptr<J2kCoder> make(const J2kSettings &settings, const GstVideoInfo &info,
                                        J2kMedia media, std::string *problem);

  // On the CPU: appends to *out. The first frame allocates.
  Status encode(const Frame &frame, bool top_first, ThreadPool *pool,
                std::vector<std::uint8_t> *out);

  // For other back ends. A frame becomes so many codestreams, which stand in the order of time,
  // each of the field that at() tells: 0 is the top one.
  int fields() const { return static_cast<int>(fields_.size()); }
  int at(int place, bool top_first) const { return top_first ? place : fields() - 1 - place; }
  const J2kRows &rows(int field) const { return fields_[index(field)].rows; }
  const j2k::EncoderParams &params(int field) const { return fields_[index(field)].params; }
  // The field whose encoder it uses: fields of the same size share one.
  int owner(int field) const { return fields_[index(field)].owner; }
  // Puts what stands before a codestream of so many bytes into *out: header_bytes(), whatever they
  // say.
  Status put_header(int field, std::uint64_t codestream, std::vector<std::uint8_t> *out) const;
  std::size_t header_bytes() const { return header_.size(); }

  // Can the encoders that there are have what `other`, of the same format, has? Only the targets of
  // layers differ. Gives them to those on the CPU, if there are any: errors as of
  // j2k::Encoder::set_targets().
  bool differs_in_targets_only(const J2kCoder &other) const;
  Status set_targets(const J2kCoder &other);
  // All encoders have been given them.
  void take_settings(const J2kCoder &other);

  const J2kSettings &settings() const { return settings_; }
  int profile() const { return fields_[0].params.profile; }  // Rsiz
  // The least rate that is enough; empty if there is nothing wrong with the rate. Takes its time.
  std::string least_rate() const;
  bool has_encoded() const { return has_encoded_; }
  void set_has_encoded() { has_encoded_ = true; }

 private:
  struct Field {
    J2kRows rows;
    J2kPicture picture;
    j2k::EncoderParams params;
    int owner = 0;
    std::unique_ptr<j2k::Encoder> encoder;
  };

  static std::size_t index(int field) { return static_cast<std::size_t>(field); }

  J2kCoder(const J2kSettings &settings, const GstVideoInfo &info, J2kMedia media);
  Status encode_field(int number, const Frame &frame, ThreadPool *pool,
                      std::vector<std::uint8_t> *out);

  J2kSettings settings_;
  J2kMedia media_;
  j2k::Jp2Params jp2_;
  std::vector<Field> fields_;  // the top one first
  std::vector<std::uint8_t> header_;
  std::vector<std::uint8_t> spare_[j2k::kMaxComponents];
  bool has_encoded_ = false;
};

}  // namespace coalesce::gst
