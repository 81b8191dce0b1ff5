// SPDX-License-Identifier: LGPL-2.1-or-later
// Buffers for results whose size nobody knows beforehand.
#pragma once

#include "bufferpool.h"
#include "pagelocked.h"

namespace coalesce::gst {

// All of its buffers have as much room as the largest that was asked for, and some more, so that a
// stream that has run for a while allocates nothing.
class BytePool {
 public:
  // Of that allocator's memory.
  BytePool(GstAllocator *allocator, const GstAllocationParams &params);
  ~BytePool() { drop(); }

  GstAllocator *allocator() const { return allocator_.get(); }
  // A buffer of so many bytes, at least one; nullptr if there is no memory.
  BufferRef acquire(gsize bytes);

 private:
  bool grow(gsize bytes);
  void drop();

  AllocatorRef allocator_;
  GstAllocationParams params_;
  PoolRef pool_;
  gsize room_ = 0;
};

}  // namespace coalesce::gst
