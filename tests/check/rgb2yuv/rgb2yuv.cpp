// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rgb2yuv_cases.h"

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "rgb2yuv", [](Suite *suite) {
    test::add_rgb2yuv_pixel_cases(suite);
    test::add_rgb2yuv_colour_cases(suite);
    test::add_rgb2yuv_field_cases(suite);
    test::add_rgb2yuv_caps_cases(suite);
  });
}
