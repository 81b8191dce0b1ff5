// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements of the plugin that take raw video at one pad, by what the registry says of them. (A
// decoder has tests of its own, and so has an element with several inputs.)
#pragma once

#include <vector>

#include "harness.h"

namespace test {

// In the order of their names.
int n_elements();
// The others: those that take coded pictures, and those with several inputs.
const std::vector<std::string> &decoders();
const std::vector<std::string> &aggregators();
// From now on these.
void test_only(const std::vector<std::string> &names);
const std::string &element_name(int index);
// What an element reads in system memory, with the n-th format of its sink template.
std::string sink_caps(const std::string &element, Size size, int nth_format = 0,
                      const std::string &framerate = "25/1");
int n_sink_formats(const std::string &element);
// Columns that its sink template allows, and rows.
int most_sink_size(const std::string &element);
// A format that frames of `format` are converted to, where an element would pass them untouched if
// downstream accepted them. Empty for other elements.
std::string another_format(const std::string &element, const std::string &format);
// Downstream accepts that of the first format, and everything of other elements.
void let_convert(Harness &harness);

}  // namespace test
