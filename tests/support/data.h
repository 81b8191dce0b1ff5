// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace coalesce::test {

// A file of tests/data, which COALESCE_TEST_DATA_DIR names (meson sets it).
inline std::string test_data(const std::string &name) {
  const char *folder = std::getenv("COALESCE_TEST_DATA_DIR");
  if (folder == nullptr)
    throw std::runtime_error("COALESCE_TEST_DATA_DIR is not set; it names the folder tests/data");
  return std::string(folder) + "/" + name;
}

}  // namespace coalesce::test
