// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on the CPU whose samples stand at addresses that kernels do not take.
#pragma once

#include "frame.h"
#include "memory/bufferpool.h"

namespace coalesce::gst {

// A mapped frame in system memory or, if its samples are not aligned to their size, one of a pool
// that stands in for it.
class AlignedFrame {
 public:
  // `pool` is made for `caps`, those of the frame, when it is first needed. False if there is no
  // memory.
  bool stand_in(Frame &original, GstCaps *caps, PoolRef *pool);

  Frame &frame() { return own_ != nullptr ? copy_ : *original_; }
  // nullptr if that is the original itself.
  Frame *original_if_other() { return own_ != nullptr ? original_ : nullptr; }

  // From the original, and to it.
  void fetch();
  void write_back();

 private:
  Frame *original_ = nullptr;
  BufferRef own_;
  Frame copy_;
};

}  // namespace coalesce::gst
