// SPDX-License-Identifier: LGPL-2.1-or-later
// From what the properties say to what frames are filtered with.
#include <algorithm>
#include <vector>

#include "base/quotinghint.h"
#include "convolvefilter.h"
#include "convolveformat.h"

#define GST_CAT_DEFAULT gst_convolve_debug

namespace coalesce::gst {
namespace {

bool post_error(GstConvolveFilter *self, const std::string &problem) {
  GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("%s", problem.c_str()), (nullptr));
  return false;
}

// Unless it has been said, and nothing has been set since.
void post_warning(GstConvolveFilter *self, ConvolvePart part, guint set,
                  const std::string &problem) {
  ConvolveUse::Warning &last = self->state->use.warned[part];
  if (last.problem == problem && last.set == set) return;
  last = {problem, set};
  GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("%s", problem.c_str()),
                      ("the previous settings stay in use"));
}

// A preset in numbers would say nothing to who has set it.
std::string preset_problem(const ConvolveKind &kind, const ConvolveWishes &wishes,
                           const std::string &text) {
  std::string problem = convolve_preset(kind, wishes.preset);
  if (wishes.size != 0) problem += " size=" + std::to_string(wishes.size);
  if (wishes.sigma != 0) problem += " sigma=" + mask_text({1, 1, {wishes.sigma}});
  return problem + ": " + text;
}

std::string filter_problem(GstConvolveFilter *self, const ConvolveWishes &wishes,
                           const FilterError &error) {
  const ConvolveKind &kind = *GST_CONVOLVE_FILTER_GET_CLASS(self)->kind;
  for (int i = 0; i < 2; i++)
    if (kind.text[i].name != nullptr && error.property == kind.text[i].name)
      return wishes.preset != 0
                 ? preset_problem(kind, wishes, error.text)
                 : convolve_quote(kind.text[i].name, wishes.text[i]) + ": " + error.text;
  return error.property + " " + error.text;
}

// Of masks and numbers together. (The masks of a text that is wrong are the last right ones.)
std::string make(GstConvolveFilter *self, const ConvolveWishes &wishes, SampleDepth depth,
                 Filter *filter) {
  FilterError error;
  if (make_filter(wishes.filter, depth, filter, &error)) return {};
  return filter_problem(self, wishes, error);
}

std::string border_problem(const ConvolveWishes &wishes, const GstVideoInfo &info) {
  const int max = convolve_depth(info).max();
  if (wishes.border != Border::constant || wishes.border_value <= max) return {};
  return "border-value " + std::to_string(wishes.border_value) + " is more than " +
         std::to_string(max) + ", the largest sample of " + GST_VIDEO_INFO_NAME(&info);
}

std::string planes_problem(const ConvolveWishes &wishes, const GstVideoInfo &info) {
  if (!wishes.luma_only || !GST_VIDEO_INFO_IS_RGB(&info)) return {};
  return std::string("planes=luma: ") + GST_VIDEO_INFO_NAME(&info) + " has no luma; use planes=all";
}

// Checks one part of the wishes; what cannot be met is replaced by what was used before. In a new
// format that may be wrong as well, and there is nothing else.
template <class Check, class Restore>
bool settle(GstConvolveFilter *self, ConvolvePart part, guint set, Check check, Restore restore) {
  ConvolveUse &use = self->state->use;
  const std::string problem = check();
  if (problem.empty()) {
    use.warned[part] = {};
    return true;
  }
  if (!use.any) return post_error(self, problem);
  restore();
  if (check().empty()) {
    post_warning(self, part, set, problem);
    return true;
  }
  use.any = false;
  return post_error(self, problem);
}

// Each part by itself: a bad mask does not keep a new border from being used.
bool settle_all(GstConvolveFilter *self, const GstVideoInfo &info, ConvolveWishes *wishes,
                Filter *filter) {
  const ConvolveWishes &before = self->state->use.wishes;
  const auto settle_part = [self, wishes](ConvolvePart part, auto check, auto restore) {
    return settle(self, part, wishes->set[part], check, restore);
  };
  return settle_part(
             PART_TEXTS, [&] { return wishes->problem; },
             [&] {
               wishes->problem.clear();
               for (int i = 0; i < 2; i++)
                 wishes->text[i] = before.text[i];
             }) &&
         settle_part(
             PART_FILTER, [&] { return make(self, *wishes, convolve_depth(info), filter); },
             [&] { wishes->filter = before.filter; }) &&
         settle_part(
             PART_BORDER, [&] { return border_problem(*wishes, info); },
             [&] {
               wishes->border = before.border;
               wishes->border_value = before.border_value;
             }) &&
         settle_part(
             PART_PLANES, [&] { return planes_problem(*wishes, info); },
             [&] { wishes->luma_only = before.luma_only; });
}

// Two sizes, or two sigmas, make one preset or two.
bool depends_on(const ConvolveKind &kind, int preset, ConvolveProperty property) {
  std::string one[2], other[2], problem;
  const bool sizes = property == PROP_SIZE;
  return kind.fill(preset, 5, 1, one, &problem) &&
         kind.fill(preset, sizes ? 7 : 5, sizes ? 1 : 2, other, &problem) &&
         !std::equal(one, one + 2, other);
}

// As in "box, gaussian or binomial".
std::string presets_with(const ConvolveKind &kind, ConvolveProperty property) {
  auto *values = static_cast<GEnumClass *>(g_type_class_ref(kind.preset_type));
  std::vector<std::string> names;
  for (guint i = 0; i < values->n_values; i++)
    if (depends_on(kind, values->values[i].value, property))
      names.emplace_back(values->values[i].value_nick);
  g_type_class_unref(values);
  std::string list = names.front();
  for (std::size_t i = 1; i < names.size(); i++)
    list += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return list;
}

// What has been set and is ignored; empty if there is nothing.
std::string ignored(const ConvolveKind &kind, const ConvolveWishes &wishes) {
  const auto text = [&](const std::string &setting, ConvolveProperty property) {
    return setting + " has no effect " +
           (wishes.preset == 0 ? "without a preset"
                               : "with " + convolve_preset(kind, wishes.preset)) +
           "; it requires preset=" + presets_with(kind, property);
  };
  if (wishes.size != 0 && !depends_on(kind, wishes.preset, PROP_SIZE))
    return text("size=" + std::to_string(wishes.size), PROP_SIZE);
  if (wishes.sigma != 0 && !depends_on(kind, wishes.preset, PROP_SIGMA))
    return text("sigma=" + mask_text({1, 1, {wishes.sigma}}), PROP_SIGMA);
  return {};
}

}  // namespace

bool convolve_check_properties(GstConvolveFilter *self) {
  GST_OBJECT_LOCK(self);
  const ConvolveWishes wishes = self->state->wanted;
  GST_OBJECT_UNLOCK(self);
  if (!wishes.problem.empty()) return post_error(self, wishes.problem);
  const std::string problem = ignored(*GST_CONVOLVE_FILTER_GET_CLASS(self)->kind, wishes);
  if (!problem.empty())
    GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS, ("%s", problem.c_str()), (nullptr));
  return true;
}

bool convolve_update(GstConvolveFilter *self, const GstVideoInfo &info, bool renewed) {
  ConvolveState &state = *self->state;
  if (state.changes == state.use.changes && !renewed) return true;
  GST_OBJECT_LOCK(self);
  const guint changes = state.changes;
  ConvolveWishes wishes = state.wanted;
  GST_OBJECT_UNLOCK(self);

  Filter filter;
  state.use.changes = changes;
  if (!settle_all(self, info, &wishes, &filter)) return false;
  state.use.any = true;
  state.use.wishes = std::move(wishes);
  state.use.filter = std::move(filter);
  state.use.cache.clear();
  const Filter &f = state.use.filter;
  const ConvolveKind &kind = *GST_CONVOLVE_FILTER_GET_CLASS(self)->kind;
  GST_DEBUG_OBJECT(self, "%s, %dx%d %s%s taps, divisor %" G_GINT64_FORMAT ", on %s",
                   convolve_preset(kind, state.use.wishes.preset).c_str(), f.width, f.height,
                   f.exact ? "exact" : "rounded", f.separable ? ", separable" : "",
                   static_cast<gint64>(f.divisor),
                   state.use.wishes.luma_only ? "luma" : "all planes");
  return true;
}

std::string convolve_preset(const ConvolveKind &kind, int preset) {
  auto *values = static_cast<GEnumClass *>(g_type_class_ref(kind.preset_type));
  const std::string text = std::string("preset=") + g_enum_get_value(values, preset)->value_nick;
  g_type_class_unref(values);
  return text;
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

std::string convolve_quote(const char *property, const std::string &text) {
  constexpr std::size_t kLongest = 400;
  gchar *readable = g_utf8_make_valid(
      text.c_str(), static_cast<gssize>(text.size() < kLongest ? text.size() : kLongest));
  const std::string result =
      std::string(property) + "=\"" + readable + (text.size() > kLongest ? "...\"" : "\"");
  g_free(readable);
  return result;
}

}  // namespace coalesce::gst
