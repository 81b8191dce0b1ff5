// SPDX-License-Identifier: LGPL-2.1-or-later
#include "resultpool.h"

namespace coalesce::gst {

void Result::reset(BufferRef buffer) {
  if (bytes_ != nullptr) gst_buffer_unmap(buffer_.get(), &map_);
  bytes_ = nullptr;
  buffer_ = std::move(buffer);
}

const void *Result::bytes() {
  if (bytes_ == nullptr && buffer_ != nullptr && gst_buffer_map(buffer_.get(), &map_, GST_MAP_READ))
    bytes_ = map_.data;
  return bytes_;
}

bool ResultPool::make(GpuSession *session, guint bytes) {
  drop();
  gst_video_info_set_format(&info_, GST_VIDEO_FORMAT_GRAY8, bytes, 1);
  const CapsRef caps(gst_video_info_to_caps(&info_));
  host_ = system_pool_new(session != nullptr ? session->page_locked.get() : nullptr, caps.get(),
                          static_cast<guint>(GST_VIDEO_INFO_SIZE(&info_)));
  if (host_ != nullptr && !gst_buffer_pool_set_active(host_.get(), TRUE)) host_.reset();
  return host_ != nullptr &&
         frames_.make(session != nullptr ? session->context.get() : nullptr, caps.get());
}

void ResultPool::drop() {
  if (host_ != nullptr) gst_buffer_pool_set_active(host_.get(), FALSE);
  host_.reset();
  frames_.drop();
}

}  // namespace coalesce::gst
