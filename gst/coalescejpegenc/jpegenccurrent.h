// SPDX-License-Identifier: LGPL-2.1-or-later
// The coder that frames are encoded with follows the settings and the format.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "jpegenccoder.h"
#include "object/settings.h"

namespace coalesce::gst {

// Settings that will not do are an error where none have been good before, else a warning, and the
// last good ones stay in use. But for sampling(), all functions are the streaming thread's.
class JpegCurrentCoder final : public FrameCoder {
 public:
  // The element, a GstBaseTransform, has the settings, and outlives this.
  JpegCurrentCoder(gpointer element, const Settings<JpegSettings> &settings)
      : element_(element), settings_(settings) {}

  // Of the last coder that frames have had; nullptr if there was none. From any thread.
  const char *sampling() const { return sampling_; }

  // A new format, whose caps have this sampling. If it will not do, the old one stays.
  bool set_format(const GstVideoInfo &info, const char *sampling_in_caps);
  void stop();

  // Before a frame: makes a coder of new settings, if there are any. Where the caps have another
  // sampling, they will be negotiated again.
  void look_at_settings();
  // Is there one? It is for the frame that comes. take_rate(): with true it differed in quality and
  // limit only, and the coder has them; set: gives them to the GPU's, too. Otherwise it must be
  // taken with take_next(), while no frame is under way.
  bool has_next() const { return next_.has_value(); }
  bool take_rate(const std::function<void(const JpegCoder &)> &set);
  void take_next();

  const void *coder() const override { return coder_.get(); }
  const GstVideoInfo &info() const override { return info_; }
  int frames_in_flight() const override { return coder_->settings().frames_in_flight; }
  Status frame_memory(std::size_t *bytes) const override;
  Status make_flight(GstCudaContext *context, int frames,
                     std::unique_ptr<FrameFlight> *flight) const override;
  Status encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                std::vector<std::uint8_t> *out) override;
  std::string text(const Status &status) const override;
  bool has_encoded() const override { return coder_->has_encoded(); }
  void note_good() override;

 private:
  struct Next {
    std::shared_ptr<JpegCoder> coder;
    std::string problem;  // with the settings; then the coder has others, if there is one
    guint changes = 0;    // which settings
  };

  Next make(const GstVideoInfo &info) const;
  void report(Next *next) const;
  void follow_sampling(const JpegCoder &coder) const;

  gpointer element_;
  const Settings<JpegSettings> &settings_;
  GstVideoInfo info_{};
  std::string sampling_in_caps_;
  std::shared_ptr<JpegCoder> coder_;
  guint changes_ = 0;  // that it has seen
  std::optional<Next> next_;
  std::optional<JpegSettings> good_;  // the last that frames have been encoded with
  std::atomic<const char *> sampling_{nullptr};
};

}  // namespace coalesce::gst
