// SPDX-License-Identifier: LGPL-2.1-or-later
// The sink pads of an aggregator: when their frames are, and which caps these have.
#include <utility>

#include "aggregator.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

using namespace coalesce::gst;

struct GstCoalesceAggregatorPad {
  GstVideoAggregatorPad parent;
  Input *input;
};
struct GstCoalesceAggregatorPadClass {
  GstVideoAggregatorPadClass parent_class;
};

G_DEFINE_TYPE(GstCoalesceAggregatorPad, gst_coalesce_aggregator_pad, GST_TYPE_VIDEO_AGGREGATOR_PAD)
#define parent_class gst_coalesce_aggregator_pad_parent_class

namespace {

GstCoalesceAggregatorPad *self_of(gpointer pad) {
  return reinterpret_cast<GstCoalesceAggregatorPad *>(pad);
}

// Where only this pad is flushed, the source pad's thread goes on meanwhile.
GstFlowReturn flush(GstAggregatorPad *pad, GstAggregator *aggregator) {
  const std::lock_guard guard(self_of(pad)->input->flushing());
  return GST_AGGREGATOR_PAD_CLASS(parent_class)->flush(pad, aggregator);
}

void finalize(GObject *object) {
  delete self_of(object)->input;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

}  // namespace

static void gst_coalesce_aggregator_pad_class_init(GstCoalesceAggregatorPadClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = finalize;
  GST_AGGREGATOR_PAD_CLASS(klass)->flush = flush;
  // Frames are taken as they are.
  auto *video_class = GST_VIDEO_AGGREGATOR_PAD_CLASS(klass);
  video_class->prepare_frame = nullptr;
  video_class->clean_frame = nullptr;
  gst_type_mark_as_plugin_api(gst_coalesce_aggregator_pad_get_type(), GstPluginAPIFlags(0));
}

static void gst_coalesce_aggregator_pad_init(GstCoalesceAggregatorPad *self) {
  self->input = new Input(&self->parent);
}

Input &gst_coalesce_aggregator_pad_input(gpointer pad) {
  return *self_of(pad)->input;
}

namespace coalesce::gst {
namespace {

// A time without a picture, as GstAggregator makes it of a GAP event.
bool is_gap(GstBuffer *buffer) {
  return gst_buffer_get_size(buffer) == 0 && GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_GAP);
}

}  // namespace

const GstVideoInfo *Input::info() const {
  const GstVideoInfo &info = pad_->info;
  const bool known = info.finfo && GST_VIDEO_INFO_FORMAT(&info) != GST_VIDEO_FORMAT_UNKNOWN;
  return known ? &info : nullptr;
}

// GstVideoAggregator puts off new caps until it picks the first frame that has them. That shows in
// the pad's info alone. (Where only the memory changes it does not show, nor matter: a job looks at
// each buffer.)
GstCaps *Input::caps() {
  GstVideoInfo next;
  if (next_caps_ != nullptr && gst_video_info_from_caps(&next, next_caps_.get()) &&
      gst_video_info_is_equal(&next, &pad_->info))
    caps_ = std::move(next_caps_);
  return caps_.get();
}

void Input::set_caps(GstCaps *caps, bool first) {
  (first ? caps_ : next_caps_).reset(gst_caps_ref(caps));
  refused = false;
}

void Input::forget() {
  GST_OBJECT_LOCK(pad_);
  gst_video_info_init(&pad_->info);
  GST_OBJECT_UNLOCK(pad_);
  caps_.reset();
  next_caps_.reset();
  kept_.reset();
  refused = false;
}

BufferRef Input::current_buffer() {
  const std::lock_guard guard(flushing_);
  GstBuffer *buffer = gst_video_aggregator_pad_get_current_buffer(pad_);
  return BufferRef(buffer != nullptr ? gst_buffer_ref(buffer) : nullptr);
}

// In running time; none if it lasts until the next one comes.
GstClockTime Input::end_of(GstBuffer *buffer) {
  if (buffer == kept_.get()) return kept_end_;
  kept_.reset();
  GstClockTime duration = GST_BUFFER_DURATION(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(duration)) {
    if (GST_VIDEO_INFO_FPS_N(&pad_->info) <= 0) return GST_CLOCK_TIME_NONE;
    duration = gst_util_uint64_scale(GST_SECOND, guint64(GST_VIDEO_INFO_FPS_D(&pad_->info)),
                                     guint64(GST_VIDEO_INFO_FPS_N(&pad_->info)));
  }
  GST_OBJECT_LOCK(pad_);
  const GstSegment segment = pad_->parent.segment;
  GST_OBJECT_UNLOCK(pad_);
  const GstClockTime begin = GST_BUFFER_PTS(buffer), end = begin + duration;
  return gst_segment_to_running_time(
      &segment, GST_FORMAT_TIME,
      segment.rate < 0 ? std::max(begin, segment.start) : std::min(end, segment.stop));
}

// GstVideoAggregator takes no frame before its time, but keeps the last one until a new one comes.
BufferRef Input::picture_at(GstClockTime time) {
  BufferRef current = current_buffer();
  if (current == nullptr || is_gap(current.get())) return nullptr;
  const GstClockTime end = end_of(current.get());
  return !GST_CLOCK_TIME_IS_VALID(end) || end > time ? std::move(current) : nullptr;
}

void Input::keep_time() {
  BufferRef current = current_buffer();
  if (current != nullptr) kept_end_ = end_of(current.get());
  kept_ = std::move(current);
}

}  // namespace coalesce::gst
