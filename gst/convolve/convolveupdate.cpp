// SPDX-License-Identifier: LGPL-2.1-or-later
// From what the properties say to what frames are filtered with.
#include "convolvefilter.h"
#include "convolveformat.h"
#include "core/objectlock.h"
#include "core/owned.h"

#define GST_CAT_DEFAULT gst_coalesce_debug

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
  return problem + ": " + text + "; use a larger divisor";
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

}  // namespace

namespace {

ConvolveWishes take_wishes(GstConvolveFilter *self, guint *changes) {
  const ObjectLock lock(self);
  *changes = self->state->changes;
  return self->state->wanted;
}

}  // namespace

bool convolve_check_texts(GstConvolveFilter *self) {
  guint changes;
  const std::string problem = take_wishes(self, &changes).problem;
  return problem.empty() || post_error(self, problem);
}

bool convolve_update(GstConvolveFilter *self, const GstVideoInfo &info, bool renewed) {
  ConvolveState &state = *self->state;
  if (state.changes == state.use.changes && !renewed) return true;
  guint changes;
  ConvolveWishes wishes = take_wishes(self, &changes);
  Filter filter;
  state.use.changes = changes;
  if (!settle_all(self, info, &wishes, &filter)) return false;
  state.use.any = true;
  state.use.wishes = std::move(wishes);
  state.use.filter = std::move(filter);
  state.use.cache.clear();
  return true;
}

std::string convolve_preset(const ConvolveKind &kind, int preset) {
  auto *values = static_cast<GEnumClass *>(g_type_class_ref(kind.preset_type));
  const char *nick = g_enum_get_value(values, preset)->value_nick;  // static, as all of them
  g_type_class_unref(values);
  return std::string("preset=") + nick;
}

std::string convolve_quote(const char *property, const std::string &text) {
  constexpr std::size_t kLongest = 400;
  const TextRef readable(g_utf8_make_valid(
      text.c_str(), static_cast<gssize>(text.size() < kLongest ? text.size() : kLongest)));
  return std::string(property) + "=\"" + readable.get() + (text.size() > kLongest ? "...\"" : "\"");
}

}  // namespace coalesce::gst
