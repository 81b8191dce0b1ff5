// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bad_cases.h"

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "bad-input", [](Suite *suite) {
    test::add_bad_buffer_cases(suite);
    test::add_bad_caps_cases(suite);
    test::add_bad_setup_cases(suite);
  });
}
