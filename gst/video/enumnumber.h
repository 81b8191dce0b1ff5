// SPDX-License-Identifier: LGPL-2.1-or-later
// The number in a field of a C structure that is an enumeration. Caps and metas may put any number
// there, where C++ knows but those of the enumeration: read as one, it may be taken for any of
// them.
#pragma once

#include <cstring>

namespace coalesce::gst {

template <class Enum>
int number_of(const Enum &field) {
  static_assert(sizeof field == sizeof(int));
  int number;
  std::memcpy(&number, &field, sizeof number);
  return number;
}

}  // namespace coalesce::gst
