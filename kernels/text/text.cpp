// SPDX-License-Identifier: LGPL-2.1-or-later
#include "text.h"

#include <charconv>
#include <system_error>

namespace coalesce {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string quoted(std::string_view found) {
  constexpr std::size_t kLongest = 24;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"";
  for (char c : found.substr(0, kLongest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    } else {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text + (found.size() > kLongest ? "...\"" : "\"");
}

const char *read_number(std::string_view text, double *value) {
  constexpr const char *kTooSmallOrLarge = "a number within the range of double precision";
  // from_chars() takes no plus.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const bool negative = text[0] == '-';
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
    return "a decimal number";
  const char *end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, *value);
  if (code == std::errc::invalid_argument || stop != end) return "a number";
  if (!is_digit(digits[0]) && digits[0] != '.') return "a finite number";
  if (code != std::errc()) return kTooSmallOrLarge;
  // Too small for a double, but not written as zero.
  if (*value == 0 && digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") !=
                         std::string_view::npos)
    return kTooSmallOrLarge;
  return nullptr;
}

}  // namespace coalesce
