// SPDX-License-Identifier: LGPL-2.1-or-later
// What is pushed into elements: frames of a photograph or of noise in any format, or what other
// elements make of them, such as files for a decoder.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <memory>
#include <string>
#include <vector>

namespace coalesce::test {

struct DropObject {
  void operator()(gpointer object) const { gst_object_unref(object); }
};
struct DropMini {
  void operator()(gpointer object) const { gst_mini_object_unref(GST_MINI_OBJECT_CAST(object)); }
};
template <class T>
using Owned = std::unique_ptr<T, DropObject>;
using CapsRef = std::unique_ptr<GstCaps, DropMini>;
using BufferRef = std::unique_ptr<GstBuffer, DropMini>;

CapsRef caps_of(const std::string &text);

struct Content {
  CapsRef caps;
  std::vector<BufferRef> frames;  // in system memory; different ones

  // Of video: caps in any memory.
  bool is_raw() const;
  bool on_gpu() const;
  GstVideoInfo info() const;
};

// Frames for these caps of raw video: pieces of a photograph (a PPM file), or noise if that is
// nullptr. With several views each piece is followed by those further right.
Content frames_of(const std::string &caps, const char *picture, int count, int views);

// As the default layout of the format has them, into a buffer of any memory.
void copy_frame(const GstVideoInfo &info, GstBuffer *from, GstBuffer *to);

}  // namespace coalesce::test
