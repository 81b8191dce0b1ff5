// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenccaps.h"

#include <algorithm>
#include <optional>

#include "base/transform.h"
#include "coding/codedcaps.h"
#include "object/owned.h"
#include "video/enumnumber.h"

namespace coalesce::gst {
namespace {

// What coded caps say of a format, under the name of `like`.
StructureRef description(const GstStructure *like, const GstVideoFormatInfo *format) {
  return StructureRef(gst_structure_new(
      gst_structure_get_name(like), "sampling", G_TYPE_STRING, coded_sampling(format), "colorspace",
      G_TYPE_STRING, coded_colorspace(format), "num-components", G_TYPE_INT,
      static_cast<int>(GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format)), nullptr));
}

// mj2mux makes a channel definition box of this: colours, from 1, and 0 for opacity.
void set_channels(const GstVideoInfo &info, GstStructure *coded) {
  if (!GST_VIDEO_INFO_HAS_ALPHA(&info)) return;
  GValue channels = G_VALUE_INIT;
  g_value_init(&channels, GST_TYPE_ARRAY);
  gst_value_deserialize(&channels, "< 1, 2, 3, 0 >");
  gst_structure_take_value(coded, "channel-definitions", &channels);
}

// What raw caps say without words.
void set_defaults(const GstVideoInfo &info, J2kMedia media, GstStructure *coded) {
  set_raw_defaults(info, coded);
  gst_structure_set(coded, "fields", G_TYPE_INT, j2k_fields(info, media), nullptr);
  set_channels(info, coded);
}

// The profile in the caps of these frames (Rsiz); `otherwise` if the settings will not do.
struct ProfileSource {
  const J2kSettings &settings;
  int otherwise;

  int of(const GstVideoInfo &info, J2kMedia media) const {
    if (settings.profile == j2k::Profile::none) return 0;
    std::string problem;
    const auto coder = J2kCoder::make(settings, info, media, &problem);
    return coder != nullptr ? coder->in_caps() : otherwise;
  }
};

GstStructure *coded_structure(const GstStructure *raw, J2kMedia media,
                              const ProfileSource &profile) {
  StructureRef owned(
      gst_structure_new(j2k_media_type(media), "alignment", G_TYPE_STRING, "frame", nullptr));
  GstStructure *coded = owned.get();
  copy_common_fields(raw, coded);
  for_each_format(raw, [coded](const GstVideoFormatInfo *format) {
    add_values(description(coded, format).get(), coded);
  });
  GstVideoInfo info;
  if (!fixed_info(raw, &info)) return owned.release();
  set_defaults(info, media, coded);
  gst_structure_set(coded, "profile", G_TYPE_INT, profile.of(info, media), nullptr);
  return owned.release();
}

// RGB has a matrix of its own, whatever caps say, and nothing else has that.
bool allows_matrix(const GstStructure *coded, const GstVideoFormatInfo *format) {
  bool any = !gst_structure_has_field(coded, "colorimetry");
  for_each_string(coded, "colorimetry", [&any, format](const char *text) {
    GstVideoColorimetry c;
    any = any || (gst_video_colorimetry_from_string(&c, text) &&
                  (number_of(c.matrix) == GST_VIDEO_COLOR_MATRIX_RGB) == j2k_is_rgb(format));
  });
  return any;
}

bool allows_format(const GstStructure *coded, const GstVideoFormatInfo *format) {
  return gst_structure_can_intersect(coded, description(coded, format).get()) &&
         allows_matrix(coded, format);
}

// The modes that come to as many codestreams as `fields` allows. (Where the height is open, it is
// taken for more than that of a single row, of which there is one field.)
void ask_for_modes(const GstStructure *coded, GstStructure *raw) {
  GstVideoInfo info;
  gst_video_info_init(&info);
  info.height = 2;
  gst_structure_get_int(coded, "height", &info.height);
  gst_structure_remove_field(raw, "interlace-mode");
  for (GstVideoInterlaceMode mode :
       {GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, GST_VIDEO_INTERLACE_MODE_INTERLEAVED,
        GST_VIDEO_INTERLACE_MODE_MIXED}) {
    const char *name = gst_video_interlace_mode_to_string(mode);
    GST_VIDEO_INFO_INTERLACE_MODE(&info) = mode;
    const StructureRef one(gst_structure_new(gst_structure_get_name(coded), "interlace-mode",
                                             G_TYPE_STRING, name, "fields", G_TYPE_INT,
                                             j2k_fields(info, j2k_media_of(coded)), nullptr));
    if (!gst_structure_can_intersect(coded, one.get())) continue;
    gst_structure_remove_field(one.get(), "fields");
    add_values(one.get(), raw);
  }
}

// nullptr if no format, or no interlace mode, will do.
GstStructure *raw_structure(const GstStructure *coded, const GstStructure *possible) {
  GstStructure *raw = gst_structure_new_empty("video/x-raw");
  copy_common_fields(coded, raw);
  const bool one_or_two = gst_structure_has_field(coded, "fields");
  if (one_or_two) ask_for_modes(coded, raw);
  for_each_format(possible, [coded, raw](const GstVideoFormatInfo *format) {
    const StructureRef one(gst_structure_new("format", "format", G_TYPE_STRING,
                                             GST_VIDEO_FORMAT_INFO_NAME(format), nullptr));
    if (allows_format(coded, format)) add_values(one.get(), raw);
  });
  if (gst_structure_has_field(raw, "format") &&
      (!one_or_two || gst_structure_has_field(raw, "interlace-mode")))
    return raw;
  gst_structure_free(raw);
  return nullptr;
}

// The first of its kind; as many as there are if there is none.
guint place_of(GstCaps *caps, J2kMedia media) {
  guint i = 0;
  while (i < gst_caps_get_size(caps) &&
         !gst_structure_has_name(gst_caps_get_structure(caps, i), j2k_media_type(media)))
    i++;
  return i;
}

}  // namespace

GstCaps *j2k_sink_template() {
  return template_caps(j2k_formats().c_str());
}

GstCaps *j2k_src_template() {
  std::string text;
  for (J2kMedia media : kJ2kMedia)
    text += std::string(text.empty() ? "" : "; ") + j2k_media_type(media) +
            ", alignment = (string) frame, num-components = (int) { 1, 3, 4 }, "
            "sampling = (string) { RGB, RGBA, YCbCr-4:4:4, YCbCr-4:2:2, YCbCr-4:2:0, YCbCr-4:1:1, "
            "YCbCrA-4:4:4:4, GRAYSCALE }, colorspace = (string) { sRGB, sYUV, GRAY }, "
            "width = (int) [ 1, max ], height = (int) [ 1, max ], "
            "framerate = (fraction) [ 0, max ]";
  return gst_caps_from_string(text.c_str());
}

GstCaps *j2k_coded_caps(GstCaps *raw, bool cuda, const J2kSettings &settings, int otherwise) {
  CapsRef result(gst_caps_new_empty());
  for (J2kMedia media : kJ2kMedia)
    for (guint i = 0; i < gst_caps_get_size(raw); i++) {
      if (!cuda && names_cuda(gst_caps_get_features(raw, i))) continue;
      GstStructure *coded =
          coded_structure(gst_caps_get_structure(raw, i), media, {settings, otherwise});
      result.reset(gst_caps_merge_structure(result.release(), coded));
    }
  return result.release();
}

GstCaps *j2k_raw_caps(GstCaps *coded, bool cuda) {
  const CapsRef possible(j2k_sink_template());
  GstCaps *result = gst_caps_new_empty();
  for (guint i = 0; i < gst_caps_get_size(coded); i++)
    if (GstStructure *raw = raw_structure(gst_caps_get_structure(coded, i),
                                          gst_caps_get_structure(possible.get(), 0)))
      result = gst_caps_merge_structure(result, raw);
  return in_any_memory(result, cuda);
}

GstCaps *j2k_prefer(GstCaps *caps, GstCaps *downstream) {
  if (gst_caps_is_any(downstream) ||
      place_of(downstream, J2kMedia::box) > place_of(downstream, J2kMedia::codestream) ||
      place_of(downstream, J2kMedia::file) < gst_caps_get_size(downstream))
    return caps;
  GstCaps *boxes = gst_caps_new_empty_simple(j2k_media_type(J2kMedia::box));
  GstCaps *first = gst_caps_intersect(caps, boxes);
  gst_caps_unref(boxes);
  return gst_caps_merge(first, caps);
}

std::string j2k_conflict(const Conflict &conflict) {
  return conflict.media ? "downstream accepts no JPEG 2000 (image/x-jpc, image/x-j2c, image/jp2)"
                        : conflict.ours + ", but downstream accepts " + conflict.theirs;
}

}  // namespace coalesce::gst
