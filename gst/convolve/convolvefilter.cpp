// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolvefilter.h"

#include "convolvecurrent.h"
#include "object/guarded.h"
#include "object/owned.h"

GST_DEBUG_CATEGORY(gst_convolve_debug);
#define GST_CAT_DEFAULT gst_convolve_debug

using namespace coalesce;
using namespace coalesce::gst;

G_DEFINE_ABSTRACT_TYPE(GstConvolveFilter, gst_convolve_filter, GST_TYPE_COALESCE_FILTER)
#define parent_class gst_convolve_filter_parent_class

struct GstConvolveFilterPrivate {
  GstConvolveFilterPrivate(gpointer self, const ConvolveKind &kind)
      : settings(self), current(self, settings, kind) {}

  Settings<ConvolveSettings> settings;
  ConvolveCurrentFilter current;
  std::atomic<int> algorithm{int(ConvolveAlgorithm::automatic)};  // none yet
};

namespace {

GstConvolveFilterPrivate &priv_of(gpointer object) {
  return *GST_CONVOLVE_FILTER(object)->priv;
}

void set_algorithm(gpointer self, int algorithm) {
  if (priv_of(self).algorithm.exchange(algorithm) == algorithm) return;
  GST_DEBUG_OBJECT(self, "algorithm: %s", convolve_algorithm_nick(algorithm));
  g_object_notify(G_OBJECT(self), "algorithm");
}

gboolean set_info(GstCoalesceFilter *filter, const GstVideoInfo *in, const GstVideoInfo *) {
  return priv_of(filter).current.update(*in, true);
}

constexpr int kPyramidTaps = 16;  // of a filter that costs as much, about

gboolean worth_the_trip(GstCoalesceFilter *filter, const GstVideoInfo *in) {
  const ConvolveCurrentFilter &current = priv_of(filter).current;
  const Filter &f = current.filter();
  return backend_of(filter).is_heavy_enough(*in, current.is_pyramid() ? kPyramidTaps
                                                 : f.separable        ? f.width + f.height
                                                                      : f.width * f.height);
}

gsize scratch_bytes(GstCoalesceFilter *filter, const Frame &in) {
  ConvolveCurrentFilter &current = priv_of(filter).current;
  // Cannot fail: what has been used for this format can be used again.
  (void)current.update(in.info(), false);
  return current.is_pyramid()
             ? blur_scratch_bytes(current.blur(), in.image())
             : convolve_scratch_bytes(current.params(), in.image(), in.where() != Memory::system);
}

Status run(GstCoalesceFilter *filter, const Frame &in, const Frame &out, const Queue &queue) {
  ConvolveCurrentFilter &current = priv_of(filter).current;
  const ConstImage image = in.image();
  void *scratch = gst_coalesce_filter_scratch(filter);
  if (current.is_pyramid()) {
    const Status status = blur(current.blur_params(), image, out.image(), queue, scratch);
    if (status.ok()) set_algorithm(filter, kPyramidAlgorithm);
    return status;
  }
  const ConvolveParams params = current.params();
  const ConvolveAlgorithm algorithm = current.algorithm(image.format, queue.on_cuda());
  const Status status = convolve(params, image, out.image(), queue, scratch, algorithm);
  if (status.ok()) set_algorithm(filter, int(algorithm));
  return status;
}

gboolean start(GstBaseTransform *trans) {
  GstConvolveFilterPrivate &priv = priv_of(trans);
  const ConvolveSettings settings = priv.settings.snapshot();
  warn_of_ignored(trans, convolve_ignored(*GST_CONVOLVE_FILTER_GET_CLASS(trans)->kind, settings));
  if (!settings.problem.empty()) return post_settings_problem(trans, settings.problem, false);
  priv.current.start(settings);
  return GST_BASE_TRANSFORM_CLASS(parent_class)->start(trans);
}

gboolean stop(GstBaseTransform *trans) {
  const gboolean stopped = GST_BASE_TRANSFORM_CLASS(parent_class)->stop(trans);
  priv_of(trans).current.stop();
  set_algorithm(trans, int(ConvolveAlgorithm::automatic));
  return stopped;
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  const GstConvolveFilterClass &klass = *GST_CONVOLVE_FILTER_GET_CLASS(object);
  convolve_set_property(object, &priv_of(object).settings, *klass.kind, *klass.properties, id,
                        value, pspec);
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *) {
  const GstConvolveFilterPrivate &priv = priv_of(object);
  if (id == kConvolveAlgorithm)
    g_value_set_enum(value, priv.algorithm.load());
  else
    priv.settings.read([&](const ConvolveSettings &s) {
      GST_CONVOLVE_FILTER_GET_CLASS(object)->properties->get(id, s, value);
    });
}

}  // namespace

static void gst_convolve_filter_class_init(GstConvolveFilterClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_convolve_debug, "coalesce-convolve", 0, "convolve and sepconvolve");
  auto *trans_class = GST_BASE_TRANSFORM_CLASS(klass);
  trans_class->start = guarded<start>;
  trans_class->stop = guarded<stop>;
  GST_COALESCE_TRANSFORM_CLASS(klass)->settings_changes = [](GstCoalesceTransform *filter) {
    return priv_of(filter).settings.changes();
  };
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->set_info = set_info;
  filter_class->worth_the_trip = worth_the_trip;
  filter_class->scratch_bytes = scratch_bytes;
  filter_class->run = run;
  gst_type_mark_as_plugin_api(GST_TYPE_CONVOLVE_FILTER, GstPluginAPIFlags(0));
}

static void gst_convolve_filter_init(GstConvolveFilter *) {}

// Of an element's class, and of an instance of it.
static void init_element_class(gpointer g_class, gpointer data) {
  auto *klass = GST_CONVOLVE_FILTER_CLASS(g_class);
  klass->kind = static_cast<const ConvolveKind *>(data);
  klass->properties = new ConvolveProperties(convolve_properties(*klass->kind));  // classes stay
  auto *object_class = G_OBJECT_CLASS(klass);
  // GObject does not inherit these two.
  object_class->set_property = guarded<set_property>;
  object_class->get_property = guarded<get_property>;
  klass->properties->install(object_class);
  g_object_class_install_property(object_class, kConvolveAlgorithm, convolve_algorithm_property());
  gst_coalesce_filter_class_add_templates(GST_COALESCE_FILTER_CLASS(klass),
                                          channel_formats().c_str(), channel_formats().c_str());
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), klass->kind->long_name,
                                        "Filter/Effect/Video", klass->kind->description,
                                        "The gst-coalesce authors");
}

static void init_element(GTypeInstance *instance, gpointer g_class) {
  initialise(instance, [instance, &kind = *GST_CONVOLVE_FILTER_CLASS(g_class)->kind] {
    auto *priv = add_part<GstConvolveFilterPrivate>(instance, instance, kind);
    GST_CONVOLVE_FILTER(instance)->priv = priv;
    priv->settings.change([&kind](ConvolveSettings &settings) {
      convolve_init_settings(kind, &settings);
      return true;
    });
  });
}

gboolean coalesce::gst::convolve_register(GstPlugin *plugin, const char *name,
                                          const char *type_name, const ConvolveKind *kind) {
  const GTypeInfo info = {sizeof(GstConvolveFilterClass),
                          nullptr,
                          nullptr,
                          init_element_class,
                          nullptr,
                          kind,
                          sizeof(GstConvolveFilter),
                          0,
                          init_element,
                          nullptr};
  return gst_element_register(
      plugin, name, GST_RANK_NONE,
      g_type_register_static(GST_TYPE_CONVOLVE_FILTER, type_name, &info, GTypeFlags(0)));
}
