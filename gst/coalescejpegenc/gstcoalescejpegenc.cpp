// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-coalescejpegenc
 * @title: coalescejpegenc
 *
 * JPEG of raw video. See docs/coalescejpegenc.md.
 */
#include "coding/codedcaps.h"
#include "jpegenccaps.h"
#include "jpegenccurrent.h"
#include "jpegencproperties.h"
#include "object/guarded.h"
#include "object/owned.h"

GST_DEBUG_CATEGORY(gst_coalesce_jpeg_enc_debug);
#define GST_CAT_DEFAULT gst_coalesce_jpeg_enc_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

struct JpegParts {
  explicit JpegParts(GstCoalesceEncoder *self)
      : settings(self), current(self, settings), coding(self, &current) {}

  Settings<JpegSettings> settings;
  // The streaming thread's.
  JpegCurrentCoder current;
  FrameCoding coding;
};

struct GstCoalesceJpegEnc {
  GstCoalesceEncoder parent;
  JpegParts *parts;
};
using GstCoalesceJpegEncClass = GstCoalesceEncoderClass;

}  // namespace

G_DEFINE_TYPE(GstCoalesceJpegEnc, gst_coalesce_jpeg_enc, GST_TYPE_COALESCE_ENCODER)
GST_ELEMENT_REGISTER_DEFINE(coalescejpegenc, "coalescejpegenc", GST_RANK_SECONDARY - 1,
                            gst_coalesce_jpeg_enc_get_type())
#define parent_class gst_coalesce_jpeg_enc_parent_class

namespace {

JpegParts &parts_of(gpointer object) {
  return *reinterpret_cast<GstCoalesceJpegEnc *>(object)->parts;
}

// ---- caps ------------------------------------------------------------------------------------

GstCaps *convert(GstCoalesceTransform *self, GstPadDirection direction, GstCaps *caps, bool cuda) {
  const JpegParts &parts = parts_of(self);
  const JpegSettings settings = parts.settings.snapshot();
  return direction == GST_PAD_SINK ? jpeg_coded_caps(caps, cuda, settings, parts.current.sampling())
                                   : jpeg_raw_caps(caps, cuda, settings);
}

gboolean query(GstBaseTransform *trans, GstPadDirection direction, GstQuery *query) {
  if (!GST_BASE_TRANSFORM_CLASS(parent_class)->query(trans, direction, query)) return FALSE;
  if (GST_QUERY_TYPE(query) == GST_QUERY_CAPS && direction == GST_PAD_SINK) drop_defaults(query);
  return TRUE;
}

GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                     GstCaps *othercaps) {
  GstCaps *fixed =
      GST_BASE_TRANSFORM_CLASS(parent_class)->fixate_caps(trans, direction, caps, othercaps);
  GST_DEBUG_OBJECT(trans, "chooses %" GST_PTR_FORMAT " for %" GST_PTR_FORMAT, fixed, caps);
  return fixed;
}

gboolean set_format(GstCoalesceTransform *transform, GstCaps *in_caps, GstCaps *out_caps) {
  JpegParts &parts = parts_of(transform);
  const char *sampling = gst_structure_get_string(gst_caps_get_structure(out_caps, 0), "sampling");
  GstVideoInfo info;
  return check_raw_caps(GST_BASE_TRANSFORM(transform), in_caps, &info) &&
         parts.current.set_format(info, sampling != nullptr ? sampling : "") &&
         parts.coding.choose_backend(in_caps);
}

// ---- frames ----------------------------------------------------------------------------------

GstFlowReturn submit_input_buffer(GstBaseTransform *trans, gboolean is_discont, GstBuffer *in) {
  BufferRef owned(in);
  parts_of(trans).current.look_at_settings();  // the base negotiates again, if they require it
  return GST_BASE_TRANSFORM_CLASS(parent_class)
      ->submit_input_buffer(trans, is_discont, owned.release());
}

// Another quality or limit needs no other encoder, and frames in flight go on with theirs.
GstFlowReturn turn_to_next_coder(GstCoalesceEncoder *encoder) {
  JpegParts &parts = parts_of(encoder);
  if (parts.current.take_rate([&parts](const JpegCoder &to) {
        if (auto *flight = static_cast<JpegFlight *>(parts.coding.flight())) flight->set_rate(to);
      }))
    return GST_FLOW_OK;
  const GstFlowReturn flow = gst_coalesce_encoder_drain(encoder);
  if (flow != GST_FLOW_OK) return flow;  // the next coder is the next frame's
  parts.current.take_next();
  return parts.current.coder() == nullptr || parts.coding.try_again() ? GST_FLOW_OK
                                                                      : GST_FLOW_ERROR;
}

GstFlowReturn encode(GstCoalesceEncoder *encoder, GstBuffer *in) {
  JpegParts &parts = parts_of(encoder);
  if (parts.current.has_next())
    if (GstFlowReturn flow = turn_to_next_coder(encoder); flow != GST_FLOW_OK) return flow;
  return parts.current.coder() != nullptr ? parts.coding.encode(in) : GST_FLOW_ERROR;
}

// ---- the object ------------------------------------------------------------------------------

gboolean start(GstBaseTransform *trans) {
  const std::string problem = parts_of(trans).settings.read(jpeg_check);
  if (const std::string text = parts_of(trans).settings.read(jpeg_ignored);
      problem.empty() && !text.empty())
    GST_ELEMENT_WARNING(trans, LIBRARY, SETTINGS, ("%s", text.c_str()), (nullptr));
  return (problem.empty() || post_settings_problem(trans, problem, false)) &&
         GST_BASE_TRANSFORM_CLASS(parent_class)->start(trans);
}

gboolean stop(GstBaseTransform *trans) {
  JpegParts &parts = parts_of(trans);
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  parts.coding.stop();
  parts.current.stop();
  return stopped;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  parts_of(object).settings.change(
      [&](JpegSettings &settings) { return jpeg_properties().set(id, &settings, value); });
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  parts_of(object).settings.read(
      [&](const JpegSettings &settings) { jpeg_properties().get(id, settings, value); });
}

}  // namespace

static void gst_coalesce_jpeg_enc_class_init(GstCoalesceJpegEncClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_coalesce_jpeg_enc_debug, "coalesce-jpegenc", 0, "JPEG encoder");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  jpeg_install_properties(object_class);

  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "JPEG encoder", "Codec/Encoder/Image/Video",
      "Encodes video as baseline JPEG, with the bytes of libjpeg-turbo",
      "The gst-coalesce authors");

  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->query = guarded<query>;
  trans_class->fixate_caps = guarded<fixate_caps>;
  trans_class->submit_input_buffer = guarded<submit_input_buffer>;
  trans_class->start = guarded<start>;
  trans_class->stop = guarded<stop>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_add_template(transform_class, "sink", GST_PAD_SINK,
                                            jpeg_sink_template());
  gst_coalesce_transform_class_add_template(transform_class, "src", GST_PAD_SRC,
                                            jpeg_src_template());
  transform_class->convert = convert;
  transform_class->set_format = set_format;
  transform_class->conflict = jpeg_conflict;
  transform_class->settings_changes = [](GstCoalesceTransform *self) {
    return parts_of(self).settings.changes();
  };
  transform_class->context_changed = [](GstCoalesceTransform *self) -> gboolean {
    return parts_of(self).coding.move_to_context();
  };
  auto *encoder_class = GST_COALESCE_ENCODER_CLASS(klass);
  encoder_class->codec_name = "JPEG";
  encoder_class->encode = encode;
  encoder_class->finish = [](GstCoalesceEncoder *self, GstBuffer **out) {
    return parts_of(self).coding.finish(out);
  };
  encoder_class->discard = [](GstCoalesceEncoder *self) { parts_of(self).coding.discard(); };
}

static void gst_coalesce_jpeg_enc_init(GstCoalesceJpegEnc *self) {
  initialise(self, [self] { self->parts = add_part<JpegParts>(self, GST_COALESCE_ENCODER(self)); });
}
