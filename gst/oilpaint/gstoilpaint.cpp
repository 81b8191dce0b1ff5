// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-oilpaint
 * @title: oilpaint
 *
 * Pictures as if painted in oil. See docs/oilpaint.md.
 */
#include <string>
#include <utility>

#include "base/settingsfilter.h"
#include "object/owned.h"
#include "oilpaintsettings.h"
#include "video/conversion.h"

GST_DEBUG_CATEGORY_STATIC(gst_oilpaint_debug);
#define GST_CAT_DEFAULT gst_oilpaint_debug

using namespace coalesce;
using namespace coalesce::gst;

namespace {

struct OilpaintPrivate {
  explicit OilpaintPrivate(gpointer self)
      : settings(self), in_use(self, kBrushesPart, kMethodPart) {}

  Settings<OilpaintSettings> settings;
  // The streaming thread's.
  SettingsInUse<OilpaintSettings> in_use;
  OilpaintSettings of_strokes;  // that are kept
};

struct GstOilpaint {
  GstCoalesceFilter parent;
  OilpaintPrivate *priv;
};
using GstOilpaintClass = GstCoalesceFilterClass;

}  // namespace

G_DEFINE_TYPE(GstOilpaint, gst_oilpaint, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(oilpaint, "oilpaint", GST_RANK_NONE, gst_oilpaint_get_type())

namespace {

OilpaintPrivate &priv_of(gpointer object) {
  return *static_cast<GstOilpaint *>(object)->priv;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  const bool rounds = is_controlled(object, pspec);
  priv_of(object).settings.change([&](OilpaintSettings &settings) {
    const OilpaintSettings before = settings;
    const bool changed = oilpaint_properties().set(id, &settings, value);
    if (rounds) round_brushes(before, &settings);
    return changed;
  });
}

void log_settings(gpointer self, const OilpaintSettings &settings) {
  const OilpaintParams p = settings.params();
  switch (p.method) {
    case OilMethod::strokes:
      GST_DEBUG_OBJECT(self, "strokes of brushes %d to %d, threshold %d, least length %d%s",
                       p.brush_thickest, p.brush_thinnest, p.threshold, p.least_length,
                       settings.temporal ? ", temporal" : "");
      break;
    case OilMethod::kuwahara:
      GST_DEBUG_OBJECT(self, "kuwahara of radius %d", p.kuwahara_radius);
      break;
    case OilMethod::mode:
      GST_DEBUG_OBJECT(self, "mode of radius %d, ratio %d", p.mode_radius, p.mode_ratio);
      break;
  }
}

bool update(gpointer self, const GstVideoInfo &info, bool new_format) {
  OilpaintPrivate &priv = priv_of(self);
  if (!priv.in_use.follow(priv.settings, info, new_format,
                          [self](const OilpaintSettings &s) { log_settings(self, s); }))
    return false;
  if (!new_format || priv.in_use->params().method != OilMethod::strokes ||
      (info.width <= kMaxOilStrokesSize && info.height <= kMaxOilStrokesSize))
    return true;
  GST_ELEMENT_ERROR(self, STREAM, FORMAT,
                    ("Unsupported caps: frames of %dx%d; method=strokes takes at most %d pixels "
                     "across and down, the other methods take more",
                     info.width, info.height, kMaxOilStrokesSize),
                    (nullptr));
  return false;
}

// A core of the CPU takes some 80 ns for a pixel by mode, 130 by strokes, and 600 by kuwahara.
gboolean worth_the_trip(GstCoalesceFilter *self, const GstVideoInfo *in) {
  return backend_of(self).is_heavy_enough(*in, 1 << 10);
}

gsize scratch_bytes(GstCoalesceFilter *self, const Frame &in) {
  // Cannot fail: what has been used for this format can be used again. It is done here since the
  // method decides what run() needs.
  (void)update(self, in.info(), false);
  return oilpaint_scratch_bytes(priv_of(self).in_use->params(), in.image());
}

gsize kept_bytes(GstCoalesceFilter *self, const Frame &in) {
  const OilpaintSettings &settings = *priv_of(self).in_use;
  return settings.temporal ? oilpaint_state_bytes(settings.params(), in.image()) : 0;
}

Status run(GstCoalesceFilter *self, const Frame &in, const Frame &out, const Queue &queue) {
  OilpaintPrivate &priv = priv_of(self);
  const OilpaintSettings &settings = *priv.in_use;
  OilpaintParams params = settings.params();
  if (settings.temporal && params.method == OilMethod::strokes) {
    params.state = gst_coalesce_filter_kept(self, &params.state_is_new);
    const OilpaintSettings before = std::exchange(priv.of_strokes, settings);
    params.state_is_new = params.state_is_new || !settings.has_strokes_of(before);
  }
  return oilpaint(params, in.image(), out.image(), queue, gst_coalesce_filter_scratch(self));
}

}  // namespace

static void gst_oilpaint_class_init(GstOilpaintClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_oilpaint_debug, "coalesce-oilpaint", 0, "Oil paint");
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  SettingsFilter<priv_of, oilpaint_properties, oilpaint_ignored, update>::install(filter_class);
  G_OBJECT_CLASS(klass)->set_property = guarded<set_property>;
  filter_class->scratch_bytes = scratch_bytes;
  filter_class->kept_bytes = kept_bytes;
  filter_class->run = run;
  filter_class->worth_the_trip = worth_the_trip;
  // What a source that has a choice makes comes first: paint is of colours.
  const std::string formats =
      format_list(formats_where({"RGB", "I420", "YV12", "NV12", "NV21", "Y42B", "Y444", "GRAY8"},
                                [](const PixelFormat &format) { return format.in_bytes(); }));
  gst_coalesce_filter_class_add_templates(filter_class, formats.c_str(), formats.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Oil paint", "Filter/Effect/Video",
      "Paints pictures and video in oil: strokes of brushes, areas along edges, or common colours, "
      "on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_oilpaint_init(GstOilpaint *self) {
  initialise(self, [self] { self->priv = add_part<OilpaintPrivate>(self, self); });
}
