// SPDX-License-Identifier: LGPL-2.1-or-later
#include "colorimetry.h"

#include <cstring>

#include "cuda/gstcompat.h"
#include "enumnumber.h"
#include "object/owned.h"

namespace coalesce::gst {
namespace {

GstVideoInfo plain_info(const GstVideoInfo &info) {
  GstVideoInfo plain;
  plain_video_info(&plain, GST_VIDEO_INFO_FORMAT(&info), info.width, info.height);
  return plain;
}

// The transfer function and primaries that a structure names, or those of its format.
GstVideoColorimetry named_colorimetry(const GstStructure *structure) {
  const gchar *text = gst_structure_get_string(structure, "colorimetry");
  GstVideoColorimetry named;
  if (text != nullptr && gst_video_colorimetry_from_string(&named, text)) return named;
  const auto info = default_info(structure);
  return info ? info->colorimetry : GstVideoColorimetry{};
}

bool is_yuv_matrix(const GstVideoColorMatrix &matrix) {
  gdouble red, blue;
  const int number = number_of(matrix);
  return number >= 0 && number <= GST_VIDEO_COLOR_MATRIX_BT2020 &&
         gst_video_color_matrix_get_Kr_Kb(static_cast<GstVideoColorMatrix>(number), &red, &blue);
}

bool is_range(const GstVideoColorRange &range) {
  const int number = number_of(range);
  return number == GST_VIDEO_COLOR_RANGE_0_255 || number == GST_VIDEO_COLOR_RANGE_16_235;
}

// RGB has no matrix but its own, which GStreamer assumes whatever the caps say; YUV must have one.
bool can_mean(const GstVideoInfo &info, const GstVideoColorimetry &colorimetry) {
  const bool open = number_of(colorimetry.range) == GST_VIDEO_COLOR_RANGE_UNKNOWN;
  return (open || is_range(colorimetry.range)) &&
         (GST_VIDEO_INFO_IS_RGB(&info) || is_yuv_matrix(colorimetry.matrix) ||
          (GST_VIDEO_INFO_IS_GRAY(&info) &&
           number_of(colorimetry.matrix) == GST_VIDEO_COLOR_MATRIX_UNKNOWN));
}

bool has_subsampled_chroma(const GstVideoInfo &info) {
  return GST_VIDEO_INFO_N_COMPONENTS(&info) >= 3 &&
         (GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, 1) > 0 ||
          GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, 1) > 0);
}

// Fixes a field to the best of its strings, the first of equals, by rank(string), which is 0 or
// more.
template <class Rank>
void fixate_best(GstStructure *structure, const char *field, Rank rank) {
  const GValue *list = gst_structure_get_value(structure, field);
  if (!GST_VALUE_HOLDS_LIST(list)) return;
  const GValue *best = nullptr;
  int best_rank = -1;
  for (guint i = 0; i < gst_value_list_get_size(list); i++) {
    const GValue *value = gst_value_list_get_value(list, i);
    const int value_rank = G_VALUE_HOLDS_STRING(value) ? rank(g_value_get_string(value)) : -1;
    if (value_rank > best_rank) best = value, best_rank = value_rank;
  }
  if (best != nullptr)
    gst_structure_set(structure, field, G_TYPE_STRING, g_value_get_string(best), nullptr);
}

// How well would this colorimetry do for a frame of `info`, where `wanted` is the best?
int rank_colorimetry(const gchar *text, GstVideoInfo info, const GstVideoColorimetry &wanted) {
  if (!gst_video_colorimetry_from_string(&info.colorimetry, text)) return 0;
  const bool rgb = GST_VIDEO_INFO_IS_RGB(&info);
  if (!rgb && number_of(info.colorimetry.matrix) == GST_VIDEO_COLOR_MATRIX_RGB) return 1;
  const GstVideoColorimetry meant = effective_colorimetry(info);
  if ((!rgb && meant.matrix != wanted.matrix) || meant.range != wanted.range) return 2;
  return number_of(meant.transfer) == number_of(wanted.transfer) &&
                 number_of(meant.primaries) == number_of(wanted.primaries)
             ? 4
             : 3;
}

bool has_same_chroma(const GstVideoInfo &a, const GstVideoInfo &b) {
  return GST_VIDEO_FORMAT_INFO_W_SUB(a.finfo, 1) == GST_VIDEO_FORMAT_INFO_W_SUB(b.finfo, 1) &&
         GST_VIDEO_FORMAT_INFO_H_SUB(a.finfo, 1) == GST_VIDEO_FORMAT_INFO_H_SUB(b.finfo, 1);
}

struct Colours {
  GstVideoColorimetry colorimetry;
  GstVideoChromaSite site;
};

// The colours of an output of `info`, whose colours are the defaults, for an input of `given`.
Colours wanted_colours(const GstStructure *given, const GstVideoInfo &info) {
  const GstVideoColorimetry source = named_colorimetry(given);
  Colours wanted = {info.colorimetry, info.chroma_site};
  std::memcpy(&wanted.colorimetry.transfer, &source.transfer, sizeof source.transfer);
  std::memcpy(&wanted.colorimetry.primaries, &source.primaries, sizeof source.primaries);
  auto from = default_info(given);
  const bool both_yuv = from && GST_VIDEO_INFO_IS_YUV(&*from) && GST_VIDEO_INFO_IS_YUV(&info);
  const bool both_grey = from && GST_VIDEO_INFO_IS_GRAY(&*from) && GST_VIDEO_INFO_IS_GRAY(&info);
  if (both_yuv || both_grey) {
    from->colorimetry = source;
    const GstVideoColorimetry meant = effective_colorimetry(*from);
    wanted.colorimetry.matrix = meant.matrix;
    wanted.colorimetry.range = meant.range;
  }
  const gchar *site = gst_structure_get_string(given, "chroma-site");
  if (both_yuv && site != nullptr && has_same_chroma(*from, info))
    if (const auto named = gst_video_chroma_site_from_string(site);
        named != GST_VIDEO_CHROMA_SITE_UNKNOWN)
      wanted.site = named;
  return wanted;
}

}  // namespace

std::optional<GstVideoInfo> default_info(const GstStructure *structure) {
  gint width = 0, height = 0;
  const gchar *name = gst_structure_get_string(structure, "format");
  const GstVideoFormat format =
      name != nullptr ? gst_video_format_from_string(name) : GST_VIDEO_FORMAT_UNKNOWN;
  GstVideoInfo info;
  if (format == GST_VIDEO_FORMAT_UNKNOWN || format == GST_VIDEO_FORMAT_ENCODED ||
      !gst_structure_get_int(structure, "width", &width) || width < 1 ||
      !gst_structure_get_int(structure, "height", &height) || height < 1 ||
      !plain_video_info(&info, format, width, height))
    return {};
  return info;
}

GstVideoColorimetry effective_colorimetry(const GstVideoInfo &info) {
  const GstVideoColorimetry plain = plain_info(info).colorimetry;
  GstVideoColorimetry effective = info.colorimetry;
  if (!is_range(effective.range)) effective.range = plain.range;
  if (!is_yuv_matrix(effective.matrix)) effective.matrix = plain.matrix;
  return effective;
}

GstVideoChromaSite effective_chroma_site(const GstVideoInfo &info) {
  return info.chroma_site != GST_VIDEO_CHROMA_SITE_UNKNOWN ? info.chroma_site
                                                           : plain_info(info).chroma_site;
}

std::string meaningless_colours(const GstStructure *structure) {
  const auto info = default_info(structure);
  const gchar *colorimetry = gst_structure_get_string(structure, "colorimetry");
  const gchar *site = gst_structure_get_string(structure, "chroma-site");
  GstVideoColorimetry named;
  std::string found;
  if (colorimetry != nullptr && (!gst_video_colorimetry_from_string(&named, colorimetry) ||
                                 (info && !can_mean(*info, named))))
    found = std::string("colorimetry=") + colorimetry;
  if (site != nullptr && info && has_subsampled_chroma(*info) &&
      gst_video_chroma_site_from_string(site) == GST_VIDEO_CHROMA_SITE_UNKNOWN)
    found += std::string(found.empty() ? "" : ", ") + "chroma-site=" + site;
  return found;
}

void fixate_colours(const GstStructure *given, GstStructure *result) {
  const auto info = default_info(result);
  if (!info) return;
  const Colours wanted = wanted_colours(given, *info);
  if (!gst_structure_has_field(result, "colorimetry"))
    set_text(result, "colorimetry", gst_video_colorimetry_to_string(&wanted.colorimetry));
  fixate_best(result, "colorimetry",
              [&](const gchar *text) { return rank_colorimetry(text, *info, wanted.colorimetry); });

  if (has_subsampled_chroma(*info) && !gst_structure_has_field(result, "chroma-site"))
    set_text(result, "chroma-site", gst_video_chroma_site_to_string(wanted.site));
  fixate_best(result, "chroma-site", [&](const gchar *text) {
    return gst_video_chroma_site_from_string(text) == wanted.site ? 1 : 0;
  });
}

}  // namespace coalesce::gst
