// SPDX-License-Identifier: LGPL-2.1-or-later
// What elements of any kind of output have to look at in their input.
#pragma once

#include <gst/base/gstbasetransform.h>

#include <string>

#include "frame.h"

namespace coalesce::gst {

// Fills `info`. False for caps that are no raw video, or of frames of 2 GiB and more.
bool usable_info(GstCaps *caps, GstVideoInfo *info);
// Which of the two, for an element error.
const char *unusable_reason(const GstCaps *caps);

// Do these caps, the index-th ones, have fields in pictures of their own, two or one a buffer? A
// Frame is one picture.
bool has_fields_apart(const GstCaps *caps, guint index);
// The text about the first ones that have; empty if none have. joins_fields: one a buffer is
// accepted.
std::string interlacing_problem(const GstCaps *caps, bool joins_fields = false);

// Is nothing linked to the source pad, so that out_caps, which are the input's, mean passthrough?
bool unlinked_caps(GstBaseTransform *trans, GstCaps *out_caps);

// Is a meta about the picture alone, and true of any that has its samples at the same places?
bool is_about_picture(const GstMeta *meta);

// Copies such metas; without those about places in the picture where its size is another.
void copy_metas_about_picture(GstBuffer *from, GstBuffer *to, bool same_size);

// The element error for a frame that could not be mapped, the `which` one: "input", "output".
// `pad`: its name, where the element has several of them; else nullptr.
GstFlowReturn post_bad_frame(GstElement *self, const char *which, const FrameInfo &info,
                             const std::string &problem, const char *pad = nullptr);
GstFlowReturn post_bad_frame(GstElement *self, const char *which, const Frame &frame,
                             const char *pad = nullptr);

}  // namespace coalesce::gst
