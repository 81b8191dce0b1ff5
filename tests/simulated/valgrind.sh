#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# valgrind.sh PROGRAM SUPPRESSIONS: skipped where valgrind is missing. A program's own operator new stays.
command -v valgrind > /dev/null || { echo "valgrind is missing"; exit 77; }
exec valgrind --quiet --soname-synonyms=somalloc=nouserintercepts --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
  --show-leak-kinds=definite --num-callers=25 --suppressions="$2" "$1"
