// SPDX-License-Identifier: LGPL-2.1-or-later
// The base class of elements with one input and one output: a GstBaseTransform with a Backend, and
// the order of events around frames in flight. It knows nothing of what comes out; see filter.h for
// video to video.
#pragma once

#include <gst/base/gstbasetransform.h>

#include "backend.h"

struct GstCoalesceTransform {
  GstBaseTransform parent;
  coalesce::gst::Backend *backend;
};

struct GstCoalesceTransformClass {
  GstBaseTransformClass parent_class;

  // For elements that hold frames in flight; the default holds none. drain pushes them downstream
  // and is called before EOS, CAPS, SEGMENT, GAP, TAG and custom serialized events, so that none of
  // these overtakes a frame. discard drops them, on a flush and on stop.
  GstFlowReturn (*drain)(GstCoalesceTransform *self);
  void (*discard)(GstCoalesceTransform *self);
  // Frames that may be held back at most, for the LATENCY query.
  guint (*max_frames_in_flight)(GstCoalesceTransform *self);
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

namespace coalesce::gst {

inline Backend &backend_of(gpointer element) {
  return *GST_COALESCE_TRANSFORM(element)->backend;
}

}  // namespace coalesce::gst
