// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-j2kenc
 * @title: j2kenc
 *
 * JPEG 2000 of raw video. See docs/j2kenc.md.
 */
#include "coding/codedcaps.h"
#include "j2kenccaps.h"
#include "j2kenccurrent.h"
#include "j2kencflight.h"
#include "j2kencproperties.h"
#include "object/guarded.h"
#include "object/owned.h"

GST_DEBUG_CATEGORY(gst_j2kenc_debug);
#define GST_CAT_DEFAULT gst_j2kenc_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

struct J2kParts {
  explicit J2kParts(GstCoalesceEncoder *self)
      : settings(self), current(self, settings), coding(self, &current) {}

  Settings<J2kSettings> settings;
  // The streaming thread's.
  J2kCurrentCoder current;
  FrameCoding coding;

  // Of frames that are started from now on.
  Status set_targets(const J2kCoder &to) {
    auto *flight = static_cast<J2kFlight *>(coding.flight());
    return flight != nullptr ? flight->set_targets(to) : current.get()->set_targets(to);
  }
};

}  // namespace

struct GstJ2kEnc {
  GstCoalesceEncoder parent;
  J2kParts *parts;
};
using GstJ2kEncClass = GstCoalesceEncoderClass;

G_DEFINE_TYPE_WITH_CODE(GstJ2kEnc, gst_j2kenc, GST_TYPE_COALESCE_ENCODER,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, j2k_init_presets))
GST_ELEMENT_REGISTER_DEFINE(j2kenc, "j2kenc", GST_RANK_SECONDARY, gst_j2kenc_get_type())
#define parent_class gst_j2kenc_parent_class

namespace {

J2kParts &parts_of(gpointer object) {
  return *reinterpret_cast<GstJ2kEnc *>(object)->parts;
}

// ---- caps ------------------------------------------------------------------------------------

GstCaps *convert(GstCoalesceTransform *self, GstPadDirection direction, GstCaps *caps, bool cuda) {
  const J2kParts &parts = parts_of(self);
  return direction == GST_PAD_SINK
             ? j2k_coded_caps(caps, cuda, parts.settings.snapshot(), parts.current.profile())
             : j2k_raw_caps(caps, cuda);
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) != GST_QUERY_CAPS || direction != GST_PAD_SINK) return TRUE;
  drop_defaults(query);
  return TRUE;
}

// mj2mux of GStreamer 1.22 takes x-jpc and then writes a file without a frame; it names x-j2c
// first. (So do decoders, which use either, and take JP2 files as well.)
GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                     GstCaps *othercaps) {
  if (direction == GST_PAD_SINK) {
    const CapsRef downstream(gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(trans), nullptr));
    othercaps = j2k_prefer(othercaps, downstream.get());
  }
  GstCaps *fixed =
      GST_BASE_TRANSFORM_CLASS(parent_class)->fixate_caps(trans, direction, caps, othercaps);
  GST_DEBUG_OBJECT(trans, "chooses %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT, fixed, caps);
  return fixed;
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  J2kParts &parts = parts_of(transform);
  GstVideoInfo info;
  int profile = 0;
  gst_structure_get_int(gst_caps_get_structure(out_caps, 0), "profile", &profile);
  return check_raw_caps(GST_BASE_TRANSFORM(transform), in_caps, &info) &&
         parts.current.set_format(info, j2k_media_of(out_caps), profile) &&
         parts.coding.choose_backend(in_caps);
}

// ---- frames ----------------------------------------------------------------------------------

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean is_discont, GstBuffer *in) {
  BufferRef owned(in);
  parts_of(trans).current.look_at_settings();  // the base negotiates again, if they require it
  return GST_BASE_TRANSFORM_CLASS(parent_class)
      ->submit_input_buffer(trans, is_discont, owned.release());
}

// Another rate needs no other encoders, and frames in flight go on with theirs.
GstFlowReturn turn_to_next_coder(GstCoalesceEncoder *encoder) {
  J2kParts &parts = parts_of(encoder);
  if (parts.current.take_targets([&parts](const J2kCoder &to) { return parts.set_targets(to); }))
    return GST_FLOW_OK;
  const GstFlowReturn flow = gst_coalesce_encoder_drain(encoder);
  if (flow != GST_FLOW_OK) return flow;  // the next coder is the next frame's
  parts.current.take_next();
  return parts.current.get() == nullptr || parts.coding.try_again() ? GST_FLOW_OK : GST_FLOW_ERROR;
}

GstFlowReturn encode(GstCoalesceEncoder *encoder, GstBuffer *in) {
  J2kParts &parts = parts_of(encoder);
  if (parts.current.has_next())
    if (GstFlowReturn flow = turn_to_next_coder(encoder); flow != GST_FLOW_OK) return flow;
  if (parts.current.get() == nullptr) return GST_FLOW_ERROR;
  return parts.coding.encode(in);
}

// ---- the object ------------------------------------------------------------------------------

gboolean start(GstBaseTransform *trans) {
  const std::string problem = parts_of(trans).settings.read(j2k_check);
  if (const std::string text = parts_of(trans).settings.read(j2k_ignored);
      problem.empty() && !text.empty())
    GST_ELEMENT_WARNING(trans, LIBRARY, SETTINGS, ("%s", text.c_str()), (nullptr));
  return (problem.empty() || post_settings_problem(trans, problem, false)) &&
         GST_BASE_TRANSFORM_CLASS(parent_class)->start(trans);
}

gboolean stop(GstBaseTransform *trans) {
  J2kParts &parts = parts_of(trans);
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  parts.coding.stop();
  parts.current.stop();
  return stopped;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  if (j2k_set_property(&parts_of(object).settings, id, value)) g_object_notify(object, "lossless");
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  j2k_get_property(parts_of(object).settings, id, value);
}

}  // namespace

static void gst_j2kenc_class_init(GstJ2kEncClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_j2kenc_debug, "coalesce-j2kenc", 0, "JPEG 2000 encoder");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  j2k_install_properties(object_class);

  auto *element_class = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(
      element_class, "JPEG 2000 encoder", "Codec/Encoder/Image/Video",
      "Encodes video as JPEG 2000, lossless or at a rate, in layers, tiles and precincts",
      "The gst-coalesce authors");

  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->query = guarded<query>;
  trans_class->fixate_caps = guarded<fixate_caps>;
  trans_class->submit_input_buffer = guarded<submit_input_buffer>;
  trans_class->start = guarded<start>;
  trans_class->stop = guarded<stop>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_add_template(transform_class, "sink", GST_PAD_SINK,
                                            j2k_sink_template());
  gst_coalesce_transform_class_add_template(transform_class, "src", GST_PAD_SRC,
                                            j2k_src_template());
  transform_class->convert = convert;
  transform_class->set_format = set_format;
  transform_class->conflict = j2k_conflict;
  transform_class->settings_changes = [](GstCoalesceTransform *self) {
    return parts_of(self).settings.changes();
  };
  transform_class->context_changed = [](GstCoalesceTransform *self) -> gboolean {
    return parts_of(self).coding.move_to_context();
  };
  auto *encoder_class = GST_COALESCE_ENCODER_CLASS(klass);
  encoder_class->codec_name = "JPEG 2000";
  encoder_class->encode = encode;
  encoder_class->finish = [](GstCoalesceEncoder *self, GstBuffer **out) {
    return parts_of(self).coding.finish(out);
  };
  encoder_class->discard = [](GstCoalesceEncoder *self) { parts_of(self).coding.discard(); };
}

static void gst_j2kenc_init(GstJ2kEnc *self) {
  initialise(self, [self] { self->parts = add_part<J2kParts>(self, GST_COALESCE_ENCODER(self)); });
}

Settings<J2kSettings> &coalesce::gst::j2k_settings_of(gpointer element) {
  return parts_of(element).settings;
}
