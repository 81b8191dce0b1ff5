// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>

namespace coalesce {

// Arrays behind each other in one piece of memory.
class Layout {
 public:
  // align: of each array, in bytes.
  explicit Layout(std::size_t align = 256) : align_(align) {}

  // Where it begins.
  template <class T>
  std::size_t add(std::size_t count) {
    const std::size_t at = end_;
    end_ = (at + count * sizeof(T) + align_ - 1) / align_ * align_;
    return at;
  }
  std::size_t end() const { return end_; }

 private:
  std::size_t align_, end_ = 0;
};

}  // namespace coalesce
