// SPDX-License-Identifier: LGPL-2.1-or-later
// What the fuzz targets share: an input as a row of small decisions, and the end of a run that has
// found something.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv);

namespace coalesce::test {

// From the first byte to the last; behind that there are zeros.
class Input {
 public:
  Input(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}

  bool at_end() const { return at_ >= size_; }
  unsigned byte() { return at_end() ? 0 : data_[at_++]; }
  bool flag() { return (byte() & 1) != 0; }
  bool once_in(int n) { return static_cast<int>(byte()) % n == n - 1; }
  std::uint32_t word() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
      value = value << 8 | byte();
    return value;
  }
  int below(int limit) {
    return static_cast<int>((limit <= 256 ? byte() : word()) % static_cast<unsigned>(limit));
  }
  int between(int low, int high) { return low + below(high - low + 1); }
  template <class T, std::size_t N>
  const T &pick(const T (&choices)[N]) {
    return choices[below(static_cast<int>(N))];
  }
  // Any double there is, NaN and infinities too.
  double bits_of_double() {
    const std::uint64_t bits = std::uint64_t{word()} << 32 | word();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  // Up to a 0 or the end.
  std::string text() {
    const std::size_t begin = at_;
    while (!at_end() && data_[at_] != 0)
      ++at_;
    std::string result(reinterpret_cast<const char *>(data_) + begin, at_ - begin);
    byte();
    return result;
  }

 private:
  const std::uint8_t *data_;
  std::size_t size_, at_ = 0;
};

}  // namespace coalesce::test

// What must hold whatever the input is.
#define DEMAND(condition, ...)                                                   \
  do {                                                                           \
    if (!(condition)) {                                                          \
      std::fprintf(stderr, "FOUND %s:%d: %s: ", __FILE__, __LINE__, #condition); \
      std::fprintf(stderr, __VA_ARGS__);                                         \
      std::fprintf(stderr, "\n");                                                \
      std::abort();                                                              \
    }                                                                            \
  } while (false)
