// SPDX-License-Identifier: LGPL-2.1-or-later
// Fields that come one a buffer (interlace-mode=alternate), joined to frames of both.
#pragma once

#include <optional>

#include "frame.h"
#include "memory/bufferpool.h"

namespace coalesce::gst {

// Do caps, their first structure, say that each buffer is one field?
bool caps_are_fields(GstCaps *caps);
// Those of the frames that such fields become; other structures as they are.
CapsRef frames_of(GstCaps *caps);
// Adds what fields in system memory may have to become such frames.
void add_fields_of(GstCaps *caps);

// Two fields in a row, of which the second is the one that the first lacks, become one frame. All
// frames have the same one first, as the caps say or as the first of them has. So where a field is
// missing, the other one is alone (the flag ONEFIELD), and those after it are not mismatched.
class FieldPairs {
 public:
  // Fields of these caps, from now on. The frames are in the allocator's memory; nullptr: in
  // GStreamer's own.
  bool start(GstCaps *fields, GstAllocator *allocator);
  void stop();
  // Nothing follows what has come so far, which is dropped.
  void restart();

  // Is there a field without its other one? Is that `field`?
  bool waits() const { return frame_ != nullptr; }
  bool wants(const GstBuffer *field) const;

  // Adds a field to the frame of the one that waits, or begins a frame with it. after_break: it
  // does not follow the one before. Posts an error if that fails.
  GstFlowReturn add(GstElement *element, GstBuffer *field, bool after_break);
  // Will no other field be added?
  bool is_complete() const;
  // The frame. The rows of a field that it lacks repeat those of the other.
  BufferRef take();

 private:
  bool is_top(const GstBuffer *field) const;
  GstClockTime duration_with(const GstBuffer *second) const;
  void describe_first(GstBuffer *field, bool top, bool after_break);
  void describe_second(GstBuffer *field);

  GstVideoInfo field_info_{}, info_{};
  std::optional<bool> top_first_;
  FramePool pool_;
  BufferRef frame_;  // while its second field is missing, it has the flag ONEFIELD
};

}  // namespace coalesce::gst
