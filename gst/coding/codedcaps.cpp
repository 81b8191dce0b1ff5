// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codedcaps.h"

#include <string>

#include "memory/bufferpool.h"
#include "object/owned.h"
#include "video/input.h"

namespace coalesce::gst {
namespace {

constexpr const char *kCommon[] = {"width",           "height",
                                   "framerate",       "max-framerate",
                                   "field-order",     "pixel-aspect-ratio",
                                   "colorimetry",     "chroma-site",
                                   "interlace-mode",  "multiview-mode",
                                   "multiview-flags", "mastering-display-info",
                                   "views",           "content-light-level"};

void copy_field(const GstStructure *from, const char *field, GstStructure *to) {
  if (const GValue *value = gst_structure_get_value(from, field))
    gst_structure_set_value(to, field, value);
}

// Of what set_raw_defaults() says, what `asked` says without words.
void remove_defaults(const GstStructure *asked, GstStructure *raw) {
  GstVideoInfo info;
  if (!gst_structure_can_intersect(asked, raw) || !fixed_info(asked, &info)) return;
  const StructureRef defaults(gst_structure_new_empty("defaults"));
  set_raw_defaults(info, defaults.get());
  for (const char *field : {"pixel-aspect-ratio", "interlace-mode", "colorimetry"}) {
    const GValue *ours = gst_structure_get_value(raw, field);
    const GValue *usual = gst_structure_get_value(defaults.get(), field);
    if (gst_structure_has_field(asked, field) || ours == nullptr || usual == nullptr) continue;
    if (gst_value_compare(ours, usual) == GST_VALUE_EQUAL) gst_structure_remove_field(raw, field);
  }
}

}  // namespace

const char *coded_sampling(const GstVideoFormatInfo *format) {
  const bool alpha = GST_VIDEO_FORMAT_INFO_HAS_ALPHA(format);
  if (GST_VIDEO_FORMAT_INFO_IS_GRAY(format)) return "GRAYSCALE";
  if (GST_VIDEO_FORMAT_INFO_IS_RGB(format)) return alpha ? "RGBA" : "RGB";
  if (alpha) return "YCbCrA-4:4:4:4";
  if (GST_VIDEO_FORMAT_INFO_H_SUB(format, 1) == 1) return "YCbCr-4:2:0";
  constexpr const char *names[] = {"YCbCr-4:4:4", "YCbCr-4:2:2", "YCbCr-4:1:1"};
  return names[GST_VIDEO_FORMAT_INFO_W_SUB(format, 1)];
}

const char *coded_colorspace(const GstVideoFormatInfo *format) {
  if (GST_VIDEO_FORMAT_INFO_IS_GRAY(format)) return "GRAY";
  return GST_VIDEO_FORMAT_INFO_IS_RGB(format) ? "sRGB" : "sYUV";
}

void copy_common_fields(const GstStructure *from, GstStructure *to) {
  for (const char *field : kCommon)
    copy_field(from, field, to);
}

void add_values(const GstStructure *from, GstStructure *to) {
  for (int i = 0; i < gst_structure_n_fields(from); i++) {
    const char *field = gst_structure_nth_field_name(from, static_cast<guint>(i));
    const GValue *value = gst_structure_get_value(from, field);
    GValue both = G_VALUE_INIT;
    if (const GValue *before = gst_structure_get_value(to, field)) {
      gst_value_union(&both, before, value);
      gst_structure_take_value(to, field, &both);
    } else {
      gst_structure_set_value(to, field, value);
    }
  }
}

bool fixed_info(const GstStructure *raw, GstVideoInfo *info) {
  GstCaps *caps = gst_caps_new_full(gst_structure_copy(raw), nullptr);
  const bool fixed = gst_caps_is_fixed(caps) && gst_video_info_from_caps(info, caps);
  gst_caps_unref(caps);
  return fixed;
}

void set_raw_defaults(const GstVideoInfo &info, GstStructure *coded) {
  gst_structure_set(coded, "pixel-aspect-ratio", GST_TYPE_FRACTION, GST_VIDEO_INFO_PAR_N(&info),
                    GST_VIDEO_INFO_PAR_D(&info), "interlace-mode", G_TYPE_STRING,
                    gst_video_interlace_mode_to_string(GST_VIDEO_INFO_INTERLACE_MODE(&info)),
                    nullptr);
  set_text(coded, "colorimetry", gst_video_colorimetry_to_string(&info.colorimetry));
}

void drop_defaults(GstQuery *query) {
  GstCaps *asked = nullptr, *answer = nullptr;
  gst_query_parse_caps(query, &asked);
  gst_query_parse_caps_result(query, &answer);
  if (asked == nullptr || answer == nullptr) return;
  const CapsRef caps(gst_caps_copy(answer));
  for (guint i = 0; i < gst_caps_get_size(caps.get()); i++)
    for (guint k = 0; k < gst_caps_get_size(asked); k++)
      remove_defaults(gst_caps_get_structure(asked, k), gst_caps_get_structure(caps.get(), i));
  gst_query_set_caps_result(query, caps.get());
}

GstCaps *in_any_memory(GstCaps *raw, bool cuda) {
  if (!cuda) return raw;
  GstCaps *both = gst_caps_copy(raw);
  gst_caps_set_features_simple(both,
                               gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY, nullptr));
  gst_caps_append(both, raw);
  return both;
}

bool check_raw_caps(GstBaseTransform *element, GstCaps *caps, GstVideoInfo *info) {
  const std::string problem = interlacing_problem(caps);
  if (!problem.empty()) {
    GST_ELEMENT_ERROR(element, STREAM, FORMAT, ("%s", problem.c_str()), (nullptr));
    return false;
  }
  if (usable_info(caps, info)) return true;
  GST_ELEMENT_ERROR(element, STREAM, FORMAT,
                    ("Unsupported caps: %s (%" GST_PTR_FORMAT ")", unusable_reason(caps), caps),
                    (nullptr));
  return false;
}

}  // namespace coalesce::gst
