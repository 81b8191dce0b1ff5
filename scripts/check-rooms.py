#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks the rooms of the sources: no include runs back, and no folder has more than 25 files.

usage: check-rooms.py

A room is a folder. It includes only itself and rooms of an earlier line below; rooms of one line do
not include each other. Exits with 1 if it reports anything.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_FILES = 25
# By folder, the rooms in it, the ground floor first. "." is the folder itself, "*" each other room in it.
ROOMS = {
    "kernels": [["core", "text"], ["picture"], ["*"], ["blur", "cartoon", "stereo"], ["multiview"]],
    "kernels/convolve": [["mask"], ["."], ["cpu", "cuda"], ["cuda/tensor"], ["cuda/separable"]],
    "kernels/j2k": [["codestream", "device"], ["params"], ["profile"], ["canvas"],
                    ["tier1/context", "transform"], ["tier1/mq", "transform/cuda"], ["tier1"],
                    ["tier2"], ["pcrd"], ["encoder"]],
    "kernels/jpeg": [["tables"], ["plan"], ["*"]],
    "gst": [["object"], ["cuda"], ["memory"], ["video"], ["base"], ["coding"], ["*"], ["linedetect", "sepconvolve"], ["."]],
}
# An operation's own file may include what it is made of.
DISPATCH = {"kernels/convolve/convolve.cpp"}


def sources(folder):
    text = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", folder],
                                   cwd=ROOT, text=True)
    return [pathlib.PurePosixPath(line) for line in text.splitlines() if (ROOT / line).is_file()]


def room_of(path, base, floors):
    """Room and floor of a file below base: the longest room that its folder begins with; None if there is none."""
    folder = path.parent.relative_to(base)
    named = [str(candidate) for candidate in [folder, *folder.parents] if str(candidate) in floors]
    if "*" in floors and folder.parts and named in ([], ["."]):
        return folder.parts[0], floors["*"]
    return (named[0], floors[named[0]]) if named else None


def includes(path):
    for name in re.findall(r'^\s*#\s*include "([^"]+)"', (ROOT / path).read_text(), re.M):
        for folder in [path.parent, pathlib.PurePosixPath(path.parts[0])]:
            target = pathlib.Path(ROOT / folder / name).resolve()
            if target.is_file() and target.is_relative_to(ROOT):
                yield pathlib.PurePosixPath(target.relative_to(ROOT).as_posix())
                break


def main():
    reports = []
    for base, lines in ROOMS.items():
        floors = {room: number for number, line in enumerate(lines) for room in line}
        for path in sources(base):
            if path.suffix not in (".h", ".cpp", ".cu", ".cuh") or str(path) in DISPATCH:
                continue
            room = room_of(path, base, floors)
            if room is None:
                reports.append(f"{path}: its folder is no room of {base}")
                continue
            for target in includes(path):
                if not target.is_relative_to(base):
                    continue
                other = room_of(target, base, floors)
                if other is not None and other[0] != room[0] and other[1] >= room[1]:
                    reports.append(f"{path}: {room[0]} includes {target}, of {other[0]}")
    for top in ("bench", "fleet", "gst", "kernels", "scripts", "tests"):
        count = {}
        for path in sources(top):
            if "corpus" not in path.parts:  # of inputs for fuzzing
                count[path.parent] = count.get(path.parent, 0) + 1
        for folder, files in sorted(count.items()):
            if files > MAX_FILES:
                reports.append(f"{folder}: {files} files, at most {MAX_FILES}")
    print("\n".join(reports + [f"{len(reports)} findings"]))
    return 1 if reports else 0


if __name__ == "__main__":
    sys.exit(main())
