#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The C++ and CUDA sources have the format of .clang-format, by the one version that CONTRIBUTING names.
set -euo pipefail
cd "$(dirname "$0")/.."
version=14
for program in "clang-format-$version" clang-format; do
  if "$program" --version 2>/dev/null | grep -q "version $version\."; then
    git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs "$program" --dry-run -Werror
    exit
  fi
done
echo "there is no clang-format $version here"
exit 77
