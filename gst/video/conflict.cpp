// SPDX-License-Identifier: LGPL-2.1-or-later
#include "conflict.h"

#include <gst/video/video.h>

#include <cstring>

#include "conversion.h"
#include "object/owned.h"
#include "pixelformat.h"

namespace coalesce::gst {
namespace {

constexpr guint kMostValues = 4;  // of a list
constexpr int kMemory = 100;      // another memory counts as so many fields

void add(std::string *list, const char *separator, const std::string &text) {
  if (!list->empty()) *list += separator;
  *list += text;
}

std::string text_of(const GValue *value) {
  if (GST_VALUE_HOLDS_LIST(value)) {
    const guint n = gst_value_list_get_size(value);
    std::string list;
    for (guint i = 0; i < n && i < kMostValues; i++)
      add(&list, ", ", text_of(gst_value_list_get_value(value, i)));
    return "{ " + list + (n > kMostValues ? ", ... }" : " }");
  }
  const TextRef text(gst_value_serialize(value));
  return text != nullptr ? text.get() : "?";
}

std::string text_of(GstCapsFeatures *features) {
  const TextRef text(gst_caps_features_to_string(features));
  return text.get();
}

bool have_common(GstCapsFeatures *ours, GstCapsFeatures *theirs) {
  return gst_caps_features_is_any(ours) || gst_caps_features_is_any(theirs) ||
         gst_caps_features_is_equal(ours, theirs);
}

// ---- advice

bool is_format(const GstStructure *structure, unsigned families) {
  for (const std::string &name : formats_in(structure))
    if ((family_of(pixel_format(gst_video_format_from_string(name.c_str()))) & families) != 0)
      return true;
  return false;
}

std::string format_advice(const GstStructure *from, const GstStructure *to) {
  constexpr unsigned kNoRgb = kYuv | kGrey;
  if (is_format(from, kNoRgb) && is_format(to, kNoRgb)) return "yuv2yuv converts such formats";
  if (is_format(from, kRgb) && is_format(to, kNoRgb)) return "rgb2yuv converts RGB to YUV";
  if (is_format(from, kNoRgb) && is_format(to, kRgb)) return "yuv2rgb converts YUV to RGB";
  return "videoconvert converts other formats";
}

std::string colorimetry_advice(const GstStructure *from, const GstStructure *to) {
  const gchar *name = gst_structure_get_string(to, "colorimetry");
  GstVideoColorimetry colorimetry;
  if (name != nullptr && !gst_video_colorimetry_from_string(&colorimetry, name))
    return std::string("GStreamer has no colorimetry \"") + name + "\"";
  return is_format(from, kRgb) ? "rgb2yuv ! yuv2rgb converts ranges"
                               : "yuv2rgb ! rgb2yuv converts matrices";
}

bool may_be_progressive(const GstStructure *structure) {
  GValue progressive = G_VALUE_INIT;
  g_value_init(&progressive, G_TYPE_STRING);
  g_value_set_static_string(&progressive, "progressive");
  const bool may = gst_value_intersect(
      nullptr, gst_structure_get_value(structure, "interlace-mode"), &progressive);
  g_value_unset(&progressive);
  return may;
}

std::string advice_for(const std::string &field, const GstStructure *from, const GstStructure *to) {
  if (field == "format") return format_advice(from, to);
  if (field == "colorimetry") return colorimetry_advice(from, to);
  if (field == "chroma-site") return "yuv2yuv moves chroma";
  if (field == "width" || field == "height") return "videoscale changes the size";
  if (field == "framerate") return "videorate changes the frame rate";
  if (field == "interlace-mode" && may_be_progressive(to))
    return "coalescedeinterlace makes progressive frames";
  return {};
}

// ---- conflicts

struct Side {
  const GstStructure *structure;
  GstCapsFeatures *features;
};

Side side(const GstCaps *caps, guint index) {
  return {gst_caps_get_structure(caps, index), gst_caps_get_features(caps, index)};
}

Conflict conflict_of(const Side &ours, const Side &theirs, const GstStructure *in) {
  Conflict c;
  if (!have_common(ours.features, theirs.features)) {
    c.fields += kMemory;
    c.ours = text_of(ours.features);
    c.theirs = text_of(theirs.features);
  }
  for (int i = 0; i < gst_structure_n_fields(ours.structure); i++) {
    const char *field = gst_structure_nth_field_name(ours.structure, static_cast<guint>(i));
    const GValue *our = gst_structure_get_value(ours.structure, field);
    const GValue *their = gst_structure_get_value(theirs.structure, field);
    if (their == nullptr || gst_value_intersect(nullptr, our, their)) continue;
    c.fields++;
    add(&c.ours, ", ", std::string(field) + "=" + text_of(our));
    add(&c.theirs, ", ", std::string(field) + "=" + text_of(their));
    const GstStructure *from = gst_structure_has_name(in, "video/x-raw") ? in : ours.structure;
    const std::string advice = advice_for(field, from, theirs.structure);
    if (c.advice.find(advice) == std::string::npos) add(&c.advice, "; ", advice);
  }
  return c;
}

std::string media_types(const GstCaps *caps) {
  std::string types;
  for (guint i = 0; i < gst_caps_get_size(caps); i++) {
    const char *name = gst_structure_get_name(gst_caps_get_structure(caps, i));
    if (types.find(name) == std::string::npos) add(&types, ", ", name);
  }
  return types.empty() ? "no caps" : types;
}

}  // namespace

std::optional<Conflict> caps_conflict(const GstCaps *ours, const GstCaps *theirs,
                                      const GstCaps *in) {
  if (gst_caps_is_empty(ours) || gst_caps_can_intersect(ours, theirs)) return {};
  const GstStructure *input = gst_caps_get_structure(in, 0);
  std::optional<Conflict> least;
  for (guint o = 0; o < gst_caps_get_size(ours); o++)
    for (guint t = 0; t < gst_caps_get_size(theirs); t++) {
      const Side our = side(ours, o), their = side(theirs, t);
      if (!gst_structure_has_name(our.structure, gst_structure_get_name(their.structure))) continue;
      Conflict c = conflict_of(our, their, input);
      if (c.fields > 0 && (!least || c.fields < least->fields)) least = std::move(c);
    }
  if (!least) {
    least.emplace();
    least->media = true;
    least->ours = media_types(ours);
    least->theirs = media_types(theirs);
  }
  return least;
}

}  // namespace coalesce::gst
