// SPDX-License-Identifier: LGPL-2.1-or-later
// What an element says about itself.
#include <gst/video/gstvideoaggregator.h>

#include <algorithm>

#include "generic_cases.h"

namespace test {
namespace {

bool kebab_case(const char *text) {
  return text != nullptr && g_regex_match_simple("^[a-z][a-z0-9]*(-[a-z0-9]+)*$", text, {}, {});
}

// "lrcp", "reflect-101", "5/3".
bool is_nick(const char *text) {
  return text != nullptr && g_regex_match_simple("^[a-z0-9]+([-/:][a-z0-9]+)*$", text, {}, {});
}

bool has_words(const char *text) {
  return text != nullptr && text[0] != '\0';
}

Owned<GstElement> make(const std::string &name) {
  GstElement *element = gst_element_factory_make(name.c_str(), nullptr);
  fail_unless(element != nullptr);
  return Owned<GstElement>(GST_ELEMENT(gst_object_ref_sink(element)));
}

// The properties that are ours, not GStreamer's.
std::vector<GParamSpec *> own_properties(GstElement *element) {
  guint n = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &n);
  std::vector<GParamSpec *> own;
  std::copy_if(all, all + n, std::back_inserter(own), [](GParamSpec *p) {
    const GType owner = p->owner_type;
    return (g_type_is_a(owner, GST_TYPE_BASE_TRANSFORM) && owner != GST_TYPE_BASE_TRANSFORM) ||
           (g_type_is_a(owner, GST_TYPE_VIDEO_AGGREGATOR) && owner != GST_TYPE_VIDEO_AGGREGATOR);
  });
  g_free(all);
  return own;
}

GST_START_TEST(metadata_is_complete) {
  const Owned<GstElement> element = make(element_name(__i__));
  const auto metadata = [&element](const char *key) {
    const gchar *text = gst_element_class_get_metadata(GST_ELEMENT_GET_CLASS(element.get()), key);
    fail_unless(has_words(text), "no %s", key);
    return std::string(text);
  };
  const std::string name = metadata(GST_ELEMENT_METADATA_LONGNAME);
  const std::string description = metadata(GST_ELEMENT_METADATA_DESCRIPTION);
  const std::string klass = metadata(GST_ELEMENT_METADATA_KLASS);
  fail_unless(contains(klass, "Video"));
  metadata(GST_ELEMENT_METADATA_AUTHOR);
  fail_unless(name != description && description.size() > name.size());
  fail_unless(description.back() != '.' && name.back() != '.', "a phrase, not a sentence");
  Owned<GstElementFactory> factory(gst_element_factory_find(element_name(__i__).c_str()));
  const guint rank = gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory.get()));
  // Encoders are found by those who look for one, behind GStreamer's own.
  if (contains(klass, "Encoder"))
    fail_unless(rank > GST_RANK_NONE && rank < GST_RANK_PRIMARY);
  else
    fail_unless_equals_int(rank, GST_RANK_NONE);
}
GST_END_TEST;

GST_START_TEST(templates_are_sane) {
  const Owned<GstElement> element = make(element_name(__i__));
  int pads = 0;
  GList *item = gst_element_class_get_pad_template_list(GST_ELEMENT_GET_CLASS(element.get()));
  for (; item != nullptr; item = item->next, pads++) {
    auto *pad = static_cast<GstPadTemplate *>(item->data);
    const char *name = pad->name_template;
    const bool on_request = pad->presence == GST_PAD_REQUEST;
    fail_unless(on_request ? g_str_equal(name, "sink_%u") : pad->presence == GST_PAD_ALWAYS, "%s",
                name);
    fail_unless_equals_int(pad->direction, g_str_equal(name, "src") ? GST_PAD_SRC : GST_PAD_SINK);
    const CapsRef caps(gst_pad_template_get_caps(pad));
    fail_if(gst_caps_is_any(caps.get()) || gst_caps_is_empty(caps.get()));
    bool cuda = false, system = false;
    for (guint i = 0; i < gst_caps_get_size(caps.get()); i++) {
      GstCapsFeatures *features = gst_caps_get_features(caps.get(), i);
      cuda = cuda || gst_caps_features_contains(features, "memory:CUDAMemory");
      system =
          system || gst_caps_features_is_equal(features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
      const GstStructure *structure = gst_caps_get_structure(caps.get(), i);
      for (const char *field : {"width", "height", "framerate"})
        fail_unless(gst_structure_has_field(structure, field), "%s has no %s", name, field);
    }
    fail_unless(system);
    // Only encoded output has no CUDA variant.
    fail_unless(cuda ||
                !gst_structure_has_name(gst_caps_get_structure(caps.get(), 0), "video/x-raw"));
    // The template is what the registry's copy says, so that autoplugging sees the same.
    Owned<GstPad> instance(on_request
                               ? gst_element_request_pad(element.get(), pad, nullptr, nullptr)
                               : gst_element_get_static_pad(element.get(), name));
    fail_unless(instance != nullptr);
  }
  fail_unless(pads == element->numpads && pads >= 2, "%d pads", pads);
}
GST_END_TEST;

GST_START_TEST(properties_are_described) {
  const Owned<GstElement> element = make(element_name(__i__));
  const auto properties = own_properties(element.get());
  for (const char *common : {"backend", "cuda-device-id", "n-threads", "active-backend", "stats"})
    fail_unless(std::any_of(properties.begin(), properties.end(),
                            [common](GParamSpec *p) { return g_str_equal(p->name, common); }),
                "no property %s", common);
  for (GParamSpec *p : properties) {
    fail_unless(kebab_case(p->name), "%s", p->name);
    fail_unless(has_words(g_param_spec_get_nick(p)), "%s has no nick", p->name);
    fail_unless(has_words(g_param_spec_get_blurb(p)), "%s has no blurb", p->name);
    fail_if(g_str_equal(g_param_spec_get_nick(p), p->name), "%s: the nick says nothing", p->name);
    fail_if(g_str_equal(g_param_spec_get_blurb(p), g_param_spec_get_nick(p)), "%s", p->name);
    // It says what the property is.
    fail_if(g_regex_match_simple("^(Of|How|What|Which|Where|The same) ", g_param_spec_get_blurb(p),
                                 {}, {}),
            "%s: %s", p->name, g_param_spec_get_blurb(p));
    // Whoever may write it is told when.
    if (p->flags & G_PARAM_WRITABLE)
      fail_unless(p->flags & (GST_PARAM_MUTABLE_READY | GST_PARAM_MUTABLE_PAUSED |
                              GST_PARAM_MUTABLE_PLAYING),
                  "%s: mutable in which state?", p->name);
    if (!G_IS_PARAM_SPEC_ENUM(p)) continue;
    const GEnumClass *values = G_PARAM_SPEC_ENUM(p)->enum_class;
    fail_unless(values->n_values >= 2);
    for (guint v = 0; v < values->n_values; v++) {
      fail_unless(is_nick(values->values[v].value_nick), "%s: %s", p->name,
                  values->values[v].value_nick);
      fail_unless(has_words(values->values[v].value_name), "%s", p->name);
    }
  }
}
GST_END_TEST;

GST_START_TEST(defaults_read_back) {
  const Owned<GstElement> element = make(element_name(__i__));
  for (GParamSpec *p : own_properties(element.get())) {
    if (!(p->flags & G_PARAM_READABLE) || G_IS_PARAM_SPEC_BOXED(p)) continue;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, p->value_type);
    g_object_get_property(G_OBJECT(element.get()), p->name, &value);
    fail_unless(g_param_value_defaults(p, &value), "%s is not what its default says", p->name);
    g_value_unset(&value);
  }
  const struct {
    const char *name;
    gint value;
  } defaults[] = {{"backend", 0}, {"cuda-device-id", -1}, {"n-threads", 0}, {"active-backend", 0}};
  for (const auto &[name, expected] : defaults) {
    gint value = 77;
    g_object_get(element.get(), name, &value, nullptr);
    fail_unless_equals_int(value, expected);
  }
  GstStructure *stats = nullptr;
  g_object_get(element.get(), "stats", &stats, nullptr);
  for (const char *field :
       {"frames", "uploads", "downloads", "upload-bytes", "download-bytes", "synchronizations"}) {
    guint64 value = 77;
    fail_unless(gst_structure_get_uint64(stats, field, &value), "stats lacks %s", field);
    fail_unless_equals_uint64(value, 0);
  }
  gst_structure_free(stats);
}
GST_END_TEST;

// Ends of ranges and all values of enumerations are stored.
GST_START_TEST(properties_keep_what_is_set) {
  const Owned<GstElement> element = make(element_name(__i__));
  for (GParamSpec *p : own_properties(element.get())) {
    if (!(p->flags & G_PARAM_WRITABLE)) continue;
    std::vector<gint> values;
    if (G_IS_PARAM_SPEC_INT(p))
      values = {G_PARAM_SPEC_INT(p)->minimum, G_PARAM_SPEC_INT(p)->maximum,
                G_PARAM_SPEC_INT(p)->default_value};
    if (G_IS_PARAM_SPEC_BOOLEAN(p)) values = {TRUE, FALSE};
    if (G_IS_PARAM_SPEC_ENUM(p)) {
      const GEnumClass *all = G_PARAM_SPEC_ENUM(p)->enum_class;
      for (guint v = 0; v < all->n_values; v++)
        values.push_back(all->values[v].value);
    }
    for (gint expected : values) {
      gint value = 77;
      g_object_set(element.get(), p->name, expected, nullptr);
      g_object_get(element.get(), p->name, &value, nullptr);
      fail_unless(value == expected, "%s: %d became %d", p->name, expected, value);
    }
  }
}
GST_END_TEST;

}  // namespace

void add_description_cases(Suite *suite) {
  TCase *description = new_case(suite, "description");
  tcase_add_loop_test(description, metadata_is_complete, 0, n_elements_and_aggregators());
  tcase_add_loop_test(description, templates_are_sane, 0, n_elements_and_aggregators());
  tcase_add_loop_test(description, properties_are_described, 0, n_elements_and_aggregators());
  tcase_add_loop_test(description, defaults_read_back, 0, n_elements_and_aggregators());
  tcase_add_loop_test(description, properties_keep_what_is_set, 0, n_elements_and_aggregators());
}

}  // namespace test
