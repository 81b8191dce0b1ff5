#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Collects what the fleet's GStreamer processes need beside GStreamer: this machine's Python with gi, GObject
# introspection and the typelibs, in one folder that runs on another Linux of the same processor with a newer glibc.
# usage: carry.sh DEST
# There: COALESCE_FLEET_PYTHON=DEST/python. GStreamer itself, its plugins and libgstcoalesce.so are not in it.
set -euo pipefail
dest=${1:?usage: carry.sh DEST}
python=$(readlink -f "$(command -v /usr/bin/python3)")
mkdir -p "$dest"/{bin,lib,site,typelibs}
read -r stdlib version <<<"$("$python" -c 'import sys, sysconfig; print(sysconfig.get_path("stdlib"), "%d.%d" % sys.version_info[:2])')"
gi=$("$python" -c 'import gi, os; print(os.path.dirname(gi.__file__))')
libraries=$(dirname "$(ldconfig -p | awk '/libgirepository-1.0/ {print $NF; exit}')")

cp -L "$python" "$dest/bin/python$version"
mkdir -p "$dest/lib/python$version"
# Without tests, editors, installers and what has a compiled copy already.
tar -C "$stdlib" --exclude=__pycache__ --exclude=test --exclude=idlelib --exclude=tkinter --exclude=ensurepip \
  --exclude=lib2to3 --exclude=pydoc_data --exclude='config-*' --exclude=dist-packages --exclude=site-packages \
  --exclude=EXTERNALLY-MANAGED -cf - . | tar -C "$dest/lib/python$version" -xf -
tar -C "$(dirname "$gi")" --exclude=__pycache__ -cf - gi | tar -C "$dest/site" -xf -
for name in GLib-2.0 GObject-2.0 Gio-2.0 GModule-2.0 GstVideo-1.0 Gst-1.0 GstBase-1.0 GstApp-1.0 GstAudio-1.0 GstPbutils-1.0 \
  GstTag-1.0; do
  cp "$libraries/girepository-1.0/$name.typelib" "$dest/typelibs/" || echo "carry.sh: no typelib $name"
done
cp -L "$libraries"/libgst{app,audio,base,pbutils,tag,video}-1.0.so.0 "$dest/lib/" 2>/dev/null || true
# All but the libc family and the driver.
ldd "$dest/bin/python$version" "$gi"/_gi.*.so "$libraries/libgstreamer-1.0.so.0" "$dest"/lib/*.so.* \
  "$dest/lib/python$version/lib-dynload"/*.so 2>/dev/null | awk '$3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libgcc_s|libstdc\+\+)\.so|/libcuda\.so|/libnvidia' |
  while read -r file; do cp -L "$file" "$dest/lib/"; done
cat >"$dest/python" <<SCRIPT
#!/bin/sh
here=\$(cd "\$(dirname "\$0")" && pwd)
export PYTHONHOME=\$here PYTHONPATH=\$here/site GI_TYPELIB_PATH=\$here/typelibs
export LD_LIBRARY_PATH=\${LD_LIBRARY_PATH:+\$LD_LIBRARY_PATH:}\$here/lib
exec "\$here/bin/python$version" -s "\$@"
SCRIPT
chmod +x "$dest/python"
du -sh "$dest"
