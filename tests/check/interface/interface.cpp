// SPDX-License-Identifier: LGPL-2.1-or-later
// Prints the interface of every element of the plugin, as GStreamer's registry and the classes have
// it, in JSON. What later GStreamer adds to its own base classes is left out.
#include <gst/gst.h>
#include <gst/video/gstvideoaggregator.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + '"';
}

std::string taken(char *text) {
  const std::string copy = text == nullptr ? "" : text;
  g_free(text);
  return copy;
}

// In the order in which they are added.
class Object {
 public:
  void add(const std::string &name, const std::string &json) {
    text_ += (text_.empty() ? "" : ", ") + quoted(name) + ": " + json;
  }
  void add_text(const std::string &name, const char *text) {
    add(name, quoted(text != nullptr ? text : ""));
  }
  std::string json() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string array(const std::vector<std::string> &items) {
  std::string text;
  for (const std::string &item : items)
    text += (text.empty() ? "" : ", ") + item;
  return "[" + text + "]";
}

std::string value_text(const GValue *value) {
  if (G_VALUE_HOLDS_STRING(value)) {
    const char *text = g_value_get_string(value);
    return text != nullptr ? text : "";
  }
  if (G_VALUE_HOLDS_BOOLEAN(value)) return g_value_get_boolean(value) ? "true" : "false";
  if (G_VALUE_HOLDS_ENUM(value)) {
    auto *values = static_cast<GEnumClass *>(g_type_class_peek(G_VALUE_TYPE(value)));
    return g_enum_get_value(values, g_value_get_enum(value))->value_nick;
  }
  if (G_VALUE_HOLDS_DOUBLE(value) || G_VALUE_HOLDS_FLOAT(value)) {
    GValue number = G_VALUE_INIT;
    g_value_init(&number, G_TYPE_DOUBLE);
    g_value_transform(value, &number);
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    // Six digits: 0.1f is 0.1.
    return g_ascii_formatd(text, sizeof text, "%g", g_value_get_double(&number));
  }
  if (GST_VALUE_HOLDS_STRUCTURE(value) && gst_value_get_structure(value) != nullptr)
    return taken(gst_structure_to_string(gst_value_get_structure(value)));
  if (G_VALUE_HOLDS_BOXED(value) && g_value_get_boxed(value) == nullptr) return "NULL";
  return taken(gst_value_serialize(value));
}

std::string field_json(const GValue *value) {
  if (!GST_VALUE_HOLDS_LIST(value)) return quoted(value_text(value));
  std::vector<std::string> items;
  for (guint i = 0; i < gst_value_list_get_size(value); i++)
    items.push_back(quoted(value_text(gst_value_list_get_value(value, i))));
  return array(items);
}

std::string caps_json(const GstCaps *caps) {
  std::vector<std::string> structures;
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const GstStructure *structure = gst_caps_get_structure(caps, i);
    Object fields, whole;
    for (int f = 0; f < gst_structure_n_fields(structure); f++) {
      const char *name = gst_structure_nth_field_name(structure, static_cast<guint>(f));
      fields.add(name, field_json(gst_structure_get_value(structure, name)));
    }
    whole.add_text("media", gst_structure_get_name(structure));
    whole.add("memory", quoted(taken(gst_caps_features_to_string(gst_caps_get_features(caps, i)))));
    whole.add("fields", fields.json());
    structures.push_back(whole.json());
  }
  return array(structures);
}

std::string pads_json(GstElementClass *element) {
  const char *const presences[] = {"always", "sometimes", "request"};
  Object pads;
  for (GList *i = gst_element_class_get_pad_template_list(element); i != nullptr; i = i->next) {
    auto *pad = static_cast<GstPadTemplate *>(i->data);
    Object whole;
    whole.add_text("direction", pad->direction == GST_PAD_SRC ? "src" : "sink");
    whole.add_text("presence", presences[pad->presence]);
    GstCaps *caps = gst_pad_template_get_caps(pad);
    whole.add("caps", caps_json(caps));
    gst_caps_unref(caps);
    pads.add(pad->name_template, whole.json());
  }
  return pads.json();
}

template <class Spec>
std::string limits(const Spec *spec) {
  return array({quoted(std::to_string(spec->minimum)), quoted(std::to_string(spec->maximum))});
}
std::string real_limits(double minimum, double maximum) {
  char low[G_ASCII_DTOSTR_BUF_SIZE], high[G_ASCII_DTOSTR_BUF_SIZE];
  return array({quoted(g_ascii_formatd(low, sizeof low, "%g", minimum)),
                quoted(g_ascii_formatd(high, sizeof high, "%g", maximum))});
}

void add_range(GParamSpec *spec, Object *whole) {
  if (G_IS_PARAM_SPEC_INT(spec)) whole->add("range", limits(G_PARAM_SPEC_INT(spec)));
  if (G_IS_PARAM_SPEC_UINT(spec)) whole->add("range", limits(G_PARAM_SPEC_UINT(spec)));
  if (G_IS_PARAM_SPEC_INT64(spec)) whole->add("range", limits(G_PARAM_SPEC_INT64(spec)));
  if (G_IS_PARAM_SPEC_UINT64(spec)) whole->add("range", limits(G_PARAM_SPEC_UINT64(spec)));
  if (G_IS_PARAM_SPEC_FLOAT(spec))
    whole->add("range",
               real_limits(G_PARAM_SPEC_FLOAT(spec)->minimum, G_PARAM_SPEC_FLOAT(spec)->maximum));
  if (G_IS_PARAM_SPEC_DOUBLE(spec))
    whole->add("range",
               real_limits(G_PARAM_SPEC_DOUBLE(spec)->minimum, G_PARAM_SPEC_DOUBLE(spec)->maximum));
  if (G_IS_PARAM_SPEC_ENUM(spec)) {
    Object values;
    const GEnumClass *list = G_PARAM_SPEC_ENUM(spec)->enum_class;
    for (guint i = 0; i < list->n_values; i++)
      values.add(list->values[i].value_nick, array({std::to_string(list->values[i].value),
                                                    quoted(list->values[i].value_name)}));
    whole->add("values", values.json());
  }
}

std::string flags_json(const GParamSpec *spec) {
  std::vector<std::string> names;
  const std::pair<int, const char *> known[] = {{G_PARAM_READABLE, "readable"},
                                                {G_PARAM_WRITABLE, "writable"},
                                                {G_PARAM_CONSTRUCT, "construct"},
                                                {G_PARAM_CONSTRUCT_ONLY, "construct-only"},
                                                {G_PARAM_DEPRECATED, "deprecated"},
                                                {GST_PARAM_CONTROLLABLE, "controllable"},
                                                {GST_PARAM_MUTABLE_READY, "mutable-ready"},
                                                {GST_PARAM_MUTABLE_PAUSED, "mutable-paused"},
                                                {GST_PARAM_MUTABLE_PLAYING, "mutable-playing"}};
  for (const auto &[flag, name] : known)
    if ((int(spec->flags) & flag) != 0) names.push_back(quoted(name));
  return array(names);
}

// Whether the type is a class of this plugin: one of its bases is.
bool ours(GType type) {
  for (; type != 0; type = g_type_parent(type))
    if (g_str_has_prefix(g_type_name(type), "GstCoalesce")) return true;
  return false;
}

std::string properties_json(GstElement *element) {
  Object properties;
  guint n = 0;
  GParamSpec **all = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &n);
  for (guint i = 0; i < n; i++) {
    // Of GStreamer's, qos alone: some elements change its default.
    if (!ours(all[i]->owner_type) && !g_str_equal(all[i]->name, "qos")) continue;
    Object whole;
    whole.add_text("type", g_type_name(all[i]->value_type));
    add_range(all[i], &whole);
    if ((all[i]->flags & G_PARAM_READABLE) != 0) {  // what a new element has
      GValue value = G_VALUE_INIT;
      g_value_init(&value, all[i]->value_type);
      g_object_get_property(G_OBJECT(element), all[i]->name, &value);
      whole.add("default", quoted(value_text(&value)));
      g_value_unset(&value);
    }
    whole.add("flags", flags_json(all[i]));
    if (ours(all[i]->owner_type)) {
      whole.add_text("owner", g_type_name(all[i]->owner_type));
      whole.add_text("meaning", g_param_spec_get_blurb(all[i]));
    }
    properties.add(all[i]->name, whole.json());
  }
  g_free(all);
  return properties.json();
}

std::string signals_json(GType type) {
  Object signals;
  for (; ours(type); type = g_type_parent(type)) {
    guint n = 0;
    guint *ids = g_signal_list_ids(type, &n);
    for (guint i = 0; i < n; i++) {
      GSignalQuery query;
      g_signal_query(ids[i], &query);
      std::vector<std::string> parameters = {quoted(g_type_name(query.return_type))};
      for (guint p = 0; p < query.n_params; p++)
        parameters.push_back(quoted(g_type_name(query.param_types[p])));
      signals.add(query.signal_name, array(parameters));
    }
    g_free(ids);
  }
  return signals.json();
}

std::string element_json(GstElementFactory *factory) {
  GstElement *element = gst_element_factory_create(factory, nullptr);
  if (element == nullptr) g_error("%s cannot be made", GST_OBJECT_NAME(factory));
  gst_object_ref_sink(element);
  Object whole;
  for (const char *key : {GST_ELEMENT_METADATA_LONGNAME, GST_ELEMENT_METADATA_KLASS,
                          GST_ELEMENT_METADATA_DESCRIPTION})
    whole.add_text(key, gst_element_factory_get_metadata(factory, key));
  whole.add("rank", std::to_string(gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory))));
  std::vector<std::string> classes;
  for (GType type = G_OBJECT_TYPE(element); ours(type); type = g_type_parent(type))
    classes.push_back(quoted(g_type_name(type)));
  whole.add("classes", array(classes));
  std::vector<std::string> interfaces;
  guint n = 0;
  GType *types = g_type_interfaces(G_OBJECT_TYPE(element), &n);
  for (guint i = 0; i < n; i++)
    interfaces.push_back(quoted(g_type_name(types[i])));
  g_free(types);
  whole.add("interfaces", array(interfaces));
  whole.add("pads", pads_json(GST_ELEMENT_GET_CLASS(element)));
  whole.add("properties", properties_json(element));
  whole.add("signals", signals_json(G_OBJECT_TYPE(element)));
  gst_object_unref(element);
  return whole.json();
}

}  // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  Object elements;
  GList *features = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "coalesce");
  for (GList *i = features; i != nullptr; i = i->next) {
    if (!GST_IS_ELEMENT_FACTORY(i->data)) continue;
    auto *loaded = GST_ELEMENT_FACTORY(gst_plugin_feature_load(GST_PLUGIN_FEATURE(i->data)));
    elements.add(GST_OBJECT_NAME(loaded), element_json(loaded));
    gst_object_unref(loaded);
  }
  gst_plugin_feature_list_free(features);
  // All that this GStreamer knows: others add to the lists of the elements.
  std::vector<std::string> formats;
  guint n = 0;
  const GstVideoFormat *known = gst_video_formats_raw(&n);
  for (guint i = 0; i < n; i++)
    formats.push_back(quoted(gst_video_format_to_string(known[i])));
  std::printf("{\"elements\": %s, \"formats\": %s}\n", elements.json().c_str(),
              array(formats).c_str());
  return 0;
}
