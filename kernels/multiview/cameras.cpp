// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cameras.h"

#include <algorithm>

#include "../text/text.h"
#include "multiview.h"

namespace coalesce {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

// The next word of a line, which is taken off it; empty if there is none.
std::string_view take_word(std::string_view *line) {
  line->remove_prefix(std::min(line->find_first_not_of(kBlanks), line->size()));
  const std::string_view word = line->substr(0, line->find_first_of(kBlanks));
  line->remove_prefix(word.size());
  return word;
}

// Empty, or what is wrong with the row. *numbers: how many it has.
std::string read_row(std::string_view line, double (&row)[4], int *numbers) {
  *numbers = 0;
  for (std::string_view word; !(word = take_word(&line)).empty(); ++*numbers) {
    if (*numbers == 4) return "found " + quoted(word) + ", expected four numbers";
    if (const char *expected = read_number(word, &row[*numbers]))
      return "found " + quoted(word) + ", expected " + expected;
  }
  if (*numbers == 0 || *numbers == 4) return {};
  return "found " + std::to_string(*numbers) + " of the four numbers of a row";
}

}  // namespace

bool parse_cameras(std::string_view text, std::vector<CameraMatrix> *cameras, std::string *error) {
  std::vector<CameraMatrix> found;
  const auto fail = [&](int line, const std::string &what) {
    *error = "line " + std::to_string(line) + ": " + what;
    return false;
  };
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // what marks UTF-8
  int rows = 0;                                                 // of the last matrix
  int line = 1;
  for (; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    const std::string_view content = whole.substr(0, whole.find('#'));
    text.remove_prefix(std::min(end + 1, text.size()));
    double row[4];
    int numbers = 0;
    if (const std::string wrong = read_row(content, row, &numbers); !wrong.empty())
      return fail(line, wrong);
    if (numbers == 0) continue;
    if (rows == 0) found.push_back({{}, line});
    CameraMatrix &last = found.back();
    std::copy_n(row, 4, last.at[rows]);
    rows = (rows + 1) % 3;
    if (rows == 0 && !is_camera_matrix(last.at))
      return fail(last.line,
                  "the matrix is not that of a camera: its first three columns have no inverse");
  }
  if (rows > 0)
    return fail(found.back().line,
                "found " + std::to_string(rows) + " of the three rows of a matrix");
  if (found.empty()) return fail(line, "found the end, expected three rows of four numbers");
  *cameras = std::move(found);
  return true;
}

}  // namespace coalesce
