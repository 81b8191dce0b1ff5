// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transform.h"

#include <utility>

#include "object/category.h"
#include "object/guarded.h"
#include "object/objectlock.h"
#include "object/owned.h"
#include "video/conflict.h"
#include "video/input.h"
#include "video/memorycaps.h"

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceTransform, gst_coalesce_transform, GST_TYPE_BASE_TRANSFORM)
#define parent_class gst_coalesce_transform_parent_class

namespace {

// What an element has refused with an error. Upstream's pads send such caps again and again, and
// one error is enough; but with another output, or after a change of settings, they are tried
// again.
class RefusedCaps {
 public:
  // settings: a number that changes with each change of the settings.
  bool has(GstCaps *in, GstCaps *out, guint settings) const {
    return in_ != nullptr && settings_ == settings && gst_caps_is_equal(in_.get(), in) &&
           gst_caps_is_equal(out_.get(), out);
  }
  void add(GstCaps *in, GstCaps *out, guint settings) {
    in_.reset(gst_caps_ref(in));
    out_.reset(gst_caps_ref(out));
    settings_ = settings;
  }
  void clear() { in_.reset(); }

 private:
  CapsRef in_, out_;  // the last ones
  guint settings_ = 0;
};

}  // namespace

struct GstCoalesceTransformPrivate {
  // Under the object's lock: an error has said why; of a frame, 0 without a frame rate; from the
  // first of two fields to the other; and the latency of what may be held back, which the bus was
  // told last.
  CapsRef refused_fields;
  GstClockTime frame_duration = 0, field_wait = 0;
  GstClockTime latency = 0;

  // The streaming thread's.
  RefusedCaps refused;
  CapsRef without_output;               // of the input: an error has said why downstream has none
  guint settings = 0;                   // settings_changes() of the caps
  GstFlowReturn drained = GST_FLOW_OK;  // by no chain: for the next one
};

namespace {

GstCoalesceTransformPrivate &priv_of(gpointer object) {
  return *GST_COALESCE_TRANSFORM(object)->priv;
}

void discard_frames(GstCoalesceTransform *self) {
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (klass->discard) klass->discard(self);
  self->priv->drained = GST_FLOW_OK;
  self->after_skipped = false;
}

// Caps that have been refused come again before each buffer, and one error is enough. False: they
// are the last ones.
bool replace_refused_fields(GstCoalesceTransform *self, GstCaps *caps) {
  const ObjectLock lock(self);
  CapsRef &last = self->priv->refused_fields;
  const bool other = last == nullptr || caps == nullptr || !gst_caps_is_equal(last.get(), caps);
  last.reset(caps != nullptr ? gst_caps_ref(caps) : nullptr);
  return other;
}

gboolean start(GstBaseTransform *trans) {
  return check_start(GST_ELEMENT(trans)) && backend_of(trans).start();
}

gboolean stop(GstBaseTransform *trans) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  discard_frames(self);
  self->priv->refused.clear();
  self->priv->without_output.reset();
  replace_refused_fields(self, nullptr);
  backend_of(self).stop();
  forget_exception(GST_ELEMENT(self));
  return TRUE;
}

GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  return change_guarded_state(element, transition, GST_ELEMENT_CLASS(parent_class));
}

void set_context(GstElement *element, GstContext *context) {
  backend_of(element).take_context(context);
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

GstClockTime own_latency(GstCoalesceTransform *self) {
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  const guint frames = klass->max_frames_in_flight ? klass->max_frames_in_flight(self) : 0;
  const ObjectLock lock(self);
  return frames * self->priv->frame_duration + self->priv->field_wait;
}

void set_frame_rate(GstCoalesceTransform *self, GstCaps *caps) {
  GstVideoInfo info;
  if (!gst_video_info_from_caps(&info, caps)) return;
  const gint n = GST_VIDEO_INFO_FPS_N(&info), d = GST_VIDEO_INFO_FPS_D(&info);
  const ObjectLock lock(self);
  self->priv->frame_duration = n > 0 ? gst_util_uint64_scale(GST_SECOND, d, n) : 0;
  const bool fields = GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_ALTERNATE;
  self->priv->field_wait = fields ? self->priv->frame_duration / 2 : 0;
}

gboolean answer_latency(GstCoalesceTransform *self, GstQuery *query) {
  if (!gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(self), query)) return FALSE;
  const GstClockTime held = own_latency(self);
  gboolean live;
  GstClockTime least, most;
  gst_query_parse_latency(query, &live, &least, &most);
  gst_query_set_latency(query, live, least + held,
                        GST_CLOCK_TIME_IS_VALID(most) ? most + held : most);
  return TRUE;
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  const GstQueryType type = GST_QUERY_TYPE(query);
  const bool serialized = (gst_query_type_get_flags(type) & GST_QUERY_TYPE_SERIALIZED) != 0;
  if (direction == GST_PAD_SINK && serialized)
    gst_coalesce_transform_drain(self, GST_QUERY_TYPE_NAME(query), type != GST_QUERY_ALLOCATION);
  if (type == GST_QUERY_CONTEXT && backend_of(trans).answer_context(query)) return TRUE;
  if (type == GST_QUERY_LATENCY && direction == GST_PAD_SRC) return answer_latency(self, query);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query);
}

std::string gpu_problem(Backend &backend) {
  if (backend.is_cpu_required()) return "backend=cpu does not use CUDA memory";
  return "no NVIDIA GPU can be used: " + gpu_gate().why_not;
}

bool any_is_cuda(const GstCaps *caps) {
  for (guint i = 0; i < gst_caps_get_size(caps); i++)
    if (names_cuda(gst_caps_get_features(caps, i))) return true;
  return false;
}

bool any_is_fields(const GstCaps *caps) {
  for (guint i = 0; i < gst_caps_get_size(caps); i++)
    if (gst_caps_features_contains(gst_caps_get_features(caps, i),
                                   GST_CAPS_FEATURE_FORMAT_INTERLACED))
      return true;
  return false;
}

// What these caps can become, as frames of them are: those without an interlace mode are
// progressive.
CapsRef possible_output(GstCoalesceTransform *self, GstCaps *in_caps) {
  const CapsRef progressive(gst_caps_copy(in_caps));
  GstStructure *structure = gst_caps_get_structure(progressive.get(), 0);
  if (!gst_structure_has_field(structure, "interlace-mode"))
    gst_structure_set(structure, "interlace-mode", G_TYPE_STRING, "progressive", nullptr);
  const CapsRef templ(gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SRC_PAD(self)));
  return CapsRef(GST_BASE_TRANSFORM_GET_CLASS(self)->transform_caps(
      GST_BASE_TRANSFORM(self), GST_PAD_SINK, progressive.get(), templ.get()));
}

// Where downstream accepts nothing that the input can become, nothing is negotiated. Upstream says
// that; here is why.
void tell_conflict(GstCoalesceTransform *self, GstCaps *in_caps) {
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  CapsRef &told = self->priv->without_output;
  if (told != nullptr && gst_caps_is_equal(told.get(), in_caps)) return;
  const CapsRef made = possible_output(self, in_caps);
  const CapsRef taken(gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(self), nullptr));
  const auto conflict = caps_conflict(made.get(), taken.get(), in_caps);
  if (!conflict) return;  // it is something else, which has been told
  std::string text = klass->conflict ? klass->conflict(*conflict) : std::string();
  if (text.empty()) {
    text = conflict->ours + ", but downstream accepts " + conflict->theirs;
    if (!backend_of(self).may_use_gpu() && any_is_cuda(taken.get()))
      text += "; " + gpu_problem(backend_of(self));
    if (!conflict->advice.empty()) text += "; " + conflict->advice;
  }
  told.reset(gst_caps_ref(in_caps));
  GST_ELEMENT_ERROR(
      self, CORE, NEGOTIATION, ("%s (input %" GST_PTR_FORMAT ")", text.c_str(), in_caps),
      ("produced %" GST_PTR_FORMAT ", accepted %" GST_PTR_FORMAT, made.get(), taken.get()));
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  EventRef owned(event);
  CapsRef in_caps;
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_FLUSH_STOP)
    discard_frames(self);
  else if ((gst_event_type_get_flags(type) & GST_EVENT_TYPE_SERIALIZED) != 0)
    gst_coalesce_transform_drain(self, GST_EVENT_TYPE_NAME(event));
  // Of other failures somebody has told; this one no chain will return any more.
  if (type == GST_EVENT_EOS && self->priv->drained == GST_FLOW_NOT_LINKED)
    GST_ELEMENT_FLOW_ERROR(self, GST_FLOW_NOT_LINKED);
  if ((type == GST_EVENT_EOS || type == GST_EVENT_SEGMENT_DONE) &&
      self->priv->drained != GST_FLOW_FLUSHING)
    backend_of(self).finish();  // failures of the last frames are told by no other
  if (type == GST_EVENT_CAPS) {
    GstCaps *caps = nullptr;
    gst_event_parse_caps(event, &caps);
    set_frame_rate(self, caps);
    in_caps.reset(gst_caps_ref(caps));
  }
  const gboolean done = GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, owned.release());
  if (in_caps != nullptr && done) self->priv->without_output.reset();
  if (in_caps != nullptr && !done) tell_conflict(self, in_caps.get());
  if (type == GST_EVENT_CAPS) gst_coalesce_transform_update_latency(self);
  return done;
}

GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                        GstCaps *filter) {
  const bool cuda = backend_of(trans).may_use_gpu();
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(trans);
  CapsRef result(klass->convert(GST_COALESCE_TRANSFORM(trans), direction, caps, cuda));
  GST_LOG_OBJECT(trans, "%s %" GST_PTR_FORMAT " can become %" GST_PTR_FORMAT "%s",
                 direction == GST_PAD_SINK ? "input" : "output", caps, result.get(),
                 cuda ? "" : " (without a GPU)");
  if (filter == nullptr) return result.release();
  return gst_caps_intersect_full(filter, result.get(), GST_CAPS_INTERSECT_FIRST);
}

// Upstream's pad has caps before it sends them. Others only ask about theirs.
bool are_sent(GstCaps *caps, GstPad *pad) {
  if (!gst_pad_is_active(pad)) return false;
  GstPad *upstream = gst_pad_get_peer(pad);
  const CapsRef theirs(upstream != nullptr ? gst_pad_get_current_caps(upstream) : nullptr);
  gst_clear_object(&upstream);
  return theirs != nullptr && gst_caps_is_equal(theirs.get(), caps);
}

// Why caps can be no input.
std::string input_problem(GstCoalesceTransform *self, GstCaps *caps) {
  Backend &backend = backend_of(self);
  const CapsRef accepted(
      template_caps_of(GST_BASE_TRANSFORM_SINK_PAD(self), backend.may_use_gpu()));
  if (std::string problem = interlacing_problem(caps, any_is_fields(accepted.get()));
      !problem.empty())
    return problem;
  if (any_is_cuda(caps) && !backend.may_use_gpu())
    return "The input is in CUDA memory; " + gpu_problem(backend);
  if (const auto conflict = caps_conflict(caps, accepted.get(), caps); conflict)
    return "The input has " + conflict->ours + ", but " + conflict->theirs + " is accepted" +
           (conflict->advice.empty() ? "" : "; ") + conflict->advice;
  return {};
}

// GstPad itself refuses caps that are not accepted here, and their event does not come.
gboolean accept_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  const gboolean accepted =
      GST_BASE_TRANSFORM_CLASS(parent_class)->accept_caps(trans, direction, caps);
  if (accepted || direction != GST_PAD_SINK) return accepted;
  const std::string problem = input_problem(self, caps);
  if (problem.empty()) return FALSE;
  if (!are_sent(caps, GST_BASE_TRANSFORM_SINK_PAD(trans)))
    GST_WARNING_OBJECT(self, "%s (%" GST_PTR_FORMAT ")", problem.c_str(), caps);
  else if (replace_refused_fields(self, caps))
    GST_ELEMENT_ERROR(self, STREAM, FORMAT, ("%s", problem.c_str()), (nullptr));
  return FALSE;
}

gboolean set_caps(GstBaseTransform *trans, GstCaps *in_caps, GstCaps *out_caps) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  Backend &backend = backend_of(self);
  if (backend.failed()) return FALSE;
  const guint settings = klass->settings_changes ? klass->settings_changes(self) : 0;
  // Frames that are held leave under the caps and the settings that they came for; only their
  // memory may become another one.
  const CapsRef before(gst_pad_get_current_caps(GST_BASE_TRANSFORM_SRC_PAD(trans)));
  const bool unlinked = unlinked_caps(trans, out_caps);
  const bool others = std::exchange(self->priv->settings, settings) != settings || unlinked ||
                      before == nullptr ||
                      !gst_structure_is_equal(gst_caps_get_structure(before.get(), 0),
                                              gst_caps_get_structure(out_caps, 0));
  if (!gst_coalesce_transform_drain(self, "new caps", others)) return FALSE;
  gst_coalesce_transform_set_passthrough(self, unlinked);
  if (unlinked) {
    GST_DEBUG_OBJECT(self, "no peer: passthrough of %" GST_PTR_FORMAT, in_caps);
    return TRUE;
  }
  if (self->priv->refused.has(in_caps, out_caps, settings)) {
    GST_DEBUG_OBJECT(self, "has refused %" GST_PTR_FORMAT " before", in_caps);
    return FALSE;
  }
  const Backend::NewCaps new_caps(backend, in_caps, out_caps);
  const bool accepted = !klass->set_format || klass->set_format(self, in_caps, out_caps);
  GST_DEBUG_OBJECT(self, "%s %" GST_PTR_FORMAT " to %" GST_PTR_FORMAT,
                   accepted ? "accepts" : "refuses", in_caps, out_caps);
  if (accepted) {
    self->priv->refused.clear();
    replace_refused_fields(self, nullptr);
  } else {
    self->priv->refused.add(in_caps, out_caps, settings);
  }
  return accepted;
}

gboolean transform_meta(GstBaseTransform *trans, GstBuffer *out, GstMeta *meta, GstBuffer *in) {
  return is_about_picture(meta) ||
         GST_BASE_TRANSFORM_CLASS(parent_class)->transform_meta(trans, out, meta, in);
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
  self->priv->refused.clear();  // other caps have come
  sync_values(trans, buffer);
  GstCudaContext *theirs = backend.context_to_follow(buffer);
  if (theirs == nullptr || self->passthrough) return;
  if (!gst_coalesce_transform_drain(self, "another context")) return;
  if (!backend.move_to(theirs) || (klass->context_changed && !klass->context_changed(self)))
    backend.close_session();
}

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean is_discont, GstBuffer *in) {
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(parent_class)->submit_input_buffer(trans, is_discont, in);
  auto *self = GST_COALESCE_TRANSFORM(trans);
  if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) self->after_skipped = true;
  if (flow == GST_FLOW_OK) self->priv->without_output.reset();
  if (flow != GST_FLOW_NOT_NEGOTIATED) return flow;
  // New caps failed because a flush met what was drained before them, perhaps one that has ended.
  if (self->priv->drained == GST_FLOW_FLUSHING) {
    self->priv->drained = GST_FLOW_OK;
    return GST_FLOW_FLUSHING;
  }
  const CapsRef caps(gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(trans)));
  if (caps != nullptr) tell_conflict(self, caps.get());  // downstream has changed its mind
  return flow;
}

GstFlowReturn generate_output(GstBaseTransform *trans, GstBuffer **out) {
  auto *self = GST_COALESCE_TRANSFORM(trans);
  if (self->passthrough) return GST_BASE_TRANSFORM_CLASS(parent_class)->generate_output(trans, out);
  *out = nullptr;
  BufferRef in(std::exchange(trans->queued_buf, nullptr));
  if (in == nullptr) return GST_FLOW_OK;
  if (backend_of(trans).failed()) return GST_FLOW_ERROR;
  const GstFlowReturn drained = std::exchange(priv_of(trans).drained, GST_FLOW_OK);
  if (drained != GST_FLOW_OK) return drained;
  return GST_COALESCE_TRANSFORM_GET_CLASS(self)->take(self, std::move(in));
}

// Never called, but GstBaseTransform does not look at generate_output(): without this it takes the
// element for one that works in place, and hands ALLOCATION queries through.
GstFlowReturn transform(GstBaseTransform *, GstBuffer *, GstBuffer *) {
  return GST_FLOW_NOT_SUPPORTED;
}

gboolean propose_allocation(GstBaseTransform *trans, GstQuery *decide_query, GstQuery *query) {
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->propose_allocation(trans, decide_query, query))
    return FALSE;
  const bool passthrough = decide_query == nullptr;
  if (passthrough) return TRUE;
  auto *self = GST_COALESCE_TRANSFORM(trans);
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  return backend_of(self).propose_memory(query,
                                         klass->least_buffers ? klass->least_buffers(self) : 0);
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  backend_of(object).set_property(id, value);
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  backend_of(object).get_property(id, value);
}

}  // namespace

void gst_coalesce_transform_class_set_take(GstCoalesceTransformClass *klass,
                                           GstFlowReturn (*take)(GstCoalesceTransform *,
                                                                 BufferRef)) {
  klass->take = take;
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->generate_output = guarded<generate_output>;
  if (trans_class->transform == nullptr) trans_class->transform = transform;
}

void gst_coalesce_transform_class_add_template(GstCoalesceTransformClass *klass, const char *name,
                                               GstPadDirection direction, GstCaps *caps) {
  const CapsRef owned(caps);
  gst_element_class_add_pad_template(GST_ELEMENT_CLASS(klass),
                                     gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
}

void gst_coalesce_transform_set_passthrough(GstCoalesceTransform *self, bool passthrough) {
  self->passthrough = passthrough;
  gst_base_transform_set_passthrough(GST_BASE_TRANSFORM(self), passthrough);
}

bool gst_coalesce_transform_drain(GstCoalesceTransform *self, const char *what, bool must) {
  auto *klass = GST_COALESCE_TRANSFORM_GET_CLASS(self);
  if (!klass->drain || (klass->keeps_frames && !must)) return true;
  const GstFlowReturn flow = klass->drain(self);
  if (flow == GST_FLOW_OK) return true;
  GST_DEBUG_OBJECT(self, "draining before %s: %s", what, gst_flow_get_name(flow));
  self->priv->drained = flow;
  return flow != GST_FLOW_FLUSHING;
}

BufferRef gst_coalesce_transform_metadata_of(GstCoalesceTransform *self, GstBuffer *in) {
  BufferRef metadata(gst_buffer_new());
  auto *trans = GST_BASE_TRANSFORM(self);
  GST_BASE_TRANSFORM_GET_CLASS(trans)->copy_metadata(trans, in, metadata.get());
  if (std::exchange(self->after_skipped, false))
    GST_BUFFER_FLAG_SET(metadata.get(), GST_BUFFER_FLAG_DISCONT);
  return metadata;
}

void gst_coalesce_transform_return_later(GstCoalesceTransform *self, GstFlowReturn flow) {
  self->priv->drained = flow;
}

void gst_coalesce_transform_update_latency(GstCoalesceTransform *self) {
  const GstClockTime latency = own_latency(self);
  {
    const ObjectLock lock(self);
    if (std::exchange(self->priv->latency, latency) == latency) return;
  }
  GST_DEBUG_OBJECT(self, "latency of %" GST_TIME_FORMAT, GST_TIME_ARGS(latency));
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
}

static void gst_coalesce_transform_class_init(GstCoalesceTransformClass *klass) {
  klass->convert = [](GstCoalesceTransform *, GstPadDirection, GstCaps *caps, bool) {
    return gst_caps_ref(caps);
  };
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  Backend::install_properties(object_class);

  auto *element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = change_state;
  element_class->set_context = guarded<set_context>;

  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->start = guarded<start>;
  trans_class->stop = guarded<stop>;
  trans_class->query = guarded<query>;
  trans_class->sink_event = guarded<sink_event>;
  trans_class->transform_caps = guarded<transform_caps>;
  trans_class->accept_caps = guarded<accept_caps>;
  trans_class->set_caps = guarded<set_caps>;
  trans_class->transform_meta = guarded<transform_meta>;
  trans_class->passthrough_on_same_caps = FALSE;
  trans_class->before_transform = guarded<before_transform>;
  trans_class->submit_input_buffer = guarded<submit_input_buffer>;
  trans_class->propose_allocation = guarded<propose_allocation>;

  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_TRANSFORM, GstPluginAPIFlags(0));
}

static void gst_coalesce_transform_init(GstCoalesceTransform *self) {
  initialise(self, [self] {
    self->backend = add_part<Backend>(self, GST_ELEMENT(self));
    self->priv = add_part<GstCoalesceTransformPrivate>(self);
  });
  gst_base_transform_set_qos_enabled(GST_BASE_TRANSFORM(self), TRUE);
}
