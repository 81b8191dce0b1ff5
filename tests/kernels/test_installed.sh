#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs into an empty folder, then builds and runs a program with what pkg-config says. The eight public headers
# are all that is installed, and each compiles by itself.
# usage: test_installed.sh MESON BUILD_DIR PREFIX SOURCE CXX...
set -eu
meson=$1 build=$2 prefix=$3 source=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder "$meson" install -C "$build" --no-rebuild --quiet
PKG_CONFIG_PATH=$(dirname "$(find "$folder" -name coalesce.pc)")
export PKG_CONFIG_PATH
headers=$(find "$folder" -name '*.h' | sort)
names=$(for header in $headers; do echo "${header##*/include/coalesce/}"; done | tr '\n' ' ')
expected='convert.h core.h deinterlace.h filter.h jpeg.h jpeg2000.h picture.h stereo.h '
if [ "$names" != "$expected" ]; then
  echo "installed: $names, expected: $expected"
  exit 1
fi
for header in $headers; do
  "$@" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -include "$header" -x c++ /dev/null
done
for static in '' --static; do
  flags=$(pkg-config $static --define-variable=prefix="$folder$prefix" --cflags --libs coalesce)
  # shellcheck disable=SC2086
  "$@" -std=c++20 "$source" $flags -o "$folder/user"
  "$folder/user"
done
