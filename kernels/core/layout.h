// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace coalesce {

// Arrays behind each other in one piece of memory.
class Layout {
 public:
  // align: of each array, in bytes. memory: where the first one is, for at(); nullptr to see how
  // much there must be.
  explicit Layout(std::size_t align = 256, const void *memory = nullptr)
      : align_(align), memory_(reinterpret_cast<std::uintptr_t>(memory)) {}

  // Where it begins.
  template <class T>
  std::size_t add(std::size_t count) {
    const std::size_t at = end_;
    end_ = (at + count * sizeof(T) + align_ - 1) / align_ * align_;
    return at;
  }
  template <class T>
  T *at(std::size_t count) {
    return reinterpret_cast<T *>(memory_ + add<T>(count));
  }
  std::size_t end() const { return end_; }

 private:
  std::size_t align_, end_ = 0;
  std::uintptr_t memory_;
};

// Appends a list to an image of arrays as Layout would place it.
template <class T>
void append_array(const std::vector<T> &list, std::size_t align, std::vector<std::uint8_t> *image) {
  const std::size_t at = (image->size() + align - 1) / align * align;
  image->resize(at + list.size() * sizeof(T));
  if (!list.empty()) std::memcpy(image->data() + at, list.data(), list.size() * sizeof(T));
}

}  // namespace coalesce
