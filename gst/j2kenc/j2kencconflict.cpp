// SPDX-License-Identifier: LGPL-2.1-or-later
// Caps that downstream does not take, in words.
#include <optional>

#include "j2kenccaps.h"

namespace coalesce::gst {
namespace {

std::string text_of(const char *field, const GValue *value) {
  gchar *text = gst_value_serialize(value);
  const std::string result = std::string(field) + "=" + (text != nullptr ? text : "?");
  g_free(text);
  return result;
}

struct Difference {
  int fields = 0;
  std::string made, taken;
};

Difference difference(const GstStructure *made, const GstStructure *taken) {
  Difference d;
  for (int i = 0; i < gst_structure_n_fields(made); i++) {
    const char *field = gst_structure_nth_field_name(made, static_cast<guint>(i));
    const GValue *ours = gst_structure_get_value(made, field);
    const GValue *theirs = gst_structure_get_value(taken, field);
    if (theirs == nullptr || gst_value_intersect(nullptr, ours, theirs)) continue;
    if (d.fields++ > 0) {
      d.made += ", ";
      d.taken += ", ";
    }
    d.made += text_of(field, ours);
    d.taken += text_of(field, theirs);
  }
  return d;
}

}  // namespace

std::string j2k_conflict(const GstCaps *made, const GstCaps *taken) {
  if (gst_caps_is_empty(made) || gst_caps_can_intersect(made, taken)) return {};
  std::optional<Difference> least;
  for (guint m = 0; m < gst_caps_get_size(made); m++)
    for (guint t = 0; t < gst_caps_get_size(taken); t++) {
      const GstStructure *ours = gst_caps_get_structure(made, m);
      const GstStructure *theirs = gst_caps_get_structure(taken, t);
      if (gst_structure_get_name_id(ours) != gst_structure_get_name_id(theirs)) continue;
      Difference d = difference(ours, theirs);
      if (d.fields > 0 && (!least || d.fields < least->fields)) least = std::move(d);
    }
  if (!least) return "downstream accepts no JPEG 2000 (image/x-jpc, image/x-j2c, image/jp2)";
  return least->made + ", but downstream accepts " + least->taken;
}

}  // namespace coalesce::gst
