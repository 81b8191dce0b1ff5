// SPDX-License-Identifier: LGPL-2.1-or-later
// Factors that both arrays have, and the making of simple ones.
#pragma once

#include "j2k_array.h"

namespace coalesce::test {

J2kArray::Factor j2k_formats();
// Up to 1920x1080, which is the last and a costly one.
J2kArray::Factor j2k_sizes();

template <class Set>
J2kArray::Factor numbers(const char *name, const std::vector<int> &list, Set set) {
  J2kArray::Factor factor = {name, {}};
  for (int v : list)
    factor.values.push_back({std::to_string(v), [=](j2k::EncoderParams *e) { set(e, v); }});
  return factor;
}
template <class Set>
J2kArray::Factor numbers(const char *name, int first, int last, Set set) {
  std::vector<int> list;
  for (int v = first; v <= last; ++v)
    list.push_back(v);
  return numbers(name, list, set);
}
inline J2kArray::Factor flag(const char *name, bool j2k::EncoderParams::*member) {
  return numbers(name, 0, 1, [=](j2k::EncoderParams *e, int v) { e->*member = v != 0; });
}

}  // namespace coalesce::test
