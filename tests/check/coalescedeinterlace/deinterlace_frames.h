// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames of video as the reference of deinterlacing sees them.
#pragma once

#include <vector>

#include "../../support/elements/harness.h"
#include "deinterlace/deinterlace.h"

namespace test {

// Sequences of frames, as they were pushed; the pictures of one of them by the reference.
class DeinterlaceReference {
 public:
  explicit DeinterlaceReference(const std::string &caps) : info_(video_info(caps)) {}

  void add(GstBuffer *frame) { frames_.emplace_back(gst_buffer_ref(frame)); }
  int frames() const { return static_cast<int>(frames_.size()); }

  // The bytes of the picture of frame `number` that keeps the rows of `field`.
  Bytes picture(const coalesce::DeinterlaceParams &params, int number, int field, bool second,
                bool end, const GstVideoInfo &out) const;

 private:
  GstVideoInfo info_;
  std::vector<BufferRef> frames_;
};

}  // namespace test
