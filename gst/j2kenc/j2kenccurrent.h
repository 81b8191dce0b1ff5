// SPDX-License-Identifier: LGPL-2.1-or-later
// The coder that frames are encoded with follows the settings and the format.
#pragma once

#include <atomic>
#include <functional>

#include "coding/framecoding.h"
#include "j2kenccoder.h"
#include "object/settings.h"

namespace coalesce::gst {

// Settings that will not do are an error where none have been good before, else a warning, and the
// last good ones stay in use. But for profile(), all functions are the streaming thread's.
class J2kCurrentCoder final : public FrameCoder {
 public:
  // The element, a GstBaseTransform, has the settings, and outlives this.
  J2kCurrentCoder(gpointer element, const Settings<J2kSettings> &settings)
      : element_(element), settings_(settings) {}

  // nullptr: no settings will do, which has been an error.
  const std::shared_ptr<J2kCoder> &get() const { return coder_; }
  const void *coder() const override { return coder_.get(); }
  const GstVideoInfo &info() const override { return info_; }
  // Of the last settings that frames have been encoded with (Rsiz); from any thread.
  int profile() const { return profile_; }

  // A new format, whose caps have this profile. If it will not do, the old one stays.
  bool set_format(const GstVideoInfo &info, J2kMedia media, int profile_in_caps);
  void stop();

  // Before a frame: makes a coder of new settings, if there are any. Where the caps have another
  // profile, they will be negotiated again.
  void look_at_settings();
  // Is there one? It is for the frame that comes. take_targets(): with true it was different in
  // nothing else, and its targets are in use, or are reported as impossible. set: gives them to all
  // encoders. Otherwise it must be taken with take_next(), while no frame is under way.
  bool has_next() const { return next_.has_value(); }
  bool take_targets(const std::function<Status(const J2kCoder &)> &set);
  void take_next();

  Job::Rows rows() const override;
  int frames_in_flight() const override { return coder_->settings().frames_in_flight; }
  Status frame_memory(std::size_t *bytes) const override;
  Status make_flight(GstCudaContext *context, int frames,
                     std::unique_ptr<FrameFlight> *flight) const override;
  Status encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                std::vector<std::uint8_t> *out) override;
  std::string text(const Status &status) const override { return j2k_text(status); }
  bool has_encoded() const override { return coder_->has_encoded(); }
  void note_good() override;
  // go_back() treats a refusal like other impossible settings.
  bool is_refusal(const Status &status) const override;
  bool go_back(const Status &status) override;

 private:
  struct Next {
    std::shared_ptr<J2kCoder> coder;
    std::string problem;  // with the settings; then the coder has others, if there is one
    guint changes = 0;    // which settings
  };

  Next make(const GstVideoInfo &info, J2kMedia media) const;
  std::shared_ptr<J2kCoder> make_good(const GstVideoInfo &info, J2kMedia media) const;
  void report(Next *next) const;
  void follow_profile(const Next &next) const;

  gpointer element_;
  const Settings<J2kSettings> &settings_;
  GstVideoInfo info_{};
  J2kMedia media_ = J2kMedia::codestream;
  int profile_in_caps_ = 0;
  std::shared_ptr<J2kCoder> coder_;
  guint changes_ = 0;  // that it has seen
  std::optional<Next> next_;
  std::optional<J2kSettings> good_;  // the last that frames have been encoded with
  std::atomic<int> profile_{0};
};

}  // namespace coalesce::gst
