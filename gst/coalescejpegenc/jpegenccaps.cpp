// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegenccaps.h"

#include "coding/codedcaps.h"
#include "jpegenccoder.h"
#include "object/owned.h"
#include "video/conversion.h"
#include "video/memorycaps.h"

namespace coalesce::gst {
namespace {

// What a source that has a choice makes.
const std::vector<const char *> kFirst = {"I420", "NV12", "YV12", "NV21", "Y42B", "NV16",
                                          "YUY2", "UYVY", "Y444", "RGB",  "BGR",  "GBR",
                                          "RGBx", "BGRx", "xRGB", "xBGR", "GRAY8"};

std::string formats() {
  return format_list(
      formats_where(kFirst, [](const PixelFormat &format) { return format.in_bytes(); }));
}

const char *colorspace(const char *sampling) {
  if (g_str_equal(sampling, "GRAYSCALE")) return "GRAY";
  return g_str_equal(sampling, "RGB") ? "sRGB" : "sYUV";
}

StructureRef description(const char *sampling) {
  return StructureRef(gst_structure_new("image/jpeg", "sampling", G_TYPE_STRING, sampling,
                                        "colorspace", G_TYPE_STRING, colorspace(sampling),
                                        nullptr));
}

// libjpeg's YCbCr of R, G and B: BT.601's matrix, full range, chroma in the middle of its pixels.
void set_converted_colours(const GstVideoInfo &info, const char *sampling, GstStructure *coded) {
  GstVideoColorimetry colours = info.colorimetry;
  colours.range = GST_VIDEO_COLOR_RANGE_0_255;
  colours.matrix = GST_VIDEO_COLOR_MATRIX_BT601;
  set_text(coded, "colorimetry", gst_video_colorimetry_to_string(&colours));
  if (!g_str_equal(sampling, "YCbCr-4:4:4"))
    gst_structure_set(coded, "chroma-site", G_TYPE_STRING, "jpeg", nullptr);
}

// Of fixed caps.
void set_fixed(const GstVideoInfo &info, const JpegSettings &settings, const char *otherwise,
               GstStructure *coded) {
  std::string problem;
  const auto coder = JpegCoder::make(settings, info, nullptr, &problem);
  const char *sampling =
      coder == nullptr && otherwise != nullptr ? otherwise : jpeg_sampling(settings, info.finfo);
  gst_structure_set(coded, "sampling", G_TYPE_STRING, sampling, "colorspace", G_TYPE_STRING,
                    colorspace(sampling), nullptr);
  set_raw_defaults(info, coded);
  if (GST_VIDEO_INFO_IS_RGB(&info) && !g_str_equal(sampling, "RGB"))
    set_converted_colours(info, sampling, coded);
}

GstStructure *coded_structure(const GstStructure *raw, const JpegSettings &settings,
                              const char *otherwise) {
  StructureRef owned(gst_structure_new("image/jpeg", "parsed", G_TYPE_BOOLEAN, TRUE, "sof-marker",
                                       G_TYPE_INT, 0, nullptr));
  GstStructure *coded = owned.get();
  copy_common_fields(raw, coded);
  bool converts = false;
  for_each_format(raw, [&](const GstVideoFormatInfo *format) {
    add_values(description(jpeg_sampling(settings, format)).get(), coded);
    converts = converts || jpeg_converts(settings, format);
  });
  GstVideoInfo info;
  if (fixed_info(raw, &info))
    set_fixed(info, settings, otherwise, coded);
  else if (converts)
    gst_structure_remove_fields(coded, "colorimetry", "chroma-site", nullptr);
  return owned.release();
}

// Formats, most preferred first: a source that can make any of them takes the first group that it
// knows, in its own order.
enum class Group { yuv_420, other_samples, converted };

Group group_of(const JpegSettings &settings, const GstVideoFormatInfo *format) {
  if (jpeg_converts(settings, format)) return Group::converted;
  return g_str_equal(jpeg_sampling(settings, format), "YCbCr-4:2:0") ? Group::yuv_420
                                                                     : Group::other_samples;
}

// Raw video of a group. nullptr if none will do.
GstStructure *raw_structure(const GstStructure *coded, const GstStructure *possible,
                            const JpegSettings &settings, Group group) {
  StructureRef raw(gst_structure_new_empty("video/x-raw"));
  copy_common_fields(coded, raw.get());
  if (group == Group::converted)
    gst_structure_remove_fields(raw.get(), "colorimetry", "chroma-site", nullptr);
  for_each_format(possible, [&](const GstVideoFormatInfo *format) {
    if (group_of(settings, format) != group ||
        !gst_structure_can_intersect(coded, description(jpeg_sampling(settings, format)).get()))
      return;
    const StructureRef one(gst_structure_new("format", "format", G_TYPE_STRING,
                                             GST_VIDEO_FORMAT_INFO_NAME(format), nullptr));
    add_values(one.get(), raw.get());
  });
  return gst_structure_has_field(raw.get(), "format") ? raw.release() : nullptr;
}

}  // namespace

GstCaps *jpeg_sink_template() {
  GstCaps *caps = template_caps(formats().c_str());
  gst_caps_set_simple(caps, "width", GST_TYPE_INT_RANGE, 1, jpeg::kMostSize, "height",
                      GST_TYPE_INT_RANGE, 1, jpeg::kMostSize, nullptr);
  return caps;
}

GstCaps *jpeg_src_template() {
  const std::string most = std::to_string(jpeg::kMostSize);
  return gst_caps_from_string(
      ("image/jpeg, parsed = (boolean) true, sof-marker = (int) 0, sampling = (string) { "
       "YCbCr-4:2:0, YCbCr-4:2:2, YCbCr-4:4:4, YCbCr-4:1:1, GRAYSCALE, RGB }, "
       "colorspace = (string) { sYUV, GRAY, sRGB }, width = (int) [ 1, " +
       most + " ], height = (int) [ 1, " + most + " ], framerate = (fraction) [ 0, max ]")
          .c_str());
}

GstCaps *jpeg_coded_caps(GstCaps *raw, bool cuda, const JpegSettings &settings,
                         const char *otherwise) {
  CapsRef result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(raw); i++) {
    if (!cuda && names_cuda(gst_caps_get_features(raw, i))) continue;
    GstStructure *coded = coded_structure(gst_caps_get_structure(raw, i), settings, otherwise);
    result.reset(gst_caps_merge_structure(result.release(), coded));
  }
  return result.release();
}

GstCaps *jpeg_raw_caps(GstCaps *coded, bool cuda, const JpegSettings &settings) {
  const CapsRef possible(jpeg_sink_template());
  CapsRef result(gst_caps_new_empty());
  for (guint i = 0; i < gst_caps_get_size(coded); i++)
    for (const Group group : {Group::yuv_420, Group::other_samples, Group::converted})
      if (GstStructure *raw =
              raw_structure(gst_caps_get_structure(coded, i),
                            gst_caps_get_structure(possible.get(), 0), settings, group))
        result.reset(gst_caps_merge_structure(result.release(), raw));
  return in_any_memory(result.release(), cuda);
}

std::string jpeg_conflict(const Conflict &conflict) {
  return conflict.media ? "downstream accepts no JPEG (image/jpeg)"
                        : conflict.ours + ", but downstream accepts " + conflict.theirs;
}

}  // namespace coalesce::gst
