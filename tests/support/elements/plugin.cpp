// SPDX-License-Identifier: LGPL-2.1-or-later
#include "plugin.h"

#include <algorithm>
#include <vector>

namespace test {
namespace {

enum class Kind { one_input, decoder, aggregator };

Kind kind_of(GstElementFactory *factory) {
  const CapsRef raw(gst_caps_new_empty_simple("video/x-raw"));
  if (!gst_element_factory_can_sink_any_caps(factory, raw.get())) return Kind::decoder;
  int inputs = 0;  // that are always there, or two for those on request
  const GList *item = gst_element_factory_get_static_pad_templates(factory);
  for (; item != nullptr; item = item->next) {
    const auto *pad = static_cast<GstStaticPadTemplate *>(item->data);
    if (pad->direction == GST_PAD_SINK) inputs += pad->presence == GST_PAD_REQUEST ? 2 : 1;
  }
  return inputs == 1 ? Kind::one_input : Kind::aggregator;
}

std::vector<std::string> find_elements(Kind kind) {
  std::vector<std::string> names;
  GList *features = gst_registry_get_feature_list_by_plugin(gst_registry_get(), "coalesce");
  for (GList *item = features; item != nullptr; item = item->next)
    if (GST_IS_ELEMENT_FACTORY(item->data) && kind_of(GST_ELEMENT_FACTORY(item->data)) == kind)
      names.emplace_back(GST_OBJECT_NAME(item->data));
  gst_plugin_feature_list_free(features);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> &elements() {
  static std::vector<std::string> found = find_elements(Kind::one_input);
  return found;
}

// The caps of a pad's template that name no memory; nullptr if there are none.
CapsRef system_template(const std::string &element, GstPadDirection direction) {
  Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  fail_unless(factory != nullptr);
  const GList *item = gst_element_factory_get_static_pad_templates(factory.get());
  for (; item != nullptr; item = item->next) {
    auto *pad = static_cast<GstStaticPadTemplate *>(item->data);
    if (pad->direction != direction) continue;
    const CapsRef all(gst_static_pad_template_get_caps(pad));
    for (guint i = 0; i < gst_caps_get_size(all.get()); i++)
      if (gst_caps_features_is_equal(gst_caps_get_features(all.get(), i),
                                     GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
        return CapsRef(gst_caps_copy_nth(all.get(), i));
  }
  return nullptr;
}

CapsRef system_sink_template(const std::string &element) {
  CapsRef caps = system_template(element, GST_PAD_SINK);
  fail_unless(caps != nullptr, "%s has no sink pad for system memory", element.c_str());
  return caps;
}

bool is_converter(const std::string &element) {
  const Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  return contains(gst_element_factory_get_metadata(factory.get(), "klass"), "Converter");
}

std::vector<std::string> &with_several_inputs() {
  static std::vector<std::string> found = find_elements(Kind::aggregator);
  return found;
}

}  // namespace

void test_only(const std::vector<std::string> &names) {
  elements() = names;
  with_several_inputs().clear();
}

const std::vector<std::string> &decoders() {
  static const std::vector<std::string> found = find_elements(Kind::decoder);
  return found;
}

const std::vector<std::string> &aggregators() {
  return with_several_inputs();
}

int n_elements() {
  return static_cast<int>(elements().size());
}

int n_elements_and_aggregators() {
  return n_elements() + static_cast<int>(aggregators().size());
}

const std::string &element_name(int index) {
  return index < n_elements() ? elements().at(static_cast<gsize>(index))
                              : aggregators().at(static_cast<gsize>(index - n_elements()));
}

std::vector<std::string> input_names(const std::string &element) {
  const Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  std::vector<std::string> names;
  const GList *item = gst_element_factory_get_static_pad_templates(factory.get());
  for (; item != nullptr; item = item->next) {
    const auto *pad = static_cast<GstStaticPadTemplate *>(item->data);
    if (pad->direction != GST_PAD_SINK) continue;
    if (pad->presence == GST_PAD_REQUEST) return {"sink_0", "sink_1"};
    names.emplace_back(pad->name_template);
  }
  return names;
}

std::string fed(const std::string &element, const std::string &name) {
  const Owned<GstElementFactory> factory(gst_element_factory_find(element.c_str()));
  fail_unless(factory != nullptr, "%s", element.c_str());
  if (kind_of(factory.get()) != Kind::aggregator) return element + " name=" + name;
  std::string text = "tee name=inputs-of-" + name;
  for (const std::string &input : input_names(element))
    text += " inputs-of-" + name + ". ! queue ! " + name + "." + input;
  return text + " " + at_work(element) + " name=" + name;
}

int n_sink_formats(const std::string &element) {
  const CapsRef caps = system_sink_template(element);
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), "format");
  return GST_VALUE_HOLDS_LIST(formats) ? static_cast<int>(gst_value_list_get_size(formats)) : 1;
}

int most_sink_size(const std::string &element) {
  const CapsRef caps = system_sink_template(element);
  return gst_value_get_int_range_max(
      gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), "width"));
}

std::string another_format(const std::string &element, const std::string &format) {
  const CapsRef in = system_sink_template(element), out = system_template(element, GST_PAD_SRC);
  if (!is_converter(element) || out == nullptr || !gst_caps_is_equal(in.get(), out.get()))
    return {};
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(out.get(), 0), "format");
  const guint last = gst_value_list_get_size(formats) - 1;
  const char *name = g_value_get_string(gst_value_list_get_value(formats, last));
  return format != name ? name : g_value_get_string(gst_value_list_get_value(formats, 0));
}

void let_convert(Harness &harness) {
  const std::string element = GST_OBJECT_NAME(gst_element_get_factory(harness.element()));
  const std::string format = another_format(element, {});
  if (!format.empty()) harness.accept("video/x-raw, format=" + format);
}

std::string sink_caps(const std::string &element, Size size, int nth_format,
                      const std::string &framerate) {
  const CapsRef caps = system_sink_template(element);
  const GValue *formats = gst_structure_get_value(gst_caps_get_structure(caps.get(), 0), "format");
  const GValue *format = GST_VALUE_HOLDS_LIST(formats)
                             ? gst_value_list_get_value(formats, static_cast<guint>(nth_format))
                             : formats;
  const std::string name = g_value_get_string(format);
  return "video/x-raw, format=" + name +
         ", width=" + std::to_string(possible_width(name, size.width)) +
         ", height=" + std::to_string(size.height) + ", framerate=" + framerate;
}

}  // namespace test
