// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-coalescejpegdec
 * @title: coalescejpegdec
 *
 * JPEG and motion JPEG to raw video. See docs/coalescejpegdec.md.
 */
#include <algorithm>
#include <iterator>
#include <optional>

#include "base/decoder/decoder.h"
#include "jpegfile.h"
#include "jpegframing.h"
#include "object/guarded.h"
#include "object/owned.h"
#include "object/propertytable.h"
#include "object/settings.h"

GST_DEBUG_CATEGORY_STATIC(gst_coalescejpegdec_debug);
#define GST_CAT_DEFAULT gst_coalescejpegdec_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

struct JpegDecSettings {
  unsigned max_pixels = unsigned{jpeg::kUsualMostPixels};
  bool fancy_upsampling = true;

  jpeg::DecodeParams params() const {
    jpeg::DecodeParams p;
    p.max_pixels = max_pixels > 0 ? std::int64_t{max_pixels} : G_MAXINT64;
    p.fancy_upsampling = fancy_upsampling;
    return p;
  }
};

const PropertyTable<JpegDecSettings> &properties() {
  using S = JpegDecSettings;
  static const PropertyTable<S> table = [] {
    PropertyTable<S> t;
    t.set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING);
    t.add(&S::max_pixels, {"max-pixels", "Most pixels",
                           "Maximum number of pixels of a picture; larger ones are left out (0 = "
                           "all that JPEG can have)"});
    t.add(
        &S::fancy_upsampling,
        {"fancy-upsampling", "Fancy upsampling",
         "Interpolate chroma where RGB is made, as djpeg does; else repeat it (djpeg -nosmooth)"});
    return t;
  }();
  return table;
}

struct JpegDecParts {
  explicit JpegDecParts(gpointer self) : settings(self) {}

  Settings<JpegDecSettings> settings;
  // The streaming thread's.
  struct {
    std::optional<JpegFraming> framing;  // of the bytes that have come
    gsize taken = 0;                     // of them, by pictures, or left out
  } input;
  JpegFile file;
  int orientation = 1;  // that downstream knows
};

struct GstCoalesceJpegDec {
  GstCoalesceDecoder parent;
  JpegDecParts *parts;
};
using GstCoalesceJpegDecClass = GstCoalesceDecoderClass;

}  // namespace

G_DEFINE_TYPE(GstCoalesceJpegDec, gst_coalescejpegdec, GST_TYPE_COALESCE_DECODER)
GST_ELEMENT_REGISTER_DEFINE(coalescejpegdec, "coalescejpegdec", GST_RANK_NONE,
                            gst_coalescejpegdec_get_type())

namespace {

JpegDecParts &parts_of(gpointer object) {
  return *static_cast<GstCoalesceJpegDec *>(object)->parts;
}

// ---- input -----------------------------------------------------------------------------------

void restart(GstCoalesceDecoder *self) {
  parts_of(self).input = {};
}

// The adapter begins with byte `taken` of those that framing is told of. Returns whether a picture
// has ended.
bool look_at_new_bytes(GstAdapter *adapter, gsize taken, JpegFraming *framing) {
  const gsize all = taken + gst_adapter_available(adapter);
  guint8 piece[4096];  // as the adapter would join its buffers
  while (framing->seen() < all) {
    const gsize bytes = std::min(sizeof piece, all - framing->seen());
    gst_adapter_copy(adapter, piece, framing->seen() - taken, bytes);
    if (framing->look_at(piece, bytes)) return true;
  }
  return false;
}

bool find_end(GstCoalesceDecoder *self, GstAdapter *adapter, bool at_end, gsize *before,
              gsize *bytes) {
  auto &[framing, taken] = parts_of(self).input;
  if (!framing) framing.emplace(GST_VIDEO_INFO_HEIGHT(&gst_coalesce_decoder_input_info(self)));
  const gsize all = gst_adapter_available(adapter);
  const bool ended = look_at_new_bytes(adapter, taken, &*framing);
  *bytes = 0;
  if (!framing->has_begun()) {
    // The last byte may be the first one of SOI.
    *before = at_end || all == 0 ? all : all - 1;
    restart(self);
    return false;
  }
  *before = std::max(framing->begin(), taken) - taken;
  // The last bytes may be the first ones of the next picture.
  gsize end = taken + all - std::min(all, gsize{JpegFraming::kMostBack});
  if (ended)
    end = framing->end();
  else if (at_end)
    end = framing->end() > 0 && framing->second() == 0 ? framing->end() : taken + all;
  *bytes = std::max(end, taken + *before) - taken - *before;
  taken += *before + *bytes;
  return ended || at_end;
}

// ---- pictures --------------------------------------------------------------------------------

// As videoflip understands it.
void tell_orientation(GstCoalesceDecoder *self, int orientation) {
  static constexpr const char *kNames[] = {"rotate-0",        "flip-rotate-0",   "rotate-180",
                                           "flip-rotate-180", "flip-rotate-270", "rotate-90",
                                           "flip-rotate-90",  "rotate-270"};
  int &told = parts_of(self).orientation;
  if (told == orientation || orientation < 1 || orientation > int{std::size(kNames)}) return;
  told = orientation;
  gst_coalesce_decoder_set_tags(
      self, gst_tag_list_new(GST_TAG_IMAGE_ORIENTATION, kNames[orientation - 1], nullptr));
}

Status read(GstCoalesceDecoder *self, const guint8 *data, gsize bytes, CodedPicture *picture) {
  JpegDecParts &parts = parts_of(self);
  const GstVideoInfo &input = gst_coalesce_decoder_input_info(self);
  const FieldCaps caps = {
      GST_VIDEO_INFO_HEIGHT(&input),
      GST_VIDEO_INFO_FIELD_ORDER(&input) == GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST};
  const Status status = parts.file.read(data, bytes, parts.settings.snapshot().params(), caps);
  if (!status.ok()) {
    picture->width = parts.file.frame().width;
    picture->height = parts.file.frame().height;
    return status;
  }
  parts.file.describe(picture);
  tell_orientation(self, parts.file.frame().orientation);
  GST_LOG_OBJECT(self, "%d x %d, %d components%s, %s%s", picture->width, picture->height,
                 parts.file.frame().components, picture->for_cpu ? ", by libjpeg" : "",
                 gst_video_interlace_mode_to_string(picture->interlacing),
                 picture->one_field ? ", of one field" : "");
  return {};
}

Status decode(GstCoalesceDecoder *self, const Frame &out, ThreadPool *pool, std::string *broken) {
  return parts_of(self).file.decode(out, pool, broken);
}

Status start(GstCoalesceDecoder *self, const Frame &out, void *stream, guint room) {
  return parts_of(self).file.start(out, stream, static_cast<int>(room));
}

Status finish(GstCoalesceDecoder *self, std::string *broken) {
  return parts_of(self).file.finish(broken);
}

void discard(GstCoalesceDecoder *self) {
  parts_of(self).file.discard();
}

std::string text(GstCoalesceDecoder *self, const Status &status) {
  return parts_of(self).file.text(status);
}

void release(GstCoalesceDecoder *self) {
  parts_of(self).file.release();
}

gboolean begin(GstBaseTransform *trans) {
  parts_of(trans).orientation = 1;
  return GST_BASE_TRANSFORM_CLASS(gst_coalescejpegdec_parent_class)->start(trans);
}

// ---- the object ------------------------------------------------------------------------------

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  parts_of(object).settings.change(
      [&](JpegDecSettings &settings) { return properties().set(id, &settings, value); });
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  parts_of(object).settings.read(
      [&](const JpegDecSettings &settings) { properties().get(id, settings, value); });
}

}  // namespace

static void gst_coalescejpegdec_class_init(GstCoalesceJpegDecClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_coalescejpegdec_debug, "coalesce-jpegdec", 0, "JPEG decoder");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  properties().install(object_class);
  GST_BASE_TRANSFORM_CLASS(klass)->start = guarded<begin>;
  auto *decoder_class = GST_COALESCE_DECODER_CLASS(klass);
  decoder_class->find_end = find_end;
  decoder_class->restart = restart;
  decoder_class->picture_name = "JPEG image (FF D8)";
  decoder_class->read = read;
  decoder_class->decode = decode;
  decoder_class->start = start;
  decoder_class->finish = finish;
  decoder_class->discard = discard;
  decoder_class->text = text;
  decoder_class->release = release;
  gst_coalesce_decoder_class_add_templates(decoder_class, "image/jpeg",
                                           "{ I420, NV12, Y42B, Y444, GRAY8, RGB, BGR, RGBx, BGRx, "
                                           "xRGB, xBGR, RGBA, BGRA, ARGB, ABGR }");
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "JPEG decoder", "Codec/Decoder/Image/Video",
      "Decodes JPEG and motion JPEG, with the pixels of libjpeg-turbo, on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_coalescejpegdec_init(GstCoalesceJpegDec *self) {
  initialise(self, [self] { self->parts = add_part<JpegDecParts>(self, self); });
}
