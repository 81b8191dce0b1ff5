// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolvecurrent.h"

#include <utility>

#include "video/pixelformat.h"

GST_DEBUG_CATEGORY_EXTERN(gst_convolve_debug);
#define GST_CAT_DEFAULT gst_convolve_debug

namespace coalesce::gst {
namespace {

// A preset in numbers would say nothing to who has set it.
std::string preset_problem(const ConvolveKind &kind, const ConvolveSettings &settings,
                           const std::string &text) {
  std::string problem = convolve_preset(kind, settings.preset);
  if (settings.size != 0) problem += " size=" + std::to_string(settings.size);
  if (settings.sigma != 0) problem += " sigma=" + mask_text({1, 1, {settings.sigma}});
  return problem + ": " + text;
}

// Of masks and numbers together.
std::string filter_problem(const ConvolveKind &kind, const ConvolveSettings &settings,
                           const FilterError &error) {
  for (int i = 0; i < 2; i++)
    if (kind.text[i].name != nullptr && error.property == kind.text[i].name)
      return settings.preset != 0
                 ? preset_problem(kind, settings, error.text)
                 : convolve_quote(kind.text[i].name, settings.text[i]) + ": " + error.text;
  const bool begins_with_value = g_ascii_isdigit(error.text[0]) || error.text[0] == '-';
  return error.property + (begins_with_value ? "=" : " ") + error.text;
}

void restore(ConvolvePart part, const ConvolveSettings &before, ConvolveSettings *settings) {
  switch (part) {
    case PART_TEXTS:
      settings->problem.clear();
      for (int i = 0; i < 2; i++)
        settings->text[i] = before.text[i];
      break;
    case PART_FILTER:
      static_cast<FilterSettings &>(*settings) = before;
      settings->blur = before.blur;
      break;
    case PART_BORDER:
      settings->border = before.border;
      settings->border_value = before.border_value;
      break;
    default:
      settings->luma_only = before.luma_only;
  }
}

}  // namespace

std::string ConvolveCurrentFilter::problem_of(ConvolvePart part, const ConvolveSettings &settings,
                                              const GstVideoInfo &info, Made *made) const {
  if (part == PART_TEXTS) return settings.problem;
  if (part == PART_BORDER) return border_problem(settings, info);
  if (part == PART_PLANES) return planes_problem(settings, info);
  const SampleDepth depth = sample_depth(pixel_format(info));
  if (settings.is_pyramid()) {
    const Status status = make_blur(settings.blur, depth, &made->blur);
    return status.ok() ? std::string() : status.message();
  }
  // A blur has nothing but its rows.
  FilterSettings wanted = settings;
  if (settings.blur != 0) {
    wanted = {};
    wanted.horizontal = settings.horizontal;
    wanted.vertical = settings.vertical;
  }
  FilterError error;
  return make_filter(wanted, depth, &made->filter, &error) ? std::string()
                                                           : filter_problem(kind_, settings, error);
}

// What cannot be met is replaced by what was used before. In a new format that may be wrong as
// well, and there is nothing else.
bool ConvolveCurrentFilter::settle(ConvolvePart part, const GstVideoInfo &info,
                                   ConvolveSettings *settings, Made *made) {
  Warning &last = warned_[part];
  const Warning now = {problem_of(part, *settings, info, made), settings->set[part]};
  if (now.problem.empty()) {
    last = {};
    return true;
  }
  if (any_) restore(part, in_use_, settings);
  any_ = any_ && problem_of(part, *settings, info, made).empty();
  if (any_ && last.problem == now.problem && last.set == now.set) return true;
  if (any_) last = now;
  return post_settings_problem(element_, now.problem, any_);
}

void ConvolveCurrentFilter::start(const ConvolveSettings &settings) {
  in_use_ = settings;
  any_ = true;
}

bool ConvolveCurrentFilter::update(const GstVideoInfo &info, bool new_format) {
  if (!new_format && changes_ == settings_.changes()) return true;
  ConvolveSettings settings = settings_.snapshot(&changes_);
  Made made;
  // Each part by itself: a bad mask does not keep a new border from being used.
  for (const ConvolvePart part : {PART_TEXTS, PART_FILTER, PART_BORDER, PART_PLANES})
    if (!settle(part, info, &settings, &made)) return false;
  any_ = true;
  in_use_ = std::move(settings);
  filter_ = std::move(made.filter);
  blur_ = std::move(made.blur);
  cache_.clear();
  warn_without_alpha(element_, in_use_, info, &without_alpha_);
  warn_cut();
  log();
  return true;
}

// Once for what has been set by hand, wherever a controlled sigma goes.
void ConvolveCurrentFilter::warn_cut() {
  const std::string text = convolve_cut(kind_, in_use_);
  const guint set = in_use_.set[PART_TEXTS];
  if (text.empty() || std::exchange(cut_set_, set) == set) return;
  GST_ELEMENT_WARNING(element_, LIBRARY, SETTINGS, ("%s", text.c_str()), (nullptr));
}

void ConvolveCurrentFilter::log() const {
  if (is_pyramid()) {
    GST_DEBUG_OBJECT(element_, "%s sigma=%g, a picture of 1/%d, on %s",
                     convolve_preset(kind_, in_use_.preset).c_str(), in_use_.blur,
                     1 << blur_.log2_factor, in_use_.luma_only ? "luma" : "all planes");
    return;
  }
  GST_DEBUG_OBJECT(element_, "%s, %dx%d %s%s taps, divisor %" G_GINT64_FORMAT ", on %s",
                   convolve_preset(kind_, in_use_.preset).c_str(), filter_.width, filter_.height,
                   filter_.exact ? "exact" : "rounded", filter_.separable ? ", separable" : "",
                   static_cast<gint64>(filter_.divisor), in_use_.luma_only ? "luma" : "all planes");
}

void ConvolveCurrentFilter::stop() {
  any_ = false;
  cache_.clear();
  cut_set_.reset();
  without_alpha_ = GST_VIDEO_FORMAT_UNKNOWN;
  changes_ = 0;
  for (Warning &warning : warned_)
    warning = {};
}

}  // namespace coalesce::gst
