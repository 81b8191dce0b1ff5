// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kencflight.h"

#include <algorithm>

namespace coalesce::gst {
J2kFlight::J2kFlight(GstCudaContext *context, std::shared_ptr<const J2kCoder> coder, int frames)
    : context_(GST_CUDA_CONTEXT(gst_object_ref(GST_OBJECT_CAST(context)))),
      coder_(std::move(coder)),
      entries_(static_cast<std::size_t>(frames)) {
  slots_ = coder_->owner(coder_->fields() - 1) == 0 ? coder_->fields() : 1;
}

J2kFlight::~J2kFlight() {
  ContextScope scope(context_.get());
  for (auto &encoder : encoders_)
    encoder.reset();
}

Status J2kFlight::make(GstCudaContext *context, std::shared_ptr<const J2kCoder> coder, int frames,
                       std::unique_ptr<FrameFlight> *flight) {
  std::unique_ptr<J2kFlight> made(new J2kFlight(context, std::move(coder), frames));
  for (int field = 0; field < made->coder_->fields(); field++)
    if (made->coder_->owner(field) == field)
      if (Status s = j2k::CudaEncoder::make(made->coder_->params(field), made->slots_ * frames,
                                            &made->encoders_[static_cast<std::size_t>(field)]);
          !s.ok())
        return s;
  *flight = std::move(made);
  return {};
}

Status J2kFlight::frame_memory(const J2kCoder &coder, std::size_t *bytes) {
  *bytes = 0;
  for (int field = 0; field < coder.fields(); field++) {
    std::size_t one = 0;
    if (Status s = j2k::CudaEncoder::slot_memory(coder.params(field), &one); !s.ok()) return s;
    *bytes += one;
  }
  return {};
}

Status J2kFlight::set_rate(const J2kCoder &other) {
  for (int field = 0; field < coder_->fields(); field++)
    if (coder_->owner(field) == field)
      if (Status s = encoder(field).set_targets(other.params(field).targets); !s.ok()) return s;
  return {};
}

Status J2kFlight::start(const Frame &frame, GstBuffer *in, const Stream &stream) {
  const bool top_first = coder_->is_top_first(in);
  entries_[next_].top_first = top_first;
  for (int i = 0; i < coder_->fields(); i++) {
    const int field = coder_->at(i, top_first);
    j2k::Samples samples[j2k::kMaxComponents];
    j2k_samples(frame, coder_->rows_of(field), nullptr, samples);
    if (Status s = encoder(field).start(slot(next_, field), samples, stream.handle()); !s.ok()) {
      abandon(next_);
      return s;
    }
  }
  advance(&next_);
  return {};
}

Status J2kFlight::wait(std::size_t *bytes) {
  *bytes = 0;
  for (int i = 0; i < coder_->fields(); i++) {
    const int field = coder_->at(i, oldest().top_first);
    std::size_t &coded = oldest().bytes[i];
    if (Status s = encoder(field).wait(slot(oldest_, field), &coded); !s.ok()) return s;
    *bytes += coder_->header_bytes() + coded;
  }
  return {};
}

Status J2kFlight::fetch(std::uint8_t *to, std::size_t *downloaded) {
  *downloaded = 0;
  for (int i = 0; i < coder_->fields(); i++) {
    const int field = coder_->at(i, oldest().top_first);
    const std::size_t coded = oldest().bytes[i];
    if (Status s = coder_->put_header(field, coded, &header_); !s.ok()) return s;
    to = std::copy(header_.begin(), header_.end(), to);
    if (Status s = encoder(field).fetch(slot(oldest_, field), to); !s.ok()) return s;
    to += coded;
    *downloaded += coded;
  }
  advance(&oldest_);
  return {};
}

void J2kFlight::abandon(std::size_t entry) {
  for (int field = 0; field < coder_->fields(); field++)
    encoder(field).abandon(slot(entry, field));
}

void J2kFlight::abandon() {
  const ContextScope scope(context_.get());
  for (std::size_t entry = 0; entry < entries_.size(); entry++)
    abandon(entry);
  next_ = oldest_ = 0;
}

}  // namespace coalesce::gst
