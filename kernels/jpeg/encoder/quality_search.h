// SPDX-License-Identifier: LGPL-2.1-or-later
// The quality of a file with a limit of bytes: by bisection, the same steps on every back end.
#pragma once

namespace coalesce::jpeg {

// Which quality to try next, and which one is the result. It fits, and the one above it does not,
// unless it is `most`.
class QualitySearch {
 public:
  explicit QualitySearch(int most) : bad_(most + 1), next_(most) {}

  bool is_over() const { return next_ == 0; }
  int next() const { return next_; }
  int best() const { return good_; }  // 0: even a quality of 1 does not fit

  void tried(bool fits) {
    (fits ? good_ : bad_) = next_;
    next_ = bad_ - good_ > 1 ? (good_ + bad_) / 2 : 0;
  }

 private:
  int good_ = 0, bad_, next_;
};

}  // namespace coalesce::jpeg
