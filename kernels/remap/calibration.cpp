// SPDX-License-Identifier: LGPL-2.1-or-later
#include "calibration.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "../text/text.h"

namespace coalesce {
namespace {

enum Part : std::uint8_t { kMatrix, kDistortion, kRotation, kProjection };
constexpr int kParts = 4;

// What the file may say, by name: a part of a camera, or a size.
struct Name {
  std::string_view name;
  int camera;  // 0, 1; of sizes 2
  int part;    // of sizes 0: width, 1: height
};
constexpr Name kNames[] = {
    {"M1", 0, kMatrix},
    {"D1", 0, kDistortion},
    {"R1", 0, kRotation},
    {"P1", 0, kProjection},
    {"M2", 1, kMatrix},
    {"D2", 1, kDistortion},
    {"R2", 1, kRotation},
    {"P2", 1, kProjection},
    {"image_width", 2, 0},
    {"image_height", 2, 1},
    {"cameraMatrix1", 0, kMatrix},
    {"distCoeffs1", 0, kDistortion},
    {"cameraMatrix2", 1, kMatrix},
    {"distCoeffs2", 1, kDistortion},
    {"imageWidth", 2, 0},
    {"imageHeight", 2, 1},
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

bool is_comment_or_blank(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.empty() || text[0] == '#';
}

bool read_whole_number(std::string_view text, int *number) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return code == std::errc() && end == text.data() + text.size();
}

// A matrix of the text.
struct Numbers {
  std::vector<double> at;
  int rows = 0, columns = 0, line = 0;  // of its name; 0: there is none
};

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool parse(StereoCalibration *calibration, std::string *error) {
    if (read() && finish(calibration)) return true;
    *error = std::move(error_);
    return false;
  }

 private:
  // ---- lines ------------------------------------------------------------------------------------

  // The line at the front, without its end.
  std::string_view peek() const { return rest_.substr(0, rest_.find('\n')); }
  void skip_line() {
    const std::size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
  }

  bool fail(int line, const std::string &text) {
    error_ = (line > 0 ? "line " + std::to_string(line) + ": " : std::string()) + text;
    return false;
  }
  bool fail_found(std::string_view found, const std::string &expected) {
    return fail(line_,
                "found " + (found.empty() ? "nothing" : quoted(found)) + ", expected " + expected);
  }

  bool read() {
    while (!rest_.empty() && is_comment_or_blank(peek()))
      skip_line();
    if (!rest_.starts_with("%YAML"))
      return fail_found(trimmed(peek()),
                        "%YAML, as OpenCV's FileStorage begins a file whose name ends in .yml; it "
                        "writes XML and JSON, too, which are not read");
    while (!rest_.empty()) {
      const std::string_view line = peek();
      const bool skipped = is_comment_or_blank(line) || is_blank(line[0]) || line[0] == '%' ||
                           line.starts_with("---") || line.starts_with("...");
      if (skipped)
        skip_line();
      else if (!read_entry(line))
        return false;
    }
    return true;
  }

  bool read_entry(std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return fail_found(trimmed(line), "NAME: VALUE");
    const std::string_view name = trimmed(line.substr(0, colon));
    const auto *known = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const Name &each) { return each.name == name; });
    if (known == std::end(kNames)) {
      skip_line();
      return true;
    }
    int &first =
        known->camera < 2 ? numbers_[known->camera][known->part].line : size_lines_[known->part];
    if (first > 0)
      return fail(line_, std::string(name) + " is there twice; the first is in line " +
                             std::to_string(first));
    first = line_;
    const std::string_view value = trimmed(line.substr(colon + 1));
    return known->camera < 2
               ? read_matrix(name, value, *known, &numbers_[known->camera][known->part])
               : read_size(value, &sizes_[known->part]);
  }

  bool read_size(std::string_view value, int *size) {
    if (!read_whole_number(value, size) || *size < 1)
      return fail_found(value, "a number of pixels");
    skip_line();
    return true;
  }

  // ---- matrices ---------------------------------------------------------------------------------

  bool read_matrix(std::string_view name, std::string_view value, const Name &known,
                   Numbers *numbers) {
    if (value != "!!opencv-matrix" && value != "!!opencv-nd-matrix")
      return fail_found(value, "!!opencv-matrix");
    skip_line();
    bool typed = false;
    for (; !rest_.empty() && (is_comment_or_blank(peek()) || is_blank(peek()[0])); skip_line()) {
      if (is_comment_or_blank(peek())) continue;
      const std::string_view line = trimmed(peek());
      const std::size_t colon = line.find(':');
      const std::string_view field = line.substr(0, std::min(colon, line.size()));
      const std::string_view text =
          colon == std::string_view::npos ? std::string_view() : trimmed(line.substr(colon + 1));
      if (field == "rows" || field == "cols") {
        if (!read_whole_number(text, field == "rows" ? &numbers->rows : &numbers->columns))
          return fail_found(text, "a whole number");
      } else if (field == "sizes") {
        if (!read_sizes(text, numbers)) return false;
      } else if (field == "dt") {
        typed = text == "d" || text == "f";
        if (!typed) return fail_found(text, "dt d or f: numbers of double or single precision");
      } else if (field == "data" && colon != std::string_view::npos) {
        if (!typed || numbers->rows == 0 || numbers->columns == 0)
          return fail(line_, "data of " + std::string(name) + " before its rows, cols and dt");
        return check_shape(name, known.part, *numbers) &&
               read_data(name, peek().find("data:") + 5, numbers);
      } else {
        return fail_found(line, "rows, cols, dt or data of " + std::string(name));
      }
    }
    return fail(line_, std::string(name) + " ends without data");
  }

  // "[ 5 ]" or "[ 1, 5 ]"
  bool read_sizes(std::string_view text, Numbers *numbers) {
    const auto wrong = [&] { return fail_found(text, "sizes in brackets, one or two"); };
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return wrong();
    const std::string_view inner = text.substr(1, text.size() - 2);
    const std::size_t comma = inner.find(',');
    numbers->rows = 1;
    if (comma != std::string_view::npos &&
        !read_whole_number(trimmed(inner.substr(0, comma)), &numbers->rows))
      return wrong();
    const std::string_view last = comma == std::string_view::npos ? inner : inner.substr(comma + 1);
    return read_whole_number(trimmed(last), &numbers->columns) || wrong();
  }

  bool check_shape(std::string_view name, int part, const Numbers &numbers) {
    const int rows = numbers.rows, columns = numbers.columns;
    const std::string has = std::string(name) + " has " + std::to_string(rows) + "x" +
                            std::to_string(columns) + " numbers; ";
    if (part == kDistortion) {
      const int n = std::max(rows, columns);
      const bool known = n == 4 || n == 5 || n == 8 || n == 12 || n == 14;
      return (std::min(rows, columns) == 1 && known) ||
             fail(numbers.line, has +
                                    "a row or a column of 4, 5, 8, 12 or 14 is required, by "
                                    "OpenCV's model of a pinhole camera");
    }
    const int wanted = part == kProjection ? 4 : 3;
    return (rows == 3 && columns == wanted) ||
           fail(numbers.line, has + "3x" + std::to_string(wanted) + " are required");
  }

  // From the '[' to the ']', in any number of lines.
  bool read_data(std::string_view name, std::size_t begin, Numbers *numbers) {
    const std::size_t wanted = static_cast<std::size_t>(numbers->rows * numbers->columns);
    const auto count = [&](std::size_t n) {
      return std::string(name) + " has " + std::to_string(n) + " numbers; " +
             std::to_string(numbers->rows) + "x" + std::to_string(numbers->columns) +
             " are required";
    };
    rest_.remove_prefix(begin);
    skip_blank();
    if (rest_.empty() || rest_[0] != '[') return fail_found(trimmed(peek()), "[");
    do {
      rest_.remove_prefix(1);
      skip_blank();
      if (numbers->at.empty() && rest_.starts_with(']')) return fail(line_, count(0));
      const std::size_t length = rest_.find_first_of(",] \t\r\n");
      const std::string_view token = rest_.substr(0, length);
      double number = 0;
      if (token.empty()) return fail_found(rest_.substr(0, 1), "a number");
      if (const char *expected = read_number(token, &number)) return fail_found(token, expected);
      if (numbers->at.size() == wanted) return fail(line_, count(wanted + 1) + "; too many");
      numbers->at.push_back(number);
      rest_.remove_prefix(token.size());
      skip_blank();
    } while (rest_.starts_with(','));
    if (!rest_.starts_with(']')) return fail_found(trimmed(peek()), "a comma or ]");
    if (numbers->at.size() != wanted) return fail(line_, count(numbers->at.size()));
    rest_.remove_prefix(1);
    if (!is_comment_or_blank(peek())) return fail_found(trimmed(peek()), "the end of the line");
    skip_line();
    return true;
  }

  // Also ends of lines.
  void skip_blank() {
    while (!rest_.empty() && (is_blank(rest_[0]) || rest_[0] == '\n')) {
      line_ += rest_[0] == '\n';
      rest_.remove_prefix(1);
    }
  }

  // ---- cameras ----------------------------------------------------------------------------------

  bool finish(StereoCalibration *calibration) {
    StereoCalibration made;
    made.width = sizes_[0], made.height = sizes_[1];
    made.width_line = size_lines_[0], made.height_line = size_lines_[1];
    for (int i = 0; i < 2; ++i) {
      RectifiedCamera &camera = made.camera[i];
      double *const to[kParts] = {camera.matrix, camera.distortion, camera.rotation,
                                  camera.projection};
      for (int part = 0; part < kParts; ++part) {
        const Numbers &numbers = numbers_[i][part];
        const std::string name(kNames[kParts * i + part].name);
        if (numbers.line == 0)
          return fail(0, "there is no " + name +
                             "; OpenCV's sample stereo_calib writes M1, D1, M2 and D2 to "
                             "intrinsics.yml, and R1, P1, R2 and P2 to extrinsics.yml: one file "
                             "with both is required");
        std::copy(numbers.at.begin(), numbers.at.end(), to[part]);
      }
      if (!check_camera(camera, i)) return false;
    }
    if (!check_pair(made)) return false;
    *calibration = made;
    return true;
  }

  bool check_camera(const RectifiedCamera &camera, int i) {
    const std::string number = std::to_string(i + 1);
    if (!(camera.matrix[0] > 0 && camera.matrix[4] > 0))
      return fail(numbers_[i][kMatrix].line,
                  "M" + number + " has no focal lengths above 0 in rows 1 and 2");
    if (!(camera.projection[0] > 0 && camera.projection[5] > 0))
      return fail(numbers_[i][kProjection].line,
                  "P" + number + " has no focal lengths above 0 in rows 1 and 2");
    if (!can_rectify(camera))
      return fail(numbers_[i][kRotation].line,
                  "R" + number + " is no rotation: P" + number + " times it has no inverse");
    return true;
  }

  bool check_pair(const StereoCalibration &made) {
    const double across = made.camera[1].projection[3], down = made.camera[1].projection[7];
    const int line = numbers_[1][kProjection].line;
    if (down != 0)
      return fail(line,
                  "by P2 the cameras are above each other; pairs side by side are required, whose "
                  "P2 has 0 as the last number of row 2");
    if (across > 0)
      return fail(
          line,
          "by P2 the second camera is left of the first; exchange the cameras, and calibrate "
          "again");
    return true;
  }

  std::string_view rest_;
  int line_ = 1;
  Numbers numbers_[2][kParts];
  int sizes_[2] = {}, size_lines_[2] = {};
  std::string error_;
};

}  // namespace

bool parse_stereo_calibration(std::string_view text, StereoCalibration *calibration,
                              std::string *error) {
  return Parser(text).parse(calibration, error);
}

}  // namespace coalesce
