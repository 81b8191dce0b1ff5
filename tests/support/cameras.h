// SPDX-License-Identifier: LGPL-2.1-or-later
// Cameras for the element multiview, which requires a file of them.
#pragma once

#include <string>

namespace test {

constexpr int kCameras = 16;

// Camera i: beside and above number 0, all of them looking along Z.
void camera_matrix(int i, double (&matrix)[3][4]);
// All digits of a matrix, as such a file has it.
std::string camera_text(const double (&matrix)[3][4]);
// A file with all of them. It lives as long as the program.
const std::string &camera_file();

}  // namespace test
