// SPDX-License-Identifier: LGPL-2.1-or-later
#include "convolve_cases.h"

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "convolve", [](Suite *suite) {
    test::add_convolve_sample_cases(suite);
    test::add_convolve_property_cases(suite);
    test::add_convolve_change_cases(suite);
    test::add_convolve_refusal_cases(suite);
  });
}
