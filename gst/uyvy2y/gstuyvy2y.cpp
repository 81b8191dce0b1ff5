// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-uyvy2y
 * @title: uyvy2y
 *
 * Luma of packed 4:2:2 video. See docs/uyvy2y.md.
 */
#include "base/filter.h"
#include "object/owned.h"
#include "uyvy2y/uyvy2y.h"
#include "video/colorimetry.h"

using namespace coalesce;

#define SINK_FORMATS "{ UYVY, YUY2, YVYU, VYUY }"
#define SRC_FORMATS "{ GRAY8, NV12, I420 }"

struct GstUyvy2y {
  GstCoalesceFilter parent;
};
using GstUyvy2yClass = GstCoalesceFilterClass;

G_DEFINE_TYPE(GstUyvy2y, gst_uyvy2y, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(uyvy2y, "uyvy2y", GST_RANK_NONE, gst_uyvy2y_get_type())

namespace {

// Luma keeps its meaning, so the source's colorimetry is spelled out on the output: GStreamer's
// default for GRAY8 is full range, luma from UYVY usually is not.
void keep_colorimetry(GstStructure *structure) {
  if (gst_structure_has_field(structure, "colorimetry")) return;
  if (const auto info = gst::default_info(structure))
    gst::set_text(structure, "colorimetry", gst_video_colorimetry_to_string(&info->colorimetry));
}

gboolean convert_caps(GstCoalesceFilter *, GstPadDirection direction, guint alternative,
                      GstStructure *structure) {
  // A source is asked for the colorimetry that downstream wants, and else need not name any.
  const bool ask = direction == GST_PAD_SRC && gst_structure_has_field(structure, "colorimetry");
  if (alternative > (ask ? 1u : 0u)) return FALSE;
  if (alternative == 1) gst_structure_remove_field(structure, "colorimetry");
  if (direction == GST_PAD_SINK) keep_colorimetry(structure);
  // Chroma is neutral everywhere on the output: it has no site.
  gst_structure_remove_field(structure, "chroma-site");
  gst::set_formats(structure, direction == GST_PAD_SINK ? SRC_FORMATS : SINK_FORMATS);
  return TRUE;
}

Status run(GstCoalesceFilter *, const gst::Frame &in, const gst::Frame &out, const Queue &queue) {
  return uyvy2y(in.image(), out.image(), queue);
}

}  // namespace

static void gst_uyvy2y_class_init(GstUyvy2yClass *klass) {
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->convert_caps = convert_caps;
  filter_class->run = run;
  gst_coalesce_filter_class_add_templates(filter_class, SINK_FORMATS, SRC_FORMATS);
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Luma of packed 4:2:2", "Filter/Converter/Video",
      "Extracts the luma of UYVY, YUY2, YVYU or VYUY video, on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_uyvy2y_init(GstUyvy2y *) {}
