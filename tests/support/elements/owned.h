// SPDX-License-Identifier: LGPL-2.1-or-later
// GStreamer's and GStreamer check's headers, and owners of what they make.
#pragma once

#include <memory>

// After the standard headers, in which `fail` is a name.
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#undef fail
// It evaluates each argument in a statement of its own, where a temporary string's text is gone.
#undef fail_unless_equals_string  // expect_string() in its place

namespace test {

struct Drop {
  void operator()(gpointer object) const { gst_object_unref(object); }
  void operator()(GstMiniObject *object) const { gst_mini_object_unref(object); }
  void operator()(GstStructure *structure) const { gst_structure_free(structure); }
  void operator()(char *text) const { g_free(text); }
};
// For what derives from GstObject, and structures and strings.
template <class T>
using Owned = std::unique_ptr<T, Drop>;
struct DropMini {
  void operator()(gpointer object) const { gst_mini_object_unref(GST_MINI_OBJECT_CAST(object)); }
};
using BufferRef = std::unique_ptr<GstBuffer, DropMini>;
using CapsRef = std::unique_ptr<GstCaps, DropMini>;
using MessageRef = std::unique_ptr<GstMessage, DropMini>;
using EventRef = std::unique_ptr<GstEvent, DropMini>;
using QueryRef = std::unique_ptr<GstQuery, DropMini>;

}  // namespace test
