// SPDX-License-Identifier: LGPL-2.1-or-later
// Presets, as GStreamer saves and loads them, but for what it (1.22) loses:
// - `lossless` reads as it is. Whether somebody has set it stands in a preset's meta data.
// - Of texts with spaces, quotes and the like others come back, or none. They are there, too.
// - The element's name and parent are saved, and would be loaded. `qos` is left out, too: it is no
//   setting of the encoder.
#include <gst/base/gstbasetransform.h>

#include <cstring>
#include <new>

#include "j2kencproperties.h"
#include "object/guarded.h"
#include "object/onexit.h"
#include "object/owned.h"

GST_DEBUG_CATEGORY_EXTERN(gst_j2kenc_debug);
#define GST_CAT_DEFAULT gst_j2kenc_debug

namespace coalesce::gst {
namespace {

constexpr const char *kUnset = "lossless-is-not-set";

GstPresetInterface parent;

template <class Take>
void for_each_property(GstPreset *preset, Take take) {
  guint count = 0;
  const std::unique_ptr<GParamSpec *, Drop> all(
      g_object_class_list_properties(G_OBJECT_GET_CLASS(preset), &count));
  for (guint i = 0; i < count; i++)
    take(all.get()[i]);
}

gchar **property_names(GstPreset *preset) {
  gchar **names = parent.get_property_names(preset);
  gchar **kept = names;
  for (gchar **name = names; name != nullptr && *name != nullptr; name++) {
    const GParamSpec *property = g_object_class_find_property(G_OBJECT_GET_CLASS(preset), *name);
    if (property != nullptr && (property->owner_type == GST_TYPE_OBJECT ||
                                property->owner_type == GST_TYPE_BASE_TRANSFORM))
      g_free(*name);
    else
      *kept++ = *name;
  }
  if (kept != nullptr) *kept = nullptr;
  return names;
}

// Empty if there is none.
std::string meta(GstPreset *preset, const gchar *name, const std::string &tag) {
  gchar *value = nullptr;
  if (!parent.get_meta(preset, name, tag.c_str(), &value) || value == nullptr) return {};
  const TextRef owned(value);
  return value;
}

// Each change writes the user's file.
bool set_meta(GstPreset *preset, const gchar *name, const std::string &tag,
              const std::string &text) {
  return meta(preset, name, tag) == text ||
         parent.set_meta(preset, name, tag.c_str(), text.c_str());
}

std::string tag_of(const GParamSpec *property) {
  return std::string("property-") + property->name;
}

bool comes_back(const char *text) {
  return text[std::strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-+/:.")] == '\0';
}

// Without memory, the element has no text to give.
std::string text_of(GstPreset *preset, const GParamSpec *property) {
  gchar *text = nullptr;
  g_object_get(preset, property->name, &text, nullptr);
  const TextRef owned(text);
  if (text == nullptr) throw std::bad_alloc();
  if (comes_back(text)) return {};
  const TextRef escaped(g_uri_escape_string(text, nullptr, FALSE));
  return escaped.get();
}

bool is_text(const GstPreset *preset, const GParamSpec *property) {
  return property->owner_type == G_OBJECT_TYPE(preset) && G_IS_PARAM_SPEC_STRING(property);
}

gboolean save(GstPreset *preset, const gchar *name) {
  bool saved = parent.save_preset(preset, name);
  const bool unset = j2k_settings_of(preset).read([](const J2kSettings &s) { return !s.lossless; });
  saved = saved && set_meta(preset, name, kUnset, unset ? "true" : "");
  for_each_property(preset, [&](const GParamSpec *property) {
    if (saved && is_text(preset, property))
      saved = set_meta(preset, name, tag_of(property), text_of(preset, property));
  });
  return saved;
}

void load_texts(GstPreset *preset, const gchar *name) {
  for_each_property(preset, [&](const GParamSpec *property) {
    if (!is_text(preset, property)) return;
    const TextRef text(
        g_uri_unescape_string(meta(preset, name, tag_of(property)).c_str(), nullptr));
    if (text != nullptr && *text != '\0') g_object_set(preset, property->name, text.get(), nullptr);
  });
}

// All at once, for frames that are encoded meanwhile.
bool load_all(GstPreset *preset, const gchar *name) {
  Settings<J2kSettings> &settings = j2k_settings_of(preset);
  settings.hold();
  const OnExit release([&settings] { settings.release(); });
  if (!parent.load_preset(preset, name)) return false;
  load_texts(preset, name);
  if (!meta(preset, name, kUnset).empty())
    settings.change([](J2kSettings &s) {
      s.lossless.reset();
      return true;
    });
  return true;
}

gboolean load(GstPreset *preset, const gchar *name) {
  const bool loaded = load_all(preset, name);
  GST_DEBUG_OBJECT(preset, "preset %s: %s", name,
                   loaded ? "loaded" : "there is none, or it is wrong");
  g_object_notify(G_OBJECT(preset), "lossless");
  return loaded;
}

}  // namespace

void j2k_init_presets(gpointer interface, gpointer) {
  auto *presets = static_cast<GstPresetInterface *>(interface);
  parent = *presets;
  presets->get_property_names = guarded<property_names>;
  presets->save_preset = guarded<save>;
  presets->load_preset = guarded<load>;
}

}  // namespace coalesce::gst
