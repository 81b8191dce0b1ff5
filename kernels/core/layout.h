// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

namespace coalesce {

// Arrays behind each other in one piece of memory, each aligned to 256 bytes.
class Layout {
 public:
  // Where it begins.
  template <class T>
  std::size_t add(std::size_t count) {
    constexpr std::size_t kAlign = 256;
    const std::size_t at = end_;
    end_ = (at + count * sizeof(T) + kAlign - 1) / kAlign * kAlign;
    return at;
  }
  std::size_t end() const { return end_; }

 private:
  std::size_t end_ = 0;
};

}  // namespace coalesce
