// SPDX-License-Identifier: LGPL-2.1-or-later
// What the parts of the class Aggregator share: its inputs (aggregatorframes.cpp) and its caps
// (aggregatorcaps.cpp).
#pragma once

#include <mutex>
#include <vector>

#include "aggregator.h"

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
  const GstVideoInfo *info() const { return caps_ != nullptr ? &info_ : nullptr; }
  GstCaps *caps() const { return caps_.get(); }
  bool is_cuda() const { return caps_ != nullptr && caps_are_cuda(caps_.get()); }
  // Those of the frames to come: they wait until a frame in hand of those before has gone, be it by
  // a flush. Both functions return whether caps() are new.
  bool set_caps(GstCaps *caps);
  bool follow_frame();
  bool will_change() const { return next_caps_ != nullptr; }
  void forget();
  // The last caps were refused: frames do not have those that info() tells.
  bool refused = false;
  // The last segment was refused, or a frame has come without one.
  bool lacks_time = false;

  // The frame in hand. A flush and the release of the pad drop it from other threads; a pad that is
  // being released has none any more.
  BufferRef current_buffer();
  void release();
  bool is_released();
  // Held until the pad has been released.
  std::mutex &releasing() { return releasing_; }
  // The pad's picture for an output that begins at this running time; nullptr if it has none.
  BufferRef picture_at(GstClockTime time);
  // Where that picture begins, in running time.
  gint64 begin_of(GstBuffer *picture);
  // A new segment comes: the running times of the frame in hand are those of the one before.
  void keep_time();

  // For the output in hand.
  BufferRef buffer;
  DeviceFrame frame;
  // Copies, where they are needed; made for the negotiated caps.
  FramePool pool;
  bool has_pool = false;

  // Held by a flush, in the thread of upstream.
  std::mutex &flushing() { return dropping_; }

 private:
  GstClockTime end_of(GstBuffer *buffer);
  GstSegment segment() const;

  GstVideoAggregatorPad *pad_;
  std::mutex dropping_, releasing_;
  bool released_ = false;
  CapsRef caps_, next_caps_;
  GstVideoInfo info_;
  BufferRef last_;  // that has caps_, while there are next_caps_
  BufferRef kept_;
  GstClockTime kept_end_ = GST_CLOCK_TIME_NONE;
  gint64 kept_begin_ = 0;
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
  coalesce::gst::Scratch scratch{1};
  // An error has been posted since the start, the last output or flush, or the end of its cause.
  std::atomic<bool> has_error{false};
  // An error about caps has been posted; other ones may come.
  bool refused = false;
  std::atomic<guint64> unpaired{0};
};

namespace coalesce::gst {

// ---- aggregatorframes.cpp --------------------------------------------------------------------

// Pools for the negotiated caps, and on the GPU one run on scratch frames, which loads the kernels.
// Posts an error and returns false if that cannot be.
bool aggregator_make_pools(GstCoalesceAggregator *self);

// The session goes, and with it the element's table there.
void aggregator_leave_gpu(GstCoalesceAggregator *self);

// Will there be no further picture, as too many inputs have ended?
bool aggregator_has_ended(GstCoalesceAggregator *self);

void aggregator_drop_pictures(GstCoalesceAggregator *self);

// Scratch memory begins at a multiple of this.
constexpr gsize kScratchAlignment = 256;

// GstVideoAggregatorClass::create_output_buffer() and aggregate_frames().
GstFlowReturn aggregator_create_output_buffer(GstVideoAggregator *video, GstBuffer **out);
GstFlowReturn aggregator_aggregate_frames(GstVideoAggregator *video, GstBuffer *out);

// ---- aggregatorcaps.cpp ----------------------------------------------------------------------

// From any thread: the answers to CAPS and ACCEPT_CAPS queries.
GstCaps *aggregator_sink_caps(GstCoalesceAggregator *self, GstPad *pad, GstCaps *filter);
bool aggregator_accepts(GstCoalesceAggregator *self, GstPad *pad, GstCaps *caps);
GstCaps *aggregator_source_caps(GstCoalesceAggregator *self, GstCaps *filter);

// Can frames of these caps be read, beside the other inputs? Posts an error and returns false if
// not.
bool aggregator_can_take(GstCoalesceAggregator *self, Input &input, GstCaps *caps);

// GstAggregatorClass::update_src_caps() and fixate_src_caps().
GstFlowReturn aggregator_update_src_caps(GstAggregator *aggregator, GstCaps *downstream,
                                         GstCaps **result);
GstCaps *aggregator_fixate_src_caps(GstAggregator *aggregator, GstCaps *caps);

// The sink pads of now.
void aggregator_collect_inputs(GstCoalesceAggregator *self);

bool aggregator_has_cuda_input(GstCoalesceAggregator *self);
bool aggregator_is_worth_the_trip(GstCoalesceAggregator *self);

}  // namespace coalesce::gst
