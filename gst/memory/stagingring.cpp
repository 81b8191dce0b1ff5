// SPDX-License-Identifier: LGPL-2.1-or-later
#include "stagingring.h"

#include "object/category.h"

namespace coalesce::gst {

// The first failure is the last attempt.
void StagingRing::add_slot() {
  BufferRef slot(gst_buffer_new_allocate(allocator_.get(), bytes_, nullptr));
  const bool page_locked = slot != nullptr && page_locked_fence(slot.get()) != nullptr;
  if (page_locked) slots_.push_back(std::move(slot));
  GST_DEBUG_OBJECT(allocator_.get(),
                   "staging buffers for uploads: %" G_GSIZE_FORMAT ", of %" G_GSIZE_FORMAT
                   " bytes%s",
                   slots_.size(), bytes_, page_locked ? "" : "; no more memory can be page-locked");
  complete_ = !page_locked || slots_.size() == kSlots;
}

GstBuffer *StagingRing::next(gsize bytes) {
  if (bytes != bytes_) {
    slots_.clear();
    bytes_ = bytes;
    complete_ = false;
  }
  if (!complete_) add_slot();
  if (slots_.empty()) return nullptr;
  turn_ = (turn_ + 1) % slots_.size();
  return slots_[turn_].get();
}

}  // namespace coalesce::gst
