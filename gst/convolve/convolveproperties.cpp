// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolveproperties.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace coalesce::gst {
namespace {

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
  values[kPyramidAlgorithm] = {kPyramidAlgorithm, "A blur by way of a smaller picture", "pyramid"};
  return values;
}();
static_assert(kAlgorithms.back().value_nick == nullptr);
static_assert(algorithm_value(ConvolveAlgorithm(kPyramidAlgorithm)).value_nick == nullptr);

GType algorithm_type() {
  static const GType type = g_enum_register_static("GstConvolveAlgorithm", kAlgorithms.data());
  return type;
}

enum : guint {
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

using S = ConvolveSettings;

// nullptr if it is missing.
GParamSpec *text_property(const ConvolveKind::Text &text) {
  if (text.name == nullptr) return nullptr;
  constexpr auto kFlags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                                   GST_PARAM_MUTABLE_PLAYING);
  return g_param_spec_string(text.name, text.nick, text.blurb, text.initial, kFlags);
}

void add_masks(const ConvolveKind &kind, ConvolveProperties *table) {
  for (int i = 0; i < 2; i++)
    table->add([text = kind.text[i]] { return text_property(text); },
               [i](const S &s, GValue *value) { g_value_set_string(value, s.text[i].c_str()); },
               [i](S *s, const GValue *value) {
                 s->text[i] = value_of<std::string>(value);
                 return true;
               });
  table->set_flags(G_PARAM_READWRITE | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE);
  table->add(&S::preset,
             {"preset", "Preset",
              "Predefined coefficients. Setting a preset overwrites the coefficients, which can "
              "then be read; setting coefficients resets it to none"},
             kind.preset_type);
  table->add(&S::size,
             {"size", "Preset size",
              "Number of coefficients per row and column of the preset, if its size is variable (0 "
              "= derived from sigma, or 3 for presets without sigma)"},
             0, kind.max_size);
  table->add(&S::sigma,
             {"sigma", "Standard deviation",
              "Standard deviation of Gaussian presets in pixels, 0.1 to 100 (0 = derived from "
              "size, or 1 if size is 0)"},
             0, kMaxSigma);
  table->add(&S::anchor_x,
             {"anchor-x", "Anchor column",
              "Mask column that lies on the output pixel, counted from 0 (-1 = the middle column, "
              "or the left one of two)"},
             -1, kind.max_size - 1);
  table->add(&S::anchor_y,
             {"anchor-y", "Anchor row",
              "Mask row that lies on the output pixel, counted from 0 (-1 = the middle row, or the "
              "upper one of two)"},
             -1, kind.max_size - 1);
}

void add_numbers(ConvolveProperties *table) {
  table->add(&S::correlate, {"correlate", "Correlation",
                             "Correlation: apply the mask as written. Convolution, the default, "
                             "rotates the mask by 180 degrees"});
  table->add(&S::normalize,
             {"normalize", "Normalisation",
              "Default divisor and bias from the mask's sum: positive: divide by the sum; zero: "
              "add half of the sample range; negative: add the maximum sample value"});
  table->add(&S::divisor, {"divisor", "Divisor", "Divisor of the weighted sum (0 = by normalize)"},
             -G_MAXDOUBLE, G_MAXDOUBLE);
  table->add(&S::bias,
             {"bias", "Bias",
              "Offset added to filtered samples, except chroma, in sample values of the format, "
              "such as 128 (-1e18 = not set: by normalize)"},
             kAutomatic, -kAutomatic);
  table->add(&S::absolute, {"absolute", "Absolute value",
                            "Absolute value of the weighted sum. normalize has no effect then; "
                            "divisor and bias have, if set"});
}

// ---- values ----------------------------------------------------------------------------------

// Texts that are right end a blur. Those that are wrong leave it, as they leave the masks.
void read_texts(const ConvolveKind &kind, ConvolveSettings *settings) {
  settings->problem.clear();
  if (kind.parse(settings->text, settings, &settings->problem)) settings->blur = 0;
}

// After a change of preset, size or sigma. none leaves the texts as they are.
void follow_preset(const ConvolveKind &kind, ConvolveSettings *s) {
  std::string problem;
  if (s->preset != 0 && !kind.fill(s->preset, s->size, s->sigma, s->text, &problem)) {
    s->problem = convolve_preset(kind, s->preset) + ": " + problem;
    return;
  }
  read_texts(kind, s);
  if (s->preset == 0 || s->preset != kind.blur_preset) return;
  s->blur = s->sigma == 0 ? 1 : s->sigma;
  if (s->is_pyramid()) s->problem.clear();  // whatever is wrong with texts that are not used
}

// Notes what has been set by hand.
void count_setting(guint id, ConvolveSettings *s) {
  const bool of_texts = id <= PROP_SIGMA;
  if ((id == PROP_SIZE || id == PROP_SIGMA) && s->preset == 0) return;
  if (of_texts) s->set[PART_TEXTS]++;
  // Texts that are wrong leave the masks as they were.
  if (id <= PROP_ABSOLUTE && !(of_texts && !s->problem.empty())) s->set[PART_FILTER]++;
  if (id == PROP_BORDER || id == PROP_BORDER_VALUE) s->set[PART_BORDER]++;
  if (id == PROP_PLANES) s->set[PART_PLANES]++;
}

// Two sizes, or two sigmas, make one preset or two.
bool depends_on(const ConvolveKind &kind, int preset, guint property) {
  std::string one[2], other[2], problem;
  const bool sizes = property == PROP_SIZE;
  return kind.fill(preset, 5, 1, one, &problem) &&
         kind.fill(preset, sizes ? 7 : 5, sizes ? 1 : 2, other, &problem) &&
         !std::equal(one, one + 2, other);
}

// As in "box, gaussian or binomial".
std::string presets_with(const ConvolveKind &kind, guint property) {
  auto *values = static_cast<GEnumClass *>(g_type_class_peek(kind.preset_type));
  std::vector<std::string> names;
  for (guint i = 0; i < values->n_values; i++)
    if (depends_on(kind, values->values[i].value, property))
      names.emplace_back(values->values[i].value_nick);
  std::string list = names.front();
  for (std::size_t i = 1; i < names.size(); i++)
    list += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return list;
}

// The properties that a blur ignores.
std::vector<std::pair<const char *, bool>> settings_of_masks(const FilterSettings &s) {
  return {{"anchor-x", s.anchor_x != -1}, {"anchor-y", s.anchor_y != -1},
          {"correlate", s.correlate},     {"normalize=false", !s.normalize},
          {"divisor", s.divisor != 0},    {"bias", s.bias != kAutomatic},
          {"absolute", s.absolute}};
}

}  // namespace

const char *convolve_algorithm_nick(int algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)].value_nick;
}

std::vector<std::string> convolve_ignored(const ConvolveKind &kind,
                                          const ConvolveSettings &settings) {
  const auto text = [&](const std::string &setting, guint property) {
    return setting + " has no effect " +
           (settings.preset == 0 ? "without a preset"
                                 : "with " + convolve_preset(kind, settings.preset)) +
           "; it requires preset=" + presets_with(kind, property);
  };
  std::vector<std::string> texts;
  if (settings.size != 0 && !depends_on(kind, settings.preset, PROP_SIZE))
    texts.push_back(text("size=" + std::to_string(settings.size), PROP_SIZE));
  if (settings.sigma != 0 && !depends_on(kind, settings.preset, PROP_SIGMA))
    texts.push_back(text("sigma=" + mask_text({1, 1, {settings.sigma}}), PROP_SIGMA));
  if (settings.preset != 0 && settings.preset == kind.blur_preset)
    for (const auto &[name, is_set] : settings_of_masks(settings))
      if (is_set)
        texts.push_back(std::string(name) + " has no effect with " +
                        convolve_preset(kind, settings.preset));
  if (std::string ignored = ignored_border_value(settings); !ignored.empty())
    texts.push_back(std::move(ignored));
  return texts;
}

std::string convolve_cut(const ConvolveKind &kind, const ConvolveSettings &settings) {
  const int required = gaussian_size(settings.sigma), preset = settings.preset;
  if (preset == 0 || preset == kind.blur_preset || settings.size != 0 ||
      required <= kind.max_size || !depends_on(kind, preset, PROP_SIGMA))
    return {};
  return convolve_preset(kind, preset) + " sigma=" + mask_text({1, 1, {settings.sigma}}) +
         " requires " + std::to_string(required) + " coefficients a row, and the most are " +
         std::to_string(kind.max_size) +
         (preset == kind.gaussian_preset ? std::string("; use ") + kind.large_gaussian : "");
}

std::string convolve_text_problem(const char *property, const std::string &text,
                                  const std::string &why, bool may_be_empty) {
  const std::string problem = convolve_quote(property, text) + ": " + why;
  const char *unchanged = "\"1\" for no change";
  if (!may_be_empty && text.find_first_not_of(" \t\n\v\f\r") == std::string::npos)
    return problem + "; use " + property + "=" + unchanged;
  return problem +
         (may_be_empty ? quoting_hint(property, text) : quoting_hint(property, text, unchanged));
}

ConvolveProperties convolve_properties(const ConvolveKind &kind) {
  ConvolveProperties table;
  add_masks(kind, &table);
  add_numbers(&table);
  const GType border = border_type("GstConvolveBorder"), planes = planes_type("GstConvolvePlanes");
  add_channel_properties(&table, border, planes);
  for (GType type : {border, planes, algorithm_type(), kind.preset_type})
    gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0));
  return table;
}

GParamSpec *convolve_algorithm_property() {
  static_assert(PROP_ALGORITHM == kConvolveAlgorithm);
  return g_param_spec_enum("algorithm", "Algorithm",
                           "Algorithm of the last frame; all algorithms produce the same bytes",
                           algorithm_type(), int(ConvolveAlgorithm::automatic),
                           static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

void convolve_init_settings(const ConvolveKind &kind, ConvolveSettings *settings) {
  for (int i = 0; i < 2; i++)
    settings->text[i] = kind.text[i].initial;
  read_texts(kind, settings);
}

void convolve_set_property(GObject *object, Settings<ConvolveSettings> *settings,
                           const ConvolveKind &kind, const ConvolveProperties &properties, guint id,
                           const GValue *value, GParamSpec *pspec) {
  const bool is_text = id == PROP_TEXT || id == PROP_SECOND_TEXT;
  const bool by_hand = !is_controlled(object, pspec);
  bool preset_gone = false, refilled = false;
  settings->change([&](ConvolveSettings &s) {
    const bool changed = properties.set(id, &s, value);
    if (is_text) {
      preset_gone = std::exchange(s.preset, 0) != 0;
      read_texts(kind, &s);
    }
    refilled =
        changed && (id == PROP_PRESET || (s.preset != 0 && (id == PROP_SIZE || id == PROP_SIGMA)));
    if (refilled) follow_preset(kind, &s);
    if (changed && by_hand) count_setting(id, &s);
    return changed;
  });
  if (preset_gone) g_object_notify(object, "preset");
  for (const ConvolveKind::Text &text : kind.text)
    if (refilled && text.name != nullptr) g_object_notify(object, text.name);
}

std::string convolve_preset(const ConvolveKind &kind, int preset) {
  auto *values = static_cast<GEnumClass *>(g_type_class_ref(kind.preset_type));
  const char *nick = g_enum_get_value(values, preset)->value_nick;  // static, as all of them
  g_type_class_unref(values);
  return std::string("preset=") + nick;
}

}  // namespace coalesce::gst
