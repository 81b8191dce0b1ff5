#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs every command of an element's page as a reader would who copies it, one after the other, in an
empty folder that has a picture.png. Windows are replaced by a fakesink, and opj_decompress is left
out where it is not installed. Files that a command names behind location= or -o are not to be empty
afterwards. Every property of the element has to be in one of the pipelines.

page_pipelines.py PAGE ELEMENT"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

COMMANDS = ("gst-launch-1.0 ", "opj_decompress ")
PICTURE = "gst-launch-1.0 videotestsrc num-buffers=1 ! pngenc ! filesink location=picture.png"
# The base class's, which have a page of their own, and GStreamer's.
SHARED = {"name", "parent", "qos", "backend", "cuda-device-id", "n-threads", "active-backend", "stats"}


def commands(page):
    text = open(page, encoding="utf-8").read()
    pattern = r"```sh\n(.*?)```|`([^`\n]+)`"
    for block, inline in re.findall(pattern, text, re.DOTALL):
        for command in (block.replace("\\\n", " ").splitlines() if block else [inline]):
            if command.startswith(COMMANDS):
                yield command


def fail(command, why):
    sys.exit(f"{command}\n{why}")


def run(command):
    words = shlex.split(command)
    if shutil.which(words[0]) is None:
        print("left out, not installed:", command)
        return
    words = ["fakesink" if word == "autovideosink" else word for word in words]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        fail(command, "takes more than 20 seconds")
    said = done.stdout + done.stderr
    if done.returncode != 0 or re.search("ERROR|WARN|CRITICAL", said):
        fail(command, f"exit status {done.returncode}\n{said}")
    for name in re.findall(r"filesink location=(\S+)|-o (\S+)", command):
        name = "".join(name)
        if not os.path.exists(name) or os.path.getsize(name) == 0:
            fail(command, f"{name} is missing or empty")


def properties(element):
    text = subprocess.run(["gst-inspect-1.0", element], capture_output=True, text=True, check=True)
    found = re.findall(r"^  ([a-z0-9-]+) +: ", text.stdout, re.MULTILINE)
    return set(found) - SHARED


def main():
    page, element = os.path.abspath(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(PICTURE)
        all_commands = list(commands(page))
        for command in all_commands:
            run(command)
        os.chdir("/")
    used = set(re.findall(r" ([a-z0-9-]+)=", " ".join(all_commands)))
    if missing := properties(element) - used:
        sys.exit(f"in no pipeline of {page}: {', '.join(sorted(missing))}")
    print(f"{len(all_commands)} commands")


main()
