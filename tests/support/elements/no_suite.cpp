// SPDX-License-Identifier: LGPL-2.1-or-later
// For programs that use the support without a suite of GStreamer check: in place of the functions
// of libgstcheck that report to one. A failure ends the program.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "owned.h"

void _mark_point(const char *, int) {}

void _ck_assert_failed(const char *file, int line, const char *expr, ...) {
  std::fprintf(stderr, "FOUND %s:%d: %s: ", file, line, expr);
  va_list args;
  va_start(args, expr);
  if (const char *format = va_arg(args, const char *)) std::vfprintf(stderr, format, args);
  va_end(args);
  std::fprintf(stderr, "\n");
  std::abort();
}
