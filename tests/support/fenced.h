// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>

namespace coalesce::test {

// Host memory between two pages that cannot be touched: reading or writing past the end that lies
// against its page ends the program (see on_fault).
class FencedMemory {
 public:
  enum class Against { low, high };  // which end has no slack

  FencedMemory(std::size_t bytes, Against against);
  ~FencedMemory();
  FencedMemory(const FencedMemory &) = delete;
  FencedMemory &operator=(const FencedMemory &) = delete;

  std::uint8_t *data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  std::uint8_t *data_;
  std::size_t size_;
  std::uint8_t *map_;
  std::size_t map_size_;
};

// On a memory fault, and where `timeout` or the like ends the program, prints "what() returned" to
// stderr and exits with status 1.
void on_fault(const char *(*what)());

}  // namespace coalesce::test
