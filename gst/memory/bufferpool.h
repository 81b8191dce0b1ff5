// SPDX-License-Identifier: LGPL-2.1-or-later
// Pools of video frames: in fenced CUDA memory, where every buffer carries a GstVideoMeta with the
// real format, offsets and strides (libgstcuda 1.22's own pool forces its default allocator), and
// in system memory.
#pragma once

#include "fencedmemory.h"

namespace coalesce::gst {

using PoolRef = std::unique_ptr<GstBufferPool, Unref>;

struct Unmini {
  void operator()(gpointer object) const { gst_mini_object_unref(GST_MINI_OBJECT_CAST(object)); }
};
using BufferRef = std::unique_ptr<GstBuffer, Unmini>;
using CapsRef = std::unique_ptr<GstCaps, Unmini>;

// A configured, inactive pool, or nullptr if the memory cannot be had. size receives the bytes of
// one buffer, which are more than the caps say because of the pitch.
PoolRef cuda_pool_new(GstCudaContext *context, GstCaps *caps, guint *size);

// A pool of system memory that is not configured. Its memory begins as zeros, and what is behind
// the samples of a row stays so: files of the same frames are the same.
GstBufferPool *system_pool_new();
// The first, configured; of GStreamer's own allocator if none is given.
PoolRef system_pool_new(GstAllocator *allocator, GstCaps *caps, guint size);

// Is that memory like any other, none that downstream has of its own? nullptr is.
bool is_ordinary(GstAllocator *allocator);
// Is that pool like any other?
bool is_ordinary(GstBufferPool *pool);

// A buffer from an active pool, or nullptr.
GstBuffer *pool_acquire(GstBufferPool *pool);

// An active pool of frames of one format, without a limit.
class FramePool {
 public:
  ~FramePool() { drop(); }

  // Instead of the one before: of device memory of a context (false if there is none), or, without
  // one, of system memory, of which the pool is made with its first frame.
  bool make(GstCudaContext *context, GstCaps *caps);
  // Instead of the one before: of system memory of that allocator, or of GStreamer's own.
  bool make_in(GstAllocator *allocator, GstCaps *caps);
  void drop();
  // nullptr if there is no memory.
  BufferRef acquire();

 private:
  bool activate(PoolRef pool);
  bool activate_in(GstAllocator *allocator, GstCaps *caps);

  PoolRef pool_;
  CapsRef system_caps_;  // of a pool that is not made yet
};

}  // namespace coalesce::gst
