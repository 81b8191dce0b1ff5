// SPDX-License-Identifier: LGPL-2.1-or-later
// Page-locked buffers for frames that upstream brings in its own memory.
#pragma once

#include <vector>

#include "bufferpool.h"
#include "pagelocked.h"

namespace coalesce::gst {

// One is filled by the CPU while the GPU fetches another; the third is for frames that come
// unevenly. They are made when first needed, and anew when the size changes.
class StagingRing {
 public:
  explicit StagingRing(GstAllocator *page_locked)
      : allocator_(GST_ALLOCATOR(gst_object_ref(page_locked))) {}

  // The buffer whose turn it is, whose fence tells when its last upload is over; nullptr if there
  // is no page-locked memory to be had.
  GstBuffer *next(gsize bytes);

 private:
  static constexpr std::size_t kSlots = 3;

  void add_slot();

  AllocatorRef allocator_;
  std::vector<BufferRef> slots_;
  gsize bytes_ = 0;
  std::size_t turn_ = 0;
  bool complete_ = false;
};

}  // namespace coalesce::gst
