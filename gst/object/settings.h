// SPDX-License-Identifier: LGPL-2.1-or-later
// What the properties of an element say. Any thread sets them; the streaming thread has one
// snapshot for a frame.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "object/objectlock.h"

namespace coalesce::gst {

// All functions are for any thread.
template <class T>
class Settings {
 public:
  // The element, whose lock guards them, outlives them.
  explicit Settings(gpointer element) : element_(element) {}

  // set(T &): is it a change? Where it throws, there is none.
  template <class Set>
  void change(Set set) {
    ObjectLock lock(element_);
    T changed = wanted_;
    if (!set(changed)) return;
    wanted_ = std::move(changed);
    changes_++;
  }
  // get(const T &), of what has been set, be it published or not.
  template <class Get>
  auto read(Get get) const {
    ObjectLock lock(element_);
    return get(wanted_);
  }

  // Changes meanwhile are published together, at the end.
  void hold() {
    ObjectLock lock(element_);
    held_ = wanted_;
  }
  void release() {
    ObjectLock lock(element_);
    held_.reset();
    changes_++;
  }
  bool is_held() const {
    ObjectLock lock(element_);
    return held_.has_value();
  }

  // What is published. *changes: the number of changes that it has seen.
  T snapshot(guint *changes = nullptr) const {
    ObjectLock lock(element_);
    if (changes != nullptr) *changes = changes_;
    return held_.value_or(wanted_);
  }
  guint changes() const { return changes_; }

 private:
  gpointer element_;
  T wanted_;
  std::optional<T> held_;  // published instead of `wanted_`
  std::atomic<guint> changes_{1};
};

// Does a control binding set the property, for every frame?
bool is_controlled(GObject *object, const GParamSpec *property);

// What is wrong with settings: a warning where others stay in use, else an error. Returns
// in_use_before.
bool post_settings_problem(gpointer element, const std::string &problem, bool in_use_before);

// A warning for each text, of what has been set and has no effect; empty ones are none.
void warn_of_ignored(gpointer element, const std::vector<std::string> &texts);

// As in "0.1", for messages.
std::string number_text(double number);

// What helps where a shell has removed the quotes of an empty text: gst-launch-1.0 then reads the
// next word, which is "!", as the value. Empty for other texts.
std::string quoting_hint(const char *property, const std::string &text,
                         const char *instead = "'\"\"'");

// `property="text"` for messages: at most so many bytes of the text, and in UTF-8.
std::string quote_setting(const char *property, const std::string &text, std::size_t longest);

}  // namespace coalesce::gst
