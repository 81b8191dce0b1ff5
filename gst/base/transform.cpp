// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform.h"

#include "transformcontext.h"
#include "transformproperties.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceTransform, gst_coalesce_transform, GST_TYPE_BASE_TRANSFORM)
#define parent_class gst_coalesce_transform_parent_class

namespace {

TransformState &state_of(gpointer object) {
  return *GST_COALESCE_TRANSFORM(object)->state;
}

void discard_frames(GstCoalesceTransform *self) {
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->discard) klass->discard(self);
}

bool start_backend(GstCoalesceTransform *self) {
  switch (self->state->settings.backend) {
    case BackendChoice::cpu:
      return true;
    case BackendChoice::cuda:
      return ensure_session(self);
    case BackendChoice::automatic:
      break;
  }
  // A machine without a GPU cannot honour an id, and auto means that it need not.
  return self->state->settings.cuda_device_id < 0 || check_device_id(self);
}

gboolean start(GstBaseTransform *trans) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  self->state->failed = false;
  set_started(self, true);
  if (self->state->settings.backend == BackendChoice::cuda) retry_gpu_gate();
  if (start_backend(self)) return TRUE;
  set_context_slot(*self->state, nullptr);
  set_started(self, false);
  return FALSE;
}

gboolean stop(GstBaseTransform *trans) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  discard_frames(self);
  self->state->gpu.reset();
  self->state->threads.reset();
  set_context_slot(*self->state, nullptr);
  set_active(self, ActiveBackend::none);
  set_started(self, false);
  return TRUE;
}

void set_context(GstElement *element, GstContext *context) {
  take_context(GST_COALESCE_TRANSFORM(element), context);
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
      if (ContextRef context = current_context(state_of(trans));
          context && gst_cuda_handle_context_query(GST_ELEMENT(trans), query, context.get()))
        return TRUE;
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

// Work may fail after its frame has gone on. The next frame tells, and after the last this does.
void finish_frames(GstCoalesceTransform *self) {
  TransformState &state = *self->state;
  if (state.failed || state.gpu == nullptr) return;
  if (CUresult result = state.gpu->synchronize(); result != CUDA_SUCCESS)
    post_gpu_error(self, "processing the last frames", result);
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
    finish_frames(self);
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

// Buffers may live in another context than the one that was negotiated. Where their device will do,
// follow them; else they are copied (see filterframe.cpp).
void before_transform(GstBaseTransform *trans, GstBuffer *buffer) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  TransformState &state = *self->state;
  sync_values(trans, buffer);
  if (state.failed || state.gpu == nullptr || state.active != ActiveBackend::cuda) return;
  GstMemory *memory = gst_buffer_n_memory(buffer) ? gst_buffer_peek_memory(buffer, 0) : nullptr;
  if (memory == nullptr || !gst_is_cuda_memory(memory)) return;
  GstCudaContext *theirs = GST_CUDA_MEMORY_CAST(memory)->context;
  if (theirs == state.gpu->context.get() || gst_base_transform_is_passthrough(trans)) return;
  if (!device_will_do(state, theirs)) return;

  GST_INFO_OBJECT(self, "following the input to %s", describe_gpu(theirs).c_str());
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->drain) klass->drain(self);
  state.gpu.reset();
  set_context_slot(state, theirs);
  if (!open_session(self, theirs) || (klass->context_changed && !klass->context_changed(self))) {
    state.gpu.reset();
  }
}

// System memory to be filled by upstream: page-locked if it is going to be uploaded. The allocator
// is offered, too, for those who make their own pool.
PoolRef propose_system_pool(TransformState &state, GstQuery *query, GstCaps *caps, guint size) {
  AllocatorRef allocator;
  ContextRef context = current_context(state);
  if (context != nullptr && state.active == ActiveBackend::cuda) {
    allocator = page_locked_allocator_new(context.get());
    gst_query_add_allocation_param(query, allocator.get(), nullptr);
  }
  return system_pool_new(allocator.get(), caps, size);
}

gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
  TransformState &state = state_of(trans);
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->propose_allocation(trans, decide_query, query))
    return FALSE;
  if (decide_query == nullptr) return TRUE;  // passthrough

  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo info;
  if (caps == nullptr || !gst_video_info_from_caps(&info, caps)) return FALSE;

  guint size = static_cast<guint>(GST_VIDEO_INFO_SIZE(&info));
  PoolRef pool;
  if (caps_are_cuda(caps)) {
    ContextRef context = current_context(state);
    if (context != nullptr) pool = cuda_pool_new(context.get(), caps, 0, 0, &size);
  } else {
    pool = propose_system_pool(state, query, caps, size);
  }
  if (pool == nullptr) return FALSE;
  gst_query_add_allocation_pool(query, pool.get(), size, 0, 0);
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

void finalize(GObject *object) {
  TransformState *state = &state_of(object);
  set_context_slot(*state, nullptr);
  delete state;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

}  // namespace

static void gst_coalesce_transform_class_init(GstCoalesceTransformClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = transform_set_property;
  object_class->get_property = transform_get_property;
  object_class->finalize = finalize;
  transform_install_properties(object_class);

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
  self->state = new TransformState;
  gst_base_transform_set_qos_enabled(GST_BASE_TRANSFORM(self), TRUE);
}
