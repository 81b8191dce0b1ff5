// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-coalescejpegenc
 * @title: coalescejpegenc
 *
 * JPEG of raw video. See docs/coalescejpegenc.md.
 */
#include <gst/gst.h>

GST_DEBUG_CATEGORY_STATIC(gst_coalesce_jpeg_enc_debug);
#define GST_CAT_DEFAULT gst_coalesce_jpeg_enc_debug

#include "coding/encoderelement.h"
#include "jpegenccaps.h"
#include "jpegenccoder.h"
#include "jpegencproperties.h"
#include "object/owned.h"

using namespace coalesce;
using namespace coalesce::gst;

namespace {

using JpegParts = EncoderParts<JpegCoder, JpegFlight>;

struct GstCoalesceJpegEnc {
  GstCoalesceEncoder parent;
  JpegParts *parts;
};
using GstCoalesceJpegEncClass = GstCoalesceEncoderClass;

}  // namespace

G_DEFINE_TYPE(GstCoalesceJpegEnc, gst_coalesce_jpeg_enc, GST_TYPE_COALESCE_ENCODER)
GST_ELEMENT_REGISTER_DEFINE(coalescejpegenc, "coalescejpegenc", GST_RANK_SECONDARY - 1,
                            gst_coalesce_jpeg_enc_get_type())

namespace {

JpegParts &parts_of(gpointer object) {
  return *reinterpret_cast<GstCoalesceJpegEnc *>(object)->parts;
}

GstCaps *convert(GstCoalesceTransform *self, GstPadDirection direction, GstCaps *caps, bool cuda) {
  const JpegParts &parts = parts_of(self);
  const JpegSettings settings = parts.settings.snapshot();
  return direction == GST_PAD_SINK ? jpeg_coded_caps(caps, cuda, settings, parts.current.in_caps())
                                   : jpeg_raw_caps(caps, cuda, settings);
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

  auto *encoder_class = GST_COALESCE_ENCODER_CLASS(klass);
  EncoderElement<parts_of, jpeg_check, jpeg_ignored>::install(encoder_class);
  encoder_class->codec_name = "JPEG";
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_add_template(transform_class, "sink", GST_PAD_SINK,
                                            jpeg_sink_template());
  gst_coalesce_transform_class_add_template(transform_class, "src", GST_PAD_SRC,
                                            jpeg_src_template());
  transform_class->convert = convert;
  transform_class->conflict = jpeg_conflict;
}

static void gst_coalesce_jpeg_enc_init(GstCoalesceJpegEnc *self) {
  initialise(self, [self] { self->parts = add_part<JpegParts>(self, GST_COALESCE_ENCODER(self)); });
}
