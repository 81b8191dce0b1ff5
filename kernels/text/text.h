// SPDX-License-Identifier: LGPL-2.1-or-later
// What readers of texts share: numbers, and the words of errors.
#pragma once

#include <string>
#include <string_view>

namespace coalesce {

// What was found, for an error: of a sane length, in quotes and printable ASCII.
std::string quoted(std::string_view found);

// A number as strtod() reads it in the C locale, but neither infinite nor NaN nor hexadecimal.
// nullptr, or what is expected in place of the text, which is not empty: "a number".
const char *read_number(std::string_view text, double *value);

}  // namespace coalesce
