// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenccoder.h"

#include <algorithm>
#include <iterator>

namespace coalesce::gst {
namespace {

bool same_coding(const j2k::EncoderParams &a, const j2k::EncoderParams &b) {
  return a.coding.image == b.coding.image && a.roi == b.roi;
}

}  // namespace

const char *j2k_media_type(J2kMedia media) {
  switch (media) {
    case J2kMedia::codestream:
      return "image/x-jpc";
    case J2kMedia::box:
      return "image/x-j2c";
    default:
      return "image/jp2";
  }
}

J2kMedia j2k_media_of(const GstStructure *coded) {
  return *std::find_if(std::begin(kJ2kMedia), std::end(kJ2kMedia) - 1, [coded](J2kMedia media) {
    return gst_structure_has_name(coded, j2k_media_type(media));
  });
}

// Of a frame of one row there is one field.
int j2k_fields(const GstVideoInfo &info, J2kMedia media) {
  return GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_INTERLEAVED &&
                 media != J2kMedia::file && info.height > 1
             ? 2
             : 1;
}

J2kCoder::J2kCoder(const J2kSettings &settings, const GstVideoInfo &info, J2kMedia media)
    : settings_(settings), info_(info), media_(media), jp2_(j2k_jp2_params(info)) {}

std::unique_ptr<J2kCoder> J2kCoder::make(const J2kSettings &settings, const GstVideoInfo &info,
                                         J2kMedia media, std::string *problem) {
  *problem = j2k_check(settings);
  if (!problem->empty()) return nullptr;
  std::unique_ptr<J2kCoder> coder(new J2kCoder(settings, info, media));
  const int fields = j2k_fields(info, media);
  for (int f = 0; f < fields; f++) {
    Field &field = coder->fields_.emplace_back();
    field.rows = {f, fields};
    J2kPicture &picture = field.picture;
    j2k_components(info, field.rows, &picture.coding);
    picture.rgb = j2k_is_rgb(info.finfo);
    picture.first_row = f;
    picture.row_step = fields;
    picture.frame_height = info.height;
    picture.fps_n = GST_VIDEO_INFO_FPS_N(&info);
    picture.fps_d = GST_VIDEO_INFO_FPS_D(&info);
    field.params.coding = picture.coding;
    if (Status s = coder->put_header(f, 0, &coder->header_); !s.ok()) {
      *problem = j2k_text(s);
      return nullptr;
    }
    picture.overhead = coder->header_.size() * static_cast<std::uint64_t>(fields);
    *problem = j2k_params(settings, picture, &field.params);
    if (!problem->empty()) return nullptr;
    field.owner = same_coding(field.params, coder->params(0)) ? 0 : f;
  }
  return coder;
}

Status J2kCoder::put_header(int field, std::uint64_t codestream,
                            std::vector<std::uint8_t> *out) const {
  out->clear();
  switch (media_) {
    case J2kMedia::codestream:
      return {};
    case J2kMedia::box:
      return j2k::put_jp2c_header(codestream, out);
    default:
      return j2k::put_jp2_header(jp2_, params(field).coding, codestream, out);
  }
}

// (Of two fields, one may need more.)
std::string J2kCoder::least_rate() const {
  std::uint64_t least_frame = 0;
  bool all_fit = true;
  for (const Field &field : fields_) {
    std::unique_ptr<j2k::Encoder> encoder;
    std::uint64_t least = 0;
    const bool fits = j2k::Encoder::make(field.params, &encoder, &least).ok();
    const auto &targets = field.params.targets;
    if (!fits && (targets.empty() || targets.back().kind != j2k::LayerBudget::Kind::bytes ||
                  targets.back().value >= least))
      return {};  // something else is wrong
    all_fit = all_fit && fits;
    least_frame = std::max(least_frame, j2k_frame_bytes(field.picture, least));
  }
  return all_fit ? std::string() : j2k_least_rate(settings_, fields_[0].picture, least_frame);
}

// A rate that nothing fits into is noticed with the first frame.
std::string J2kCoder::refusal(const Status &status) const {
  const std::string least = least_rate(), rate = j2k_rate_text(settings_);
  if (least.empty()) return j2k_text(status);
  return (rate.empty() ? j2k_profile_setting(settings_) : rate) +
         ": fewer bytes than headers and empty packets require; the least is " + least;
}

bool J2kCoder::is_in(GstCaps *coded) const {
  int profile = 0;
  gst_structure_get_int(gst_caps_get_structure(coded, 0), "profile", &profile);
  return profile == in_caps();
}

std::string J2kCoder::description() const {
  const j2k::EncoderParams &first = params(0);
  const std::string rate = j2k_rate_text(settings_);
  const int tiles = j2k::tiles_wide(first.coding) * j2k::tiles_high(first.coding);
  return std::string(first.wavelet == j2k::Wavelet::reversible_53 ? "5/3" : "9/7") + " by " +
         (fields() > 1 ? "fields" : "frames") + " with " + (rate.empty() ? "no rate" : rate) +
         ", " + std::to_string(first.coding.levels + 1) + " resolutions, " + std::to_string(tiles) +
         " tiles, Rsiz " + std::to_string(first.profile);
}

bool J2kCoder::differs_in_rate_only(const J2kCoder &other) const {
  for (int f = 0; f < fields(); f++)
    if (!j2k::differ_in_targets_only(params(f), other.params(f))) return false;
  return settings_.frames_in_flight == other.settings_.frames_in_flight;
}

Status J2kCoder::set_rate(const J2kCoder &other) {
  for (int f = 0; f < fields(); f++)
    if (fields_[index(f)].encoder != nullptr)
      if (Status s = fields_[index(f)].encoder->set_targets(other.params(f).targets); !s.ok())
        return s;
  return {};
}

void J2kCoder::take_settings(const J2kCoder &other) {
  settings_ = other.settings_;
  for (int f = 0; f < fields(); f++)
    fields_[index(f)].params.targets = other.params(f).targets;
}

Status J2kCoder::encode_field(int number, const Frame &frame, ThreadPool *pool,
                              std::vector<std::uint8_t> *out) {
  std::unique_ptr<j2k::Encoder> &encoder = fields_[index(owner(number))].encoder;
  if (encoder == nullptr)
    if (Status s = j2k::Encoder::make(params(number), &encoder); !s.ok()) return s;
  j2k::Samples samples[j2k::kMaxComponents];
  j2k_samples(frame, rows_of(number), spare_, samples);
  const std::size_t header = out->size();
  out->insert(out->end(), header_.begin(), header_.end());
  const std::size_t begin = out->size();
  if (Status s = encoder->encode(samples, pool, out); !s.ok()) return s;
  if (Status s = put_header(number, out->size() - begin, &header_); !s.ok()) return s;
  std::copy(header_.begin(), header_.end(), out->begin() + static_cast<std::ptrdiff_t>(header));
  return {};
}

Status J2kCoder::encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                        std::vector<std::uint8_t> *out) {
  const bool top_first = is_top_first(in);
  for (int i = 0; i < fields(); i++)
    if (Status s = encode_field(at(i, top_first), frame, pool, out); !s.ok()) return s;
  return {};
}

}  // namespace coalesce::gst
