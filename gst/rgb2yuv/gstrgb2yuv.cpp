// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-rgb2yuv
 * @title: rgb2yuv
 *
 * 8-bit RGB to YUV. See docs/rgb2yuv.md.
 */
#include <algorithm>

#include "base/filter.h"
#include "rgb2yuv/rgb2yuv.h"
#include "video/colorimetry.h"

GST_DEBUG_CATEGORY_STATIC(gst_rgb2yuv_debug);
#define GST_CAT_DEFAULT gst_rgb2yuv_debug

using namespace coalesce;

#define SINK_FORMATS "{ RGB, BGR, RGBx, BGRx, xRGB, xBGR, RGBA, BGRA, ARGB, ABGR, GBR, RGBP, BGRP }"
#define SRC_FORMATS "{ Y444, AYUV, VUYA, Y42B, I420, YV12, NV12, NV21, YUY2, UYVY, GRAY8 }"

struct GstRgb2yuv {
  GstCoalesceFilter parent;
  Rgb2yuvParams params;
};
using GstRgb2yuvClass = GstCoalesceFilterClass;

G_DEFINE_TYPE(GstRgb2yuv, gst_rgb2yuv, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(rgb2yuv, "rgb2yuv", GST_RANK_NONE, gst_rgb2yuv_get_type())

namespace {

constexpr std::pair<GstVideoColorMatrix, YuvMatrix> kMatrices[] = {
    {GST_VIDEO_COLOR_MATRIX_FCC, YuvMatrix::fcc},
    {GST_VIDEO_COLOR_MATRIX_BT709, YuvMatrix::bt709},
    {GST_VIDEO_COLOR_MATRIX_SMPTE240M, YuvMatrix::smpte240m},
    {GST_VIDEO_COLOR_MATRIX_BT2020, YuvMatrix::bt2020}};

SampleRange sample_range(const GstVideoColorimetry &colorimetry) {
  return colorimetry.range == GST_VIDEO_COLOR_RANGE_16_235 ? SampleRange::limited
                                                           : SampleRange::full;
}

// Every colorimetry and site of one side goes with every one of the other.
gboolean convert_caps(GstCoalesceFilter *, GstPadDirection direction, guint alternative,
                      GstStructure *structure) {
  if (alternative > 0) return FALSE;
  gst_structure_remove_fields(structure, "colorimetry", "chroma-site", nullptr);
  gst::set_formats(structure, direction == GST_PAD_SINK ? SRC_FORMATS : SINK_FORMATS);
  return TRUE;
}

void fixate(GstCoalesceFilter *self, GstPadDirection direction, const GstStructure *given,
            GstStructure *result) {
  if (direction != GST_PAD_SINK) return;
  gst::fixate_colours(given, result);
  // GStreamer itself warns of some of these, but does not say what it found.
  for (const GstStructure *structure : {given, static_cast<const GstStructure *>(result)})
    if (const std::string found = gst::meaningless_colours(structure); !found.empty())
      GST_WARNING_OBJECT(self, "%s has no meaning here: the default is used", found.c_str());
}

gboolean set_info(GstCoalesceFilter *filter, const GstVideoInfo *in, const GstVideoInfo *out) {
  const GstVideoColorimetry colorimetry = gst::effective_colorimetry(*out);
  const GstVideoChromaSite site = gst::effective_chroma_site(*out);
  Rgb2yuvParams &params = reinterpret_cast<GstRgb2yuv *>(filter)->params;
  params.matrix = gst::entry_of(kMatrices, colorimetry.matrix, YuvMatrix::bt601);
  params.in_range = sample_range(gst::effective_colorimetry(*in));
  params.out_range = sample_range(colorimetry);
  params.h_cosited = (site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0;
  params.v_cosited = (site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0;
  constexpr const char *kNames[] = {"BT.601", "BT.709", "BT.2020", "SMPTE 240M", "FCC"};
  constexpr const char *kRanges[] = {"full", "limited"};
  GST_DEBUG_OBJECT(filter, "matrix %s, %s range to %s range, chroma cosited %s",
                   kNames[int(params.matrix)], kRanges[int(params.in_range)],
                   kRanges[int(params.out_range)],
                   params.h_cosited   ? params.v_cosited ? "in both directions" : "horizontally"
                   : params.v_cosited ? "vertically"
                                      : "in no direction");
  return TRUE;
}

Status run(GstCoalesceFilter *filter, const gst::Frame &in, const gst::Frame &out,
           const Queue &queue) {
  return rgb2yuv(reinterpret_cast<GstRgb2yuv *>(filter)->params, in.image(), out.image(), queue);
}

}  // namespace

static void gst_rgb2yuv_class_init(GstRgb2yuvClass *klass) {
  GST_DEBUG_CATEGORY_INIT(gst_rgb2yuv_debug, "coalesce-rgb2yuv", 0, "8-bit RGB to YUV");
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->convert_caps = convert_caps;
  filter_class->fixate = fixate;
  filter_class->set_info = set_info;
  filter_class->run = run;
  gst_coalesce_filter_class_add_templates(filter_class, SINK_FORMATS, SRC_FORMATS);
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "RGB to YUV",
                                        "Filter/Converter/Video/Colorspace",
                                        "Converts 8-bit RGB video to YUV or grey by the caps' "
                                        "matrix, range and chroma site, on the GPU or on the CPU",
                                        "The gst-coalesce authors");
}

static void gst_rgb2yuv_init(GstRgb2yuv *) {}
