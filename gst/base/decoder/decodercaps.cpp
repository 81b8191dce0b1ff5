// SPDX-License-Identifier: LGPL-2.1-or-later
// The caps of decoders: those of each picture.
#include <algorithm>
#include <utility>

#include "decoderprivate.h"
#include "object/category.h"
#include "object/objectlock.h"
#include "video/input.h"
#include "video/memorycaps.h"

namespace coalesce::gst {
namespace {

CapsRef caps_of(GstCoalesceDecoder *self, const CodedPicture &picture, GstVideoFormat format,
                bool cuda) {
  const GstVideoInfo &coded = self->priv->coded;
  GstVideoInfo info;
  if (!gst_video_info_set_interlaced_format(&info, format, picture.interlacing,
                                            static_cast<guint>(picture.width),
                                            static_cast<guint>(picture.height)))
    return nullptr;
  if (picture.interlacing == GST_VIDEO_INTERLACE_MODE_INTERLEAVED)
    GST_VIDEO_INFO_FIELD_ORDER(&info) = picture.top_first
                                            ? GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST
                                            : GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST;
  if (!GST_VIDEO_INFO_IS_RGB(&info)) {
    info.colorimetry = picture.colorimetry;
    if (!GST_VIDEO_INFO_IS_GRAY(&info)) info.chroma_site = picture.chroma_site;
  }
  GstCaps *input = decoder_input_caps(self);
  const bool has_aspect =
      input != nullptr &&
      gst_structure_has_field(gst_caps_get_structure(input, 0), "pixel-aspect-ratio");
  info.par_n = has_aspect ? coded.par_n : picture.par_n;
  info.par_d = has_aspect ? coded.par_d : picture.par_d;
  info.fps_n = coded.fps_n;
  info.fps_d = coded.fps_d;
  CapsRef caps(gst_video_info_to_caps(&info));
  if (caps != nullptr && cuda)
    gst_caps_set_features(caps.get(), 0,
                          gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, nullptr));
  return caps;
}

// Most wanted first: in CUDA memory, if that is named downstream.
CapsRef all_caps(GstCoalesceDecoder *self, const CodedPicture &picture) {
  CapsRef all(gst_caps_new_empty());
  const bool may_be_cuda = backend_of(self).may_use_gpu() && peer_names_cuda(decoder_source(self));
  for (const bool cuda : {true, false})
    for (const GstVideoFormat format : picture.formats)
      if (CapsRef caps; may_be_cuda || !cuda)
        if (caps = caps_of(self, picture, format, cuda); caps != nullptr)
          gst_caps_append(all.get(), caps.release());
  return all;
}

void set_made(GstCoalesceDecoder *self, CapsRef made) {
  const ObjectLock lock(self);
  self->priv->made.swap(made);
}

CapsRef made_caps(gpointer object) {
  const ObjectLock lock(object);
  GstCaps *made = priv_of_decoder(object).made.get();
  return CapsRef(made != nullptr ? gst_caps_ref(made) : nullptr);
}

bool is_any(const GValue *value) {
  if (GST_VALUE_HOLDS_INT_RANGE(value))
    return gst_value_get_int_range_min(value) <= 1 &&
           gst_value_get_int_range_max(value) == G_MAXINT;
  if (!GST_VALUE_HOLDS_FRACTION_RANGE(value)) return false;
  const GValue *least = gst_value_get_fraction_range_min(value);
  const GValue *most = gst_value_get_fraction_range_max(value);
  return gst_value_get_fraction_numerator(least) == 0 &&
         gst_value_get_fraction_numerator(most) == G_MAXINT;
}

// What downstream wants of size and rate. Fields of which it wants nothing are left out, lest a
// capsfilter for coded video were left with them.
CapsRef coded_caps(gpointer object, GstCaps *raw) {
  CapsRef result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(raw); i++) {
    CapsRef coded(
        gst_caps_make_writable(gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SINK_PAD(object))));
    for (const char *field : {"width", "height", "framerate", "pixel-aspect-ratio"})
      if (const GValue *value = gst_structure_get_value(gst_caps_get_structure(raw, i), field);
          value != nullptr && !is_any(value))
        gst_caps_set_value(coded.get(), field, value);
    result.reset(gst_caps_merge(result.release(), coded.release()));
  }
  return result;
}

guint choose_room(GstCoalesceDecoder *self, const GstVideoInfo &info) {
  constexpr gsize kUsual = 4;
  const int wish = self->priv->settings.snapshot().frames_in_flight;
  if (wish > 0) return static_cast<guint>(wish);
  const ContextScope scope(backend_of(self).session().context.get());
  const gsize each = GST_VIDEO_INFO_SIZE(&info) + self->priv->picture.device_bytes;
  std::size_t free = 0, total = 0;
  if (cuda_driver()->mem_get_info(&free, &total) != CUDA_SUCCESS) return kUsual;
  return static_cast<guint>(std::clamp<gsize>(free / 2 / each, 1, kUsual));
}

}  // namespace

GstCaps *decoder_input_caps(GstCoalesceDecoder *self) {
  GstCaps *caps = nullptr;
  if (self->priv->caps_event != nullptr) gst_event_parse_caps(self->priv->caps_event.get(), &caps);
  return caps;
}

GstCaps *decoder_convert(GstCoalesceTransform *self, GstPadDirection direction, GstCaps *caps,
                         bool cuda) {
  if (direction == GST_PAD_SRC) return coded_caps(self, caps).release();
  CapsRef made = made_caps(self);
  return made != nullptr ? made.release() : template_caps_of(decoder_source(self), cuda);
}

GstCaps *decoder_fixate_caps(GstBaseTransform *trans, GstPadDirection, GstCaps *,
                             GstCaps *possible) {
  const CapsRef owned(possible), made = made_caps(trans);
  for (guint i = 0; made != nullptr && i < gst_caps_get_size(made.get()); i++) {
    CapsRef caps(gst_caps_copy_nth(made.get(), i));
    if (gst_caps_can_intersect(caps.get(), possible)) return caps.release();
  }
  return gst_caps_new_empty();
}

void decoder_release(GstCoalesceDecoder *self) {
  const ContextScope scope(self->priv->context.get());
  GST_COALESCE_DECODER_GET_CLASS(self)->release(self);
  self->priv->context.reset();
}

gboolean decoder_set_format(GstCoalesceTransform *transform, GstCaps *, GstCaps *caps) {
  auto *self = GST_COALESCE_DECODER(transform);
  GstCoalesceDecoderPrivate &priv = *self->priv;
  Backend &backend = backend_of(self);
  GstVideoInfo info;
  if (!usable_info(caps, &info)) {
    GST_ELEMENT_ERROR(
        self, STREAM, FORMAT,
        ("Unsupported picture: %s (%" GST_PTR_FORMAT ")", unusable_reason(caps), caps), (nullptr));
    return FALSE;
  }
  const bool cuda = caps_are_cuda(caps);
  if (!backend.select(false, cuda, true)) return FALSE;
  GstCudaContext *context = backend.is_on_gpu() ? backend.session().context.get() : nullptr;
  if (priv.context != nullptr && priv.context.get() != context) decoder_release(self);
  if (context != nullptr && priv.context == nullptr)
    priv.context.reset(static_cast<GstCudaContext *>(gst_object_ref(context)));
  const guint room = context != nullptr ? choose_room(self, info) : 1;
  if (context != nullptr && !backend.make_pool(&priv.pool, caps, room)) return FALSE;
  priv.host_pool.drop();
  priv.info = info;
  priv.cuda = cuda;
  priv.caps.reset(gst_caps_ref(caps));
  priv.task.set_room(room);
  return TRUE;
}

void decoder_negotiate_without_picture(GstCoalesceDecoder *self) {
  GstPad *source = decoder_source(self);
  // Those of the stream before are as good as a guess.
  if (gst_pad_has_current_caps(source)) return decoder_stop_holding(self);
  const CapsRef possible(gst_pad_get_pad_template_caps(source));
  CodedPicture picture;
  picture.width = GST_VIDEO_INFO_WIDTH(&self->priv->coded);
  picture.height = GST_VIDEO_INFO_HEIGHT(&self->priv->coded);
  if (picture.width == 0 || picture.height == 0) return;
  for (const gchar *name : possible_formats(source, gst_caps_get_structure(possible.get(), 0)))
    picture.formats.push_back(gst_video_format_from_string(name));
  (void)decoder_negotiate(self, picture);
}

GstFlowReturn decoder_negotiate(GstCoalesceDecoder *self, const CodedPicture &picture) {
  GstCoalesceDecoderPrivate &priv = *self->priv;
  if (priv.caps == nullptr || !priv.picture.is_like(picture) ||
      gst_pad_needs_reconfigure(decoder_source(self))) {
    if (GstFlowReturn flow = priv.task.drain(); flow != GST_FLOW_OK) return flow;
    priv.picture = picture;
    set_made(self, all_caps(self, picture));
    // GstBaseTransform negotiates with the input's caps.
    EventRef event(priv.caps_event != nullptr ? gst_event_ref(priv.caps_event.get()) : nullptr);
    if (event == nullptr) {
      const CapsRef coded(gst_pad_get_pad_template_caps(GST_BASE_TRANSFORM_SINK_PAD(self)));
      event.reset(gst_event_new_caps(coded.get()));
    }
    const bool done = decoder_send_to_base(self, std::move(event));
    set_made(self, nullptr);
    const bool passes = GST_COALESCE_TRANSFORM(self)->passthrough;
    const bool unlinked = passes || (!done && !gst_pad_is_linked(decoder_source(self)));
    if (passes) gst_coalesce_transform_set_passthrough(GST_COALESCE_TRANSFORM(self), false);
    // (Caps that are the pad's already do not come to set_format() again.)
    if (done && priv.caps == nullptr)
      priv.caps.reset(gst_pad_get_current_caps(decoder_source(self)));
    if (!done || unlinked) {
      priv.caps.reset();
      if (GST_PAD_IS_FLUSHING(decoder_source(self))) return GST_FLOW_FLUSHING;
      return unlinked                    ? GST_FLOW_NOT_LINKED
             : backend_of(self).failed() ? GST_FLOW_ERROR
                                         : GST_FLOW_NOT_NEGOTIATED;
    }
  }
  decoder_stop_holding(self);
  return GST_FLOW_OK;
}

}  // namespace coalesce::gst
