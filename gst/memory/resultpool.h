// SPDX-License-Identifier: LGPL-2.1-or-later
// Results of a few bytes that the GPU gives to the host, as frames: a row of GRAY8 is written where
// the work is done, and copied to memory that the host reads behind its fence.
#pragma once

#include "gpusession.h"

namespace coalesce::gst {

// One of them, perhaps still on its way.
class Result {
 public:
  ~Result() { reset(); }
  void reset(BufferRef buffer = nullptr);
  // Waits for it. nullptr: there is none.
  const void *bytes();

 private:
  BufferRef buffer_;
  GstMapInfo map_;
  const void *bytes_ = nullptr;
};

class ResultPool {
 public:
  // session: the GPU's; nullptr where the CPU works. False: there is no memory.
  bool make(GpuSession *session, guint bytes);
  bool is_made() const { return host_ != nullptr; }
  void drop();
  // Where the host reads it; nullptr if there is no memory.
  BufferRef acquire() { return BufferRef(pool_acquire(host_.get())); }

  const GstVideoInfo &info() const { return info_; }
  FramePool &frames() { return frames_; }  // where the work is done

 private:
  GstVideoInfo info_{};
  FramePool frames_;
  PoolRef host_;
};

}  // namespace coalesce::gst
