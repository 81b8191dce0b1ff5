// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolvefilter.h"

namespace coalesce::gst {
namespace {

enum {
  PROP_0,
  PROP_TEXT,
  PROP_SECOND_TEXT,
  PROP_PRESET,
  PROP_SIZE,
  PROP_SIGMA,
  PROP_ANCHOR_X,
  PROP_ANCHOR_Y,
  PROP_CORRELATE,
  PROP_NORMALIZE,
  PROP_DIVISOR,
  PROP_BIAS,
  PROP_ABSOLUTE,
  PROP_BORDER,
  PROP_BORDER_VALUE,
  PROP_PLANES,
  PROP_FILTER_ALPHA,
  PROP_ALGORITHM,
};

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

GType algorithm_type() {
  static const GEnumValue values[] = {
      {int(ConvolveAlgorithm::automatic), "No frame so far", "none"},
      {int(ConvolveAlgorithm::copy), "Copied: the filter changes nothing", "copy"},
      {int(ConvolveAlgorithm::direct), "A multiplication for each element of the mask", "direct"},
      {int(ConvolveAlgorithm::separable), "Across, then down", "separable"},
      {0, nullptr, nullptr}};
  static const GType type = g_enum_register_static("GstConvolveAlgorithm", values);
  return type;
}

const ConvolveKind &kind_of(GstConvolveFilter *self) {
  return *GST_CONVOLVE_FILTER_GET_CLASS(self)->kind;
}

// ---- setting, under the object's lock ---------------------------------------------------------

void read_texts(GstConvolveFilter *self) {
  ConvolveWishes &wanted = self->state->wanted;
  wanted.problem.clear();
  kind_of(self).parse(wanted.text, &wanted.filter, &wanted.problem);
}

void set_text(GstConvolveFilter *self, int which, const gchar *text) {
  ConvolveState &state = *self->state;
  state.wanted.text[which] = text ? text : "";
  state.wanted.preset = 0;
  state.changes++;
  read_texts(self);
}

// After a change of preset, size or sigma. none leaves the texts as they are.
void follow_preset(GstConvolveFilter *self) {
  ConvolveWishes &wanted = self->state->wanted;
  std::string problem;
  if (wanted.preset == 0 ||
      kind_of(self).fill(wanted.preset, wanted.size, wanted.sigma, wanted.text, &problem)) {
    read_texts(self);
    return;
  }
  auto *values = static_cast<GEnumClass *>(g_type_class_ref(kind_of(self).preset_type));
  wanted.problem =
      std::string("preset=") + g_enum_get_value(values, wanted.preset)->value_nick + ": " + problem;
  g_type_class_unref(values);
}

// Is it a change?
template <class T>
bool assign(ConvolveState &state, T &field, T value) {
  if (field == value) return false;
  field = value;
  state.changes++;
  return true;
}

void set_number(ConvolveState &state, guint id, const GValue *value) {
  ConvolveWishes &wanted = state.wanted;
  FilterSettings &filter = wanted.filter;
  switch (id) {
    case PROP_ANCHOR_X:
      assign(state, filter.anchor_x, g_value_get_int(value));
      break;
    case PROP_ANCHOR_Y:
      assign(state, filter.anchor_y, g_value_get_int(value));
      break;
    case PROP_CORRELATE:
      assign(state, filter.correlate, g_value_get_boolean(value) != FALSE);
      break;
    case PROP_NORMALIZE:
      assign(state, filter.normalize, g_value_get_boolean(value) != FALSE);
      break;
    case PROP_DIVISOR:
      assign(state, filter.divisor, g_value_get_double(value));
      break;
    case PROP_BIAS:
      assign(state, filter.bias, g_value_get_double(value));
      break;
    case PROP_ABSOLUTE:
      assign(state, filter.absolute, g_value_get_boolean(value) != FALSE);
      break;
    case PROP_BORDER:
      assign(state, wanted.border, static_cast<Border>(g_value_get_enum(value)));
      break;
    case PROP_BORDER_VALUE:
      assign(state, wanted.border_value, g_value_get_int(value));
      break;
    case PROP_PLANES:
      assign(state, wanted.luma_only, g_value_get_enum(value) != 0);
      break;
    default:
      assign(state, wanted.filter_alpha, g_value_get_boolean(value) != FALSE);
  }
}

void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec) {
  auto *self = GST_CONVOLVE_FILTER(object);
  ConvolveState &state = *self->state;
  ConvolveWishes &wanted = state.wanted;
  bool preset_gone = false, refilled = false;
  GST_OBJECT_LOCK(self);
  switch (id) {
    case PROP_TEXT:
    case PROP_SECOND_TEXT:
      preset_gone = wanted.preset != 0;
      set_text(self, id == PROP_TEXT ? 0 : 1, g_value_get_string(value));
      break;
    case PROP_PRESET:
      refilled = assign(state, wanted.preset, g_value_get_enum(value));
      break;
    case PROP_SIZE:
      refilled = assign(state, wanted.size, g_value_get_int(value)) && wanted.preset != 0;
      break;
    case PROP_SIGMA:
      refilled = assign(state, wanted.sigma, g_value_get_double(value)) && wanted.preset != 0;
      break;
    default:
      if (id <= PROP_FILTER_ALPHA)
        set_number(state, id, value);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
  if (refilled) follow_preset(self);
  GST_OBJECT_UNLOCK(self);
  if (preset_gone) g_object_notify(object, "preset");
  for (const ConvolveKind::Text &text : kind_of(self).text)
    if (refilled && text.name != nullptr) g_object_notify(object, text.name);
}

// ---- reading ----------------------------------------------------------------------------------

void get_filter_property(const FilterSettings &filter, guint id, GValue *value) {
  switch (id) {
    case PROP_ANCHOR_X:
      g_value_set_int(value, filter.anchor_x);
      break;
    case PROP_ANCHOR_Y:
      g_value_set_int(value, filter.anchor_y);
      break;
    case PROP_CORRELATE:
      g_value_set_boolean(value, filter.correlate);
      break;
    case PROP_NORMALIZE:
      g_value_set_boolean(value, filter.normalize);
      break;
    case PROP_DIVISOR:
      g_value_set_double(value, filter.divisor);
      break;
    case PROP_BIAS:
      g_value_set_double(value, filter.bias);
      break;
    default:
      g_value_set_boolean(value, filter.absolute);
  }
}

void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec) {
  const ConvolveState &state = *GST_CONVOLVE_FILTER(object)->state;
  const ConvolveWishes &wanted = state.wanted;
  GST_OBJECT_LOCK(object);
  switch (id) {
    case PROP_TEXT:
    case PROP_SECOND_TEXT:
      g_value_set_string(value, wanted.text[id == PROP_TEXT ? 0 : 1].c_str());
      break;
    case PROP_PRESET:
      g_value_set_enum(value, wanted.preset);
      break;
    case PROP_SIZE:
      g_value_set_int(value, wanted.size);
      break;
    case PROP_SIGMA:
      g_value_set_double(value, wanted.sigma);
      break;
    case PROP_BORDER:
      g_value_set_enum(value, int(wanted.border));
      break;
    case PROP_BORDER_VALUE:
      g_value_set_int(value, wanted.border_value);
      break;
    case PROP_PLANES:
      g_value_set_enum(value, wanted.luma_only ? 1 : 0);
      break;
    case PROP_FILTER_ALPHA:
      g_value_set_boolean(value, wanted.filter_alpha);
      break;
    case PROP_ALGORITHM:
      g_value_set_enum(value, int(state.algorithm.load()));
      break;
    default:
      if (id >= PROP_ANCHOR_X && id <= PROP_ABSOLUTE)
        get_filter_property(wanted.filter, id, value);
      else
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
  }
  GST_OBJECT_UNLOCK(object);
}

// ---- descriptions -----------------------------------------------------------------------------

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
  object_class->set_property = set_property;
  object_class->get_property = get_property;
  install_masks(object_class, *klass->kind);
  install_numbers(object_class);
  install_planes(object_class);
  for (GType type : {border_type(), planes_type(), algorithm_type(), klass->kind->preset_type})
    gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
}

void convolve_notify_algorithm(GstConvolveFilter *self) {
  g_object_notify(G_OBJECT(self), "algorithm");
}

}  // namespace coalesce::gst
