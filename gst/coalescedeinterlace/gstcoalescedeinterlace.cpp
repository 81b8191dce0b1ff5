// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-coalescedeinterlace
 * @title: coalescedeinterlace
 *
 * Fields of interlaced video to whole pictures. See docs/coalescedeinterlace.md.
 */
#include <algorithm>
#include <array>

#include "base/temporal.h"
#include "deinterlacecaps.h"
#include "object/guarded.h"
#include "object/owned.h"
#include "object/settings.h"
#include "video/conversion.h"

GST_DEBUG_CATEGORY_STATIC(gst_coalesce_deinterlace_debug);
#define GST_CAT_DEFAULT gst_coalesce_deinterlace_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

struct DeinterlacePrivate {
  explicit DeinterlacePrivate(gpointer self) : settings(self) {}

  Settings<DeinterlaceSettings> settings;
  std::atomic<guint> caps_changes{1};  // of settings that caps depend on

  // The streaming thread's: those of the frames that are there now, with `fields` of the
  // caps that they came under.
  DeinterlaceSettings now;
  bool every_field = false;
  DeinterlaceMode mode = DeinterlaceMode::automatic;
};

struct GstCoalesceDeinterlace {
  GstCoalesceTemporal parent;
  DeinterlacePrivate *priv;
};
struct GstCoalesceDeinterlaceClass {
  GstCoalesceTemporalClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstCoalesceDeinterlace, gst_coalesce_deinterlace, GST_TYPE_COALESCE_TEMPORAL)
GST_ELEMENT_REGISTER_DEFINE(coalescedeinterlace, "coalescedeinterlace", GST_RANK_NONE,
                            gst_coalesce_deinterlace_get_type())

namespace {

DeinterlacePrivate &priv_of(gpointer object) {
  return *reinterpret_cast<GstCoalesceDeinterlace *>(object)->priv;
}

const GstVideoInfo &info_of(gpointer object) {
  return GST_COALESCE_FILTER(object)->priv->in.info;
}

// ---- properties ------------------------------------------------------------------------------

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *) {
  DeinterlacePrivate &priv = priv_of(object);
  bool renegotiates = false;
  priv.settings.change([&](DeinterlaceSettings &settings) {
    const DeinterlaceSettings before = settings;
    const bool changed = deinterlace_properties().set(id, &settings, value);
    settings.ela_window |= 1;
    renegotiates = !settings.same_caps(before);
    return changed;
  });
  if (!renegotiates) return;
  priv.caps_changes++;
  GST_DEBUG_OBJECT(object, "negotiates again");
  gst_base_transform_reconfigure_sink(GST_BASE_TRANSFORM(object));
  gst_base_transform_reconfigure_src(GST_BASE_TRANSFORM(object));
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  priv_of(object).settings.read([&](const DeinterlaceSettings &settings) {
    deinterlace_properties().get(id, settings, value);
  });
}

// ---- caps ------------------------------------------------------------------------------------

gboolean convert_caps(GstCoalesceFilter *self, GstPadDirection direction, guint alternative,
                      GstStructure *structure) {
  return deinterlace_caps(priv_of(self).settings.snapshot(), direction, alternative, structure);
}

gboolean set_info(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *out) {
  DeinterlacePrivate &priv = priv_of(self);
  const DeinterlaceSettings settings = priv.settings.snapshot();
  priv.mode = settings.mode;
  // (A property may have changed since the caps were made.)
  priv.every_field =
      GST_VIDEO_INFO_FPS_N(in) > 0
          ? gst_util_fraction_compare(GST_VIDEO_INFO_FPS_N(out), GST_VIDEO_INFO_FPS_D(out),
                                      GST_VIDEO_INFO_FPS_N(in), GST_VIDEO_INFO_FPS_D(in)) > 0
          : settings.fields == DeinterlaceFields::all;
  return TRUE;
}

// Do all frames under these caps pass? In the same memory GstBaseTransform then does the work.
bool all_pass(gpointer self, const GstVideoInfo &in) {
  const DeinterlaceMode mode = priv_of(self).mode;
  return mode == DeinterlaceMode::disabled ||
         (mode == DeinterlaceMode::automatic && !GST_VIDEO_INFO_IS_INTERLACED(&in));
}

gboolean is_identity(GstCoalesceFilter *self, const GstVideoInfo *in, const GstVideoInfo *) {
  const bool passes = all_pass(self, *in);
  GST_DEBUG_OBJECT(self, passes ? "frames pass as they are" : "frames become pictures");
  return passes;
}

// ---- frames ----------------------------------------------------------------------------------

bool has_flag(const GstBuffer *buffer, guint flag) {
  return GST_BUFFER_FLAG_IS_SET(buffer, flag);
}

bool is_one_field(const GstBuffer *buffer) {
  return GST_BUFFER_FLAG_IS_SET(buffer, GST_VIDEO_BUFFER_FLAG_ONEFIELD);
}

bool top_is_first(gpointer self, const DeinterlaceSettings &settings, const GstBuffer *metadata) {
  if (settings.order != DeinterlaceOrder::automatic)
    return settings.order == DeinterlaceOrder::top_first;
  const GstVideoInfo &info = info_of(self);
  if (GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_INTERLEAVED &&
      GST_VIDEO_INFO_FIELD_ORDER(&info) != GST_VIDEO_FIELD_ORDER_UNKNOWN)
    return GST_VIDEO_INFO_FIELD_ORDER(&info) == GST_VIDEO_FIELD_ORDER_TOP_FIELD_FIRST;
  return has_flag(metadata, GST_VIDEO_BUFFER_FLAG_TFF);
}

// Beside streams of such frames, what the flags of mixed video call progressive.
gboolean passes(GstCoalesceTemporal *self, GstBuffer *metadata) {
  const GstVideoInfo &info = info_of(self);
  return all_pass(self, info) ||
         (priv_of(self).mode == DeinterlaceMode::automatic &&
          GST_VIDEO_INFO_INTERLACE_MODE(&info) == GST_VIDEO_INTERLACE_MODE_MIXED &&
          !has_flag(metadata, GST_VIDEO_BUFFER_FLAG_INTERLACED) && !is_one_field(metadata));
}

// Before each frame, and with new caps.
void reach(GstCoalesceTemporal *self, guint *before, guint *after) {
  DeinterlacePrivate &priv = priv_of(self);
  priv.now = priv.settings.snapshot();
  if (priv.every_field)
    priv.now.fields = DeinterlaceFields::all;
  else if (priv.now.fields == DeinterlaceFields::all)
    priv.now.fields = DeinterlaceFields::automatic;
  const DeinterlaceMethod method = priv.now.method;
  *before = *after = method >= DeinterlaceMethod::yadif && !all_pass(self, info_of(self)) ? 1 : 0;
}

// As the flag RFF says. A frame that has the time of two fields only repeats none: pictures would
// come faster than the caps say. (nvh264dec of GStreamer 1.22 sets the flag where nothing repeats.)
bool repeats_first_field(gpointer self, const GstBuffer *metadata) {
  if (!has_flag(metadata, GST_VIDEO_BUFFER_FLAG_RFF)) return false;
  const GstVideoInfo &info = info_of(self);
  const GstClockTime duration = GST_BUFFER_DURATION(metadata);
  if (!GST_CLOCK_TIME_IS_VALID(duration) || GST_VIDEO_INFO_FPS_N(&info) <= 0) return true;
  const GstClockTime frame = gst_util_uint64_scale_int(GST_SECOND, GST_VIDEO_INFO_FPS_D(&info),
                                                       GST_VIDEO_INFO_FPS_N(&info));
  return duration > frame + frame / 4;
}

// A repeated first field is a third picture.
guint pictures(GstCoalesceTemporal *self, GstBuffer *metadata) {
  const bool all = priv_of(self).now.fields == DeinterlaceFields::all;
  if (!all || is_one_field(metadata) || passes(self, metadata)) return 1;
  return repeats_first_field(self, metadata) ? 3 : 2;
}

// Which field picture `number` of a frame keeps, and where it is in time.
FieldPicture field_picture(const DeinterlaceSettings &settings, bool top_first, guint number) {
  FieldPicture picture;
  bool top = top_first == (number != 1);
  if (settings.fields == DeinterlaceFields::top) top = true;
  if (settings.fields == DeinterlaceFields::bottom) top = false;
  picture.field = top ? 0 : 1;
  picture.second = top != top_first;
  return picture;
}

// A single field has no rows for the pictures of frames beside it.
bool has_whole(const FrameWindow &in, int offset) {
  return in.has(offset) && !is_one_field(in.metadata(offset));
}

// Its rows alone; the flag TFF says whose they are.
DeinterlaceMethod method_of_one_field(DeinterlaceMethod method) {
  if (method >= DeinterlaceMethod::yadif) return DeinterlaceMethod::bwdif;
  return method == DeinterlaceMethod::weave ? DeinterlaceMethod::line : method;
}

Status run(GstCoalesceTemporal *self, const FrameWindow &in, const Frame *const *out,
           guint n_pictures, const Queue &queue) {
  const DeinterlaceSettings &settings = priv_of(self).now;
  GstBuffer *metadata = in.metadata(0);
  DeinterlaceParams params = settings;
  const bool top_first = top_is_first(self, settings, metadata);
  const bool before = has_whole(in, -1), after = has_whole(in, 1);
  std::array<FieldPicture, kMostPictures> made;
  for (guint i = 0; i < n_pictures; i++) {
    made[i] = field_picture(settings, top_first, i);
    made[i].out = out[i]->image();
    made[i].end = made[i].second ? !after : !before;
  }
  if (passes(self, metadata)) {
    params.method = DeinterlaceMethod::weave;  // to another memory
  } else if (is_one_field(metadata)) {
    made[0].field = has_flag(metadata, GST_VIDEO_BUFFER_FLAG_TFF) ? 0 : 1;
    made[0].end = true;
    params.method = method_of_one_field(params.method);
  }
  GST_LOG_OBJECT(self, "%u pictures, top field %s, frames before: %d, after: %d", n_pictures,
                 top_first ? "first" : "second", before, after);
  const ConstImage frames[] = {in.frame(before ? -1 : 0).image(), in.frame(0).image(),
                               in.frame(after ? 1 : 0).image()};
  for (guint i = 0; i < n_pictures; i += 2)
    if (Status s = deinterlace(params, frames[0], frames[1], frames[2], &made[i],
                               static_cast<int>(std::min(2u, n_pictures - i)), queue);
        !s.ok())
      return s;
  return {};
}

}  // namespace

static void gst_coalesce_deinterlace_class_init(GstCoalesceDeinterlaceClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_coalesce_deinterlace_debug, "coalesce-deinterlace", 0,
                          "Deinterlacing");
  auto *object_class = G_OBJECT_CLASS(klass);
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  deinterlace_properties().install(object_class);
  deinterlace_register_types();
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->convert_caps = convert_caps;
  filter_class->set_info = set_info;
  filter_class->is_identity = is_identity;
  auto *transform_class = GST_COALESCE_TRANSFORM_CLASS(klass);
  transform_class->settings_changes = [](GstCoalesceTransform *self) -> guint {
    return priv_of(self).caps_changes;
  };
  auto *temporal_class = GST_COALESCE_TEMPORAL_CLASS(klass);
  temporal_class->reach = reach;
  temporal_class->passes = passes;
  temporal_class->pictures = pictures;
  temporal_class->run = run;
  const std::string &formats = formats_of(kYuv | kGrey | kRgb);
  gst_coalesce_filter_class_add_templates(filter_class, formats.c_str(), formats.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Deinterlacer", "Filter/Effect/Video/Deinterlace",
      "Deinterlaces video of 8 to 16 bits, on the GPU or on the CPU", "The gst-coalesce authors");
}

static void gst_coalesce_deinterlace_init(GstCoalesceDeinterlace *self) {
  initialise(self, [self] { self->priv = add_part<DeinterlacePrivate>(self, self); });
}
