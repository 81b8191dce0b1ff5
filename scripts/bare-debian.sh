#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/bare-debian.sh SUITE FOLDER [COMMAND...]: README's two commands, or COMMAND, in a clean clone of the
# last commit in a bare Debian (bookworm, trixie, forky, ...) that FOLDER has or gets. For root; needs debootstrap.
set -euo pipefail
suite=${1:?SUITE} folder=$(realpath -m "${2:?FOLDER}")
shift 2
(($# > 0)) || set -- './run --yes demo && ./run --yes test'
top=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)

if [ ! -x "$folder/bin/bash" ]; then
  debootstrap --variant=minbase "$suite" "$folder" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$folder.log" 2>&1
fi
mounted=()
trap 'for dir in "${mounted[@]}"; do umount -l "$dir"; done' EXIT
for dir in proc dev sys; do
  mount --rbind "/$dir" "$folder/$dir" && mount --make-rslave "$folder/$dir" && mounted+=("$folder/$dir")
done
cp /etc/resolv.conf "$folder/etc/"
for dir in ${CUDA_HOME:-} ${CCACHE_DIR:-}; do  # a toolkit and a cache of this machine
  mkdir -p "$folder$dir" && mount --bind "$dir" "$folder$dir" && mounted+=("$folder$dir")
done

rm -rf "$folder/root/gst-coalesce"
git clone -q "$top" "$folder/root/gst-coalesce"
# A network that the shell reaches by a proxy, apt does, too.
chroot "$folder" env -i HOME=/root PATH="$PATH" LANG=C.UTF-8 TERM=dumb \
  http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" CUDA_HOME="${CUDA_HOME:-}" \
  ${CCACHE_DIR:+CCACHE_DIR="$CCACHE_DIR" CCACHE_BASEDIR=/root/gst-coalesce \
  CCACHE_SLOPPINESS=pch_defines,time_macros} \
  bash -c "cd /root/gst-coalesce && time { $*; }"
