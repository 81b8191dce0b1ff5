// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of one format to what stands in a buffer: one codestream or two, and boxes around them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "j2k/encoder.h"
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

  // Appends to *out. The first frame allocates.
  Status encode(const Frame &frame, bool top_first, ThreadPool *pool,
                std::vector<std::uint8_t> *out);

  const J2kSettings &settings() const { return settings_; }
  int profile() const { return fields_[0].params.profile; }  // Rsiz
  // After encode() has failed: the least rate that is enough; empty if that is not what is wrong.
  const std::string &least_rate() const { return least_rate_; }
  bool has_encoded() const { return has_encoded_; }

 private:
  struct Field {
    J2kRows rows;
    J2kPicture picture;
    j2k::EncoderParams params;
    std::unique_ptr<j2k::Encoder> encoder;
  };

  J2kCoder(const J2kSettings &settings, const GstVideoInfo &info, J2kMedia media);
  Status put_header(const Field &field, std::uint64_t codestream, std::vector<std::uint8_t> *out);
  void find_least_rate();
  Status encode_field(Field *field, const Frame &frame, ThreadPool *pool,
                      std::vector<std::uint8_t> *out);

  J2kSettings settings_;
  GstVideoInfo info_;
  J2kMedia media_;
  j2k::Jp2Params jp2_;
  std::vector<Field> fields_;  // the top one first
  std::vector<std::uint8_t> header_;
  std::vector<std::uint8_t> spare_[j2k::kMaxComponents];
  std::string least_rate_;
  bool has_encoded_ = false;
};

}  // namespace coalesce::gst
