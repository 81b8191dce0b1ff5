// SPDX-License-Identifier: LGPL-2.1-or-later
#include "deinterlacecaps.h"

namespace coalesce::gst {
namespace {

// May a structure have this mode? Without the field it may have any.
bool may_be(const GstStructure *structure, const char *mode) {
  const GValue *value = gst_structure_get_value(structure, "interlace-mode");
  if (value == nullptr) return true;
  if (G_VALUE_HOLDS_STRING(value)) return g_str_equal(g_value_get_string(value), mode);
  for (guint i = 0; GST_VALUE_HOLDS_LIST(value) && i < gst_value_list_get_size(value); i++)
    if (g_strcmp0(g_value_get_string(gst_value_list_get_value(value, i)), mode) == 0) return true;
  return false;
}

void set_interlaced(GstStructure *structure) {
  GValue modes = G_VALUE_INIT, mode = G_VALUE_INIT;
  g_value_init(&modes, GST_TYPE_LIST);
  for (const char *name : {"interleaved", "mixed"}) {
    g_value_init(&mode, G_TYPE_STRING);
    g_value_set_static_string(&mode, name);
    gst_value_list_append_and_take_value(&modes, &mode);
  }
  gst_structure_take_value(structure, "interlace-mode", &modes);
}

// Times n / d, of a fraction or of both ends of a range, as far as the numbers go.
bool multiply(const GValue *fraction, int n, int d, int *out_n, int *out_d) {
  return gst_util_fraction_multiply(gst_value_get_fraction_numerator(fraction),
                                    gst_value_get_fraction_denominator(fraction), n, d, out_n,
                                    out_d);
}

void multiply_rate(GstStructure *structure, const char *field, int n, int d) {
  const GValue *rate = gst_structure_get_value(structure, field);
  if (rate == nullptr) return;
  int least[2] = {0, 1}, most[2] = {G_MAXINT, 1};
  if (GST_VALUE_HOLDS_FRACTION(rate)) {
    if (multiply(rate, n, d, &least[0], &least[1]))
      gst_structure_set(structure, field, GST_TYPE_FRACTION, least[0], least[1], nullptr);
    return;
  }
  if (GST_VALUE_HOLDS_FRACTION_RANGE(rate)) {
    (void)(multiply(gst_value_get_fraction_range_min(rate), n, d, &least[0], &least[1]) &&
           multiply(gst_value_get_fraction_range_max(rate), n, d, &most[0], &most[1]));
    gst_structure_set(structure, field, GST_TYPE_FRACTION_RANGE, least[0], least[1], most[0],
                      most[1], nullptr);
    return;
  }
  // Of a list nothing is known but that there are some.
  gst_structure_set(structure, field, GST_TYPE_FRACTION_RANGE, 0, 1, G_MAXINT, 1, nullptr);
}

// A structure of interlaced video to one of pictures, or back.
void convert(const DeinterlaceSettings &settings, bool to_source, GstStructure *structure) {
  gst_structure_remove_field(structure, "field-order");
  if (settings.fields == DeinterlaceFields::all)
    for (const char *field : {"framerate", "max-framerate"})
      multiply_rate(structure, field, to_source ? 2 : 1, to_source ? 1 : 2);
}

}  // namespace

bool deinterlace_caps(const DeinterlaceSettings &settings, GstPadDirection direction, guint n,
                      GstStructure *structure) {
  const bool to_source = direction == GST_PAD_SINK;
  if (settings.mode == DeinterlaceMode::disabled) return n == 0;
  if (settings.mode == DeinterlaceMode::interlaced) {
    if (n > 0 || (!to_source && !may_be(structure, "progressive"))) return false;
    convert(settings, to_source, structure);
    if (to_source)
      gst_structure_set(structure, "interlace-mode", G_TYPE_STRING, "progressive", nullptr);
    else
      gst_structure_remove_field(structure, "interlace-mode");
    return true;
  }
  // auto: pictures pass, and fields become pictures.
  // Caps that say nothing are progressive.
  if (to_source && !gst_structure_has_field(structure, "interlace-mode")) return n == 0;
  const bool progressive = may_be(structure, "progressive");
  const bool interlaced = may_be(structure, "interleaved") || may_be(structure, "mixed");
  if (progressive && n == 0) {
    // (Upstream is told of progressive only where it must be: GStreamer's interlace takes the first
    // mode that it sees.)
    if (!to_source && interlaced)
      gst_structure_remove_field(structure, "interlace-mode");
    else
      gst_structure_set(structure, "interlace-mode", G_TYPE_STRING, "progressive", nullptr);
    return true;
  }
  if (n > (progressive ? 1u : 0u) || (to_source ? !interlaced : !progressive)) return false;
  convert(settings, to_source, structure);
  if (to_source)
    gst_structure_set(structure, "interlace-mode", G_TYPE_STRING, "progressive", nullptr);
  else
    set_interlaced(structure);
  return true;
}

}  // namespace coalesce::gst
