// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegenccoder.h"

namespace coalesce::gst {

// ---- the CPU ---------------------------------------------------------------------------------

std::unique_ptr<JpegCoder> JpegCoder::make(const JpegSettings &settings, const GstVideoInfo &info,
                                           GstCaps *, std::string *problem) {
  *problem = jpeg_check(settings);
  if (!problem->empty()) return nullptr;
  std::unique_ptr<JpegCoder> coder(new JpegCoder);
  coder->settings_ = settings;
  coder->sampling_ = jpeg_sampling(settings, info.finfo);
  *problem = jpeg_params(settings, info, &coder->params_);
  return problem->empty() ? std::move(coder) : nullptr;
}

bool JpegCoder::is_in(GstCaps *coded) const {
  const char *sampling = gst_structure_get_string(gst_caps_get_structure(coded, 0), "sampling");
  return g_strcmp0(sampling, sampling_) == 0;
}

std::string JpegCoder::description() const {
  const std::string limit = jpeg_limit_text(settings_);
  return std::string(sampling_) + " with quality " + std::to_string(params_.quality) + ", " +
         (limit.empty() ? "no limit" : limit) + ", " +
         (params_.optimize ? "the best" : "the usual") + " Huffman tables, restart interval " +
         std::to_string(params_.restart_interval);
}

std::string JpegCoder::text(const Status &status) const {
  return jpeg_text(status, settings_, params_.max_bytes);
}

Status JpegCoder::encode(const Frame &frame, GstBuffer *, ThreadPool *,
                         std::vector<std::uint8_t> *out) {
  if (encoder_ == nullptr)
    if (Status s = jpeg::Encoder::make(params_, &encoder_); !s.ok()) return s;
  return encoder_->encode(frame.image(), out);
}

bool JpegCoder::differs_in_rate_only(const JpegCoder &other) const {
  JpegSettings like = settings_;
  like.quality = other.settings_.quality;
  like.max_frame_size = other.settings_.max_frame_size;
  like.bitrate = other.settings_.bitrate;
  return like == other.settings_ && (params_.max_bytes == 0) == (other.params_.max_bytes == 0);
}

Status JpegCoder::set_rate(const JpegCoder &other) {
  if (encoder_ == nullptr) return {};
  const Status s = encoder_->set_quality(other.params_.quality);
  return s.ok() ? encoder_->set_max_bytes(other.params_.max_bytes) : s;
}

void JpegCoder::take_settings(const JpegCoder &other) {
  settings_ = other.settings_;
  params_.quality = other.params_.quality;
  params_.max_bytes = other.params_.max_bytes;
}

// ---- the GPU ---------------------------------------------------------------------------------

JpegFlight::Limit JpegFlight::limit_of(const JpegCoder &coder) {
  return {coder.settings().max_frame_size, coder.settings().bitrate, coder.params().max_bytes};
}

JpegFlight::JpegFlight(GstCudaContext *context, std::shared_ptr<const JpegCoder> coder, int frames)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(GST_OBJECT_CAST(context)))),
      coder_(std::move(coder)),
      limit_(limit_of(*coder_)),
      limits_(static_cast<std::size_t>(frames)) {}

JpegFlight::~JpegFlight() {
  ContextScope scope(context_.get());
  encoder_.reset();
}

Status JpegFlight::make(GstCudaContext *context, std::shared_ptr<const JpegCoder> coder, int frames,
                        std::unique_ptr<FrameFlight> *flight) {
  std::unique_ptr<JpegFlight> made(new JpegFlight(context, std::move(coder), frames));
  if (Status s = jpeg::CudaEncoder::make(made->coder_->params(), frames, &made->encoder_); !s.ok())
    return s;
  *flight = std::move(made);
  return {};
}

Status JpegFlight::frame_memory(const JpegCoder &coder, std::size_t *bytes) {
  return jpeg::CudaEncoder::slot_memory(coder.params(), bytes);
}

Status JpegFlight::set_rate(const JpegCoder &coder) {
  limit_ = limit_of(coder);
  const Status s = encoder_->set_quality(coder.params().quality);
  return s.ok() ? encoder_->set_max_bytes(coder.params().max_bytes) : s;
}

Status JpegFlight::start(const Frame &frame, GstBuffer *, const Stream &stream) {
  const auto slot = static_cast<int>(next_);
  limits_[next_] = limit_;
  if (Status s = encoder_->start(slot, frame.image(), stream.handle()); !s.ok()) {
    encoder_->abandon(slot);
    return s;
  }
  advance(&next_);
  return {};
}

Status JpegFlight::wait(std::size_t *bytes) {
  const Status s = encoder_->wait(static_cast<int>(oldest_), &oldest_bytes_);
  *bytes = oldest_bytes_;
  return s;
}

Status JpegFlight::fetch(std::uint8_t *to, std::size_t *downloaded) {
  if (Status s = encoder_->fetch(static_cast<int>(oldest_), to); !s.ok()) return s;
  *downloaded = oldest_bytes_;
  advance(&oldest_);
  return {};
}

void JpegFlight::abandon() {
  const ContextScope scope(context_.get());
  for (int slot = 0; slot < room(); slot++)
    encoder_->abandon(slot);
  next_ = oldest_ = 0;
}

std::string JpegFlight::text(const Status &status) const {
  JpegSettings settings;
  settings.max_frame_size = limits_[oldest_].max_frame_size;
  settings.bitrate = limits_[oldest_].bitrate;
  return jpeg_text(status, settings, limits_[oldest_].bytes);
}

}  // namespace coalesce::gst
