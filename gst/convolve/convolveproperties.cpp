// SPDX-License-Identifier: LGPL-2.1-or-later
// The descriptions of the properties.
#include <array>
#include <tuple>

#include "convolvefilter.h"

namespace coalesce::gst {
namespace {

GType border_type() {
  static const GEnumValue values[] = {
      {int(Border::replicate), "aaa|abcd|ddd: nearest sample", "replicate"},
      {int(Border::reflect), "cba|abcd|dcb: mirrored, edge sample repeated", "reflect"},
      {int(Border::reflect_101), "dcb|abcd|cba: mirrored, edge sample not repeated", "reflect-101"},
      {int(Border::wrap), "bcd|abcd|abc: samples of the opposite edge", "wrap"},
      {int(Border::constant), "kkk|abcd|kkk: value of the property border-value", "constant"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstConvolveBorder", values);
  return type;
}

GType planes_type() {
  static const GEnumValue values[] = {
      {0, "All planes, except alpha without filter-alpha", "all"},
      {1, "Luma only; an error with RGB formats, which have no luma", "luma"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstConvolvePlanes", values);
  return type;
}

// As a switch, so that the compiler misses an algorithm that is new. What is none ends the list.
constexpr GEnumValue algorithm_value(ConvolveAlgorithm algorithm) {
  switch (algorithm) {
    case ConvolveAlgorithm::automatic:
      return {int(algorithm), "No frame yet", "none"};
    case ConvolveAlgorithm::copy:
      return {int(algorithm), "Copy, because the filter changes nothing", "copy"};
    case ConvolveAlgorithm::direct:
      return {int(algorithm), "One multiplication per mask coefficient", "direct"};
    case ConvolveAlgorithm::separable:
      return {int(algorithm), "A row filter, then a column filter", "separable"};
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
  install(PROP_PRESET, g_param_spec_enum(
                           "preset", "Preset",
                           "Predefined coefficients. Setting a preset overwrites the coefficients, "
                           "which can then be read; setting coefficients resets it to none",
                           kind.preset_type, 0, kNumber));
  install(PROP_SIZE,
          g_param_spec_int("size", "Preset size",
                           "Number of coefficients per row and column of the preset, if its size "
                           "is variable (0 = derived from sigma, or 3 for presets without sigma)",
                           0, kind.max_size, 0, kNumber));
  install(PROP_SIGMA,
          g_param_spec_double("sigma", "Standard deviation",
                              "Standard deviation of Gaussian presets in pixels, 0.1 to 100 "
                              "(0 = derived from size, or 1 if size is 0)",
                              0, kMaxSigma, 0, kNumber));
  for (const auto &[id, name, nick, blurb] :
       {std::tuple{PROP_ANCHOR_X, "anchor-x", "Anchor column",
                   "Mask column that lies on the output pixel, counted from 0 (-1 = the middle "
                   "column, or the left one of two)"},
        {PROP_ANCHOR_Y, "anchor-y", "Anchor row",
         "Mask row that lies on the output pixel, counted from 0 (-1 = the middle row, or the "
         "upper one of two)"}})
    install(static_cast<guint>(id),
            g_param_spec_int(name, nick, blurb, -1, kind.max_size - 1, -1, kNumber));
}

void install_numbers(GObjectClass *object_class) {
  const auto install = [object_class](guint id, GParamSpec *pspec) {
    g_object_class_install_property(object_class, id, pspec);
  };
  install(PROP_CORRELATE,
          g_param_spec_boolean("correlate", "Correlation",
                               "Correlation: apply the mask as written. Convolution, the default, "
                               "rotates the mask by 180 degrees",
                               FALSE, kNumber));
  install(PROP_NORMALIZE,
          g_param_spec_boolean("normalize", "Normalisation",
                               "Default divisor and bias from the mask's sum: positive: divide "
                               "by the sum; zero: add half of the sample range; negative: add the "
                               "maximum sample value",
                               TRUE, kNumber));
  install(PROP_DIVISOR, g_param_spec_double("divisor", "Divisor",
                                            "Divisor of the weighted sum (0 = by normalize)",
                                            -G_MAXDOUBLE, G_MAXDOUBLE, 0, kNumber));
  install(PROP_BIAS,
          g_param_spec_double("bias", "Bias",
                              "Offset added to filtered samples, except chroma, in sample values "
                              "of the format, such as 128 (-1e18 = by normalize)",
                              kAutomatic, -kAutomatic, kAutomatic, kNumber));
  install(PROP_ABSOLUTE,
          g_param_spec_boolean("absolute", "Absolute value",
                               "Absolute value of the weighted sum. normalize has no effect then; "
                               "divisor and bias have, if set",
                               FALSE, kNumber));
}

void install_planes(GObjectClass *object_class) {
  const auto install = [object_class](guint id, GParamSpec *pspec) {
    g_object_class_install_property(object_class, id, pspec);
  };
  install(PROP_BORDER, g_param_spec_enum("border", "Border", "Sample values outside the picture",
                                         border_type(), int(Border::replicate), kNumber));
  install(PROP_BORDER_VALUE,
          g_param_spec_int("border-value", "Border value",
                           "Sample value outside the picture with border=constant: 0 to 255, 1023 "
                           "or 65535, by the format's bits. Chroma has the middle of its range",
                           0, 65535, 0, kNumber));
  install(PROP_PLANES,
          g_param_spec_enum("planes", "Planes", "Planes that are filtered; the others are copied",
                            planes_type(), 0, kNumber));
  install(PROP_FILTER_ALPHA,
          g_param_spec_boolean("filter-alpha", "Filter alpha",
                               "Filter the alpha channel like luma instead of copying it", FALSE,
                               kNumber));
  install(PROP_ALGORITHM,
          g_param_spec_enum("algorithm", "Algorithm",
                            "Algorithm of the last frame; all algorithms produce the same bytes",
                            algorithm_type(), int(ConvolveAlgorithm::automatic),
                            static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
}

}  // namespace

const char *convolve_algorithm_nick(ConvolveAlgorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)].value_nick;
}

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
