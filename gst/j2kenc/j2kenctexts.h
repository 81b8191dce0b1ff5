// SPDX-License-Identifier: LGPL-2.1-or-later
// Texts of properties: settings as messages name them, and lists of numbers.
#pragma once

#include <string>
#include <vector>

namespace coalesce::gst {

// `property=value`, of a sane length and in UTF-8.
std::string j2k_setting(const char *property, const std::string &text);
template <class T>
std::string j2k_setting(const char *property, T value) {
  return std::string(property) + "=" + std::to_string(value);
}
// Of two that belong together.
std::string j2k_settings(const char *width, int w, const char *height, int h);

// Numbers from 0 on, between them any of the separators. False if there is anything else.
bool j2k_parse_numbers(const std::string &text, const char *separators,
                       std::vector<double> *numbers);
bool j2k_parse_integers(const std::string &text, const char *separators,
                        std::vector<int> *integers);

// Widths and heights by turns.
bool j2k_parse_precincts(const std::string &text, std::vector<int> *sizes);

// In Latin-1.
bool j2k_parse_comment(const std::string &text, std::string *latin);

}  // namespace coalesce::gst
