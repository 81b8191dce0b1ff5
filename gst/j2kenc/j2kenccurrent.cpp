// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenccurrent.h"

#include <gst/base/gstbasetransform.h>

#include <utility>

#include "j2kencflight.h"

GST_DEBUG_CATEGORY_EXTERN(gst_j2kenc_debug);
#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

// A rate that nothing fits into is noticed with the first frame.
std::string rate_problem(const J2kCoder &coder, const Status &status) {
  const std::string least = coder.least_rate(), rate = j2k_rate_text(coder.settings());
  if (least.empty()) return j2k_text(status);
  return (rate.empty() ? j2k_profile_setting(coder.settings()) : rate) +
         ": fewer bytes than headers and empty packets require; the least is " + least;
}

void log(gpointer element, const J2kCoder &coder) {
  const j2k::EncoderParams &params = coder.params(0);
  const std::string rate = j2k_rate_text(coder.settings());
  GST_DEBUG_OBJECT(element, "encodes %s by %s with %s, %d resolutions, %d tiles, Rsiz 0x%x",
                   coder.fields() > 1 ? "fields" : "frames",
                   params.wavelet == j2k::Wavelet::reversible_53 ? "5/3" : "9/7",
                   rate.empty() ? "no rate" : rate.c_str(), params.coding.levels + 1,
                   j2k::tiles_wide(params.coding) * j2k::tiles_high(params.coding), params.profile);
}

}  // namespace

std::shared_ptr<J2kCoder> J2kCurrentCoder::make_good(const GstVideoInfo &info,
                                                     J2kMedia media) const {
  std::string problem;
  return good_ ? J2kCoder::make(*good_, info, media, &problem) : nullptr;
}

J2kCurrentCoder::Next J2kCurrentCoder::make(const GstVideoInfo &info, J2kMedia media) const {
  Next next;
  const J2kSettings settings = settings_.snapshot(&next.changes);
  next.coder = J2kCoder::make(settings, info, media, &next.problem);
  if (next.coder == nullptr) next.coder = make_good(info, media);
  return next;
}

void J2kCurrentCoder::report(Next *next) const {
  if (!next->problem.empty())
    post_settings_problem(element_, std::exchange(next->problem, {}), next->coder != nullptr);
}

void J2kCurrentCoder::follow_profile(const Next &next) const {
  if (!next.problem.empty() || next.coder->profile() == profile_in_caps_) return;
  GST_DEBUG_OBJECT(element_, "negotiates again: Rsiz is 0x%x instead of 0x%x",
                   next.coder->profile(), profile_in_caps_);
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(element_));
}

bool J2kCurrentCoder::set_format(const GstVideoInfo &info, J2kMedia media, int profile_in_caps) {
  Next next = make(info, media);
  if (next.coder != nullptr) {
    info_ = info;
    media_ = media;
    profile_in_caps_ = profile_in_caps;
    follow_profile(next);  // properties may have been set since the caps were made
    next_.reset();
    coder_ = next.coder;
    changes_ = next.changes;
    log(element_, *coder_);
  }
  report(&next);
  return next.coder != nullptr;
}

void J2kCurrentCoder::stop() {
  info_ = {};
  coder_.reset();
  next_.reset();
  good_.reset();
}

void J2kCurrentCoder::look_at_settings() {
  if (info_.finfo == nullptr || (next_ ? next_->changes : changes_) == settings_.changes()) return;
  next_ = make(info_, media_);
  follow_profile(*next_);
}

bool J2kCurrentCoder::take_targets(const std::function<Status(const J2kCoder &)> &set) {
  report(&*next_);
  const std::shared_ptr<J2kCoder> next = next_->coder;
  if (coder_ == nullptr || next == nullptr || !coder_->has_encoded() ||
      !coder_->differs_in_targets_only(*next))
    return false;
  changes_ = next_->changes;
  next_.reset();
  if (const Status status = set(*next); !status.ok()) {
    (void)set(*coder_);  // one field may have taken what the other has not
    return post_settings_problem(element_, rate_problem(*next, status), true);
  }
  coder_->take_settings(*next);
  good_ = next->settings();
  GST_DEBUG_OBJECT(element_, "the encoder stays, with another rate: %s",
                   j2k_rate_text(*good_).c_str());
  return true;
}

void J2kCurrentCoder::take_next() {
  coder_ = std::move(next_->coder);
  changes_ = next_->changes;
  next_.reset();
  if (coder_ != nullptr) log(element_, *coder_);
}

Job::Rows J2kCurrentCoder::rows() const {
  return coder_->fields() > 1 ? Job::Rows::of_both_fields : Job::Rows::of_buffer;
}

Status J2kCurrentCoder::frame_memory(std::size_t *bytes) const {
  return J2kFlight::frame_memory(*coder_, bytes);
}

Status J2kCurrentCoder::make_flight(GstCudaContext *context, int frames,
                                    std::unique_ptr<FrameFlight> *flight) const {
  return J2kFlight::make(context, info_, coder_, frames, flight);
}

Status J2kCurrentCoder::encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                               std::vector<std::uint8_t> *out) {
  return coder_->encode(frame, j2k_is_top_first(info_, in), pool, out);
}

bool J2kCurrentCoder::is_refusal(const Status &status) const {
  return status.code() == StatusCode::invalid_argument && !coder_->has_encoded();
}

bool J2kCurrentCoder::go_back(const Status &status) {
  const std::string problem = rate_problem(*coder_, status);
  // They were good for other caps.
  if (good_ == coder_->settings()) good_.reset();
  coder_ = make_good(info_, media_);
  return post_settings_problem(element_, problem, coder_ != nullptr);
}

void J2kCurrentCoder::note_good() {
  if (coder_->has_encoded()) return;
  coder_->set_has_encoded();
  good_ = coder_->settings();
  profile_ = coder_->profile();
}

}  // namespace coalesce::gst
