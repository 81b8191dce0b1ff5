// SPDX-License-Identifier: LGPL-2.1-or-later
// What every benchmark writes with --json FILE: the program, the machine, and rows of figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce::test {

double median(std::vector<double> values);  // 0 of none

// One measurement. Names are without quotes; numbers have nine digits.
class Row {
 public:
  Row &text(const char *name, std::string_view value);
  Row &number(const char *name, double value);
  // The median, and all of them as NAME_samples; nothing if there are none.
  Row &samples(const char *name, const std::vector<double> &values);
  const std::string &json() const { return fields_; }

 private:
  void name(const char *name);
  std::string fields_;
};

class Results {
 public:
  // Removes "--json FILE" from the arguments, if it is there.
  Results(const char *program, int *argc, char **argv);

  void set_machine(std::string_view text) { head_.text("machine", text); }
  void set_library(const char *name, std::string_view version) { head_.text(name, version); }
  void add(const Row &row) { rows_.push_back(row); }
  // Writes the file, if there is one to write. False and a line on stderr: that was impossible.
  bool write() const;

 private:
  const char *path_ = nullptr;
  Row head_;
  std::vector<Row> rows_;
};

}  // namespace coalesce::test
