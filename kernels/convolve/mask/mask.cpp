// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mask.h"

#include <charconv>
#include <system_error>
#include <utility>

namespace coalesce {
namespace {

// As isspace() in the C locale.
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// What was found, for an error: of a sane length, in printable ASCII.
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

enum class NumberError : std::uint8_t { none, no_number, hexadecimal, not_finite, out_of_range };

NumberError read_number(std::string_view token, double *value) {
  // from_chars() takes no plus.
  if (token.size() > 1 && token[0] == '+' && token[1] != '-') token.remove_prefix(1);
  const bool negative = token[0] == '-';
  const std::string_view digits = token.substr(negative ? 1 : 0);
  if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
    return NumberError::hexadecimal;
  const char *end = token.data() + token.size();
  const auto [stop, code] = std::from_chars(token.data(), end, *value);
  if (code == std::errc::invalid_argument || stop != end) return NumberError::no_number;
  if (!is_digit(digits[0]) && digits[0] != '.') return NumberError::not_finite;
  if (code != std::errc()) return NumberError::out_of_range;
  // Too small for a double, but not written as zero.
  if (*value == 0 && digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") !=
                         std::string_view::npos)
    return NumberError::out_of_range;
  return NumberError::none;
}

class Parser {
 public:
  Parser(std::string_view text, int max_width, int max_height)
      : rest_(text), max_width_(max_width), max_height_(max_height) {}

  bool parse(Mask *mask, std::string *error) {
    mask->at.clear();
    do {
      ++row_;
      column_ = 1;
      if (!parse_row(mask)) {
        *error = std::move(error_);
        return false;
      }
    } while (take(';'));
    mask->height = row_;
    return true;
  }

 private:
  // Up to the ';' or the end.
  bool parse_row(Mask *mask) {
    skip_space();
    for (;; ++column_) {
      double value = 0;
      if (!parse_number(&value)) return false;
      mask->at.push_back(value);
      skip_space();
      const bool comma = take(',');
      skip_space();
      if (!comma && (rest_.empty() || rest_[0] == ';')) break;
    }
    if (row_ == 1) mask->width = column_;
    if (column_ == mask->width) return true;
    error_ = "row " + std::to_string(row_) + " has " + std::to_string(column_) +
             (column_ == 1 ? " number" : " numbers") + ", row 1 has " + std::to_string(mask->width);
    return false;
  }

  bool parse_number(double *value) {
    std::size_t length = 0;
    while (length < rest_.size() && !is_space(rest_[length]) && rest_[length] != ',' &&
           rest_[length] != ';')
      ++length;
    const std::string_view token = rest_.substr(0, length);
    if (token.empty())
      return fail(rest_.empty() ? "the end" : quoted(rest_.substr(0, 1)), "a number");
    if (row_ > max_height_)
      return fail(quoted(token), max_height_ == 1
                                     ? "one row only"
                                     : "at most " + std::to_string(max_height_) + " rows");
    if (column_ > max_width_)
      return fail(quoted(token), "at most " + std::to_string(max_width_) + " numbers in a row");
    rest_.remove_prefix(length);
    switch (read_number(token, value)) {
      case NumberError::none:
        return true;
      case NumberError::no_number:
        return fail(quoted(token), "a number");
      case NumberError::hexadecimal:
        return fail(quoted(token), "a decimal number");
      case NumberError::not_finite:
        return fail(quoted(token), "a finite number");
      case NumberError::out_of_range:
        break;
    }
    return fail(quoted(token), "a number within the range of double precision");
  }

  bool fail(const std::string &found, const std::string &expected) {
    error_ = "row " + std::to_string(row_) + ", column " + std::to_string(column_) + ": found " +
             found + ", expected " + expected;
    return false;
  }

  void skip_space() {
    while (!rest_.empty() && is_space(rest_[0]))
      rest_.remove_prefix(1);
  }

  bool take(char c) {
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
  const int max_width_, max_height_;
  int row_ = 0, column_ = 0;
  std::string error_;
};

}  // namespace

bool parse_mask(std::string_view text, int max_width, int max_height, Mask *mask,
                std::string *error) {
  Mask parsed;
  if (!Parser(text, max_width, max_height).parse(&parsed, error)) return false;
  *mask = std::move(parsed);
  return true;
}

std::string mask_text(const Mask &mask) {
  std::string text;
  for (int row = 0; row < mask.height; ++row)
    for (int column = 0; column < mask.width; ++column) {
      if (column > 0)
        text += ' ';
      else if (row > 0)
        text += "; ";
      char number[32];  // the longest: -1.7976931348623157e+308
      const auto written = std::to_chars(number, number + sizeof number, mask(row, column));
      text.append(number, written.ptr);
    }
  return text;
}

}  // namespace coalesce
