// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <utility>

namespace coalesce::gst {

// What is done at the end of a scope, also where an exception ends it. It must not throw.
template <class Body>
class OnExit {
 public:
  explicit OnExit(Body body) : body_(std::move(body)) {}
  ~OnExit() {
    if (wanted_) body_();
  }
  OnExit(const OnExit &) = delete;
  OnExit &operator=(const OnExit &) = delete;
  void dismiss() { wanted_ = false; }

 private:
  Body body_;
  bool wanted_ = true;
};

}  // namespace coalesce::gst
