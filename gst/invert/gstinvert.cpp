// SPDX-License-Identifier: LGPL-2.1-or-later
/**
 * SECTION:element-invert
 * @title: invert
 *
 * The negative of a picture. See docs/invert.md.
 */
#include "base/filter.h"
#include "invert/invert.h"
#include "video/pixelformat.h"

using namespace coalesce;

struct GstInvert {
  GstCoalesceFilter parent;
};
using GstInvertClass = GstCoalesceFilterClass;

G_DEFINE_TYPE(GstInvert, gst_invert, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(invert, "invert", GST_RANK_NONE, gst_invert_get_type())

static Status run(GstCoalesceFilter *, const gst::Frame &in, const gst::Frame &out,
                  const Queue &queue) {
  return invert(in.image(), out.image(), queue);
}

static void gst_invert_class_init(GstInvertClass *klass) {
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->run = run;
  const std::string formats = gst::all_formats();
  gst_coalesce_filter_class_add_templates(filter_class, formats.c_str(), formats.c_str());
  gst_element_class_set_static_metadata(
      GST_ELEMENT_CLASS(klass), "Negative", "Filter/Effect/Video",
      "Inverts luma, chroma and colours of video, on the GPU or on the CPU",
      "The gst-coalesce authors");
}

static void gst_invert_init(GstInvert *) {}
