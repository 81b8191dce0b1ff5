// SPDX-License-Identifier: LGPL-2.1-or-later
#include "alignedframe.h"

#include "framecopy.h"

namespace coalesce::gst {
namespace {

bool activate(GstCaps *caps, const GstVideoInfo &info, PoolRef *pool) {
  if (*pool != nullptr) return true;
  PoolRef made = system_pool_new(nullptr, caps, static_cast<guint>(GST_VIDEO_INFO_SIZE(&info)));
  if (made == nullptr || !gst_buffer_pool_set_active(made.get(), TRUE)) return false;
  *pool = std::move(made);
  return true;
}

}  // namespace

bool AlignedFrame::stand_in(Frame &original, GstCaps *caps, PoolRef *pool) {
  original_ = &original;
  if (original.is_aligned()) return true;
  if (!activate(caps, original.info(), pool)) return false;
  own_.reset(pool_acquire(pool->get()));
  return own_ != nullptr &&
         copy_.map(own_.get(), original.info(), Memory::system, GST_MAP_READWRITE);
}

void AlignedFrame::fetch() {
  if (own_ == nullptr) return;
  copy_.be_copy_of(*original_);
  copy_on_cpu(*original_, copy_);
}

void AlignedFrame::write_back() {
  if (own_ != nullptr) copy_on_cpu(copy_, *original_);
}

}  // namespace coalesce::gst
