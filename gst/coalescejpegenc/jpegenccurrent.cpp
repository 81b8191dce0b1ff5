// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegenccurrent.h"

#include <gst/base/gstbasetransform.h>

#include <utility>

GST_DEBUG_CATEGORY_EXTERN(gst_coalesce_jpeg_enc_debug);
#define GST_CAT_DEFAULT gst_coalesce_jpeg_enc_debug

namespace coalesce::gst {
namespace {

void log(gpointer element, const JpegCoder &coder) {
  const jpeg::EncoderParams &params = coder.params();
  const std::string limit = jpeg_limit_text(coder.settings());
  GST_DEBUG_OBJECT(element,
                   "encodes %s with quality %d, %s, %s Huffman tables, restart interval %d",
                   coder.sampling(), params.quality, limit.empty() ? "no limit" : limit.c_str(),
                   params.optimize ? "the best" : "the usual", params.restart_interval);
}

}  // namespace

JpegCurrentCoder::Next JpegCurrentCoder::make(const GstVideoInfo &info) const {
  Next next;
  const JpegSettings settings = settings_.snapshot(&next.changes);
  next.coder = JpegCoder::make(settings, info, &next.problem);
  if (next.coder != nullptr || !good_) return next;
  std::string problem;
  next.coder = JpegCoder::make(*good_, info, &problem);
  return next;
}

void JpegCurrentCoder::report(Next *next) const {
  if (!next->problem.empty())
    post_settings_problem(element_, std::exchange(next->problem, {}), next->coder != nullptr);
}

void JpegCurrentCoder::follow_sampling(const JpegCoder &coder) const {
  if (sampling_in_caps_ == coder.sampling()) return;
  GST_DEBUG_OBJECT(element_, "negotiates again: %s instead of %s", coder.sampling(),
                   sampling_in_caps_.c_str());
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(element_));
}

bool JpegCurrentCoder::set_format(const GstVideoInfo &info, const char *sampling_in_caps) {
  Next next = make(info);
  if (next.coder != nullptr) {
    info_ = info;
    sampling_in_caps_ = sampling_in_caps;
    // Properties may have been set since the caps were made.
    if (next.problem.empty()) follow_sampling(*next.coder);
    next_.reset();
    coder_ = next.coder;
    changes_ = next.changes;
    log(element_, *coder_);
  }
  report(&next);
  return next.coder != nullptr;
}

void JpegCurrentCoder::stop() {
  info_ = {};
  coder_.reset();
  next_.reset();
  good_.reset();
  sampling_ = nullptr;
}

void JpegCurrentCoder::look_at_settings() {
  if (info_.finfo == nullptr || (next_ ? next_->changes : changes_) == settings_.changes()) return;
  next_ = make(info_);
  if (next_->problem.empty()) follow_sampling(*next_->coder);
}

bool JpegCurrentCoder::take_rate(const std::function<void(const JpegCoder &)> &set) {
  report(&*next_);
  const std::shared_ptr<JpegCoder> next = next_->coder;
  if (coder_ == nullptr || next == nullptr || !coder_->has_encoded() ||
      !coder_->differs_in_rate_only(*next))
    return false;
  changes_ = next_->changes;
  next_.reset();
  set(*next);
  coder_->take_rate(*next);
  good_ = next->settings();
  GST_LOG_OBJECT(element_, "the encoder stays, with quality %d and at most %zu bytes",
                 next->params().quality, next->params().max_bytes);
  return true;
}

void JpegCurrentCoder::take_next() {
  coder_ = std::move(next_->coder);
  changes_ = next_->changes;
  next_.reset();
  if (coder_ != nullptr) log(element_, *coder_);
}

Status JpegCurrentCoder::frame_memory(std::size_t *bytes) const {
  return jpeg::CudaEncoder::slot_memory(coder_->params(), bytes);
}

Status JpegCurrentCoder::make_flight(GstCudaContext *context, int frames,
                                     std::unique_ptr<FrameFlight> *flight) const {
  return JpegFlight::make(context, coder_, frames, flight);
}

Status JpegCurrentCoder::encode(const Frame &frame, GstBuffer *, ThreadPool *,
                                std::vector<std::uint8_t> *out) {
  return coder_->encode(frame, out);
}

std::string JpegCurrentCoder::text(const Status &status) const {
  return jpeg_text(status, coder_->settings(), coder_->params().max_bytes);
}

void JpegCurrentCoder::note_good() {
  if (coder_->has_encoded()) return;
  coder_->set_has_encoded();
  good_ = coder_->settings();
  sampling_ = coder_->sampling();
}

}  // namespace coalesce::gst
