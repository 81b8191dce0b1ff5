// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-j2kenc
 * @title: j2kenc
 *
 * JPEG 2000 of raw video. See docs/j2kenc.md.
 */
#include "gstj2kenc.h"

#include "j2kenccaps.h"
#include "j2kencstate.h"
#include "video/input.h"

GST_DEBUG_CATEGORY(gst_j2kenc_debug);
#define GST_CAT_DEFAULT gst_j2kenc_debug

using namespace coalesce;
using namespace coalesce::gst;

struct GstJ2kEncClass {
  GstCoalesceEncoderClass parent_class;
};

G_DEFINE_TYPE_WITH_CODE(GstJ2kEnc, gst_j2kenc, GST_TYPE_COALESCE_ENCODER,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, j2k_init_presets))
#define parent_class gst_j2kenc_parent_class

namespace {

J2kState &state_of(gpointer object) {
  return *GST_J2KENC(object)->state;
}

GstCaps *transform_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                        GstCaps *filter) {
  GST_OBJECT_LOCK(trans);
  const J2kSettings wishes = state_of(trans).before_load.value_or(state_of(trans).wanted);
  GST_OBJECT_UNLOCK(trans);
  const bool cuda = backend_of(trans).may_use_gpu();
  GstCaps *result = j2k_transform_caps(direction, caps, cuda, wishes, state_of(trans).profile);
  GST_LOG_OBJECT(trans, "%s %" GST_PTR_FORMAT " can become %" GST_PTR_FORMAT "%s",
                 direction == GST_PAD_SINK ? "input" : "output", caps, result,
                 cuda ? "" : " (without a GPU)");
  if (filter == nullptr) return result;
  GstCaps *both = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref(result);
  return both;
}

// mj2mux of GStreamer 1.22 takes x-jpc and then writes a file without a frame; it names x-j2c
// first. (So do decoders, which use either, and take JP2 files as well.)
GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                     GstCaps *othercaps) {
  if (direction == GST_PAD_SINK) {
    GstCaps *downstream = gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(trans), nullptr);
    othercaps = j2k_prefer(othercaps, downstream);
    gst_caps_unref(downstream);
  }
  GstCaps *fixed =
      GST_BASE_TRANSFORM_CLASS(parent_class)->fixate_caps(trans, direction, caps, othercaps);
  GST_DEBUG_OBJECT(trans, "chooses %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT, fixed, caps);
  return fixed;
}

bool check_format(GstBaseTransform *trans, GstCaps *caps, GstVideoInfo *info) {
  const std::string problem = interlacing_problem(caps);
  if (!problem.empty()) {
    GST_ELEMENT_ERROR(trans, STREAM, FORMAT, ("%s", problem.c_str()), (nullptr));
    return false;
  }
  if (usable_info(caps, info)) return true;
  GST_ELEMENT_ERROR(
      trans, STREAM, FORMAT,
      ("Unsupported caps: no raw video, or frames of 2 GiB or more (%" GST_PTR_FORMAT ")", caps),
      (nullptr));
  return false;
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  auto *self = GST_J2KENC(transform);
  GstVideoInfo info;
  const J2kMedia media = j2k_media_of(out_caps);
  if (!check_format(GST_BASE_TRANSFORM(transform), in_caps, &info) ||
      !j2k_set_format(self, info, media) || !j2k_choose_backend(self, in_caps))
    return FALSE;
  int rsiz = 0;
  gst_structure_get_int(gst_caps_get_structure(out_caps, 0), "profile", &rsiz);
  GST_OBJECT_LOCK(self);
  self->state->negotiated = {info, media, rsiz};
  GST_OBJECT_UNLOCK(self);
  j2k_update_caps(self);  // properties may have been set meanwhile
  return TRUE;
}

guint settings_changes(GstCoalesceTransform *transform) {
  GST_OBJECT_LOCK(transform);
  const guint changes = state_of(transform).changes;
  GST_OBJECT_UNLOCK(transform);
  return changes;
}

// What downstream does not take is not negotiated. Upstream says so; here is why.
void tell_conflict(GstBaseTransform *trans, GstCaps *in_caps) {
  GstCaps *&told = state_of(trans).unwanted_caps;
  if (told != nullptr && gst_caps_is_equal(told, in_caps)) return;
  GstPad *pad = GST_BASE_TRANSFORM_SRC_PAD(trans);
  const CapsRef possible(gst_pad_get_pad_template_caps(pad));
  const CapsRef made(transform_caps(trans, GST_PAD_SINK, in_caps, possible.get()));
  const CapsRef taken(gst_pad_peer_query_caps(pad, nullptr));
  const std::string conflict = j2k_conflict(made.get(), taken.get());
  if (conflict.empty()) return;  // it is something else, which has been told
  gst_caps_replace(&told, in_caps);
  GST_ELEMENT_ERROR(
      trans, CORE, NEGOTIATION, ("%s (input %" GST_PTR_FORMAT ")", conflict.c_str(), in_caps),
      ("produced %" GST_PTR_FORMAT ", accepted %" GST_PTR_FORMAT, made.get(), taken.get()));
}

gboolean sink_event(GstBaseTransform *trans, GstEvent *event) {
  GstCaps *caps = nullptr;
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) gst_event_parse_caps(event, &caps);
  const CapsRef in_caps(caps != nullptr ? gst_caps_ref(caps) : nullptr);
  const gboolean done = GST_BASE_TRANSFORM_CLASS(parent_class)->sink_event(trans, event);
  if (in_caps != nullptr && !done) tell_conflict(trans, in_caps.get());
  return done;
}

// Pools have frames of one size, and codestreams differ.
gboolean decide_allocation(GstBaseTransform *trans, GstQuery *query) {
  while (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_remove_nth_allocation_pool(query, 0);
  if (!gst_coalesce_transform_drain(GST_COALESCE_TRANSFORM(trans), Before::allocation_query,
                                    "another pool"))
    return FALSE;
  state_of(trans).output_pool.reset();  // it was made for what downstream asked for before
  GST_DEBUG_OBJECT(trans, "codestreams use no pool of downstream");
  return GST_BASE_TRANSFORM_CLASS(parent_class)->decide_allocation(trans, query);
}

GstFlowReturn encode(GstCoalesceEncoder *encoder, GstBuffer *in) {
  auto *self = GST_J2KENC(encoder);
  gst_clear_caps(&self->state->unwanted_caps);  // others have come
  if (GstFlowReturn flow = j2k_update(self); flow != GST_FLOW_OK) return flow;
  return backend_of(self).is_on_gpu() ? j2k_run_on_gpu(self, in) : j2k_run_on_cpu(self, in);
}

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean is_discont, GstBuffer *in) {
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(parent_class)->submit_input_buffer(trans, is_discont, in);
  if (flow != GST_FLOW_NOT_NEGOTIATED) return flow;
  const CapsRef caps(gst_pad_get_current_caps(GST_BASE_TRANSFORM_SINK_PAD(trans)));
  if (caps != nullptr) tell_conflict(trans, caps.get());  // downstream has changed its mind
  return flow;
}

gboolean start(GstBaseTransform *trans) {
  return j2k_check_settings(GST_J2KENC(trans)) &&
         GST_BASE_TRANSFORM_CLASS(parent_class)->start(trans);
}

gboolean stop(GstBaseTransform *trans) {
  J2kState &state = state_of(trans);
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  state.flight.reset();
  j2k_drop_pools(GST_J2KENC(trans));
  gst_clear_caps(&state.in_caps);
  state.left_to_cpu = false;
  state.coder.reset();
  state.good.reset();
  GST_OBJECT_LOCK(trans);
  state.negotiated.reset();
  GST_OBJECT_UNLOCK(trans);
  state.bytes = {};
  gst_clear_caps(&state.unwanted_caps);
  return stopped;
}

void finalize(GObject *object) {
  delete GST_J2KENC(object)->state;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

void add_template(GstElementClass *klass, const char *name, GstPadDirection direction,
                  GstCaps *caps) {
  gst_element_class_add_pad_template(klass,
                                     gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
}

}  // namespace

static void gst_j2kenc_class_init(GstJ2kEncClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_j2kenc_debug, "coalesce-j2kenc", 0, "JPEG 2000 encoder");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->finalize = finalize;
  j2k_install_properties(object_class);

  auto *element_class = GST_ELEMENT_CLASS(klass);
  add_template(element_class, "sink", GST_PAD_SINK, j2k_sink_template());
  add_template(element_class, "src", GST_PAD_SRC, j2k_src_template());
  gst_element_class_set_static_metadata(
      element_class, "JPEG 2000 encoder", "Codec/Encoder/Image/Video",
      "Encodes video as JPEG 2000, lossless or at a rate, in layers, tiles and precincts",
      "The gst-coalesce authors");

  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->transform_caps = transform_caps;
  trans_class->fixate_caps = fixate_caps;
  trans_class->sink_event = sink_event;
  trans_class->decide_allocation = decide_allocation;
  trans_class->submit_input_buffer = submit_input_buffer;
  trans_class->start = start;
  trans_class->stop = stop;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->set_format = set_format;
  transform_class->settings_changes = settings_changes;
  transform_class->context_changed = [](GstCoalesceTransform *self) -> gboolean {
    return j2k_move_to_context(GST_J2KENC(self));
  };
  auto *encoder_class = GST_COALESCE_ENCODER_CLASS(klass);
  encoder_class->codec_name = "JPEG 2000";
  encoder_class->encode = encode;
  encoder_class->finish = [](GstCoalesceEncoder *self, GstBuffer **out) {
    return j2k_finish(GST_J2KENC(self), out);
  };
  encoder_class->discard = [](GstCoalesceEncoder *self) { j2k_discard(GST_J2KENC(self)); };
}

static void gst_j2kenc_init(GstJ2kEnc *self) {
  self->state = new J2kState;
}
