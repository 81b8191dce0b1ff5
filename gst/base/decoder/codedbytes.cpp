// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codedbytes.h"

#include <utility>

#include "decoder.h"
#include "object/category.h"

namespace coalesce::gst {
namespace {

// A stream without an end of a picture fills no more memory.
constexpr gsize kMostBytes = gsize{1} << 30;

}  // namespace

void CodedBytes::add(GstBuffer *in) {
  const gsize bytes = gst_buffer_get_size(in);
  if (bytes == 0) return;
  marks_.push_back({end_, BufferRef(gst_buffer_ref(in))});
  end_ += bytes;
  advance(0);
  gst_adapter_push(bytes_.get(), gst_buffer_ref(in));
}

void CodedBytes::advance(gsize bytes) {
  at_ += bytes;
  while (marks_.size() > 1 && marks_[1].begin <= at_)
    marks_.pop_front();
}

bool CodedBytes::next(bool at_end, CodedBuffer *picture) {
  auto *klass = GST_COALESCE_DECODER_GET_CLASS(self_);
  gsize before = 0, bytes = 0;
  bool ended = klass->find_end(self_, bytes_.get(), at_end, &before, &bytes);
  if (before > 0) {
    GST_DEBUG_OBJECT(self_, "%" G_GSIZE_FORMAT " bytes belong to no picture", before);
    gst_adapter_flush(bytes_.get(), before);
    advance(before);
  }
  const gsize known = gst_adapter_available(picture_.get());
  if (bytes > kMostBytes - known) {
    GST_ELEMENT_WARNING(
        self_, STREAM, DECODE,
        ("A picture is cut: it has more than %" G_GSIZE_FORMAT " bytes", kMostBytes), (nullptr));
    bytes = kMostBytes - known;
    ended = true;
  }
  if (bytes > 0 && known == 0 && !marks_.empty() && marks_.front().begin <= at_) {
    origin_ = std::move(marks_.front().buffer);
    marks_.pop_front();
  }
  any_picture_ = any_picture_ || bytes > 0;
  // At once: the adapter would look for its place in all that it has.
  if (bytes > 0)
    gst_adapter_push(picture_.get(), gst_adapter_take_buffer_fast(bytes_.get(), bytes));
  advance(bytes);
  if (!ended) return false;
  klass->restart(self_);
  const gsize all = gst_adapter_available(picture_.get());
  if (all == 0) return false;
  picture->bytes.reset(gst_adapter_take_buffer(picture_.get(), all));
  picture->origin = std::move(origin_);
  return true;
}

void CodedBytes::clear() {
  GST_COALESCE_DECODER_GET_CLASS(self_)->restart(self_);
  gst_adapter_clear(bytes_.get());
  gst_adapter_clear(picture_.get());
  marks_.clear();
  origin_.reset();
  at_ = end_ = 0;
  any_picture_ = false;
}

}  // namespace coalesce::gst
