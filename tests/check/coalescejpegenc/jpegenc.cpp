// SPDX-License-Identifier: LGPL-2.1-or-later
#include "jpegenc_cases.h"

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "coalescejpegenc", [](Suite *suite) {
    test::add_jpegenc_file_cases(suite);
    test::add_jpegenc_caps_cases(suite);
    test::add_jpegenc_change_cases(suite);
  });
}
