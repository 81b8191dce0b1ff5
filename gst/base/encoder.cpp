// SPDX-License-Identifier: LGPL-2.1-or-later
#include "encoder.h"

#include <utility>
#include <vector>

#include "flight/sourcetask.h"
#include "memory/bytepool.h"
#include "object/category.h"
#include "object/guarded.h"
#include "object/objectlock.h"
#include "object/owned.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceEncoder, gst_coalesce_encoder, GST_TYPE_COALESCE_TRANSFORM)
#define parent_class gst_coalesce_encoder_parent_class

namespace {

// Downstream has asked for a frame that can be decoded alone, and every frame can. It waits for the
// event that says so.
struct KeyUnitRequest {
  GstClockTime running_time;  // none: at once
  gboolean all_headers;
  guint count;
};

}  // namespace

struct GstCoalesceEncoderPrivate {
  explicit GstCoalesceEncoderPrivate(GstCoalesceEncoder *self);

  SourceTask task;

  // Under the object's lock.
  std::vector<KeyUnitRequest> key_units;

  bool tags_sent = false;  // in this stream; the streaming thread's

  // The task's, while frames are under way; else the streaming thread's.
  std::unique_ptr<BytePool> output_pool;
};

namespace {

GstCoalesceEncoderPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_ENCODER(object)->priv;
}

// ---- what is said of a frame -----------------------------------------------------------------

BufferRef metadata_of(GstCoalesceEncoder *self, GstBuffer *in) {
  BufferRef metadata = gst_coalesce_transform_metadata_of(GST_COALESCE_TRANSFORM(self), in);
  GST_BUFFER_FLAG_UNSET(metadata.get(), GST_BUFFER_FLAG_DELTA_UNIT);
  // Frames are decoded in the order in which they are shown.
  if (!GST_BUFFER_DTS_IS_VALID(metadata.get())) GST_BUFFER_DTS(metadata.get()) = GST_BUFFER_PTS(in);
  return metadata;
}

GstFlowReturn push(GstCoalesceEncoder *self, GstBuffer *out, GstBuffer *metadata) {
  gst_buffer_copy_into(out, metadata, kMetadata, 0, static_cast<gsize>(-1));
  backend_of(self).counters().frames++;
  return gst_pad_push(GST_BASE_TRANSFORM_SRC_PAD(self), out);
}

GstFlowReturn finish(GstCoalesceTransform *transform, FrameInFlight *frame) {
  auto *self = GST_COALESCE_ENCODER(transform);
  GstBuffer *out = nullptr;
  const GstFlowReturn flow = GST_COALESCE_ENCODER_GET_CLASS(self)->finish(self, &out);
  return flow == GST_FLOW_OK ? push(self, out, frame->metadata.get()) : flow;
}

// ---- events ----------------------------------------------------------------------------------

void set_codec_tags(GstCoalesceEncoder *self, GstTagList *tags) {
  for (const char *tag :
       {GST_TAG_CODEC, GST_TAG_VIDEO_CODEC, GST_TAG_AUDIO_CODEC, GST_TAG_SUBTITLE_CODEC,
        GST_TAG_CONTAINER_FORMAT, GST_TAG_ENCODER, GST_TAG_ENCODER_VERSION, GST_TAG_BITRATE,
        GST_TAG_NOMINAL_BITRATE, GST_TAG_MINIMUM_BITRATE, GST_TAG_MAXIMUM_BITRATE})
    gst_tag_list_remove_tag(tags, tag);
  gst_tag_list_add(tags, GST_TAG_MERGE_REPLACE, GST_TAG_VIDEO_CODEC,
                   GST_COALESCE_ENCODER_GET_CLASS(self)->codec_name, nullptr);
}

// Upstream's tags are about its own codec, and the rest of them about the picture. Takes the event.
GstEvent *with_codec_tags(GstCoalesceEncoder *self, GstEvent *event) {
  GstTagList *tags = nullptr;
  gst_event_parse_tag(event, &tags);
  if (gst_tag_list_get_scope(tags) != GST_TAG_SCOPE_STREAM) return event;
  GstTagList *ours = gst_tag_list_copy(tags);
  set_codec_tags(self, ours);
  GstEvent *replacement = gst_event_new_tag(ours);
  gst_event_set_seqnum(replacement, gst_event_get_seqnum(event));
  gst_event_unref(event);
  self->priv->tags_sent = true;
  return replacement;
}

// Before the first frame of a stream.
void send_codec_tags(GstCoalesceEncoder *self) {
  if (std::exchange(self->priv->tags_sent, true)) return;
  GstTagList *tags = gst_tag_list_new_empty();
  set_codec_tags(self, tags);
  gst_pad_push_event(GST_BASE_TRANSFORM_SRC_PAD(self), gst_event_new_tag(tags));
}

// They are for frames that are gone.
void forget_key_units(GstCoalesceEncoder *self) {
  const ObjectLock lock(self);
  self->priv->key_units.clear();
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  auto *self = GST_COALESCE_ENCODER(trans);
  GstCoalesceEncoderPrivate &priv = *self->priv;
  EventRef owned(event);
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_STREAM_START) priv.tags_sent = false;
  if (type == GST_EVENT_TAG) owned.reset(with_codec_tags(self, owned.release()));
  const gboolean sent = GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, owned.release());
  if (type == GST_EVENT_FLUSH_STOP) forget_key_units(self);
  return sent;
}

gboolean src_event(GstBaseTransform *trans, GstEvent *event) {
  EventRef owned(event);
  KeyUnitRequest request;
  if (GST_EVENT_TYPE(event) != GST_EVENT_CUSTOM_UPSTREAM ||
      !gst_video_event_parse_upstream_force_key_unit(event, &request.running_time,
                                                     &request.all_headers, &request.count))
    return GST_BASE_TRANSFORM_CLASS(parent_class)->src_event(trans, owned.release());
  const ObjectLock lock(trans);
  priv_of(trans).key_units.push_back(request);
  return TRUE;
}

// Those that the frame at this time answers.
std::vector<KeyUnitRequest> take_key_units(GstCoalesceEncoder *self, GstClockTime running_time) {
  std::vector<KeyUnitRequest> due;
  const ObjectLock lock(self);
  due.reserve(self->priv->key_units.size());
  std::erase_if(self->priv->key_units, [&](const KeyUnitRequest &request) {
    const bool is_due =
        !GST_CLOCK_TIME_IS_VALID(request.running_time) ||
        (GST_CLOCK_TIME_IS_VALID(running_time) && request.running_time <= running_time);
    if (is_due) due.push_back(request);
    return is_due;
  });
  return due;
}

GstFlowReturn answer_key_units(GstCoalesceEncoder *self, GstBuffer *in) {
  const GstSegment &segment = GST_BASE_TRANSFORM(self)->segment;
  const GstClockTime time = GST_BUFFER_PTS(in);
  GstClockTime running = GST_CLOCK_TIME_NONE, stream = GST_CLOCK_TIME_NONE;
  if (segment.format == GST_FORMAT_TIME && GST_CLOCK_TIME_IS_VALID(time)) {
    running = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, time);
    stream = gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, time);
  }
  for (const KeyUnitRequest &request : take_key_units(self, running)) {
    GST_DEBUG_OBJECT(self, "key unit %u at %" GST_TIME_FORMAT, request.count,
                     GST_TIME_ARGS(running));
    if (GstFlowReturn flow = self->priv->task.drain(); flow != GST_FLOW_OK) return flow;
    gst_pad_push_event(GST_BASE_TRANSFORM_SRC_PAD(self),
                       gst_video_event_new_downstream_force_key_unit(
                           time, stream, running, request.all_headers, request.count));
  }
  return GST_FLOW_OK;
}

// ---- frames ----------------------------------------------------------------------------------

GstFlowReturn take(GstCoalesceTransform *transform, BufferRef in) {
  auto *self = GST_COALESCE_ENCODER(transform);
  send_codec_tags(self);
  if (GstFlowReturn flow = answer_key_units(self, in.get()); flow != GST_FLOW_OK) return flow;
  return GST_COALESCE_ENCODER_GET_CLASS(self)->encode(self, in.get());
}

// Pools have frames of one size, and codestreams differ.
gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  while (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_remove_nth_allocation_pool(query, 0);
  if (!gst_coalesce_transform_drain(GST_COALESCE_TRANSFORM(trans), "another pool")) return FALSE;
  priv_of(trans).output_pool.reset();  // it was made for what downstream asked for before
  GST_DEBUG_OBJECT(trans, "coded frames use no pool of downstream");
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

BufferRef acquire_output(GstCoalesceEncoder *self, gsize bytes) {
  Backend &backend = backend_of(self);
  std::unique_ptr<BytePool> &pool = self->priv->output_pool;
  GstAllocator *allocator = nullptr;
  GstAllocationParams params;
  gst_base_transform_get_allocator(GST_BASE_TRANSFORM(self), &allocator, &params);
  const AllocatorRef owned(allocator);
  if (!backend.is_on_gpu() || !is_ordinary(allocator)) {
    GST_LOG_OBJECT(self, "coded frame in memory of %s",
                   allocator != nullptr ? allocator->mem_type : GST_ALLOCATOR_SYSMEM);
    return BufferRef(gst_buffer_new_allocate(allocator, bytes, &params));
  }
  GstAllocator *page_locked = backend.session().page_locked.get();  // of the context
  if (pool == nullptr || pool->allocator() != page_locked)
    pool = std::make_unique<BytePool>(page_locked, params);
  return pool->acquire(bytes);
}

gboolean stop(GstBaseTransform *trans) {
  auto *self = GST_COALESCE_ENCODER(trans);
  GstCoalesceEncoderPrivate &priv = *self->priv;
  const SourceTask::Halt halt(priv.task);
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  priv.output_pool.reset();
  priv.tags_sent = false;
  forget_key_units(self);
  return stopped;
}

}  // namespace

GstCoalesceEncoderPrivate::GstCoalesceEncoderPrivate(GstCoalesceEncoder *self)
    : task(GST_COALESCE_TRANSFORM(self), finish, [](GstCoalesceTransform *transform) {
        auto *encoder = GST_COALESCE_ENCODER(transform);
        GST_COALESCE_ENCODER_GET_CLASS(encoder)->discard(encoder);
      }) {}

void gst_coalesce_encoder_set_room(GstCoalesceEncoder *self, guint frames) {
  self->priv->task.set_room(frames);
}

GstFlowReturn gst_coalesce_encoder_wait_for_room(GstCoalesceEncoder *self) {
  return self->priv->task.wait_for_room();
}

void gst_coalesce_encoder_add(GstCoalesceEncoder *self, GstBuffer *in) {
  auto frame = std::make_unique<FrameInFlight>();
  frame->metadata = metadata_of(self, in);
  self->priv->task.add(std::move(frame));
}

BufferRef gst_coalesce_encoder_map_output(GstCoalesceEncoder *self, gsize bytes, GstMapInfo *map) {
  BufferRef out = acquire_output(self, bytes);
  if (out != nullptr && gst_buffer_map(out.get(), map, GST_MAP_WRITE)) return out;
  GST_ELEMENT_ERROR(self, RESOURCE, NO_SPACE_LEFT,
                    ("No memory for an encoded frame of %" G_GSIZE_FORMAT " bytes", bytes),
                    (nullptr));
  return nullptr;
}

GstFlowReturn gst_coalesce_encoder_push(GstCoalesceEncoder *self, GstBuffer *in, GstBuffer *out) {
  return push(self, out, metadata_of(self, in).get());
}

GstFlowReturn gst_coalesce_encoder_drain(GstCoalesceEncoder *self) {
  return self->priv->task.drain();
}

static void gst_coalesce_encoder_class_init(GstCoalesceEncoderClass *klass) {
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->sink_event = guarded<sink_event>;
  trans_class->src_event = guarded<src_event>;
  trans_class->decide_allocation = guarded<decide_allocation>;
  trans_class->stop = guarded<stop>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_set_take(transform_class, take);
  SourceTask::install(transform_class);
  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_ENCODER, GstPluginAPIFlags(0));
}

static void gst_coalesce_encoder_init(GstCoalesceEncoder *self) {
  initialise(self, [self] { self->priv = add_part<GstCoalesceEncoderPrivate>(self, self); });
  // An encoder does not drop frames because a sink is late, unless it has been set to.
  gst_base_transform_set_qos_enabled(GST_BASE_TRANSFORM(self), FALSE);
}
