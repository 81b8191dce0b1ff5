#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs into an empty folder. The eight public headers are all that is installed, and each compiles by itself.
# What pkg-config says builds a program, with the shared library and with the archive; the program needs the library
# by its SONAME. GStreamer finds the elements in the installed folder.
# usage: test_installed.sh MESON BUILD_DIR PREFIX SOURCE CXX...
set -eu
meson=$1 build=$2 prefix=$3 source=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
DESTDIR=$folder "$meson" install -C "$build" --no-rebuild --quiet
test -s "$folder$prefix/share/licenses/gst-coalesce/LICENSE"

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

package=$(find "$folder" -name coalesce.pc)
libraries=$(dirname "$(dirname "$package")")
PKG_CONFIG_PATH=$(dirname "$package")
export PKG_CONFIG_PATH LC_ALL=C
flags=$(pkg-config --define-variable=prefix="$folder$prefix" --cflags --libs coalesce)
# shellcheck disable=SC2086
"$@" -std=c++20 "$source" $flags -o "$folder/user"
readelf --dynamic "$folder/user" | grep -q 'NEEDED.*\[libcoalesce\.so\.[0-9]*\]'
LD_LIBRARY_PATH=$libraries "$folder/user"

rm "$libraries/libcoalesce.so"  # -lcoalesce is the archive
flags=$(pkg-config --static --define-variable=prefix="$folder$prefix" --cflags --libs coalesce)
# shellcheck disable=SC2086
"$@" -std=c++20 "$source" $flags -o "$folder/user"
"$folder/user"

plugin=$(find "$folder" -name libgstcoalesce.so)
[ -n "$plugin" ] || exit 0
if readelf --dynamic "$plugin" | grep 'NEEDED.*libcoalesce'; then exit 1; fi  # it has the kernels within
GST_PLUGIN_PATH_1_0=$(dirname "$plugin") GST_REGISTRY_1_0=$folder/registry gst-inspect-1.0 --plugin coalesce |
  grep -F "$plugin"
