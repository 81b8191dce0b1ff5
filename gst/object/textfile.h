// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that properties name.
#pragma once

#include <string>

namespace coalesce::gst {

// Reads a whole file, of at most 1 MiB. Returns why it cannot be read; empty if it has been.
std::string read_text_file(const std::string &path, std::string *text);

}  // namespace coalesce::gst
