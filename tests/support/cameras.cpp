// SPDX-License-Identifier: LGPL-2.1-or-later
#include "cameras.h"

#include <glib.h>

#include "temporary_file.h"

namespace test {

void camera_matrix(int i, double (&matrix)[3][4]) {
  const double x = 60. * (i % 4), y = 60. * (i / 4);
  const double rows[3][4] = {{100, 0, 20, -100 * x}, {0, 100, 10, -100 * y}, {0, 0, 1, 0}};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 4; c++)
      matrix[r][c] = rows[r][c];
}

std::string camera_text(const double (&matrix)[3][4]) {
  std::string text;
  for (const auto &row : matrix)
    for (int c = 0; c < 4; c++) {
      gchar number[G_ASCII_DTOSTR_BUF_SIZE];
      text += std::string(g_ascii_dtostr(number, sizeof number, row[c])) + (c < 3 ? " " : "\n");
    }
  return text;
}

const std::string &camera_file() {
  static const struct Written {
    Written() {
      std::string text = "# Cameras of the tests\n";
      for (int i = 0; i < kCameras; i++) {
        double matrix[3][4];
        camera_matrix(i, matrix);
        text += camera_text(matrix);
      }
      // (Also before the tests begin.)
      if (!g_file_set_contents(file.name().c_str(), text.c_str(), -1, nullptr))
        g_error("%s cannot be written", file.name().c_str());
    }
    TemporaryFile file;
  } written;
  return written.file.name();
}

}  // namespace test
