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
#include "video/conversion.h"
#include "video/pixelformat.h"

using namespace coalesce;

struct GstUyvy2y {
  GstCoalesceFilter parent;
};
using GstUyvy2yClass = GstCoalesceFilterClass;

G_DEFINE_TYPE(GstUyvy2y, gst_uyvy2y, GST_TYPE_COALESCE_FILTER)
GST_ELEMENT_REGISTER_DEFINE(uyvy2y, "uyvy2y", GST_RANK_NONE, gst_uyvy2y_get_type())

namespace {

using Formats = std::vector<std::string>;

const PixelFormat &format_of(const std::string &name) {
  return gst::pixel_format(gst_video_format_from_string(name.c_str()));
}

const Formats &sink_formats() {
  static const Formats formats = gst::formats_where({"UYVY"}, &PixelFormat::is_packed_422);
  return formats;
}

const Formats &src_formats() {
  static const Formats formats = gst::formats_where(
      {"GRAY8", "NV12", "I420", "GRAY16_LE"},
      [](const PixelFormat &format) { return gst::family_of(format) == gst::kGrey; });
  return formats;
}

// Bytes stay bytes; more bits stay as many or become the upper ones of more.
bool becomes(const PixelFormat &in, const PixelFormat &out) {
  if (in.in_bytes() || out.in_bytes()) return in.in_bytes() == out.in_bytes();
  return in.component[0].bits <= out.component[0].bits;
}

Formats formats_for(const GstStructure *structure, GstPadDirection direction) {
  const bool from_sink = direction == GST_PAD_SINK;
  Formats found;
  for (const std::string &other : from_sink ? src_formats() : sink_formats())
    for (const std::string &given : gst::formats_in(structure))
      if (from_sink ? becomes(format_of(given), format_of(other))
                    : becomes(format_of(other), format_of(given))) {
        found.push_back(other);
        break;
      }
  return found;
}

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
  const Formats formats = formats_for(structure, direction);
  gst::set_formats(structure, gst::format_list(formats).c_str());
  return !formats.empty();
}

Status run(GstCoalesceFilter *, const gst::Frame &in, const gst::Frame &out, const Queue &queue) {
  const ConstImage from = in.image();
  if (from.format.in_bytes()) return uyvy2y(from, out.image(), queue);
  // A limited range has its depth changed by a shift, and luma keeps its range.
  ConvertParams params;
  params.in_range = params.out_range = SampleRange::limited;
  return convert(params, from, out.image(), queue);
}

}  // namespace

static void gst_uyvy2y_class_init(GstUyvy2yClass *klass) {
  auto *filter_class = GST_COALESCE_FILTER_CLASS(klass);
  filter_class->convert_caps = convert_caps;
  filter_class->run = run;
  gst_coalesce_filter_class_add_templates(filter_class, gst::format_list(sink_formats()).c_str(),
                                          gst::format_list(src_formats()).c_str());
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "Luma of packed 4:2:2",
                                        "Filter/Converter/Video",
                                        "Extracts the luma of packed 4:2:2 video such as UYVY, "
                                        "YUY2 or v210, on the GPU or on the CPU",
                                        "The gst-coalesce authors");
}

static void gst_uyvy2y_init(GstUyvy2y *) {}
