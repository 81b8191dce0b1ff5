// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of one format to files: the coder and the flight of coding/currentcoder.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "coding/framecoding.h"
#include "jpeg/encoder/cuda_encoder.h"
#include "jpeg/encoder/encoder.h"
#include "jpegencsettings.h"

namespace coalesce::gst {

class JpegCoder {
 public:
  using Settings = JpegSettings;
  using InCaps = const char *;  // the sampling

  static std::unique_ptr<JpegCoder> make(const JpegSettings &settings, const GstVideoInfo &info,
                                         GstCaps *, std::string *problem);

  const JpegSettings &settings() const { return settings_; }
  const jpeg::EncoderParams &params() const { return params_; }
  const char *in_caps() const { return sampling_; }
  bool is_in(GstCaps *coded) const;
  std::string description() const;
  Job::Rows rows() const { return Job::Rows::of_buffer; }

  // The first frame allocates.
  Status encode(const Frame &frame, GstBuffer *in, ThreadPool *pool,
                std::vector<std::uint8_t> *out);
  std::string text(const Status &status) const;
  bool is_refusal(const Status &) const { return false; }  // another picture may fit
  std::string refusal(const Status &status) const { return text(status); }
  bool has_encoded() const { return has_encoded_; }
  void set_has_encoded() { has_encoded_ = true; }

  // The rate is the quality and the limit.
  bool differs_in_rate_only(const JpegCoder &other) const;
  Status set_rate(const JpegCoder &other);
  void take_settings(const JpegCoder &other);

 private:
  JpegCoder() = default;

  JpegSettings settings_;
  jpeg::EncoderParams params_;
  const char *sampling_ = nullptr;
  std::unique_ptr<jpeg::Encoder> encoder_;
  bool has_encoded_ = false;
};

// Frames under way on the GPU.
class JpegFlight final : public FrameFlight {
 public:
  static Status make(GstCudaContext *context, std::shared_ptr<const JpegCoder> coder, int frames,
                     std::unique_ptr<FrameFlight> *flight);
  static Status frame_memory(const JpegCoder &coder, std::size_t *bytes);
  ~JpegFlight() override;

  Status set_rate(const JpegCoder &coder);

  const void *coder() const override { return coder_.get(); }
  int room() const override { return static_cast<int>(limits_.size()); }
  Status start(const Frame &frame, GstBuffer *in, const Stream &stream) override;
  Status wait(std::size_t *bytes) override;
  Status fetch(std::uint8_t *to, std::size_t *downloaded) override;
  void abandon() override;
  std::string text(const Status &status) const override;

 private:
  struct Limit {
    unsigned max_frame_size = 0, bitrate = 0;  // the properties
    std::size_t bytes = 0;                     // what they come to
  };
  static Limit limit_of(const JpegCoder &coder);

  JpegFlight(GstCudaContext *context, std::shared_ptr<const JpegCoder> coder, int frames);
  void advance(std::size_t *slot) const { *slot = (*slot + 1) % limits_.size(); }

  ContextRef context_;
  std::shared_ptr<const JpegCoder> coder_;
  std::unique_ptr<jpeg::CudaEncoder> encoder_;
  Limit limit_;                // of frames to be started
  std::vector<Limit> limits_;  // of each slot's frame
  std::size_t next_ = 0;       // to be started
  std::size_t oldest_ = 0;     // to be finished
  std::size_t oldest_bytes_ = 0;
};

}  // namespace coalesce::gst
