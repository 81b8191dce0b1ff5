#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The points of docs/examples/point_cloud.cpp are where examples/media/make_pair.py has its surfaces.

usage: point_cloud_test.py PROGRAM MEDIA
"""
import ast
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile


def scene(script):
    """The script's constants, without what it imports."""
    names = {}
    for line in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign):
            try:
                value = ast.literal_eval(line.value)
            except ValueError:
                continue
            target = line.targets[0]
            several = isinstance(target, ast.Tuple)
            names.update(zip((t.id for t in target.elts), value) if several else [(target.id, value)])
    return names


def depth(at, across, down):
    """Of the surface that the left camera sees in this direction."""
    depths = [at["WALL"], at["FLOOR"] / down if down > 0 else math.inf]
    for (x, y, z), radius, _ in at["BALLS"]:
        a, b = across * across + down * down + 1, across * x + down * y + z
        root = b * b - a * (x * x + y * y + z * z - radius * radius)
        depths.append((b - math.sqrt(root)) / a if root > 0 else math.inf)
    return min(depths)


def main():
    inspect = os.environ.get("COALESCE_TEST_INSPECT")
    if inspect and subprocess.run([inspect, "--exists", "jpegdec"], check=False).returncode:
        print("SKIP: there is no element jpegdec")
        sys.exit(77)
    program, media = sys.argv[1], pathlib.Path(sys.argv[2])
    at = scene(media / "make_pair.py")
    left, right = (media / f"pair-{eye}_480x320.jpg" for eye in ("left", "right"))
    camera = [str(at["FOCAL"]), str(at["BASELINE"])]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "points.ply"
        subprocess.run([program, left, right, *camera, file, "num-disparities=64"], check=True)
        head, _, body = file.read_bytes().partition(b"end_header\n")
        # An error is a line that names what is wrong.
        written = [*camera, file]
        for arguments, status, words in [
                ([left, "missing.jpg", *written], 1, "missing.jpg, which must be a picture"),
                ([__file__, right, *written], 1, __file__),
                ([left, right, "0", "1", file], 1, "FOCAL-LENGTH 0"),
                ([left, right, *camera, folder], 1, f"cannot write {folder}: Is a directory"),
                ([left, right, *written, "nonsense=1"], 1, '"nonsense"'),
                ([left, right, *written, "median=3", "p1=97"], 1, "'p1'"),
                ([left, right, *camera], 2, "usage: ")]:
            ran = subprocess.run([program, *arguments], text=True, capture_output=True, check=False, timeout=60)
            assert (ran.returncode, ran.stderr.count("\n")) == (status, 1), (arguments, ran)
            assert ran.stderr.startswith("point-cloud: ") and words in ran.stderr, (arguments, ran)
    count = int(head.split(b"element vertex ")[1].split()[0])
    assert len(body) == 15 * count, (len(body), count)
    assert count > 0.9 * at["WIDTH"] * at["HEIGHT"], count
    good = red = 0
    for x, y, z, r, g, b in struct.iter_unpack("<fffBBB", body):
        pixels = at["FOCAL"] * at["BASELINE"]
        good += abs(pixels / z - pixels / depth(at, x / z, y / z)) < 1
        (cx, cy, cz), radius, _ = at["BALLS"][0]
        if math.dist((x, y, z), (cx, cy, cz)) < radius:
            red += 1 if r > g > b else -1
    print(f"{count} points, {good / count:.2%} less than a pixel of disparity wrong")
    assert good > 0.97 * count, good / count
    assert red > 1000, red


if __name__ == "__main__":
    main()
