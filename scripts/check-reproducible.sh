#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/check-reproducible.sh [OPTION OF meson...]: builds the last commit twice, in folders of other depths, in other
# time zones and languages, and compares what both install byte by byte.
# Before a release: no compiler cache helps, so it takes twenty minutes on two cores.
set -euo pipefail
top=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct)
export SOURCE_DATE_EPOCH CCACHE_DISABLE=1

build() {  # FOLDER UMASK OPTION...
  git clone -q "$top" "$folder/$1/source"
  (umask "$2"
   meson setup "$folder/$1/source/build" "$folder/$1/source" --prefix=/usr --buildtype=plain -Doptimization=3 -Dtests=false \
     "${@:3}"
   ninja -C "$folder/$1/source/build"
   DESTDIR=$folder/$1/installed meson install -C "$folder/$1/source/build" --no-rebuild
   "$top/scripts/sbom.py" "$folder/$1/source/build" >"$folder/$1/installed/sbom.json") >"$folder/$1.log" ||
    { tail -n 30 "$folder/$1.log"; return 1; }
  (cd "$folder/$1/installed" && find . \( -type f -exec sha256sum {} + \) -o -type l -printf '%l  %p\n' | sort -k 2) \
    >"$folder/$1.sums"
}

TZ=UTC LC_ALL=C build one 022 "$@"
TZ=Asia/Tokyo LC_ALL=C.UTF-8 build a/second/one 077 "$@"
wc -l <"$folder/one.sums"
diff "$folder/one.sums" "$folder/a/second/one.sums"
echo "The same bytes twice"
