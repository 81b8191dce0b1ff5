// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../../support/elements/elements.h"
#include "uyvy2y_cases.h"

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "uyvy2y", [](Suite *suite) {
    test::add_pixel_cases(suite);
    test::add_caps_cases(suite);
  });
}
