// SPDX-License-Identifier: LGPL-2.1-or-later
#include "aggregator.h"

#include <algorithm>
#include <utility>

#include "aggregatorprivate.h"
#include "object/guarded.h"
#include "object/onexit.h"
#include "video/input.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstCoalesceAggregator, gst_coalesce_aggregator, GST_TYPE_VIDEO_AGGREGATOR)
#define parent_class gst_coalesce_aggregator_parent_class

namespace {

enum { PROP_UNPAIRED = 100 };  // behind those of Backend

GstCoalesceAggregator *self_of(gpointer element) {
  return GST_COALESCE_AGGREGATOR(element);
}
Backend &backend_of(gpointer element) {
  return *self_of(element)->backend;
}
GstAggregatorClass *aggregator_parent() {
  return GST_AGGREGATOR_CLASS(parent_class);
}

// ---- aggregation -----------------------------------------------------------------------------

// GstVideoAggregator does not know the caps.
GstSample *peek_next_sample(GstAggregator *, GstAggregatorPad *pad) {
  Input &input = gst_coalesce_aggregator_pad_input(pad);
  const BufferRef buffer = input.current_buffer();
  return buffer != nullptr ? gst_sample_new(buffer.get(), input.caps(), &pad->segment, nullptr)
                           : nullptr;
}

// GstVideoAggregator says to its log alone what it cannot pair.
void post_untimed(GstCoalesceAggregator *self) {
  for (const InputRef &input : self->priv->inputs) {
    const BufferRef next(gst_aggregator_pad_peek_buffer(input->aggregator_pad()));
    if (next == nullptr || GST_BUFFER_PTS_IS_VALID(next.get())) continue;
    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                      ("Pad %s has a frame without a timestamp", GST_PAD_NAME(input->pad())),
                      (nullptr));
    return;
  }
}

// It would be waited for for ever. Posts an error.
bool has_frame_without_caps(GstCoalesceAggregator *self) {
  for (const InputRef &input : self->priv->inputs) {
    if (input->info() != nullptr || !gst_aggregator_pad_has_buffer(input->aggregator_pad()))
      continue;
    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                      ("Pad %s has a frame, and no caps", GST_PAD_NAME(input->pad())), (nullptr));
    return true;
  }
  return false;
}

// Posts an error.
bool lacks_time(GstCoalesceAggregator *self) {
  for (const InputRef &input : self->priv->inputs) {
    if (!input->lacks_time) continue;
    GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                      ("Pad %s has a frame, and no segment of time", GST_PAD_NAME(input->pad())),
                      (nullptr));
    return true;
  }
  return false;
}

void wait_for_releases(GstCoalesceAggregator *self) {
  for (const InputRef &input : self->priv->inputs)
    if (input->is_released()) const std::lock_guard over(input->releasing());
}

GstFlowReturn aggregate(GstAggregator *aggregator, gboolean timeout) {
  auto *self = self_of(aggregator);
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  if (backend_of(self).failed()) return GST_FLOW_ERROR;
  if (priv.inputs.empty()) aggregator_collect_inputs(self);
  const bool refused =
      priv.refused || std::any_of(priv.inputs.begin(), priv.inputs.end(),
                                  [](const InputRef &input) { return input->refused; });
  if (refused || lacks_time(self)) return GST_FLOW_NOT_NEGOTIATED;
  if (aggregator_has_ended(self)) {
    GST_DEBUG_OBJECT(self, "too many inputs have ended: so does the output");
    return GST_FLOW_EOS;
  }
  if (priv.out_caps == nullptr && has_frame_without_caps(self)) return GST_FLOW_NOT_NEGOTIATED;
  GstFlowReturn flow = aggregator_parent()->aggregate(aggregator, timeout);
  while (flow == GST_AGGREGATOR_FLOW_NEED_DATA) {
    wait_for_releases(self);
    // Where an input has gone, or frames in hand have new caps, no more frames are needed.
    GstPad *source = aggregator->srcpad;
    if (!gst_pad_needs_reconfigure(source) || GST_PAD_IS_FLUSHING(source)) break;
    if (!gst_aggregator_negotiate(aggregator))
      return GST_PAD_IS_FLUSHING(source) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
    if (priv.out_caps == nullptr) break;
    flow = aggregator_parent()->aggregate(aggregator, timeout);
  }
  if (lacks_time(self)) return GST_FLOW_NOT_NEGOTIATED;
  if (flow == GST_FLOW_OK) priv.has_error = false;
  if (flow == GST_FLOW_ERROR && !backend_of(self).failed()) post_untimed(self);
  return flow;
}

// Failures of the last frames are told by no other. (Where an application ends the stream, the
// source pad's thread pushes EOS, too.)
GstPadProbeReturn before_event(GstPad *, GstPadProbeInfo *info, gpointer self) {
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS)
    guard(self, [self] { backend_of(self).finish(); });
  return GST_PAD_PROBE_OK;
}

// ---- caps ------------------------------------------------------------------------------------

bool same_as_before(const GstCoalesceAggregatorPrivate &priv, GstCaps *out_caps) {
  if (priv.out_caps == nullptr || !gst_caps_is_equal(priv.out_caps.get(), out_caps) ||
      priv.in_caps.size() != priv.inputs.size())
    return false;
  for (std::size_t i = 0; i < priv.inputs.size(); i++) {
    GstCaps *before = priv.in_caps[i].get(), *now = priv.inputs[i]->caps();
    if (now != nullptr && !priv.inputs[i]->has_pool) return false;  // another pad
    if (before != now && (before == nullptr || now == nullptr || !gst_caps_is_equal(before, now)))
      return false;
  }
  return true;
}

bool use_caps(GstCoalesceAggregator *self, GstCaps *out_caps) {
  auto *klass = GST_COALESCE_AGGREGATOR_GET_CLASS(self);
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  Backend &backend = backend_of(self);
  const Backend::NewCaps new_caps(backend, nullptr, out_caps);
  GstVideoInfo info;
  if (!usable_info(out_caps, &info)) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Unsupported output caps: %s (%" GST_PTR_FORMAT ")", unusable_reason(out_caps), out_caps),
        (nullptr));
    return false;
  }
  if (klass->set_info &&
      !klass->set_info(self, priv.infos.data(), static_cast<guint>(priv.infos.size()), &info))
    return false;
  if (same_as_before(priv, out_caps)) return true;
  priv.out_caps.reset();
  priv.out_info = info;
  priv.out_cuda = caps_are_cuda(out_caps);
  if (!backend.select(aggregator_has_cuda_input(self), priv.out_cuda,
                      aggregator_is_worth_the_trip(self)))
    return false;
  priv.out_caps.reset(gst_caps_ref(out_caps));
  priv.in_caps.clear();
  for (const InputRef &input : priv.inputs)
    priv.in_caps.push_back(
        CapsRef(input->caps() != nullptr ? gst_caps_ref(input->caps()) : nullptr));
  if (aggregator_make_pools(self)) return true;
  priv.out_caps.reset();
  return false;
}

gboolean negotiated_src_caps(GstAggregator *aggregator, GstCaps *caps) {
  auto *self = self_of(aggregator);
  const bool accepted = use_caps(self, caps);
  self->priv->refused = !accepted;
  for (const InputRef &input : self->priv->inputs)
    GST_DEBUG_OBJECT(input->pad(), "%s %" GST_PTR_FORMAT, accepted ? "accepts" : "refuses",
                     input->caps());
  GST_DEBUG_OBJECT(self, "%s %" GST_PTR_FORMAT, accepted ? "makes" : "does not make", caps);
  return accepted && aggregator_parent()->negotiated_src_caps(aggregator, caps);
}

gboolean decide_allocation(GstAggregator *aggregator, GstQuery *query) {
  const bool cuda = self_of(aggregator)->priv->out_cuda;
  backend_of(aggregator).decide_memory(query, cuda);
  return cuda || Backend::configure_pool(query);
}

gboolean propose_allocation(GstAggregator *aggregator, GstAggregatorPad *, GstQuery *,
                            GstQuery *query) {
  return backend_of(aggregator).propose_memory(query);
}

// Upstream asks for memory as soon as it has sent caps, when other inputs may have none yet: the
// back end is chosen by what is known.
bool select_early(GstCoalesceAggregator *self) {
  if (self->priv->out_caps != nullptr) return true;
  aggregator_collect_inputs(self);
  for (const InputRef &input : self->priv->inputs)
    if (!gst_pad_is_linked(input->pad()))
      GST_WARNING_OBJECT(input->pad(), "is not linked: there is no output before it is");
  GstPad *source = GST_AGGREGATOR_SRC_PAD(self);
  const bool cuda = aggregator_has_cuda_input(self);
  const CapsRef own(aggregator_source_caps(self, nullptr));
  const CapsRef theirs(gst_pad_peer_query_caps(source, own.get()));
  const guint n = gst_caps_get_size(theirs.get());
  const guint choice = n > 0 ? choose_structure(theirs.get(), cuda, peer_names_cuda(source)) : 0;
  const bool out_cuda = choice < n && names_cuda(gst_caps_get_features(theirs.get(), choice));
  return backend_of(self).select(cuda, out_cuda, aggregator_is_worth_the_trip(self));
}

// ---- events and queries ----------------------------------------------------------------------

gboolean take_caps(GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event) {
  auto *self = self_of(aggregator);
  Input &input = gst_coalesce_aggregator_pad_input(pad);
  GstCaps *parsed = nullptr;
  gst_event_parse_caps(event, &parsed);
  const CapsRef caps(gst_caps_ref(parsed));
  gst_event_unref(event);
  self->priv->refused = false;
  const bool was_refused = input.refused;
  input.refused = !aggregator_can_take(self, input, caps.get());
  if (input.refused) return FALSE;
  if (was_refused) self->priv->has_error = false;
  if (input.set_caps(caps.get())) gst_pad_mark_reconfigure(GST_AGGREGATOR_SRC_PAD(self));
  input.refused = !select_early(self);
  return !input.refused;
}

// (GstVideoAggregator ends the process for a segment that is not of time.)
gboolean take_segment(GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event) {
  Input &input = gst_coalesce_aggregator_pad_input(pad);
  const GstSegment *segment = nullptr;
  gst_event_parse_segment(event, &segment);
  if (segment->format == GST_FORMAT_TIME) {
    input.keep_time();
    if (std::exchange(input.lacks_time, false)) self_of(aggregator)->priv->has_error = false;
    return aggregator_parent()->sink_event(aggregator, pad, event);
  }
  GST_ELEMENT_ERROR(aggregator, STREAM, FORMAT,
                    ("Pad %s has a segment in format %s; time is required, as from rawvideoparse",
                     GST_PAD_NAME(pad), gst_format_get_name(segment->format)),
                    (nullptr));
  input.lacks_time = true;
  gst_event_unref(event);
  return FALSE;
}

// (GstVideoAggregator does not ask whether there is a segment, and holds its lock here: aggregate()
// posts the error.)
GstBuffer *clip(GstAggregator *aggregator, GstAggregatorPad *pad, GstBuffer *buffer) {
  const auto parents = aggregator_parent()->clip;
  if (pad->segment.format == GST_FORMAT_TIME)
    return parents != nullptr ? parents(aggregator, pad, buffer) : buffer;
  gst_coalesce_aggregator_pad_input(pad).lacks_time = true;
  gst_buffer_unref(buffer);
  return nullptr;
}

gboolean sink_event(GstAggregator *aggregator, GstAggregatorPad *pad, GstEvent *event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS:
      return take_caps(aggregator, pad, event);
    case GST_EVENT_SEGMENT:
      return take_segment(aggregator, pad, event);
    case GST_EVENT_GAP:
      if (pad->segment.format == GST_FORMAT_TIME) break;  // GstAggregator does not ask
      gst_event_unref(event);
      return FALSE;
    case GST_EVENT_FLUSH_STOP:
      self_of(aggregator)->priv->has_error = false;
      break;
    default:
      break;
  }
  return aggregator_parent()->sink_event(aggregator, pad, event);
}

gboolean sink_query(GstAggregator *aggregator, GstAggregatorPad *pad, GstQuery *query) {
  auto *self = self_of(aggregator);
  switch (GST_QUERY_TYPE(query)) {
    case GST_QUERY_CONTEXT:
      if (backend_of(self).answer_context(query)) return TRUE;
      break;
    case GST_QUERY_CAPS: {
      GstCaps *filter = nullptr;
      gst_query_parse_caps(query, &filter);
      const CapsRef caps(aggregator_sink_caps(self, GST_PAD(pad), filter));
      gst_query_set_caps_result(query, caps.get());
      return TRUE;
    }
    case GST_QUERY_ACCEPT_CAPS: {
      GstCaps *caps = nullptr;
      gst_query_parse_accept_caps(query, &caps);
      gst_query_set_accept_caps_result(query, aggregator_accepts(self, GST_PAD(pad), caps));
      return TRUE;
    }
    default:
      break;
  }
  return aggregator_parent()->sink_query(aggregator, pad, query);
}

gboolean src_query(GstAggregator *aggregator, GstQuery *query) {
  auto *self = self_of(aggregator);
  if (GST_QUERY_TYPE(query) == GST_QUERY_CONTEXT && backend_of(self).answer_context(query))
    return TRUE;
  if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS)
    return aggregator_parent()->src_query(aggregator, query);
  GstCaps *filter = nullptr;
  gst_query_parse_caps(query, &filter);
  const CapsRef caps(aggregator_source_caps(self, filter));
  gst_query_set_caps_result(query, caps.get());
  return TRUE;
}

void set_context(GstElement *element, GstContext *context) {
  backend_of(element).take_context(context);
  GST_ELEMENT_CLASS(parent_class)->set_context(element, context);
}

// ---- start and stop --------------------------------------------------------------------------

gboolean start(GstAggregator *aggregator) {
  return check_start(GST_ELEMENT(aggregator)) && backend_of(aggregator).start() &&
         aggregator_parent()->start(aggregator);
}

gboolean stop(GstAggregator *aggregator) {
  auto *self = self_of(aggregator);
  GstCoalesceAggregatorPrivate &priv = *self->priv;
  const OnExit stop_backend([self] {
    backend_of(self).stop();
    forget_exception(GST_ELEMENT(self));
  });
  const gboolean stopped = aggregator_parent()->stop(aggregator);
  aggregator_collect_inputs(self);
  aggregator_drop_pictures(self);
  for (const InputRef &input : priv.inputs) {
    input->pool.drop();
    input->has_pool = false;
    input->forget();
  }
  priv.inputs.clear();
  priv.pool.drop();
  priv.scratch.drop();
  aggregator_leave_gpu(self);
  priv.in_caps.clear();
  priv.out_caps.reset();
  priv.refused = false;
  return stopped;
}

GstStateChangeReturn change_state(GstElement *element, GstStateChange transition) {
  if ((transition == GST_STATE_CHANGE_NULL_TO_READY ||
       transition == GST_STATE_CHANGE_READY_TO_PAUSED) &&
      !is_incomplete(element))
    self_of(element)->priv->has_error = false;
  return change_guarded_state(element, transition, GST_ELEMENT_CLASS(parent_class));
}

// Inputs often share a fault, and each has a thread: only the first error is posted.
gboolean post_message(GstElement *element, GstMessage *message) {
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR && !is_incomplete(element) &&
      self_of(element)->priv->has_error.exchange(true)) {
    gst_message_unref(message);
    return FALSE;
  }
  return GST_ELEMENT_CLASS(parent_class)->post_message(element, message);
}

guint number_in_name(GstPad *pad) {
  const gchar *number = strrchr(GST_PAD_NAME(pad), '_');
  return number != nullptr ? static_cast<guint>(g_ascii_strtoull(number + 1, nullptr, 10)) : 0;
}

GstAggregatorPad *create_new_pad(GstAggregator *aggregator, GstPadTemplate *templ,
                                 const gchar *name, const GstCaps *caps) {
  GstAggregatorPad *pad = aggregator_parent()->create_new_pad(aggregator, templ, name, caps);
  if (pad == nullptr) return nullptr;
  if (is_incomplete(pad)) {
    gst_object_unref(pad);
    return nullptr;
  }
  gst_coalesce_aggregator_pad_input(pad).number = number_in_name(GST_PAD(pad));
  return pad;
}

void release_pad(GstElement *element, GstPad *pad) {
  const std::unique_ptr<GstPad, Unref> owned(GST_PAD(gst_object_ref(pad)));
  Input &input = gst_coalesce_aggregator_pad_input(pad);
  const std::lock_guard releasing(input.releasing());
  input.release();
  GST_ELEMENT_CLASS(parent_class)->release_pad(element, pad);
}

// The inputs that are always there. (GstAggregator makes those alone that are requested.)
void constructed(GObject *object) {
  G_OBJECT_CLASS(parent_class)->constructed(object);
  guint number = 0;
  GList *templates = gst_element_class_get_pad_template_list(GST_ELEMENT_GET_CLASS(object));
  for (GList *l = templates; l != nullptr; l = l->next) {
    auto *templ = GST_PAD_TEMPLATE(l->data);
    if (templ->direction != GST_PAD_SINK || templ->presence != GST_PAD_ALWAYS) continue;
    auto *pad =
        GST_PAD(g_object_new(gst_coalesce_aggregator_pad_get_type(), "name", templ->name_template,
                             "direction", GST_PAD_SINK, "template", templ, nullptr));
    if (is_incomplete(pad))
      set_incomplete(object);
    else
      gst_coalesce_aggregator_pad_input(pad).number = number++;
    gst_element_add_pad(GST_ELEMENT(object), pad);
  }
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  backend_of(object).set_property(id, value);
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  if (id == PROP_UNPAIRED)
    g_value_set_uint64(value, self_of(object)->priv->unpaired);
  else
    backend_of(object).get_property(id, value);
}

void finalize(GObject *object) {
  delete self_of(object)->priv;
  delete self_of(object)->backend;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

}  // namespace

static void gst_coalesce_aggregator_class_init(GstCoalesceAggregatorClass *klass) {
  klass->output_caps = [](GstCoalesceAggregator *, const GstVideoInfo *const *, guint,
                          guint alternative,
                          GstStructure *) -> gboolean { return alternative == 0; };
  klass->least_inputs = 2;
  klass->needs_all = TRUE;
  klass->alike = GST_COALESCE_ALIKE_FORMAT | GST_COALESCE_ALIKE_SIZE;

  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->constructed = guarded<constructed>;
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  object_class->finalize = finalize;
  Backend::install_properties(object_class);
  g_object_class_install_property(
      object_class, PROP_UNPAIRED,
      g_param_spec_uint64("unpaired", "Unpaired",
                          "Number of output times without a frame, because at least one input had "
                          "none while another had one, or theirs did not belong together",
                          0, G_MAXUINT64, 0,
                          static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));

  auto *element_class = GST_ELEMENT_CLASS(klass);
  element_class->change_state = change_state;
  element_class->post_message = post_message;
  element_class->set_context = guarded<set_context>;
  element_class->release_pad = guarded<release_pad>;
  auto *aggregator_class = GST_AGGREGATOR_CLASS(klass);
  aggregator_class->start = guarded<start>;
  aggregator_class->stop = guarded<stop>;
  aggregator_class->clip = guarded<clip>;
  aggregator_class->sink_event = guarded<sink_event>;
  aggregator_class->sink_query = guarded<sink_query>;
  aggregator_class->src_query = guarded<src_query>;
  aggregator_class->aggregate = guarded<aggregate>;
  aggregator_class->peek_next_sample = guarded<peek_next_sample>;
  aggregator_class->create_new_pad = guarded<create_new_pad>;
  aggregator_class->update_src_caps = guarded<aggregator_update_src_caps>;
  aggregator_class->fixate_src_caps = guarded<aggregator_fixate_src_caps>;
  aggregator_class->negotiated_src_caps = guarded<negotiated_src_caps>;
  aggregator_class->decide_allocation = guarded<decide_allocation>;
  aggregator_class->propose_allocation = guarded<propose_allocation>;
  auto *video_class = GST_VIDEO_AGGREGATOR_CLASS(klass);
  video_class->create_output_buffer = guarded<aggregator_create_output_buffer>;
  video_class->aggregate_frames = guarded<aggregator_aggregate_frames>;

  gst_type_mark_as_plugin_api(GST_TYPE_COALESCE_AGGREGATOR, GstPluginAPIFlags(0));
}

static void gst_coalesce_aggregator_init(GstCoalesceAggregator *self) {
  initialise(self, [self] {
    self->backend = new Backend(GST_ELEMENT(self));
    self->priv = new GstCoalesceAggregatorPrivate;
  });
  gst_pad_add_probe(GST_AGGREGATOR_SRC_PAD(self), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, before_event,
                    self, nullptr);
}

guint gst_coalesce_aggregator_input_number(GstCoalesceAggregator *self, guint i) {
  return self->priv->inputs[i]->number;
}

void *gst_coalesce_aggregator_scratch(GstCoalesceAggregator *self) {
  const auto begin = reinterpret_cast<std::uintptr_t>(self->priv->scratch.data());
  return reinterpret_cast<void *>((begin + kScratchAlignment - 1) / kScratchAlignment *
                                  kScratchAlignment);
}

void gst_coalesce_aggregator_class_add_input(GstCoalesceAggregatorClass *klass, const char *name,
                                             const char *formats) {
  const CapsRef caps(template_caps(formats));
  const bool requested = strchr(name, '%') != nullptr;
  gst_element_class_add_pad_template(
      GST_ELEMENT_CLASS(klass),
      gst_pad_template_new_with_gtype(name, GST_PAD_SINK,
                                      requested ? GST_PAD_REQUEST : GST_PAD_ALWAYS, caps.get(),
                                      gst_coalesce_aggregator_pad_get_type()));
}

void gst_coalesce_aggregator_class_add_output(GstCoalesceAggregatorClass *klass,
                                              const char *formats) {
  const CapsRef caps(template_caps(formats, "[ 1/max, max ]"));
  gst_element_class_add_pad_template(
      GST_ELEMENT_CLASS(klass),
      gst_pad_template_new_with_gtype("src", GST_PAD_SRC, GST_PAD_ALWAYS, caps.get(),
                                      GST_TYPE_AGGREGATOR_PAD));
}
