// SPDX-License-Identifier: LGPL-2.1-or-later
// For helpers that serve programs of doctest and others alike: the check tool and the fuzz targets.
#pragma once

#include <sstream>
#include <stdexcept>

namespace coalesce::test {

// Throws what the parts read one after another.
template <class... Parts>
[[noreturn]] void fail(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw std::runtime_error(text.str());
}

}  // namespace coalesce::test
