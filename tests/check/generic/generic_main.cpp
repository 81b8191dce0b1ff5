// SPDX-License-Identifier: LGPL-2.1-or-later
#include "generic_cases.h"

int main(int argc, char **argv) {
  return test::run(&argc, &argv, "generic", [](Suite *suite) {
    test::add_description_cases(suite);
    test::add_buffer_cases(suite);
    test::add_event_cases(suite);
    test::add_pipeline_cases(suite);
    test::add_log_cases(suite);
  });
}
