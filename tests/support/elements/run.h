// SPDX-License-Identifier: LGPL-2.1-or-later
// Programs of element tests.
#pragma once

#include <initializer_list>
#include <string>

#include "owned.h"

namespace test {

constexpr int kSkip = 77;

// COALESCE_TEST_SMALL=N: fewer and smaller frames, for tools under which everything is slow.
bool small_run();

// Of n things all; in a small run every Nth, at most every third, from one that the seed selects:
//   for (int i = first_sample(n); i < n; i += sample_step())
int first_sample(int n);
int sample_step();
#define add_sampled_loop_test(tests, function, n)                  \
  for (int index_ = ::test::first_sample(int(n)); index_ < int(n); \
       index_ += ::test::sample_step())                            \
  tcase_add_loop_test(tests, function, index_, index_ + 1)
// Where each call of the driver fails in turn, and nobody knows how many there are: which one fails
// after the nth. The first one always does.
int next_fault(int nth);

void expect_string(const std::string &found, const std::string &expected,
                   const char *file = __builtin_FILE(), int line = __builtin_LINE());

// A test that cannot run here calls one of these and returns. Its program then ends as skipped.
void skip(const std::string &why);
// Skips if GStreamer lacks one of these elements.
bool skip_without(std::initializer_list<const char *> elements);

// A case whose every test is counted, and, where GStreamer's leaks tracer is active, followed by a
// check that no object is left.
TCase *new_case(Suite *suite, const char *name);
// Runs the tests that GST_CHECKS leaves. The status of the program: 0, 1 where a test failed or
// none was left, or kSkip.
int run_suite(Suite *suite, const char *name);

// For tests of the plugin in COALESCE_TEST_PLUGIN and of no other, with the leaks tracer.
int run(int *argc, char ***argv, const char *name, void (*add_cases)(Suite *));

}  // namespace test
