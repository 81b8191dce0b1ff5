// SPDX-License-Identifier: LGPL-2.1-or-later
// Several video inputs, one video output, in any mix of CUDA and system memory: a
// GstVideoAggregator with a Backend. GstVideoAggregator pairs the frames by their time; it neither
// maps nor converts them here.
//
// Of the first input that has a picture, in the order of the pads, an output has the flags about
// fields, and the metas that the output of a filter has: those about the picture alone. Metas about
// places in it (regions, crop rectangles) are left out where the output has another size. A frame
// that is in several outputs gives them to each.
//
// An element derives from this, gives pad templates, says what output its inputs make, and
// implements run().
#pragma once

#include <gst/video/gstvideoaggregator.h>

#include "job.h"
#include "object/propertytable.h"

struct GstCoalesceAggregatorPrivate;

struct GstCoalesceAggregator {
  GstVideoAggregator parent;
  coalesce::gst::Backend *backend;
  GstCoalesceAggregatorPrivate *priv;
};

// What all inputs must have alike, besides the interlace mode.
enum GstCoalesceAlike {
  GST_COALESCE_ALIKE_FORMAT = 1 << 0,
  GST_COALESCE_ALIKE_SIZE = 1 << 1,
  GST_COALESCE_ALIKE_RATE = 1 << 2,
};

// In all functions `in` has an entry for each of `n` pads: named ones in the order of their
// templates, others in that of their numbers. An entry is nullptr where the pad has no caps yet, or
// no picture for the time in hand, which happens without needs_all only.
struct GstCoalesceAggregatorClass {
  GstVideoAggregatorClass parent_class;

  // The work. All frames are mapped in the memory of the queue's back end; nothing may wait.
  coalesce::Status (*run)(GstCoalesceAggregator *self, const coalesce::gst::Frame *const *in,
                          guint n, const coalesce::gst::Frame &out, const coalesce::Queue &queue);

  // Turns `structure`, caps of the first input with any frame rate, into caps of the output. Called
  // for alternative 0, the one wanted most, and on, until it returns FALSE. Where the rate stays
  // open, the one nearest to the highest of the inputs is taken. Memory features are the base's
  // business. Default: unchanged, no alternatives.
  gboolean (*output_caps)(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n,
                          guint alternative, GstStructure *structure);

  // Turns `structure`, caps that downstream accepts, into caps of an input; called as
  // output_caps(). Default: none, and inputs are not asked for what downstream wants.
  gboolean (*input_caps)(GstCoalesceAggregator *self, guint alternative, GstStructure *structure);

  // New video infos, before the first frames that have them. FALSE refuses them (post an error).
  gboolean (*set_info)(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n,
                       const GstVideoInfo *out);

  // The memory that run() needs beside the frames, and finds by gst_coalesce_aggregator_scratch():
  // asked before each run(), of its inputs. Default: none.
  gsize (*scratch_bytes)(GstCoalesceAggregator *self, const coalesce::gst::Frame *const *in,
                         guint n);

  // What run() reads beside the frames, where it is on the back end: asked for before each run().
  // The element keeps it, and drops it after the base's stop(). Default: nothing.
  coalesce::gst::JobTable *(*table)(GstCoalesceAggregator *self);

  // Is the work on these inputs heavy enough to go to the GPU and back from system memory? Called
  // before all have caps, too. Default: no.
  gboolean (*worth_the_trip)(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n);

  // By how many milliseconds may running times differ at which the frames of one picture begin?
  // Asked for each. Default, and 0: by any time, as far as GstVideoAggregator pairs them.
  double (*max_skew)(GstCoalesceAggregator *self);

  // So many inputs at least are needed for a picture. Default: 2.
  guint least_inputs;
  // Are all inputs needed for a picture? Default: yes.
  gboolean needs_all;
  // Of GstCoalesceAlike. Default: format and size.
  guint alike;
};

GType gst_coalesce_aggregator_get_type();
#define GST_TYPE_COALESCE_AGGREGATOR (gst_coalesce_aggregator_get_type())
#define GST_COALESCE_AGGREGATOR(object) (reinterpret_cast<GstCoalesceAggregator *>(object))
#define GST_COALESCE_AGGREGATOR_CLASS(klass) (reinterpret_cast<GstCoalesceAggregatorClass *>(klass))
#define GST_COALESCE_AGGREGATOR_GET_CLASS(object) \
  (G_TYPE_INSTANCE_GET_CLASS((object), GST_TYPE_COALESCE_AGGREGATOR, GstCoalesceAggregatorClass))

// In functions that are given inputs: the number of the pad that entry i is of, "sink_3" being 3.
guint gst_coalesce_aggregator_input_number(GstCoalesceAggregator *self, guint i);

// In run(): of the back end's memory, aligned to 256 bytes, until the work has been done. There is
// one for all frames, so that those in two streams wait for each other.
void *gst_coalesce_aggregator_scratch(GstCoalesceAggregator *self);

// Templates of the given formats (as in "{ GRAY8, I420 }", most preferred first), in CUDA and in
// system memory. An input with a name ("left") is always there; "sink_%u" is there on request.
void gst_coalesce_aggregator_class_add_input(GstCoalesceAggregatorClass *klass, const char *name,
                                             const char *formats);
void gst_coalesce_aggregator_class_add_output(GstCoalesceAggregatorClass *klass,
                                              const char *formats);

namespace coalesce::gst {

// The property of max_skew(), of settings with a `max_skew`.
template <class S>
void add_max_skew(PropertyTable<S> *table) {
  table->add(&S::max_skew,
             {"max-skew", "Maximum skew",
              "Maximum difference of the times of the frames in milliseconds; beyond it there is "
              "no output (0 = any)"},
             0., 1e4);
}

}  // namespace coalesce::gst
