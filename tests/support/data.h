// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdlib>
#include <string>

namespace coalesce::test {

// A file of tests/data: COALESCE_TEST_DATA_DIR names the folder, as meson sets it; without,
// programs run in the root of the checkout.
inline std::string test_data(const std::string &name) {
  const char *folder = std::getenv("COALESCE_TEST_DATA_DIR");
  return std::string(folder != nullptr ? folder : "tests/data") + "/" + name;
}

}  // namespace coalesce::test
