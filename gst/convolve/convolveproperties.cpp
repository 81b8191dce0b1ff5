// SPDX-License-Identifier: LGPL-2.1-or-later
// The descriptions of the properties.
#include <array>
#include <tuple>

#include "convolvefilter.h"

namespace coalesce::gst {
namespace {

GType border_type() {
  static const GEnumValue values[] = {
      {int(Border::replicate), "aaa|abcd|ddd: the nearest sample", "replicate"},
      {int(Border::reflect), "cba|abcd|dcb: mirrored, the edge repeated", "reflect"},
      {int(Border::reflect_101), "dcb|abcd|cba: mirrored, the edge not repeated", "reflect-101"},
      {int(Border::wrap), "bcd|abcd|abc: from the other side", "wrap"},
      {int(Border::constant), "kkk|abcd|kkk: border-value", "constant"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstConvolveBorder", values);
  return type;
}

GType planes_type() {
  static const GEnumValue values[] = {
      {0, "All planes", "all"}, {1, "Luma; chroma is copied", "luma"}, {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstConvolvePlanes", values);
  return type;
}

// As a switch, so that the compiler misses an algorithm that is new. What is none ends the list.
constexpr GEnumValue algorithm_value(ConvolveAlgorithm algorithm) {
  switch (algorithm) {
    case ConvolveAlgorithm::automatic:
      return {int(algorithm), "No frame so far", "none"};
    case ConvolveAlgorithm::copy:
      return {int(algorithm), "Copied: the filter changes nothing", "copy"};
    case ConvolveAlgorithm::direct:
      return {int(algorithm), "A multiplication for each element of the mask", "direct"};
    case ConvolveAlgorithm::separable:
      return {int(algorithm), "Across, then down", "separable"};
  }
  return {0, nullptr, nullptr};
}

constexpr auto kAlgorithms = [] {
  std::array<GEnumValue, 16> values{};
  for (std::size_t i = 0; i < values.size(); i++)
    values[i] = algorithm_value(static_cast<ConvolveAlgorithm>(i));
  return values;
}();
static_assert(kAlgorithms.back().value_nick == nullptr);

GType algorithm_type() {
  static const GType type = g_enum_register_static("GstConvolveAlgorithm", kAlgorithms.data());
  return type;
}

constexpr auto kText = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                GST_PARAM_MUTABLE_PLAYING);
constexpr auto kNumber = static_cast<GParamFlags>(kText | GST_PARAM_CONTROLLABLE);

void install_masks(GObjectClass *object_class, const ConvolveKind &kind) {
  const auto install = [object_class](guint id, GParamSpec *pspec) {
    g_object_class_install_property(object_class, id, pspec);
  };
  for (guint i = 0; i < 2; i++) {
    const ConvolveKind::Text &text = kind.text[i];
    if (text.name != nullptr)
      install(PROP_TEXT + i,
              g_param_spec_string(text.name, text.nick, text.blurb, text.initial, kText));
  }
  install(PROP_PRESET,
          g_param_spec_enum("preset", "Known mask",
                            "A mask that has a name. Setting it fills in the mask, which can be "
                            "read then; setting a mask sets this to none",
                            kind.preset_type, 0, kNumber));
  install(PROP_SIZE,
          g_param_spec_int("size", "Size of the preset",
                           "Rows and columns of presets that come in many sizes; some take odd "
                           "sizes only (0 = the preset's own, or by sigma)",
                           0, kind.max_size, 0, kNumber));
  install(PROP_SIGMA,
          g_param_spec_double("sigma", "Standard deviation",
                              "Of presets made of a Gaussian, in pixels, 0.1 to 100 (0 = by size)",
                              0, kMaxSigma, 0, kNumber));
  for (const auto &[id, name, nick, blurb] :
       {std::tuple{PROP_ANCHOR_X, "anchor-x", "Anchor, column",
                   "Column of the mask, from 0, that lies on the pixel (-1 = the middle, of even "
                   "sizes the column before it)"},
        {PROP_ANCHOR_Y, "anchor-y", "Anchor, row",
         "Row of the mask, from 0, that lies on the pixel (-1 = the middle, of even sizes the row "
         "before it)"}})
    install(static_cast<guint>(id),
            g_param_spec_int(name, nick, blurb, -1, kind.max_size - 1, -1, kNumber));
}

void install_numbers(GObjectClass *object_class) {
  const auto install = [object_class](guint id, GParamSpec *pspec) {
    g_object_class_install_property(object_class, id, pspec);
  };
  install(PROP_CORRELATE,
          g_param_spec_boolean("correlate", "Correlation",
                               "Lay the mask on the picture as it is written, instead of turning "
                               "it by 180 degrees as convolution does",
                               FALSE, kNumber));
  install(PROP_NORMALIZE,
          g_param_spec_boolean("normalize", "Normalisation",
                               "Divide by the sum of the mask if that is above 0; if it is 0, add "
                               "half of the samples' range; if it is below, add the largest sample",
                               TRUE, kNumber));
  install(PROP_DIVISOR, g_param_spec_double("divisor", "Divisor",
                                            "Divide the sum by this number (0 = by normalize)",
                                            -G_MAXDOUBLE, G_MAXDOUBLE, 0, kNumber));
  install(PROP_BIAS,
          g_param_spec_double("bias", "Bias",
                              "Add this to every filtered sample but those of chroma, in units of "
                              "the format's samples (the default, the lowest number that a double "
                              "has = by normalize)",
                              kAutomatic, G_MAXDOUBLE, kAutomatic, kNumber));
  install(PROP_ABSOLUTE,
          g_param_spec_boolean("absolute", "Absolute value",
                               "Take the absolute value of the sum, which is divided by divisor "
                               "only and has no bias unless one is set",
                               FALSE, kNumber));
}

void install_planes(GObjectClass *object_class) {
  const auto install = [object_class](guint id, GParamSpec *pspec) {
    g_object_class_install_property(object_class, id, pspec);
  };
  install(PROP_BORDER, g_param_spec_enum("border", "Border", "What stands outside the picture",
                                         border_type(), int(Border::replicate), kNumber));
  install(PROP_BORDER_VALUE,
          g_param_spec_int("border-value", "Value of the border",
                           "What stands there if border=constant, in units of the format's samples "
                           "(to 255, 1023 or 65535); for chroma it is the middle of its range",
                           0, 65535, 0, kNumber));
  install(PROP_PLANES, g_param_spec_enum("planes", "Planes",
                                         "What is filtered; the rest is copied. RGB has no luma",
                                         planes_type(), 0, kNumber));
  install(PROP_FILTER_ALPHA,
          g_param_spec_boolean("filter-alpha", "Filter alpha",
                               "Filter alpha like luma, instead of copying it", FALSE, kNumber));
  install(
      PROP_ALGORITHM,
      g_param_spec_enum("algorithm", "Algorithm",
                        "How the last frame was computed. The bytes are the same whichever it is",
                        algorithm_type(), int(ConvolveAlgorithm::automatic),
                        static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

}  // namespace

void convolve_install_properties(GstConvolveFilterClass *klass) {
  auto *object_class = G_OBJECT_CLASS(klass);
  // GObject does not inherit these two.
  object_class->set_property = convolve_set_property;
  object_class->get_property = convolve_get_property;
  install_masks(object_class, *klass->kind);
  install_numbers(object_class);
  install_planes(object_class);
  for (GType type : {border_type(), planes_type(), algorithm_type(), klass->kind->preset_type})
    gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
}

}  // namespace coalesce::gst
