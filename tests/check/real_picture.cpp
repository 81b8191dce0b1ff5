// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>

#include "uyvy2y_cases.h"

int main(int argc, char **argv) {
  const std::string file = test::real_picture_file();
  if (!g_file_test(file.c_str(), G_FILE_TEST_EXISTS)) {
    std::printf("SKIP: COALESCE_TEST_DATA names no folder with camera_1920x1080.uyvy\n");
    return 77;
  }
  return test::run(&argc, &argv, "real-picture", test::add_real_picture_case);
}
