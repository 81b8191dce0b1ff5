// SPDX-License-Identifier: LGPL-2.1-or-later
// The bytes of a file as libjpeg's source in memory gives them: behind the end there is FF D9
// (EOI), again and again. So no reader looks for the end, and none reads past it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../tables/markers.h"

namespace coalesce::jpeg {

struct ByteSource {
  const std::uint8_t *data = nullptr;
  std::size_t size = 0;
  std::size_t at = 0;       // of the next byte; may be beyond the size
  std::uint8_t marker = 0;  // one that has been read and not been dealt with, else 0
  bool ended = false;       // a byte beyond the end was wanted
  bool skipped = false;     // next_marker() has left out bytes

  std::uint8_t byte() {
    if (at < size) return data[at++];
    ended = true;
    return (at++ - size) % 2 == 0 ? 0xFF : static_cast<std::uint8_t>(Marker::eoi);
  }
  int word() {
    const int high = byte();
    return high << 8 | byte();
  }
  void skip(std::size_t bytes) { at += bytes; }

  // The next marker becomes `marker`: FF and what is neither FF nor 0. What is before it is left
  // out. It ends, as there is an EOI behind the end.
  void next_marker() {
    for (;;) {
      if (at < size && data[at] != 0xFF) {
        const void *found = std::memchr(data + at, 0xFF, size - at);
        at = found == nullptr
                 ? size
                 : static_cast<std::size_t>(static_cast<const std::uint8_t *>(found) - data);
        skipped = true;
      }
      std::uint8_t c = byte();
      if (c != 0xFF) {
        skipped = true;
        continue;
      }
      while (c == 0xFF)
        c = byte();
      if (c != 0) {
        marker = c;
        return;
      }
      skipped = true;
    }
  }
};

}  // namespace coalesce::jpeg
