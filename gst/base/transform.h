// SPDX-License-Identifier: LGPL-2.1-or-later
// The base class of elements with one input and one output: a GstBaseTransform with a Backend, and
// the order of events around frames in flight. It knows nothing of what comes out; see filter.h for
// video to video.
#pragma once

#include <gst/base/gstbasetransform.h>

#include "backend.h"

namespace coalesce::gst {

// What frames in flight are drained before.
enum class Before { event, query, allocation_query, caps, other_context };

}  // namespace coalesce::gst

struct GstCoalesceTransformPrivate;

struct GstCoalesceTransform {
  GstBaseTransform parent;
  coalesce::gst::Backend *backend;
  GstCoalesceTransformPrivate *priv;
  bool after_skipped;  // the streaming thread's: the next frame does not follow the last one
};

struct GstCoalesceTransformClass {
  GstBaseTransformClass parent_class;

  // What the other pad may have for `caps` of the pad `direction`. cuda: CUDA memory may be
  // offered. Default: the same.
  GstCaps *(*convert)(GstCoalesceTransform *self, GstPadDirection direction, GstCaps *caps,
                      bool cuda);

  // Caps of both pads, before the first frame that has them. FALSE refuses them (post an error);
  // the same caps come again only after a change of settings_changes(), a number that any change
  // of the settings they depend on changes (default: always 0).
  gboolean (*set_format)(GstCoalesceTransform *self, GstCaps *in_caps, GstCaps *out_caps);
  guint (*settings_changes)(GstCoalesceTransform *self);

  // Takes an input in place of transform(), and pushes what comes of it. GstBaseTransform then
  // pushes nothing: it would mark a frame as the first of a discontinuity that came with another
  // one.
  GstFlowReturn (*take)(GstCoalesceTransform *self, GstBuffer *in);

  // For elements that hold frames in flight; the default holds none. After drain() all of them have
  // gone downstream: it is called before every serialized event and query, so that none of these
  // overtakes a frame. Where it returns GST_FLOW_FLUSHING some may be left. discard() drops them,
  // on a flush and on stop.
  GstFlowReturn (*drain)(GstCoalesceTransform *self);
  void (*discard)(GstCoalesceTransform *self);
  // May this come while frames are held? Default: nothing may.
  gboolean (*keeps_frames)(GstCoalesceTransform *self, coalesce::gst::Before before);
  // Frames that may be held back at most. Their time is the element's latency; without a frame rate
  // it has none.
  guint (*max_frames_in_flight)(GstCoalesceTransform *self);
  // Buffers of the input that may be held at once; the pool for upstream has as many. Default: 0.
  guint (*least_buffers)(GstCoalesceTransform *self);
  // The CUDA context was replaced by the one incoming buffers live in: make pools and module state
  // anew. FALSE stops the stream (the implementation has posted an error).
  gboolean (*context_changed)(GstCoalesceTransform *self);
};

GType gst_coalesce_transform_get_type();
#define GST_TYPE_COALESCE_TRANSFORM (gst_coalesce_transform_get_type())
#define GST_COALESCE_TRANSFORM(object) (reinterpret_cast<GstCoalesceTransform *>(object))
#define GST_COALESCE_TRANSFORM_CLASS(klass) (reinterpret_cast<GstCoalesceTransformClass *>(klass))
#define GST_COALESCE_TRANSFORM_GET_CLASS(object) \
  (G_TYPE_INSTANCE_GET_CLASS((object), GST_TYPE_COALESCE_TRANSFORM, GstCoalesceTransformClass))

// Takes the caps.
void gst_coalesce_transform_class_add_template(GstCoalesceTransformClass *klass, const char *name,
                                               GstPadDirection direction, GstCaps *caps);

// Drains, unless frames are kept then. False: the element is being flushed or stopped, and frames
// may still be there.
bool gst_coalesce_transform_drain(GstCoalesceTransform *self, coalesce::gst::Before before,
                                  const char *what);
// For take(): the metadata of the input, as a buffer without memory.
coalesce::gst::BufferRef gst_coalesce_transform_metadata_of(GstCoalesceTransform *self,
                                                            GstBuffer *in);
// After a change of max_frames_in_flight(): a message on the bus, if the latency has changed.
void gst_coalesce_transform_update_latency(GstCoalesceTransform *self);

namespace coalesce::gst {

inline Backend &backend_of(gpointer element) {
  return *GST_COALESCE_TRANSFORM(element)->backend;
}

}  // namespace coalesce::gst
