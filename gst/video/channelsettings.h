// SPDX-License-Identifier: LGPL-2.1-or-later
// Which settings of a filter of neighbourhoods are in use: the last that frames can have.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "channels.h"
#include "object/settings.h"

namespace coalesce::gst {

// What an element has beside border and planes, and why frames of any format cannot have it.
template <class S>
struct OwnPart {
  // What is wrong with it; empty if nothing is.
  std::string (*problem)(const S &settings);
  // Makes it what it was.
  void (*restore)(const S &before, S *settings);
};

// Of settings with a `window`.
template <class S>
const OwnPart<S> kOddWindow = {[](const S &s) -> std::string {
                                 if (s.window % 2 == 1) return {};
                                 return "window-size=" + std::to_string(s.window) +
                                        ": a window requires an odd number";
                               },
                               [](const S &before, S *s) { s->window = before.window; }};

// The streaming thread's. S is made on ChannelSettings, or has neither border nor planes.
template <class S>
class SettingsInUse {
 public:
  // The element outlives this. Whatever else than own parts it has is sound.
  template <class... Parts>
  explicit SettingsInUse(gpointer element, const Parts &...own) : element_(element), own_{own...} {}

  // At the start: an error, and false, if an own part cannot be used. Otherwise these settings are
  // in use, so that a wrong value from now on is a warning, before the first frame, too.
  bool start(const S &settings) {
    std::string problem;
    for (const OwnPart<S> &part : own_)
      append(part.problem(settings), &problem);
    if (!problem.empty()) return post_settings_problem(element_, problem, false);
    in_use_ = settings;
    any_ = true;
    return true;
  }

  // Follows the settings, for frames of `info`: use(S) is called with them if they or the format
  // are new. Own parts, border and planes are refused each by itself: what frames cannot have stays
  // as it was, with one warning. If that cannot be used either, it is an error, and false.
  template <class Use>
  bool follow(const Settings<S> &settings, const GstVideoInfo &info, bool new_format, Use use) {
    if (!new_format && changes_ == settings.changes()) return true;
    S wanted = settings.snapshot(&changes_);
    std::string problem;
    bool sound = true;  // what is left
    const auto check = [&](auto problem_of, auto restore) {
      const std::string text = problem_of(wanted);
      if (text.empty()) return;
      append(text, &problem);
      restore();
      sound = sound && problem_of(wanted).empty();
    };
    for (const OwnPart<S> &part : own_)
      check(part.problem, [&] { part.restore(in_use_, &wanted); });
    if constexpr (kHasChannels) {
      check([&info](const S &s) { return border_problem(s, info); },
            [&] { wanted.border = in_use_.border, wanted.border_value = in_use_.border_value; });
      check([&info](const S &s) { return planes_problem(s, info); },
            [&] { wanted.luma_only = in_use_.luma_only; });
    }
    any_ = any_ && sound;
    if (!problem.empty()) {
      if (!any_) return post_settings_problem(element_, problem, false);
      if (problem != last_problem_) (void)post_settings_problem(element_, problem, true);
    }
    last_problem_ = problem;
    any_ = true;
    in_use_ = wanted;
    if constexpr (kHasChannels) warn_without_alpha(element_, in_use_, info, &without_alpha_);
    use(in_use_);
    return true;
  }

  const S &operator*() const { return in_use_; }
  const S *operator->() const { return &in_use_; }

  // Nothing is in use.
  void stop() {
    any_ = false;
    last_problem_.clear();
    without_alpha_ = GST_VIDEO_FORMAT_UNKNOWN;
  }

 private:
  static constexpr bool kHasChannels = std::is_base_of_v<ChannelSettings, S>;

  static void append(const std::string &text, std::string *texts) {
    if (!text.empty()) *texts += (texts->empty() ? "" : "; ") + text;
  }

  gpointer element_;
  const std::vector<OwnPart<S>> own_;
  guint changes_ = 0;  // that have been seen
  bool any_ = false;   // `in_use_` is of the start, of this format or another one
  S in_use_;
  std::string last_problem_;  // lest it be reported for every frame
  GstVideoFormat without_alpha_ = GST_VIDEO_FORMAT_UNKNOWN;
};

}  // namespace coalesce::gst
