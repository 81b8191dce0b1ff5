// SPDX-License-Identifier: LGPL-2.1-or-later
// Video in, video out, one frame for one frame, in any mix of CUDA and system memory.
//
// An element derives from this, gives pad templates and formats, turns its properties into
// parameters, and implements run().
#pragma once

#include "job.h"
#include "transform.h"

struct GstCoalesceFilterPrivate;

struct GstCoalesceFilter {
  GstCoalesceTransform parent;
  GstCoalesceFilterPrivate *priv;
};

struct GstCoalesceFilterClass {
  GstCoalesceTransformClass parent_class;

  // The work. Both frames are mapped in the memory of the queue's back end; nothing may wait.
  coalesce::Status (*run)(GstCoalesceFilter *self, const coalesce::gst::Frame &in,
                          const coalesce::gst::Frame &out, const coalesce::Queue &queue);

  // The memory that run() needs beside the frames, and finds by gst_coalesce_filter_scratch():
  // asked before each run(), of its input. Default: none.
  gsize (*scratch_bytes)(GstCoalesceFilter *self, const coalesce::gst::Frame &in);

  // The same for memory that run() leaves to the next one, and finds by gst_coalesce_filter_kept().
  // Asked after scratch_bytes(). Default: none.
  gsize (*kept_bytes)(GstCoalesceFilter *self, const coalesce::gst::Frame &in);

  // Rewrites the fields of a caps structure from one pad for the other (formats, mostly).
  // `direction` is the pad the structure comes from. Called for alternative 0, the one wanted most,
  // and on, until it returns FALSE. Memory features are the base's business. Default: unchanged, no
  // alternatives.
  gboolean (*convert_caps)(GstCoalesceFilter *self, GstPadDirection direction, guint alternative,
                           GstStructure *structure);

  // What a picture of `given`, fixed caps of the input, loses in a format of the output: of those
  // that downstream accepts, the one with the least is chosen. Default: no loss in any format. Of
  // equals that is chosen which the template has first.
  gint (*loss)(GstCoalesceFilter *self, const GstStructure *given, GstVideoFormat format);

  // Fixes fields of `result`, a structure for the other pad, that convert_caps() has left open.
  // `given` is what it was made from, fixed, on the pad `direction`. Format and interlace mode are
  // fixed already; what this leaves open too becomes its first value. Default: nothing.
  void (*fixate)(GstCoalesceFilter *self, GstPadDirection direction, const GstStructure *given,
                 GstStructure *result);

  // New video infos, before the first frame that has them. FALSE refuses them (post an error).
  gboolean (*set_info)(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *out);

  // Would frames of these infos, which set_info() has accepted, leave as they have come? In the
  // same memory they then pass without a copy. Default: no.
  gboolean (*is_identity)(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *out);

  // Does the class join fields of interlace-mode=alternate to frames before the work? The functions
  // above see frames then. Set it before the templates. Default: no.
  gboolean joins_fields;

  // Is the work on frames of this size heavy enough to go to the GPU and back from system memory?
  // Default: no.
  gboolean (*worth_the_trip)(GstCoalesceFilter *self, const GstVideoInfo *in);
};

COALESCE_DECLARE_CLASS(GstCoalesceFilter, gst_coalesce_filter, GST_COALESCE_FILTER)
#define GST_TYPE_COALESCE_FILTER (gst_coalesce_filter_get_type())

namespace coalesce::gst {

// For classes that are made on this one: what one pad has, in the streaming thread.
struct FilterSide {
  FrameInfo info;       // of frames
  CapsRef caps;         // none: not negotiated
  bool fields = false;  // the caps are of fields
  bool cuda = false;
  // Inputs that are copied to where they can be read; every output made on the GPU, and others
  // where they are copied to their place.
  FramePool pool;
};

}  // namespace coalesce::gst

struct GstCoalesceFilterPrivate {
  coalesce::gst::FilterSide in, out;
  coalesce::gst::Scratch scratch;
  coalesce::gst::KeptMemory kept;
  // Those in hand: of a job, and not longer.
  coalesce::gst::DeviceFrame in_frame;
  coalesce::gst::OutputFrame out_frame;
};

// In run(): of the back end's memory, aligned to 16 bytes, until the work has been done.
void *gst_coalesce_filter_scratch(GstCoalesceFilter *self);
// The same, as the frame before has left it. *is_new: no frame has, or that is not the one before
// this one: after new caps, a flush, a new segment, a discontinuity, or a frame that kept nothing.
void *gst_coalesce_filter_kept(GstCoalesceFilter *self, bool *is_new);

namespace coalesce::gst {

// For set_info(): the value of a key in a table, or of all keys that are not there.
template <class Key, class Value, std::size_t n>
Value entry_of(const std::pair<Key, Value> (&table)[n], Key key, Value otherwise) {
  for (const auto &[each, value] : table)
    if (each == key) return value;
  return otherwise;
}

}  // namespace coalesce::gst

// For Backend::is_heavy_enough().
constexpr int kBilateralWork = 16;  // of each pixel of a bilateral filter's window

// Posts an error: the work on a frame has failed. GST_FLOW_ERROR.
GstFlowReturn gst_coalesce_filter_fail(GstCoalesceFilter *self, const char *what);

// Both pads' templates: the given format lists (as in "{ UYVY, YUY2 }", most preferred first) in
// CUDA and in system memory.
void gst_coalesce_filter_class_add_templates(GstCoalesceFilterClass *klass,
                                             const char *sink_formats, const char *src_formats);
