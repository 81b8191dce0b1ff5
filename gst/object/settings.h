// SPDX-License-Identifier: LGPL-2.1-or-later
// What the properties of an element say. Any thread sets them; the streaming thread has one
// snapshot for a frame.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "object/objectlock.h"

namespace coalesce::gst {

// All functions are for any thread.
template <class T>
class Settings {
 public:
  // The element, whose lock guards them, outlives them.
  explicit Settings(gpointer element) : element_(element) {}
  Settings(const Settings &) = delete;
  Settings &operator=(const Settings &) = delete;

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

  // Changes within its scope are published together, at its end.
  class Hold {
   public:
    explicit Hold(Settings &settings) : settings_(settings) {
      ObjectLock lock(settings_.element_);
      settings_.held_ = settings_.wanted_;
    }
    ~Hold() {
      ObjectLock lock(settings_.element_);
      settings_.held_.reset();
      settings_.changes_++;
    }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

   private:
    Settings &settings_;
  };

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

// What is wrong with settings: a warning where others stay in use, else an error. Returns
// in_use_before.
bool post_settings_problem(gpointer element, const std::string &problem, bool in_use_before);

// `property="text"` for messages: at most so many bytes of the text, and in UTF-8.
std::string quote_setting(const char *property, const std::string &text, std::size_t longest);

}  // namespace coalesce::gst
