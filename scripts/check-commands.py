#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the shell commands of README, CONTRIBUTING and docs/, page by page, in the checkout.

A page's fenced sh blocks are one script for bash -e. Lines of gst-launch-1.0 are left to the tests page-*.
With CI=true new build folders get -Dwerror=true, as ./run's have: so ccache has their objects already.
<!-- not run: REASON --> before a block leaves the block out.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

RUN_ELSEWHERE = re.compile(r"\./run (test|test --all|docs|fuzz .*)")  # other steps of the whole tier
BLOCK = re.compile(r"(<!-- not run: (?P<reason>[^>]*) -->\n+)?```sh\n(?P<text>.*?)```", re.S)


def lines_of(text):
    for line in text.replace("\\\n", " ").splitlines():
        command = re.sub(r"\s+#\s.*", "", line).strip()
        if command and not command.startswith(("#", "gst-launch-1.0 ")):
            yield command


def script_of(page):
    commands = []
    with open(page, encoding="utf-8") as file:
        for block in BLOCK.finditer(file.read()):
            for command in lines_of(block["text"]):
                reason = block["reason"]
                if reason is None and RUN_ELSEWHERE.fullmatch(command):
                    reason = "another step runs it"
                if reason is None:
                    commands.append(command)
                else:
                    print(f"  not run ({reason}): {command}")
    return commands


def run(page, folder):
    print(f"{page}:")
    commands = script_of(page)
    if not commands:
        return True
    # sudo installs below a folder of ours, where the rest of the page finds the plugin.
    with open(os.path.join(folder, "sudo"), "w", encoding="utf-8") as sudo:
        sudo.write(f'#!/bin/sh\nDESTDIR={folder}/root exec "$@"\n')
    if os.environ.get("CI") == "true":
        with open(os.path.join(folder, "meson"), "w", encoding="utf-8") as meson:
            meson.write(f'#!/bin/sh\n[ "$1" = setup ] && set -- "$@" -Dwerror=true\n'
                        f'exec {sh_quote(shutil.which("meson"))} "$@"\n')
        os.chmod(meson.name, 0o755)
    os.chmod(os.path.join(folder, "sudo"), 0o755)
    environment = dict(os.environ, PATH=folder + ":" + os.environ["PATH"])
    script = "set -e\n"
    for command in commands:
        script += f"printf '  %s\\n' {sh_quote(command)}\n{command}\n"
        if "meson install" in command and command.startswith("sudo "):
            script += f'export GST_PLUGIN_PATH=$(dirname "$(find {folder}/root -name libgstcoalesce.so)")\n'
    begin = time.monotonic()
    done = subprocess.run(["bash", "-c", script], env=environment, stdin=subprocess.DEVNULL)
    print(f"{page}: {'passed' if done.returncode == 0 else 'FAILED'}, {time.monotonic() - begin:.0f} s",
          flush=True)
    return done.returncode == 0


def sh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    pages = sys.argv[1:] or ["README.md", "CONTRIBUTING.md", "SECURITY.md"] + sorted(
        os.path.join("docs", name) for name in os.listdir("docs") if name.endswith(".md"))
    with tempfile.TemporaryDirectory() as folder:
        failed = [page for page in pages if not run(page, folder)]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
