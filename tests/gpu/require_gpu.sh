#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# require_gpu.sh PROGRAM...: a program that skips itself for want of a GPU has failed where
# COALESCE_REQUIRE_GPU=1 says that there has to be one.
"$@"
status=$?
[ "$status" = 77 ] && [ "$COALESCE_REQUIRE_GPU" = 1 ] && exit 1
exit "$status"
