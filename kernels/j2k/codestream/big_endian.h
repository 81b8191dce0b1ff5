// SPDX-License-Identifier: LGPL-2.1-or-later
// Numbers of marker segments and boxes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace coalesce::j2k {

inline void put_u8(unsigned v, std::vector<std::uint8_t> *out) {
  out->push_back(static_cast<std::uint8_t>(v));
}
inline void put_u16(unsigned v, std::vector<std::uint8_t> *out) {
  put_u8(v >> 8 & 0xFF, out);
  put_u8(v & 0xFF, out);
}
inline void put_u32(std::uint32_t v, std::vector<std::uint8_t> *out) {
  put_u16(v >> 16, out);
  put_u16(v & 0xFFFF, out);
}
// In place of what stands there.
inline void set_u16(unsigned v, std::size_t at, std::vector<std::uint8_t> *out) {
  (*out)[at] = static_cast<std::uint8_t>(v >> 8);
  (*out)[at + 1] = static_cast<std::uint8_t>(v);
}
inline void set_u32(std::uint32_t v, std::size_t at, std::vector<std::uint8_t> *out) {
  set_u16(v >> 16, at, out);
  set_u16(v & 0xFFFF, at + 2, out);
}

}  // namespace coalesce::j2k
