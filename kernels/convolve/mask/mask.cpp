// SPDX-License-Identifier: LGPL-2.1-or-later
#include "mask.h"

#include <charconv>
#include <utility>

#include "../../text/text.h"

namespace coalesce {
namespace {

// As isspace() in the C locale.
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
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
    const char *const expected = read_number(token, value);
    return expected == nullptr || fail(quoted(token), expected);
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
