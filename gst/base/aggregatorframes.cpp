// SPDX-License-Identifier: LGPL-2.1-or-later
// The inputs of an aggregator, when their frames are, and which caps these have; and what becomes
// of the frames.
#include <algorithm>
#include <utility>

#include "aggregatorprivate.h"
#include "object/guarded.h"
#include "video/input.h"

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

// (The aggregator's clip() refuses a frame without a segment.)
gboolean skip_buffer(GstAggregatorPad *pad, GstAggregator *aggregator, GstBuffer *buffer) {
  return pad->segment.format == GST_FORMAT_TIME &&
         GST_AGGREGATOR_PAD_CLASS(parent_class)->skip_buffer(pad, aggregator, buffer);
}

void finalize(GObject *object) {
  delete self_of(object)->input;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

}  // namespace

static void gst_coalesce_aggregator_pad_class_init(GstCoalesceAggregatorPadClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = finalize;
  GST_AGGREGATOR_PAD_CLASS(klass)->flush = guarded<flush>;
  GST_AGGREGATOR_PAD_CLASS(klass)->skip_buffer = skip_buffer;
  // Frames are taken as they are.
  auto *video_class = GST_VIDEO_AGGREGATOR_PAD_CLASS(klass);
  video_class->prepare_frame = nullptr;
  video_class->clean_frame = nullptr;
  gst_type_mark_as_plugin_api(gst_coalesce_aggregator_pad_get_type(), GstPluginAPIFlags(0));
}

static void gst_coalesce_aggregator_pad_init(GstCoalesceAggregatorPad *self) {
  initialise(self, [self] { self->input = new Input(&self->parent); });
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

// (GstVideoAggregator's own pending caps survive a flush and a stop, for the next frame.)
bool Input::set_caps(GstCaps *caps) {
  const bool followed = follow_frame();
  last_ = caps_ != nullptr ? current_buffer() : nullptr;
  next_caps_.reset(gst_caps_ref(caps));
  return follow_frame() || followed;
}

bool Input::follow_frame() {
  if (next_caps_ == nullptr || (last_ != nullptr && current_buffer() == last_)) return false;
  last_.reset();
  caps_ = std::move(next_caps_);
  gst_video_info_from_caps(&info_, caps_.get());
  pad_->info = info_;  // GstVideoAggregator chooses the output's rate by it
  return true;
}

void Input::forget() {
  caps_.reset();
  next_caps_.reset();
  last_.reset();
  kept_.reset();
  refused = lacks_time = false;
}

BufferRef Input::current_buffer() {
  const std::lock_guard guard(dropping_);
  GstBuffer *buffer = released_ ? nullptr : gst_video_aggregator_pad_get_current_buffer(pad_);
  return BufferRef(buffer != nullptr ? gst_buffer_ref(buffer) : nullptr);
}

void Input::release() {
  const std::lock_guard guard(dropping_);
  released_ = true;
}

bool Input::is_released() {
  const std::lock_guard guard(dropping_);
  return released_;
}

GstSegment Input::segment() const {
  GST_OBJECT_LOCK(pad_);
  const GstSegment segment = pad_->parent.segment;
  GST_OBJECT_UNLOCK(pad_);
  return segment;
}

gint64 Input::begin_of(GstBuffer *picture) {
  if (picture == kept_.get()) return kept_begin_;
  const GstSegment in = segment();
  guint64 time = 0;
  const int sign =
      gst_segment_to_running_time_full(&in, GST_FORMAT_TIME, GST_BUFFER_PTS(picture), &time);
  return sign < 0 ? -static_cast<gint64>(time) : static_cast<gint64>(time);
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
  const GstSegment segment = this->segment();
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
  if (current != nullptr) kept_end_ = end_of(current.get()), kept_begin_ = begin_of(current.get());
  kept_ = std::move(current);
}

// ---- frames ----------------------------------------------------------------------------------

namespace {

// The running time at which the next output begins.
GstClockTime next_output(GstCoalesceAggregator *self) {
  GST_OBJECT_LOCK(self);
  const GstSegment segment = GST_AGGREGATOR_PAD(GST_AGGREGATOR_SRC_PAD(self))->segment;
  GST_OBJECT_UNLOCK(self);
  GstClockTime position = segment.position;
  const bool backward = segment.rate < 0;
  const GstClockTime from = backward ? segment.stop : segment.start;
  if (!GST_CLOCK_TIME_IS_VALID(position) || (backward ? position > from : position < from))
    position = from;
  return gst_segment_to_running_time(&segment, GST_FORMAT_TIME, position);
}

}  // namespace

bool aggregator_has_ended(GstCoalesceAggregator *self) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  const auto &inputs = self->priv->inputs;
  const GstClockTime time = next_output(self);
  const auto ended = static_cast<std::size_t>(
      std::count_if(inputs.begin(), inputs.end(), [&](const InputRef &input) {
        return gst_aggregator_pad_is_eos(input->aggregator_pad()) && !input->picture_at(time) &&
               !input->is_released();
      }));
  return klass->needs_all ? ended > 0 : ended > 0 && inputs.size() - ended < klass->least_inputs;
}

void aggregator_drop_pictures(GstCoalesceAggregator *self) {
  for (const InputRef &input : self->priv->inputs) {
    input->frame.reset();
    input->buffer.reset();
  }
}

namespace {

// Do the inputs' pictures begin at times that differ by no more than they may?
bool belong_together(GstCoalesceAggregator *self) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  const double most = klass->max_skew ? klass->max_skew(self) : 0;
  if (most == 0) return true;
  gint64 first = G_MAXINT64, last = G_MININT64;
  for (const InputRef &input : self->priv->inputs) {
    if (input->buffer == nullptr) continue;
    const gint64 begin = input->begin_of(input->buffer.get());
    first = std::min(first, begin), last = std::max(last, begin);
  }
  const bool together = last <= first || last - first <= static_cast<gint64>(most * GST_MSECOND);
  if (!together)
    GST_DEBUG_OBJECT(self,
                     "frames begin at %" GST_STIME_FORMAT " to %" GST_STIME_FORMAT ": no output",
                     GST_STIME_ARGS(first), GST_STIME_ARGS(last));
  return together;
}

// The inputs' pictures for the next output. *complete: are they enough for it?
GstFlowReturn take_pictures(GstCoalesceAggregator *self, bool *complete) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  const GstClockTime time = next_output(self);
  std::size_t present = 0;
  const Input *missing = nullptr;
  for (std::size_t i = 0; i < priv.inputs.size(); i++) {
    Input &input = *priv.inputs[i].input;
    input.buffer = priv.infos[i] != nullptr ? input.picture_at(time) : nullptr;
    if (input.is_released()) return GST_AGGREGATOR_FLOW_NEED_DATA;  // the others may do without it
    if (input.buffer != nullptr)
      present++;
    else
      missing = &input;
  }
  *complete = present >= klass->least_inputs && !(klass->needs_all && missing != nullptr);
  if (!*complete && present > 0) {
    priv.unpaired++;
    GST_DEBUG_OBJECT(
        missing->pad(),
        "no picture at %" GST_TIME_FORMAT ", where %u of %u inputs have one: no output",
        GST_TIME_ARGS(time), static_cast<guint>(present), static_cast<guint>(priv.inputs.size()));
  }
  if (*complete && !belong_together(self)) {
    *complete = false;
    priv.unpaired++;
  }
  return GST_FLOW_OK;
}

GstFlowReturn post_failure(GstCoalesceAggregator *self, const char *what) {
  const GstVideoInfo &out = self->priv->out_info;
  if (self->backend->is_on_gpu())
    self->backend->post_gpu_error(what);
  else
    GST_ELEMENT_ERROR(
        self, STREAM, FAILED,
        ("%u inputs to %s frame of %dx%d: %s", static_cast<guint>(self->priv->inputs.size()),
         GST_VIDEO_INFO_NAME(&out), GST_VIDEO_INFO_WIDTH(&out), GST_VIDEO_INFO_HEIGHT(&out), what),
        (nullptr));
  return GST_FLOW_ERROR;
}

Status run(GstCoalesceAggregator *self, const Frame &out) {
  const auto &frames = self->priv->frames;
  return GST_COALESCE_AGGREGATOR_GET_CLASS(self)->run(
      self, frames.data(), static_cast<guint>(frames.size()), out, self->backend->queue());
}

// Of frames that are in hand, with room for its alignment.
gsize scratch_bytes(GstCoalesceAggregator *self) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  const auto &frames = self->priv->frames;
  const gsize bytes = klass->scratch_bytes ? klass->scratch_bytes(self, frames.data(),
                                                                  static_cast<guint>(frames.size()))
                                           : 0;
  return bytes > 0 ? bytes + kScratchAlignment - 1 : 0;
}

JobTable *table_of(GstCoalesceAggregator *self) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  return klass->table ? klass->table(self) : nullptr;
}

GstFlowReturn prepare_table(GstCoalesceAggregator *self, Job &job) {
  JobTable *table = table_of(self);
  return table != nullptr ? table->prepare(*self->backend, job) : GST_FLOW_OK;
}

gsize bytes_beside(GstCoalesceAggregator *self) {
  JobTable *table = table_of(self);
  return scratch_bytes(self) + (table != nullptr ? table->bytes() : 0);
}

GstFlowReturn process(GstCoalesceAggregator *self, GstBuffer *out_buffer) {
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  OutputFrame out;
  Job job(*self->backend);
  GstFlowReturn flow = job.begin(nullptr);
  const Frame *first = nullptr;
  for (std::size_t i = 0; i < priv.inputs.size() && flow == GST_FLOW_OK; i++) {
    Input &input = *priv.inputs[i].input;
    priv.frames[i] = nullptr;
    if (input.buffer == nullptr) continue;
    flow = job.load(input.buffer.get(), *priv.infos[i], input.pool, &input.frame,
                    Job::Rows::of_buffer, GST_PAD_NAME(input.pad()));
    if (flow == kNoMemory)
      return post_failure(self, (std::string("no memory for a copy of the frame of pad ") +
                                 GST_PAD_NAME(input.pad()))
                                    .c_str());
    priv.frames[i] = &input.frame.frame();
    if (first == nullptr) first = priv.frames[i];
  }
  if (flow == GST_FLOW_OK) flow = job.write(out_buffer, priv.out_info, priv.pool, &out);
  if (flow == kNoMemory) return post_failure(self, "no memory for a copy of the frame");
  if (flow == GST_FLOW_OK) flow = priv.scratch.prepare(*self->backend, job, scratch_bytes(self));
  if (flow == GST_FLOW_OK) flow = prepare_table(self, job);
  if (flow == kNoMemory)
    return post_failure(self, no_memory_beside_frames(*self->backend, bytes_beside(self)).c_str());
  if (flow != GST_FLOW_OK) return flow;
  out.set_interlaced(first->interlaced());
  const Status status = run(self, out.frame());
  return status.ok() ? job.end() : post_failure(self, status.message());
}

// As that of a filter: one run on scratch frames loads the kernels.
bool warm_up(GstCoalesceAggregator *self) {
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  Backend &backend = *self->backend;
  GpuSession &session = backend.session();
  if (session.warm) return true;
  ContextScope scope(session.context.get());
  struct Scratch {
    BufferRef buffer;
    Frame frame;
    bool make(FramePool &pool, const GstVideoInfo &info) {
      buffer = pool.acquire();
      return buffer != nullptr && frame.map(buffer.get(), info, Memory::cuda, GST_MAP_WRITE);
    }
  };
  std::vector<Scratch> in(priv.inputs.size());
  Scratch out;
  bool made = out.make(priv.pool, priv.out_info);
  for (std::size_t i = 0; i < in.size() && made; i++) {
    priv.frames[i] = priv.infos[i] != nullptr ? &in[i].frame : nullptr;
    if (priv.infos[i] != nullptr) made = in[i].make(priv.inputs[i]->pool, *priv.infos[i]);
  }
  if (!made) {
    backend.post_gpu_error("no device memory for the frames; backend=cpu requires none");
    return false;
  }
  if (!priv.scratch.prepare_alone(backend, scratch_bytes(self))) {
    backend.post_gpu_error(no_memory_beside_frames(backend, bytes_beside(self)));
    return false;
  }
  if (table_of(self) != nullptr) {
    Job job(backend);
    GstFlowReturn flow = job.begin(nullptr);
    if (flow == GST_FLOW_OK) flow = prepare_table(self, job);
    if (flow == kNoMemory)
      backend.post_gpu_error(no_memory_beside_frames(backend, bytes_beside(self)));
    if (flow != GST_FLOW_OK || job.end() != GST_FLOW_OK) return false;
  }
  const Status status = run(self, out.frame);
  const bool warm = backend.end_warm_up(status.ok());
  if (!status.ok()) post_failure(self, status.message());
  return warm;
}

}  // namespace

void aggregator_leave_gpu(GstCoalesceAggregator *self) {
  if (JobTable *table = table_of(self)) table->leave_gpu();
}

bool aggregator_make_pools(GstCoalesceAggregator *self) {
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  Backend &backend = *self->backend;
  priv.scratch.drop();
  aggregator_leave_gpu(self);
  // (As a filter's: frames in two streams do not wait for each other's memory.)
  if (!backend.make_pool(&priv.pool, priv.out_caps.get(), 2)) return false;
  for (const InputRef &input : priv.inputs) {
    input->has_pool = input->info() != nullptr;
    if (input->has_pool && !backend.make_pool(&input->pool, input->caps())) return false;
  }
  return !backend.is_on_gpu() || warm_up(self);
}

namespace {

// Are there frames in hand that are the first with new caps? Then these are to be negotiated.
bool follow_frames(GstCoalesceAggregator *self) {
  bool changed = false;
  for (const InputRef &input : self->priv->inputs)
    changed = input->follow_frame() || changed;
  if (changed) gst_pad_mark_reconfigure(GST_AGGREGATOR_SRC_PAD(self));
  return changed;
}

// An input's context is followed where no input is in the session's; else frames are copied.
bool follow_inputs(GstCoalesceAggregator *self) {
  Backend &backend = *self->backend;
  if (!backend.is_on_gpu() || !backend.has_session()) return true;
  GstCudaContext *theirs = nullptr;
  for (const InputRef &input : self->priv->inputs) {
    if (input->buffer == nullptr) continue;
    if (is_cuda_buffer_of(input->buffer.get(), backend.session().context.get())) return true;
    if (theirs == nullptr) theirs = backend.context_to_follow(input->buffer.get());
  }
  if (theirs == nullptr) return true;
  // The output pool's page-locked memory is the old context's.
  gst_pad_mark_reconfigure(GST_AGGREGATOR_SRC_PAD(self));
  if (backend.move_to(theirs) && aggregator_make_pools(self)) return true;
  backend.close_session();
  return false;
}

// The first input's flags that tell how to look at the picture, and its metas.
void describe(GstCoalesceAggregator *self, GstBuffer *out) {
  constexpr guint kFlags = GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF |
                           GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD;
  GST_BUFFER_FLAG_UNSET(out, kFlags);
  for (const InputRef &input : self->priv->inputs) {
    if (input->buffer == nullptr) continue;
    GST_BUFFER_FLAG_SET(out, GST_BUFFER_FLAGS(input->buffer.get()) & kFlags);
    const GstVideoInfo &in_info = *input->info(), &out_info = self->priv->out_info;
    copy_metas_about_picture(
        input->buffer.get(), out,
        GST_VIDEO_INFO_WIDTH(&in_info) == GST_VIDEO_INFO_WIDTH(&out_info) &&
            GST_VIDEO_INFO_HEIGHT(&in_info) == GST_VIDEO_INFO_HEIGHT(&out_info));
    return;
  }
}

// Without a buffer there is no output at that time.
GstFlowReturn output_buffer(GstVideoAggregator *video, GstBuffer **out) {
  auto *self = GST_COALESCE_AGGREGATOR(video);
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  *out = nullptr;
  if (self->backend->failed()) return GST_FLOW_ERROR;
  if (follow_frames(self)) return GST_AGGREGATOR_FLOW_NEED_DATA;
  if (priv.out_caps == nullptr) return GST_FLOW_OK;
  bool complete = false;
  if (GstFlowReturn flow = take_pictures(self, &complete); flow != GST_FLOW_OK || !complete)
    return flow;
  if (!follow_inputs(self)) return GST_FLOW_ERROR;
  if (!priv.out_cuda)
    return GST_VIDEO_AGGREGATOR_CLASS(g_type_class_peek(GST_TYPE_VIDEO_AGGREGATOR))
        ->create_output_buffer(video, out);
  *out = priv.pool.acquire().release();
  if (*out != nullptr) return GST_FLOW_OK;
  self->backend->post_gpu_error("no device memory for an output frame");
  return GST_FLOW_ERROR;
}

}  // namespace

GstFlowReturn aggregator_create_output_buffer(GstVideoAggregator *video, GstBuffer **out) {
  const GstFlowReturn flow = output_buffer(video, out);
  if (*out == nullptr) aggregator_drop_pictures(GST_COALESCE_AGGREGATOR(video));
  return flow;
}

GstFlowReturn aggregator_aggregate_frames(GstVideoAggregator *video, GstBuffer *out) {
  auto *self = GST_COALESCE_AGGREGATOR(video);
  const GstSegment &segment = GST_AGGREGATOR_PAD(GST_AGGREGATOR_SRC_PAD(self))->segment;
  const GstClockTime time =
      gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(out));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(self), time);
  describe(self, out);
  const GstFlowReturn flow = process(self, out);
  if (flow == GST_FLOW_OK) self->backend->counters().frames++;
  aggregator_drop_pictures(self);
  return flow;
}

}  // namespace coalesce::gst
