// SPDX-License-Identifier: LGPL-2.1-or-later
#include "j2kenc_cases.h"

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "j2kenc", [](Suite *suite) {
    test::add_j2kenc_caps_cases(suite);
    test::add_j2kenc_negotiation_cases(suite);
    test::add_j2kenc_refusal_cases(suite);
    test::add_j2kenc_change_cases(suite);
    test::add_j2kenc_profile_cases(suite);
    // Many bytes.
    if (test::small_run()) return;
    test::add_j2kenc_preset_cases(suite);
    test::add_j2kenc_library_cases(suite);
    test::add_j2kenc_rate_cases(suite);
  });
}
