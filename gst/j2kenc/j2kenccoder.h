// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of one format to what stands in a buffer: one codestream or two, and boxes around them. It
// is the coder of coding/currentcoder.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/job.h"
#include "j2k/encoder/encoder.h"
#include "j2kencformat.h"
#include "j2kencsettings.h"

namespace coalesce::gst {

// image/x-jpc, image/x-j2c (the header of a jp2c box before each codestream), image/jp2 (a file).
enum class J2kMedia { codestream, box, file };
constexpr J2kMedia kJ2kMedia[] = {J2kMedia::codestream, J2kMedia::box, J2kMedia::file};
const char *j2k_media_type(J2kMedia media);
J2kMedia j2k_media_of(const GstStructure *coded);

// How many codestreams a frame becomes: fields have one each, but a file has room for one.
int j2k_fields(const GstVideoInfo &info, J2kMedia media);

class J2kCoder {
 public:
  using Settings = J2kSettings;
  using InCaps = int;  // the profile

  static std::unique_ptr<J2kCoder> make(const J2kSettings &settings, const GstVideoInfo &info,
                                        J2kMedia media, std::string *problem);
  static std::unique_ptr<J2kCoder> make(const J2kSettings &settings, const GstVideoInfo &info,
                                        GstCaps *coded, std::string *problem) {
    return make(settings, info, j2k_media_of(gst_caps_get_structure(coded, 0)), problem);
  }

  const J2kSettings &settings() const { return settings_; }
  int in_caps() const { return fields_[0].params.profile; }  // Rsiz
  bool is_in(GstCaps *coded) const;
  std::string description() const;
  Job::Rows rows() const { return fields() > 1 ? Job::Rows::of_both_fields : Job::Rows::of_buffer; }

  // The first frame allocates.
  Status encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                std::vector<std::uint8_t> *out);
  std::string text(const Status &status) const { return j2k_text(status); }
  bool is_refusal(const Status &status) const {
    return status.code() == StatusCode::invalid_argument;
  }
  std::string refusal(const Status &status) const;  // takes its time
  bool has_encoded() const { return has_encoded_; }
  void set_has_encoded() { has_encoded_ = true; }

  // The rate is the targets of layers.
  bool differs_in_rate_only(const J2kCoder &other) const;
  Status set_rate(const J2kCoder &other);
  void take_settings(const J2kCoder &other);

  // For other back ends. A frame becomes so many codestreams, which stand in the order of time,
  // each of the field that at() tells: 0 is the top one.
  int fields() const { return static_cast<int>(fields_.size()); }
  bool is_top_first(GstBuffer *buffer) const { return j2k_is_top_first(info_, buffer); }
  int at(int place, bool top_first) const { return top_first ? place : fields() - 1 - place; }
  const J2kRows &rows_of(int field) const { return fields_[index(field)].rows; }
  const j2k::EncoderParams &params(int field) const { return fields_[index(field)].params; }
  // The field whose encoder it uses: fields of the same size share one.
  int owner(int field) const { return fields_[index(field)].owner; }
  // Puts what stands before a codestream of so many bytes into *out: header_bytes(), whatever they
  // say.
  Status put_header(int field, std::uint64_t codestream, std::vector<std::uint8_t> *out) const;
  std::size_t header_bytes() const { return header_.size(); }

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

  // The least rate that is enough; empty if there is nothing wrong with the rate.
  std::string least_rate() const;

  J2kSettings settings_;
  GstVideoInfo info_;
  J2kMedia media_;
  j2k::Jp2Params jp2_;
  std::vector<Field> fields_;  // the top one first
  std::vector<std::uint8_t> header_;
  std::vector<std::uint8_t> spare_[j2k::kMaxComponents];
  bool has_encoded_ = false;
};

}  // namespace coalesce::gst
