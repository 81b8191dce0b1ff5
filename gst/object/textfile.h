// SPDX-License-Identifier: LGPL-2.1-or-later
// Files that properties name.
#pragma once

#include <cstddef>
#include <string>

namespace coalesce::gst {

// Reads a whole file, of at most so many bytes. Returns why it cannot be read; empty if it has
// been.
std::string read_text_file(const std::string &path, std::size_t most, std::string *text);

}  // namespace coalesce::gst
