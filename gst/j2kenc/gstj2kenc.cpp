// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-j2kenc
 * @title: j2kenc
 *
 * JPEG 2000 of raw video. See docs/j2kenc.md.
 */
#include <gst/gst.h>

GST_DEBUG_CATEGORY(gst_j2kenc_debug);
#define GST_CAT_DEFAULT gst_j2kenc_debug

#include "coding/encoderelement.h"
#include "j2kenccaps.h"
#include "j2kencflight.h"
#include "j2kencproperties.h"
#include "object/owned.h"

using namespace coalesce;
using namespace coalesce::gst;

namespace {

using J2kParts = EncoderParts<J2kCoder, J2kFlight>;

}  // namespace

struct GstJ2kEnc {
  GstCoalesceEncoder parent;
  J2kParts *parts;
};
using GstJ2kEncClass = GstCoalesceEncoderClass;

G_DEFINE_TYPE_WITH_CODE(GstJ2kEnc, gst_j2kenc, GST_TYPE_COALESCE_ENCODER,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_PRESET, j2k_init_presets))
GST_ELEMENT_REGISTER_DEFINE(j2kenc, "j2kenc", GST_RANK_SECONDARY, gst_j2kenc_get_type())

namespace {

J2kParts &parts_of(gpointer object) {
  return *reinterpret_cast<GstJ2kEnc *>(object)->parts;
}

using Element = EncoderElement<parts_of, j2k_check, j2k_ignored>;

GstCaps *convert(GstCoalesceTransform *self, GstPadDirection direction, GstCaps *caps, bool cuda) {
  const J2kParts &parts = parts_of(self);
  return direction == GST_PAD_SINK
             ? j2k_coded_caps(caps, cuda, parts.settings.snapshot(), parts.current.in_caps())
             : j2k_raw_caps(caps, cuda);
}

// mj2mux of GStreamer 1.22 takes x-jpc and then writes a file without a frame; it names x-j2c
// first. (So do decoders, which use either, and take JP2 files as well.)
GstCaps *fixate_caps(GstBaseTransform *trans, GstPadDirection direction, GstCaps *caps,
                     GstCaps *othercaps) {
  if (direction == GST_PAD_SINK) {
    const CapsRef downstream(gst_pad_peer_query_caps(GST_BASE_TRANSFORM_SRC_PAD(trans), nullptr));
    othercaps = j2k_prefer(othercaps, downstream.get());
  }
  return Element::fixate_caps(trans, direction, caps, othercaps);
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

  auto *encoder_class = GST_COALESCE_ENCODER_CLASS(klass);
  Element::install(encoder_class);
  encoder_class->codec_name = "JPEG 2000";
  GST_BASE_TRANSFORM_CLASS(klass)->fixate_caps = guarded<fixate_caps>;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  gst_coalesce_transform_class_add_template(transform_class, "sink", GST_PAD_SINK,
                                            j2k_sink_template());
  gst_coalesce_transform_class_add_template(transform_class, "src", GST_PAD_SRC,
                                            j2k_src_template());
  transform_class->convert = convert;
  transform_class->conflict = j2k_conflict;
}

static void gst_j2kenc_init(GstJ2kEnc *self) {
  initialise(self, [self] { self->parts = add_part<J2kParts>(self, GST_COALESCE_ENCODER(self)); });
}

Settings<J2kSettings> &coalesce::gst::j2k_settings_of(gpointer element) {
  return parts_of(element).settings;
}
