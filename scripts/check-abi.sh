#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/check-abi.sh [--update]: compares the ABI of the kernel library with kernels/coalesce.abi.xz, or writes that file.
# Needs abigail-tools. A change is a failure even if it only adds: --update records it.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v abidiff >/dev/null; then
  echo 'abidiff is missing: abigail-tools'
  exit 77
fi
build=build-abi reference=kernels/coalesce.abi.xz
[ -f $build/build.ninja ] || meson setup $build -Dplugin=false -Dtests=false -Dcuda=disabled --prefix=/usr \
  --buildtype=plain -Doptimization=1 -Ddebug=true >/dev/null
ninja -C $build >/dev/null
rm -rf $build/installed
DESTDIR=$PWD/$build/installed meson install -C $build --no-rebuild --quiet
# Types of the standard library are its own.
printf '[suppress_type]\n  name_regexp = ^(std|__gnu_cxx)::\n  drop = yes\n' >$build/standard
abidw --headers-dir $build/installed/usr/include/coalesce --drop-private-types --exported-interfaces-only \
  --suppressions $build/standard --no-corpus-path --no-comp-dir-path --no-show-locs --type-id-style hash \
  --out-file $build/coalesce.abi "$(find $build/installed -name 'libcoalesce.so.*' -type f)"
if [ "${1:-}" = --update ]; then
  xz -9c $build/coalesce.abi >$reference
  exit
fi

xz -dc $reference >$build/reference.abi
status=0
abidiff $build/reference.abi $build/coalesce.abi || status=$?
# Bits of the status: 1 and 2 are errors, 4 a change, 8 a change that breaks programs for certain.
if ((status & 8)); then
  echo "The ABI is broken: raise soversion in kernels/meson.build, then scripts/check-abi.sh --update"
elif ((status & 4)); then
  echo "The ABI has changed: unless this only adds, raise soversion in kernels/meson.build; then scripts/check-abi.sh --update"
fi
exit $((status != 0))
