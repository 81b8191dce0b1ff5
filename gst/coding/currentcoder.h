// SPDX-License-Identifier: LGPL-2.1-or-later
// The coder that frames are encoded with follows the settings and the format.
//
// A Coder codes frames of one format with settings that do not change, but for their rate:
//
//   using Settings;          what the element's properties say
//   using InCaps;            what coded caps say of settings; 0 or nullptr: of none
//   static make(settings, info, coded, &problem)
//                            nullptr, and what is wrong, if they do not go together
//   settings(), in_caps(), description(), has_encoded(), set_has_encoded(), rows()
//   is_in(coded)             do coded caps say of it what they have to?
//   encode(frame, in, pool, out), text(status)      as of FrameCoder
//   is_refusal(status)       has the first frame shown that the settings are impossible?
//   refusal(status)          what is wrong with them then, or with a rate
//   differs_in_rate_only(other)                     of the same format
//   set_rate(other)          gives its encoders the other's rate
//   take_settings(other)     all encoders have been given its rate
//
// A Flight is a FrameFlight with make(context, coder, frames, &flight), frame_memory(coder, &bytes)
// and set_rate(coder): for frames that are started from now on.
//
// GST_CAT_DEFAULT: the element's category, defined before this is included.
#pragma once

#include <gst/base/gstbasetransform.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framecoding.h"
#include "object/settings.h"

namespace coalesce::gst {

// Settings that will not do are an error where none have been good before, else a warning, and the
// last good ones stay in use. But for in_caps(), all functions are the streaming thread's.
template <class Coder, class Flight>
class CurrentCoder final : public FrameCoder {
 public:
  using Settings = gst::Settings<typename Coder::Settings>;

  // The element, a GstBaseTransform, has the settings, and outlives this.
  CurrentCoder(gpointer element, const Settings &settings)
      : element_(element), settings_(settings) {}

  // Of the last coder that has encoded a frame. From any thread.
  typename Coder::InCaps in_caps() const { return in_caps_; }

  // New caps. If they will not do, the old ones stay.
  bool set_format(const GstVideoInfo &info, GstCaps *coded) {
    Next next = make(info, coded);
    if (next.coder != nullptr) {
      info_ = info;
      coded_.reset(gst_caps_ref(coded));
      follow(next);  // properties may have been set since the caps were made
      take(&next);
    }
    report(&next);
    return next.coder != nullptr;
  }

  void stop() {
    coded_.reset();
    coder_.reset();
    next_.reset();
    good_.reset();
    in_caps_ = {};
  }

  // Before a frame: makes a coder of new settings, if there are any. Where caps have to say
  // something else, they will be negotiated again.
  void look_at_settings() {
    if (coded_ == nullptr || (next_ ? next_->changes : changes_) == settings_.changes()) return;
    next_ = make(info_, coded_.get());
    follow(*next_);
  }
  // Is there one? It is for the frame that comes. take_rate(): with true it was different in
  // nothing else, and the rate is in use, or has been reported as impossible. Otherwise it must be
  // taken with take_next(), while no frame is under way.
  bool has_next() const { return next_.has_value(); }
  bool take_rate(FrameFlight *flight) {
    report(&*next_);
    const std::shared_ptr<Coder> next = next_->coder;
    if (coder_ == nullptr || next == nullptr || !coder_->has_encoded() ||
        !coder_->differs_in_rate_only(*next))
      return false;
    changes_ = next_->changes;
    next_.reset();
    if (const Status status = set_rate(*next, flight); !status.ok()) {
      (void)set_rate(*coder_, flight);  // some encoders may have taken what others have not
      return post_settings_problem(element_, next->refusal(status), true);
    }
    coder_->take_settings(*next);
    good_ = next->settings();
    GST_LOG_OBJECT(element_, "the encoder stays: %s", coder_->description().c_str());
    return true;
  }
  void take_next() {
    Next next = *std::exchange(next_, std::nullopt);
    take(&next);
  }

  const void *coder() const override { return coder_.get(); }
  const GstVideoInfo &info() const override { return info_; }
  Job::Rows rows() const override { return coder_->rows(); }
  int frames_in_flight() const override { return coder_->settings().frames_in_flight; }
  Status frame_memory(std::size_t *bytes) const override {
    return Flight::frame_memory(*coder_, bytes);
  }
  Status make_flight(GstCudaContext *context, int frames,
                     std::unique_ptr<FrameFlight> *flight) const override {
    return Flight::make(context, coder_, frames, flight);
  }
  Status encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                std::vector<std::uint8_t> *out) override {
    return coder_->encode(frame, in, pool, out);
  }
  std::string text(const Status &status) const override { return coder_->text(status); }
  bool has_encoded() const override { return coder_->has_encoded(); }
  void note_good() override {
    if (coder_->has_encoded()) return;
    coder_->set_has_encoded();
    good_ = coder_->settings();
    in_caps_ = coder_->in_caps();
  }
  bool is_refusal(const Status &status) const override {
    return !coder_->has_encoded() && coder_->is_refusal(status);
  }
  bool go_back(const Status &status) override {
    const std::string problem = coder_->refusal(status);
    if (good_ == coder_->settings()) good_.reset();  // they were good for other caps
    coder_ = make_good(info_, coded_.get());
    return post_settings_problem(element_, problem, coder_ != nullptr);
  }

 private:
  struct Next {
    std::shared_ptr<Coder> coder;
    std::string problem;  // with the settings; then the coder has others, if there is one
    guint changes = 0;    // which settings
  };

  // Only if the caps say what its frames are: those of refused settings may say something else.
  std::shared_ptr<Coder> make_good(const GstVideoInfo &info, GstCaps *coded) const {
    std::string problem;
    std::shared_ptr<Coder> good = good_ ? Coder::make(*good_, info, coded, &problem) : nullptr;
    return good != nullptr && good->is_in(coded) ? good : nullptr;
  }
  Next make(const GstVideoInfo &info, GstCaps *coded) const {
    Next next;
    const auto settings = settings_.snapshot(&next.changes);
    next.coder = Coder::make(settings, info, coded, &next.problem);
    if (next.coder == nullptr) next.coder = make_good(info, coded);
    return next;
  }
  void report(Next *next) const {
    if (!next->problem.empty())
      post_settings_problem(element_, std::exchange(next->problem, {}), next->coder != nullptr);
  }
  void follow(const Next &next) const {
    if (!next.problem.empty() || next.coder->is_in(coded_.get())) return;
    GST_DEBUG_OBJECT(element_, "negotiates again for %s", next.coder->description().c_str());
    gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(element_));
  }
  void take(Next *next) {
    next_.reset();
    coder_ = next->coder;
    changes_ = next->changes;
    if (coder_ != nullptr) GST_DEBUG_OBJECT(element_, "encodes %s", coder_->description().c_str());
  }
  Status set_rate(const Coder &to, FrameFlight *flight) {
    const bool in_flight = flight != nullptr && flight->coder() == coder_.get();
    const Status status = in_flight ? static_cast<Flight *>(flight)->set_rate(to) : Status();
    return status.ok() ? coder_->set_rate(to) : status;
  }

  gpointer element_;
  const Settings &settings_;
  GstVideoInfo info_{};
  CapsRef coded_;
  std::shared_ptr<Coder> coder_;
  guint changes_ = 0;  // that it has seen
  std::optional<Next> next_;
  std::optional<typename Coder::Settings> good_;  // the last that frames have been encoded with
  std::atomic<typename Coder::InCaps> in_caps_{};
};

}  // namespace coalesce::gst
