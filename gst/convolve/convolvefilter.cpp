// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolvefilter.h"

#include "convolveformat.h"

GST_DEBUG_CATEGORY(gst_convolve_debug);
#define GST_CAT_DEFAULT gst_convolve_debug

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstConvolveFilter, gst_convolve_filter, GST_TYPE_COALESCE_FILTER)
#define parent_class gst_convolve_filter_parent_class

namespace {

ConvolveState &state_of(gpointer object) {
  return *GST_CONVOLVE_FILTER(object)->state;
}

void set_algorithm(GstConvolveFilter *self, ConvolveAlgorithm algorithm) {
  if (self->state->algorithm == algorithm) return;
  self->state->algorithm = algorithm;
  GST_DEBUG_OBJECT(self, "algorithm: %s", convolve_algorithm_nick(algorithm));
  g_object_notify(G_OBJECT(self), "algorithm");
}

gboolean set_info(GstCoalesceFilter *filter, const GstVideoInfo *in, const GstVideoInfo *) {
  return convolve_update(GST_CONVOLVE_FILTER(filter), *in, true);
}

// A core of the CPU multiplies and adds some 2^33 to 2^34 times a second, so this is some 20
// milliseconds on one and still several on many; the way to the GPU and back takes about one for a
// frame of 4K. (15 x 15 on 1280 x 960, or 9 x 9 on 4K; nothing separable below 17 + 17 on 4K.)
constexpr guint64 kHeavy = guint64{1} << 28;

gboolean worth_the_trip(GstCoalesceFilter *filter, const GstVideoInfo *in) {
  const Filter &f = state_of(filter).use.filter;
  const int taps = f.separable ? f.width + f.height : f.width * f.height;
  const guint64 pixels = guint64(GST_VIDEO_INFO_WIDTH(in)) * guint64(GST_VIDEO_INFO_HEIGHT(in));
  const bool heavy = pixels * static_cast<guint64>(taps) >= kHeavy;
  GST_DEBUG_OBJECT(filter, "%d taps on %" G_GUINT64_FORMAT " pixels: %sheavy enough for a GPU",
                   taps, pixels, heavy ? "" : "not ");
  return heavy;
}

Status run(GstCoalesceFilter *filter, const Frame &in, const Frame &out, const Queue &queue) {
  auto *self = GST_CONVOLVE_FILTER(filter);
  // Cannot fail: what has been used for this format can be used again.
  (void)convolve_update(self, in.info(), false);
  ConvolveUse &use = self->state->use;
  const ConvolveParams params{&use.filter, use.wishes.border, use.wishes.border_value, &use.cache};
  const ConvolveImage image =
      convolve_image(in, out, use.wishes.luma_only, use.wishes.filter_alpha);
  const ConvolveAlgorithm algorithm = choose_algorithm(use.filter, image, queue.on_cuda());
  if (Status s = convolve(params, image, queue, algorithm); !s.ok()) return s;
  set_algorithm(self, algorithm);
  const ConvolveImage missing = convolve_missing_rows(in, out);
  return missing.planes > 0 ? convolve(params, missing, queue) : Status();
}

gboolean start(GstBaseTransform *trans) {
  return convolve_check_properties(GST_CONVOLVE_FILTER(trans)) &&
         GST_BASE_TRANSFORM_CLASS(parent_class)->start(trans);
}

gboolean stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  state_of(trans).use = {};
  set_algorithm(GST_CONVOLVE_FILTER(trans), ConvolveAlgorithm::automatic);
  return stopped;
}

void finalize(GObject *object) {
  delete GST_CONVOLVE_FILTER(object)->state;
  G_OBJECT_CLASS(parent_class)->finalize(object);
}

}  // namespace

static void gst_convolve_filter_class_init(GstConvolveFilterClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_convolve_debug, "coalesce-convolve", 0, "convolve and sepconvolve");
  G_OBJECT_CLASS(klass)->finalize = finalize;
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->start = start;
  trans_class->stop = stop;
  GST_COALESCE_TRANSFORM_CLASS(klass)->settings_changes =
      [](GstCoalesceTransform *filter) -> guint { return state_of(filter).changes; };
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->set_info = set_info;
  filter_class->worth_the_trip = worth_the_trip;
  filter_class->run = run;
  gst_type_mark_as_plugin_api(GST_TYPE_CONVOLVE_FILTER, GstPluginAPIFlags(0));
}

static void gst_convolve_filter_init(GstConvolveFilter *self) {
  self->state = new ConvolveState;
}

namespace coalesce::gst {

void convolve_class_setup(GstConvolveFilterClass *klass, const ConvolveKind *kind) {
  klass->kind = kind;
  convolve_install_properties(klass);
  gst_coalesce_filter_class_add_templates(GST_COALESCE_FILTER_CLASS(klass), CONVOLVE_FORMATS,
                                          CONVOLVE_FORMATS);
}

void convolve_instance_setup(GstConvolveFilter *self, const ConvolveKind *kind) {
  ConvolveWishes &wanted = self->state->wanted;
  for (int i = 0; i < 2; i++)
    wanted.text[i] = kind->text[i].initial;
  kind->parse(wanted.text, &wanted.filter, &wanted.problem);
}

}  // namespace coalesce::gst
