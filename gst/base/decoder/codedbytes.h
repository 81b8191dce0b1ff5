// SPDX-License-Identifier: LGPL-2.1-or-later
// Bytes of coded pictures that come cut anywhere, and the pictures in them. Where these end, the
// class of the element says.
#pragma once

#include <gst/base/gstadapter.h>

#include <deque>

#include "memory/bufferpool.h"

struct GstCoalesceDecoder;

namespace coalesce::gst {

struct CodedBuffer {
  BufferRef bytes;   // of one picture
  BufferRef origin;  // upstream's, in which it begins; none if another one before began there, too
};

class CodedBytes {
 public:
  explicit CodedBytes(GstCoalesceDecoder *self) : self_(self) {}

  void add(GstBuffer *in);
  // The next picture that has ended; at_end: nothing follows. It takes linear time in all.
  bool next(bool at_end, CodedBuffer *picture);
  void clear();
  // All that have come since then; 0 if a picture begins among them.
  guint64 without_picture() const { return any_picture_ ? 0 : end_; }

 private:
  struct DropAdapter {
    void operator()(GstAdapter *adapter) const { g_object_unref(adapter); }
  };
  using AdapterRef = std::unique_ptr<GstAdapter, DropAdapter>;
  struct Mark {
    guint64 begin;
    BufferRef buffer;
  };
  void advance(gsize bytes);

  GstCoalesceDecoder *self_;
  AdapterRef bytes_{gst_adapter_new()};    // not given to a picture yet
  AdapterRef picture_{gst_adapter_new()};  // of the picture in hand
  guint64 at_ = 0, end_ = 0;               // of bytes_, in the stream
  std::deque<Mark> marks_;                 // of buffers of bytes_; the first may begin before it
  BufferRef origin_;                       // of the picture in hand
  bool any_picture_ = false;
};

}  // namespace coalesce::gst
