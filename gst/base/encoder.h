// SPDX-License-Identifier: LGPL-2.1-or-later
// Raw video in, a codestream for each frame out.
//
// Frames that the GPU encodes are finished and pushed by the task of the source pad: a codestream
// leaves as soon as it is there. The task pushes buffers and nothing else. Whatever is serialized
// with them comes from the streaming thread, after it has waited until no frame is under way; so
// does what encode() pushes itself.
//
// An element derives from this, gives pad templates and caps, and implements the functions below.
#pragma once

#include "transform.h"

struct GstCoalesceEncoderPrivate;

struct GstCoalesceEncoder {
  GstCoalesceTransform parent;
  GstCoalesceEncoderPrivate *priv;
};

struct GstCoalesceEncoderClass {
  GstCoalesceTransformClass parent_class;

  const char *codec_name;  // for the tag video-codec

  // One frame. It is encoded at once and pushed with gst_coalesce_encoder_push(), or started and
  // left to the task with gst_coalesce_encoder_add(). Posts an error where it returns
  // GST_FLOW_ERROR.
  GstFlowReturn (*encode)(GstCoalesceEncoder *self, GstBuffer *in);
  // In the task: waits for the oldest frame that was left to it, and makes its buffer. Posts an
  // error where it does not return GST_FLOW_OK.
  GstFlowReturn (*finish)(GstCoalesceEncoder *self, GstBuffer **out);
  // Drops the frames that were left to the task, which is idle.
  void (*discard)(GstCoalesceEncoder *self);
};

COALESCE_DECLARE_CLASS(GstCoalesceEncoder, gst_coalesce_encoder, GST_COALESCE_ENCODER)
#define GST_TYPE_COALESCE_ENCODER (gst_coalesce_encoder_get_type())

// The rest is for encode() and other calls in the streaming thread; map_output() is for finish(),
// too.

// How many frames may be left to the task at once; the element's latency follows.
void gst_coalesce_encoder_set_room(GstCoalesceEncoder *self, guint frames);
// Waits until there is room for one more. Where this is not GST_FLOW_OK, encode() returns it.
GstFlowReturn gst_coalesce_encoder_wait_for_room(GstCoalesceEncoder *self);
void gst_coalesce_encoder_add(GstCoalesceEncoder *self, GstBuffer *in);
// A buffer for so many bytes of a frame, mapped for writing: in page-locked memory where the GPU
// writes it, unless downstream has memory of its own. Posts an error where it is nullptr.
coalesce::gst::BufferRef gst_coalesce_encoder_map_output(GstCoalesceEncoder *self, gsize bytes,
                                                         GstMapInfo *map);
// Takes the buffer. No frame is under way.
GstFlowReturn gst_coalesce_encoder_push(GstCoalesceEncoder *self, GstBuffer *in, GstBuffer *out);
// Waits until all frames have gone. What else than GST_FLOW_OK this returns, encode() returns.
GstFlowReturn gst_coalesce_encoder_drain(GstCoalesceEncoder *self);
