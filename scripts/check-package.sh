#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/check-package.sh FOLDER [SUITE]: builds the Debian packages of the last commit in a bare Debian (bookworm), checks
# them with lintian, and tries them in another bare one. They come to FOLDER/packages. For root; needs debootstrap.
# Before a release: it takes half an hour on two cores, or minutes with a CCACHE_DIR.
set -euo pipefail
folder=$(realpath -m "${1:?FOLDER}") suite=${2:-bookworm}
here=$(dirname "$(readlink -f "$0")")

bare() { "$here/bare-debian.sh" "$suite" "$folder/$1" "${@:2}"; }
install='apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends'

mkdir -p "$folder"
bare build "$install dpkg-dev lintian ${CCACHE_DIR:+ccache} && apt-get build-dep -y -qq --no-install-recommends . >/dev/null &&
  rm -f ../*.* && dpkg-buildpackage -us -uc &&
  lintian --allow-root --info --display-info --fail-on error,warning,info ../*.changes"
rm -rf "$folder/packages" && mkdir "$folder/packages"
find "$folder/build/root" -maxdepth 1 -type f -exec cp {} "$folder/packages" \;

bare try true  # makes it, for the packages to come in
cp "$folder"/packages/*.deb "$folder/try/root/"
bare try "$install ../*.deb autopkgtest && autopkgtest . --no-built-binaries -- null"
