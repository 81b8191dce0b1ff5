// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceTransform, gst_coalesce_transform, GST_TYPE_BASE_TRANSFORM)
#define parent_class gst_coalesce_transform_parent_class

namespace {

void discard_frames(GstCoalesceTransform *self) {
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->discard) klass->discard(self);
}

gboolean start(GstBaseTransform *trans) {
  return backend_of(trans).start();
}

gboolean stop(GstBaseTransform *trans) {
  discard_frames(GST_COALESCE_TRANSFORM(trans));
  backend_of(trans).stop();
  return TRUE;
}

void set_context(GstElement *element, GstContext *context) {
  backend_of(element).take_context(context);
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

// Latency grows by the frames that may be held back.
gboolean answer_latency(GstCoalesceTransform *self, GstQuery *query) {
  auto *trans = GST_BASE_TRANSFORM(self);
  if (!gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(trans), query)) return FALSE;
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  const guint frames = klass->max_frames_in_flight ? klass->max_frames_in_flight(self) : 0;
  GstCaps *caps = gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(trans));
  GstVideoInfo info;
  if (frames > 0 && caps && gst_video_info_from_caps(&info, caps) &&
      GST_VIDEO_INFO_FPS_N(&info) > 0) {
    const GstClockTime held = gst_util_uint64_scale(
        frames * GST_SECOND, GST_VIDEO_INFO_FPS_D(&info), GST_VIDEO_INFO_FPS_N(&info));
    gboolean live;
    GstClockTime least, most;
    gst_query_parse_latency(query, &live, &least, &most);
    gst_query_set_latency(query, live, least + held,
                          GST_CLOCK_TIME_IS_VALID(most) ? most + held : most);
  }
  gst_clear_caps(&caps);
  return TRUE;
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_CONTEXT:
      if (backend_of(trans).answer_context(query)) return TRUE;
      break;
    case GST_QUERY_LATENCY:
      if (direction == GST_PAD_SRC) return answer_latency(GST_COALESCE_TRANSFORM(trans), query);
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query);
}

// GstBaseTransform would let these overtake frames that an element still holds.
bool must_not_overtake(GstEvent *event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_EOS:
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_GAP:
    case GST_EVENT_TAG:
    case GST_EVENT_TOC:
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      return true;
    default:
      return false;
  }
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->drain && must_not_overtake(event)) {
    const GstFlowReturn flow = klass->drain(self);
    if (flow != GST_FLOW_OK)
      GST_DEBUG_OBJECT(self, "draining before %s: %s", GST_EVENT_TYPE_NAME(event),
                       gst_flow_get_name(flow));
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_EOS || GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT_DONE)
    backend_of(self).finish();  // failures of the last frames are told by no other
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) discard_frames(self);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
}

// Properties that are controlled have the value of the frame's time.
void sync_values(GstBaseTransform *trans, GstBuffer *buffer) {
  if (trans->segment.format != GST_FORMAT_TIME) return;
  const GstClockTime time =
      gst_segment_to_stream_time(&trans->segment, GST_FORMAT_TIME, GST_BUFFER_TIMESTAMP(buffer));
  if (GST_CLOCK_TIME_IS_VALID(time)) gst_object_sync_values(GST_OBJECT(trans), time);
}

// A buffer's context is followed where its device will do; else the buffer is copied.
void before_transform(GstBaseTransform *trans, GstBuffer *buffer) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  Backend &backend = backend_of(self);
  sync_values(trans, buffer);
  GstCudaContext *theirs = backend.context_to_follow(buffer);
  if (theirs == nullptr || gst_base_transform_is_passthrough(trans)) return;
  if (klass->drain) klass->drain(self);
  if (!backend.move_to(theirs) || (klass->context_changed && !klass->context_changed(self)))
    backend.close_session();
}

gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->propose_allocation(trans, decide_query, query))
    return FALSE;
  const bool passthrough = decide_query == nullptr;
  return passthrough || backend_of(trans).propose_memory(query);
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  backend_of(object).set_property(id, value, pspec);
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  backend_of(object).get_property(id, value, pspec);
}

void finalize(GObject *object) {
  delete GST_COALESCE_TRANSFORM(object)->backend;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

}  // namespace

static void gst_coalesce_transform_class_init(GstCoalesceTransformClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  Backend::install_properties(object_class);

  GST_ELEMENT_CLASS(klass)->set_context = set_context;

  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->start = start;
  trans_class->stop = stop;
  trans_class->query = query;
  trans_class->sink_event = sink_event;
  trans_class->before_transform = before_transform;
  trans_class->propose_allocation = propose_allocation;

  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_TRANSFORM, GstPluginAPIFlags(0));
}

static void gst_coalesce_transform_init(GstCoalesceTransform *self) {
  self->backend = new Backend(GST_ELEMENT(self));
  gst_base_transform_set_qos_enabled(GST_BASE_TRANSFORM(self), TRUE);
}
