// SPDX-License-Identifier: LGPL-2.1-or-later
// doctest, and the few things beside it that a test can ask of doctest_main.cpp.
#pragma once

#define DOCTEST_CONFIG_SUPER_FAST_ASSERTS
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

// Text, not an address.
template <>
struct doctest::StringMaker<const char *> {
  static String convert(const char *text) { return text != nullptr ? text : "nullptr"; }
};

namespace coalesce::test {

// --all was given: everything, where a part is tested otherwise.
bool all();

// The value of --NAME=VALUE; nullptr without it.
const char *option(const char *name);

// The running case cannot test here what it is for; it returns after this. A program of which a
// case was skipped, and none failed, exits with 77.
void skip(const std::string &why);

// For messages.
std::string hex(std::uint64_t number);

}  // namespace coalesce::test
