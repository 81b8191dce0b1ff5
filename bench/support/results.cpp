// SPDX-License-Identifier: LGPL-2.1-or-later
#include "results.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace coalesce::test {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      result += escaped;
    } else
      result += c;
  }
  return result + '"';
}

std::string digits(double value) {
  if (!std::isfinite(value)) return "null";
  char text[40];
  std::snprintf(text, sizeof text, value == std::floor(value) ? "%.0f" : "%.9g", value);
  return text;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void Row::name(const char *name) {
  if (!fields_.empty()) fields_ += ", ";
  fields_ += quoted(name) + ": ";
}

Row &Row::text(const char *name, std::string_view value) {
  this->name(name);
  fields_ += quoted(value);
  return *this;
}

Row &Row::number(const char *name, double value) {
  this->name(name);
  fields_ += digits(value);
  return *this;
}

Row &Row::samples(const char *name, const std::vector<double> &values) {
  if (values.empty()) return *this;
  number(name, median(values));
  this->name((std::string(name) + "_samples").c_str());
  fields_ += '[';
  for (const double &value : values)
    fields_ += (&value == values.data() ? "" : ", ") + digits(value);
  fields_ += ']';
  return *this;
}

Results::Results(const char *program, int *argc, char **argv) {
  head_.text("program", program);
  for (int i = 1; i < *argc; ++i) {
    if (std::strcmp(argv[i], "--json") != 0) continue;
    if (i + 1 == *argc) {
      std::fprintf(stderr, "%s: --json requires a file name\n", program);
      std::exit(2);
    }
    path_ = argv[i + 1];
    std::copy(argv + i + 2, argv + *argc + 1, argv + i);
    *argc -= 2;
    return;
  }
}

bool Results::write() const {
  if (path_ == nullptr) return true;
  std::FILE *file = std::fopen(path_, "w");
  bool good = file != nullptr;
  if (good) {
    std::fprintf(file, "{%s, \"rows\": [", head_.json().c_str());
    const char *separator = "\n";
    for (const Row &row : rows_) {
      std::fprintf(file, "%s  {%s}", separator, row.json().c_str());
      separator = ",\n";
    }
    std::fprintf(file, "\n]}\n");
    good = std::ferror(file) == 0;
    good = std::fclose(file) == 0 && good;
  }
  if (!good) std::fprintf(stderr, "%s cannot be written\n", path_);
  return good;
}

}  // namespace coalesce::test
