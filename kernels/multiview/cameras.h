// SPDX-License-Identifier: LGPL-2.1-or-later
// Matrices of cameras in a text that people write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coalesce {

struct CameraMatrix {
  double at[3][4];
  int line;  // of its first row, counted from 1
};

// Reads 3x4 matrices, one after the other: a row of four numbers in each line, with blanks between
// them. Empty lines, and what follows a #, are skipped.
//
// On failure returns false and says in `error` in which line what was found, and what is expected;
// also of matrices that are not those of cameras (is_camera_matrix()). `cameras` is left alone
// then.
bool parse_cameras(std::string_view text, std::vector<CameraMatrix> *cameras, std::string *error);

}  // namespace coalesce
