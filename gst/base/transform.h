// SPDX-License-Identifier: LGPL-2.1-or-later
// The base class of elements with one input and one output: a GstBaseTransform with a Backend, and
// the order of events around frames in flight. It knows nothing of what comes out; see filter.h for
// video to video.
#pragma once

#include <gst/base/gstbasetransform.h>

#include "backend.h"
#include "video/conflict.h"

// For a class of GObject's, as C++ has it: its type, and casts that check nothing.
#define COALESCE_DECLARE_CLASS(Type, type, NAME)                              \
  GType type##_get_type();                                                    \
  inline Type *NAME(gpointer object) {                                        \
    return static_cast<Type *>(object);                                       \
  }                                                                           \
  inline Type##Class *NAME##_CLASS(gpointer klass) {                          \
    return static_cast<Type##Class *>(klass);                                 \
  }                                                                           \
  inline Type##Class *NAME##_GET_CLASS(gpointer object) {                     \
    return G_TYPE_INSTANCE_GET_CLASS(object, type##_get_type(), Type##Class); \
  }

struct GstCoalesceTransformPrivate;

struct GstCoalesceTransform {
  GstBaseTransform parent;
  coalesce::gst::Backend *backend;
  GstCoalesceTransformPrivate *priv;
  // The streaming thread's: the next frame does not follow the last one; and what
  // gst_base_transform_is_passthrough() would take a lock to say.
  bool after_skipped, passthrough;
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

  // The element's own words for a conflict with downstream's caps; empty for the common ones, which
  // are the default. They go into an error.
  std::string (*conflict)(const coalesce::gst::Conflict &conflict);

  GstFlowReturn (*take)(GstCoalesceTransform *self, coalesce::gst::BufferRef in);  // set_take()

  // For elements that hold frames in flight; the default holds none. After drain() all of them have
  // gone downstream: it is called before every serialized event and query, so that none of these
  // overtakes a frame. Where it returns GST_FLOW_FLUSHING some may be left. discard() drops them,
  // on a flush and on stop.
  GstFlowReturn (*drain)(GstCoalesceTransform *self);
  void (*discard)(GstCoalesceTransform *self);
  // Does the class itself order what comes while it holds frames? Queries but those about memory
  // are drained before all the same.
  gboolean keeps_frames;
  // Frames that may be held back at most. Their time is the element's latency; without a frame rate
  // it has none.
  guint (*max_frames_in_flight)(GstCoalesceTransform *self);
  // Buffers of the input that may be held at once; the pool for upstream has as many. Default: 0.
  guint (*least_buffers)(GstCoalesceTransform *self);
  // The CUDA context was replaced by the one incoming buffers live in: make pools and module state
  // anew. FALSE stops the stream (the implementation has posted an error).
  gboolean (*context_changed)(GstCoalesceTransform *self);
};

COALESCE_DECLARE_CLASS(GstCoalesceTransform, gst_coalesce_transform, GST_COALESCE_TRANSFORM)
#define GST_TYPE_COALESCE_TRANSFORM (gst_coalesce_transform_get_type())

// `take` gets the inputs in place of transform(), and pushes what comes of them. GstBaseTransform
// then pushes nothing: it would mark a frame as the first of a discontinuity that came with another
// one.
void gst_coalesce_transform_class_set_take(GstCoalesceTransformClass *klass,
                                           GstFlowReturn (*take)(GstCoalesceTransform *self,
                                                                 coalesce::gst::BufferRef in));

// Takes the caps.
void gst_coalesce_transform_class_add_template(GstCoalesceTransformClass *klass, const char *name,
                                               GstPadDirection direction, GstCaps *caps);

// Do buffers go through as they are?
void gst_coalesce_transform_set_passthrough(GstCoalesceTransform *self, bool passthrough);

// Drains before `what`. Where the class keeps its frames, this is done only if it must be. False:
// the element is being flushed or stopped, and frames may still be there.
bool gst_coalesce_transform_drain(GstCoalesceTransform *self, const char *what, bool must = false);
// For take(): the metadata of the input, as a buffer without memory.
coalesce::gst::BufferRef gst_coalesce_transform_metadata_of(GstCoalesceTransform *self,
                                                            GstBuffer *in);
// For work that an event has caused: what its frames have returned, if that was not GST_FLOW_OK, is
// what the next chain returns.
void gst_coalesce_transform_return_later(GstCoalesceTransform *self, GstFlowReturn flow);
// After a change of max_frames_in_flight(): a message on the bus, if the latency has changed.
void gst_coalesce_transform_update_latency(GstCoalesceTransform *self);

namespace coalesce::gst {

inline Backend &backend_of(gpointer element) {
  return *GST_COALESCE_TRANSFORM(element)->backend;
}

}  // namespace coalesce::gst
