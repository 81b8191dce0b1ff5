// SPDX-License-Identifier: LGPL-2.1-or-later
// Several video inputs, one video output, in any mix of CUDA and system memory: a
// GstVideoAggregator with a Backend. GstVideoAggregator pairs the frames by their time; it neither
// maps nor converts them here.
//
// An element derives from this, gives pad templates, says what output its inputs make, and
// implements run().
#pragma once

#include <gst/video/gstvideoaggregator.h>

#include <mutex>
#include <vector>

#include "job.h"

struct GstCoalesceAggregatorPrivate;

struct GstCoalesceAggregator {
  GstVideoAggregator parent;
  coalesce::gst::Backend *backend;
  GstCoalesceAggregatorPrivate *priv;
};

// What all inputs must have alike.
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

  // Is the work on these inputs heavy enough to go to the GPU and back from system memory? Called
  // before all have caps, too. Default: no.
  gboolean (*worth_the_trip)(GstCoalesceAggregator *self, const GstVideoInfo *const *in, guint n);

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

// Templates of the given formats (as in "{ GRAY8, I420 }", most preferred first), in CUDA and in
// system memory. An input with a name ("left") is always there; "sink_%u" is there on request.
void gst_coalesce_aggregator_class_add_input(GstCoalesceAggregatorClass *klass, const char *name,
                                             const char *formats);
void gst_coalesce_aggregator_class_add_output(GstCoalesceAggregatorClass *klass,
                                              const char *formats);

// ---- the rest is of the base class itself ----------------------------------------------------

namespace coalesce::gst {

// What an input has beside its GstVideoAggregatorPad. Of the source pad's thread, where nothing
// else is said.
class Input {
 public:
  explicit Input(GstVideoAggregatorPad *pad) : pad_(pad) {}

  GstPad *pad() const { return GST_PAD_CAST(pad_); }
  GstAggregatorPad *aggregator_pad() const { return &pad_->parent; }
  guint number = 0;  // of its place among the inputs

  // nullptr if there are no caps yet: of the frame in hand.
  const GstVideoInfo *info() const;
  GstCaps *caps();
  bool is_cuda() { return caps() != nullptr && caps_are_cuda(caps()); }
  // GstVideoAggregator has accepted these: from now on, or for a frame to come.
  void set_caps(GstCaps *caps, bool first);
  bool will_change() { return caps() != nullptr && next_caps_ != nullptr; }
  void forget();
  // The last caps were refused: frames do not have those that info() tells.
  bool refused = false;

  // The pad's picture for an output that begins at this running time; nullptr if it has none.
  BufferRef picture_at(GstClockTime time);
  // A new segment comes: the running times of the frame in hand are those of the one before.
  void keep_time();

  // For the output in hand.
  BufferRef buffer;
  DeviceFrame frame;
  bool has_frame() { return gst_video_aggregator_pad_has_current_buffer(pad_); }
  // Copies, where they are needed.
  FramePool pool;

  // From the thread of upstream: a flush drops the frame in hand meanwhile.
  std::mutex &flushing() { return flushing_; }

 private:
  BufferRef current_buffer();
  GstClockTime end_of(GstBuffer *buffer);

  GstVideoAggregatorPad *pad_;
  std::mutex flushing_;
  CapsRef caps_, next_caps_;
  BufferRef kept_;
  GstClockTime kept_end_ = GST_CLOCK_TIME_NONE;
};

// A reference to the pad.
struct InputRef {
  std::unique_ptr<GstPad, Unref> pad;
  Input *input;
  Input *operator->() const { return input; }
};

}  // namespace coalesce::gst

GType gst_coalesce_aggregator_pad_get_type();
coalesce::gst::Input &gst_coalesce_aggregator_pad_input(gpointer pad);

// In the source pad's thread.
struct GstCoalesceAggregatorPrivate {
  std::vector<coalesce::gst::InputRef> inputs;
  std::vector<const GstVideoInfo *> infos;           // theirs
  std::vector<const coalesce::gst::Frame *> frames;  // theirs, in a job
  // What has been negotiated last; no output caps: nothing.
  std::vector<coalesce::gst::CapsRef> in_caps;
  coalesce::gst::CapsRef out_caps;
  GstVideoInfo out_info;
  bool out_cuda = false;
  coalesce::gst::FramePool pool;  // as that of a filter's output
  // An error about caps has been posted; other ones may come.
  bool refused = false;
  std::atomic<guint64> unpaired{0};
};
