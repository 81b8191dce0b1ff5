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

// Pictures a frame. 0: none.
struct Rate {
  int n = 0, d = 1;
};

Rate ratio_of(DeinterlaceRate rate) {
  return rate == DeinterlaceRate::film    ? Rate{4, 5}
         : rate == DeinterlaceRate::field ? Rate{2, 1}
                                          : Rate{1, 1};
}

DeinterlaceRate rate_of_video(const DeinterlaceSettings &settings) {
  return settings.fields == DeinterlaceFields::all ? DeinterlaceRate::field
                                                   : DeinterlaceRate::frame;
}

DeinterlaceRate rate_of(const DeinterlaceSettings &settings) {
  if (settings.pattern == DeinterlacePattern::three_two) return DeinterlaceRate::film;
  if (settings.pattern == DeinterlacePattern::two_two) return DeinterlaceRate::frame;
  return rate_of_video(settings);
}

Rate nth_ratio(const DeinterlaceSettings &settings, DeinterlaceRate wanted, guint n) {
  if (settings.pattern != DeinterlacePattern::automatic)
    return n == 0 ? ratio_of(rate_of(settings)) : Rate{};
  for (DeinterlaceRate rate : {wanted, rate_of_video(settings), DeinterlaceRate::film,
                               DeinterlaceRate::frame, DeinterlaceRate::field}) {
    if (rate == DeinterlaceRate::field && rate_of_video(settings) != rate) continue;
    if (n-- == 0) return ratio_of(rate);
  }
  return {};
}

// A structure of interlaced video to one of pictures, or back.
void convert(Rate ratio, bool to_source, GstStructure *structure) {
  gst_structure_remove_field(structure, "field-order");
  if (ratio.n == ratio.d) return;
  for (const char *field : {"framerate", "max-framerate"})
    multiply_rate(structure, field, to_source ? ratio.n : ratio.d, to_source ? ratio.d : ratio.n);
}

}  // namespace

bool deinterlace_caps(const DeinterlaceSettings &settings, DeinterlaceRate wanted,
                      GstPadDirection direction, guint n, GstStructure *structure) {
  const bool to_source = direction == GST_PAD_SINK;
  if (settings.mode == DeinterlaceMode::disabled) return n == 0;
  if (settings.mode == DeinterlaceMode::interlaced) {
    const Rate ratio = nth_ratio(settings, wanted, n);
    if (ratio.n == 0 || (!to_source && !may_be(structure, "progressive"))) return false;
    convert(ratio, to_source, structure);
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
  const Rate ratio = nth_ratio(settings, wanted, n - (progressive ? 1 : 0));
  if (ratio.n == 0 || (to_source ? !interlaced : !progressive)) return false;
  convert(ratio, to_source, structure);
  if (to_source)
    gst_structure_set(structure, "interlace-mode", G_TYPE_STRING, "progressive", nullptr);
  else
    set_interlaced(structure);
  return true;
}

DeinterlaceRate deinterlace_rate(const DeinterlaceSettings &settings, const GstVideoInfo &in,
                                 const GstVideoInfo &out) {
  if (GST_VIDEO_INFO_FPS_N(&in) <= 0) return rate_of(settings);
  const auto is = [&](Rate ratio) {
    int n = 0, d = 1;
    return gst_util_fraction_multiply(GST_VIDEO_INFO_FPS_N(&in), GST_VIDEO_INFO_FPS_D(&in), ratio.n,
                                      ratio.d, &n, &d) &&
           gst_util_fraction_compare(n, d, GST_VIDEO_INFO_FPS_N(&out),
                                     GST_VIDEO_INFO_FPS_D(&out)) == 0;
  };
  for (DeinterlaceRate rate : {DeinterlaceRate::film, DeinterlaceRate::field})
    if (is(ratio_of(rate))) return rate;
  return DeinterlaceRate::frame;
}

}  // namespace coalesce::gst
