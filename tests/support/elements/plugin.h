// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements of the plugin, by what the registry says of them.
#pragma once

#include <vector>

#include "caps.h"

namespace test {

// In the order of their names.
int n_elements();
// From now on these.
void test_only(const std::vector<std::string> &names);
const std::string &element_name(int index);
// What an element reads in system memory, with the n-th format of its sink template.
std::string sink_caps(const std::string &element, Size size, int nth_format = 0,
                      const std::string &framerate = "25/1");
int n_sink_formats(const std::string &element);

}  // namespace test
