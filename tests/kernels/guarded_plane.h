// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstring>
#include <vector>

#include "../support/random.h"
#include "core/plane.h"

namespace coalesce::test {

// A plane of any pitch with bytes around its rows that nobody may write.
template <class T>
class GuardedPlane {
 public:
  GuardedPlane(int width, int height, Random &random)
      : pitch_(static_cast<std::size_t>(width + random.below(9)) * sizeof(T)),
        before_(static_cast<std::size_t>(random.between(1, 9)) * sizeof(T)),
        bytes_(before_ + pitch_ * static_cast<std::size_t>(height) + 8 * sizeof(T), kGuard) {
    plane_ = {reinterpret_cast<T *>(bytes_.data() + before_), width, height, pitch_};
  }
  GuardedPlane(const GuardedPlane &) = delete;
  GuardedPlane &operator=(const GuardedPlane &) = delete;

  const Plane<T> &plane() const { return plane_; }
  T &at(int x, int y) const { return plane_.row(y)[x]; }

  bool guards_hold() const {
    const std::size_t rows_end = before_ + pitch_ * static_cast<std::size_t>(plane_.height);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const bool in_a_row = i >= before_ && i < rows_end && (i - before_) % pitch_ < row_bytes();
      if (!in_a_row && bytes_[i] != kGuard) return false;
    }
    return true;
  }

  bool operator==(const GuardedPlane &other) const {
    for (int y = 0; y < plane_.height; ++y)
      if (std::memcmp(plane_.row(y), other.plane_.row(y), row_bytes()) != 0) return false;
    return true;
  }

 private:
  static constexpr unsigned char kGuard = 0xA5;

  std::size_t row_bytes() const { return static_cast<std::size_t>(plane_.width) * sizeof(T); }

  std::size_t pitch_, before_;
  std::vector<unsigned char> bytes_;
  Plane<T> plane_;
};

}  // namespace coalesce::test
