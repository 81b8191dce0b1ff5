// SPDX-License-Identifier: LGPL-2.1-or-later
// The elements of the plugin that take raw video, by what the registry says of them. (A decoder has
// tests of its own.)
#pragma once

#include <vector>

#include "harness.h"

namespace test {

// Those with one input, in the order of their names, and then those with several.
int n_elements();
int n_elements_and_aggregators();
// Those that take coded pictures, and those with several inputs.
const std::vector<std::string> &decoders();
const std::vector<std::string> &aggregators();
// From now on these.
void test_only(const std::vector<std::string> &names);
const std::string &element_name(int index);
// What an element reads in system memory, with the n-th format of its sink template.
std::string sink_caps(const std::string &element, Size size, int nth_format = 0,
                      const std::string &framerate = "25/1");
int n_sink_formats(const std::string &element);
// Of those with several inputs: the names of the pads that are always there, else two that are
// requested.
std::vector<std::string> input_names(const std::string &element);
// The element with this name, fed by what is before it in a pipeline's description: all its inputs,
// where it has several.
std::string fed(const std::string &element, const std::string &name);
// Columns that its sink template allows, and rows.
int most_sink_size(const std::string &element);
// A format that frames of `format` are converted to, where an element would pass them untouched if
// downstream accepted them. Empty for other elements.
std::string another_format(const std::string &element, const std::string &format);
// Downstream accepts that of the first format, and everything of other elements.
void let_convert(Harness &harness);

}  // namespace test
