# SPDX-License-Identifier: LGPL-2.1-or-later
"""From INPUT… to items: video files, image sequences, directories of both, manifests (CSV, JSON)."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import math
import os
import re
from fractions import Fraction

VIDEO = {".3gp", ".avi", ".dv", ".flv", ".m2t", ".m2ts", ".m2v", ".m4v", ".mj2", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg",
         ".mts", ".mxf", ".ogv", ".ts", ".vob", ".webm", ".wmv", ".y4m"}
IMAGES = {".bmp", ".dpx", ".exr", ".jp2", ".jpeg", ".jpg", ".png", ".pgm", ".ppm", ".tif", ".tiff", ".webp"}
EXTENSION = {"mxf": ".mxf", "mj2": ".mj2", "jp2": ""}
STATE = ".coalesce-fleet"
NUMBERED = re.compile(r"(.*?)(\d+)(\.[^.]+)$")
PATTERN = re.compile(r"%(?:0(\d+))?d")


class UsageError(Exception):
    """Inputs that cannot be understood: nothing has been encoded."""


@dataclasses.dataclass(frozen=True)
class Item:
    """One output. `path` is a video file, or the pattern of an image sequence (`shot_%04d.png`)."""

    name: str
    path: str
    framerate: str | None = None

    @property
    def is_sequence(self) -> bool:
        return self.framerate is not None

    def images(self) -> list[str]:
        """The pictures of a sequence by their numbers."""
        folder, pattern = os.path.split(self.path)
        before, after = (re.escape(part) for part in _halves(pattern))
        found = {}
        for entry in os.scandir(folder):
            match = re.fullmatch(f"{before}(\\d+){after}", entry.name)
            if match:
                number = int(match.group(1))
                if number in found:
                    raise ValueError(f"{self.path}: picture {number} is there twice: {entry.name} and "
                                     f"{os.path.basename(found[number])}")
                found[number] = entry.path
        if not found:
            raise FileNotFoundError(f"{self.path}: no picture has this name")
        numbers = sorted(found)
        for before, after in zip(numbers, numbers[1:]):
            if after != before + 1:
                raise ValueError(f"{self.path}: picture {before + 1} is missing, between {before} and {after}")
        return [found[number] for number in numbers]

    def identity(self) -> tuple[str, int]:
        """A digest of the paths, sizes and times of change of the input, and its size in bytes."""
        digest, size = hashlib.sha256(), 0
        for path in self.images() if self.is_sequence else [self.path]:
            status = os.stat(path)
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
            size += status.st_size
        return digest.hexdigest(), size


def _halves(pattern: str) -> tuple[str, str]:
    match = PATTERN.search(pattern)
    return pattern[:match.start()], pattern[match.end():]


def _stem(name: str) -> str:
    return os.path.splitext(name)[0]


def _sequence(folder: str, pattern: str, name: str, framerate: str) -> Item:
    return Item(name, os.path.join(folder, pattern), framerate)


def _pattern_name(pattern: str) -> str:
    before, after = _halves(pattern)
    return (before + after.rpartition(".")[0]).strip("._- ")


def _directory(folder: str, framerate: str, outputs: str) -> list[Item]:
    items = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".")
                            and os.path.realpath(os.path.join(place, name)) != outputs)
        below = os.path.relpath(place, folder)
        below = "" if below == "." else below
        sequences = {}
        for name in sorted(files):
            suffix = os.path.splitext(name)[1].lower()
            if name.startswith("."):
                continue
            if suffix in VIDEO:
                items.append(Item(os.path.join(below, _stem(name)), os.path.join(place, name)))
            match = NUMBERED.fullmatch(name)
            if suffix in IMAGES and match:
                sequences.setdefault((match.group(1), match.group(3)), set()).add(len(match.group(2)))
        for (before, after), widths in sorted(sequences.items()):
            pattern = f"{before}%0{min(widths)}d{after}"
            # The only sequence of a folder has the name of the folder.
            name = below or os.path.basename(folder)
            if len(sequences) > 1:
                name = os.path.join(name, _pattern_name(pattern) or after.lstrip("."))
            items.append(_sequence(place, pattern, name, framerate))
    if not items:
        raise UsageError(f"{folder}: no video file and no numbered images are in it")
    return items


def _rows(path: str) -> list[dict]:
    try:
        if path.lower().endswith(".json"):
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                value = json.load(file)
            rows = value.get("items") if isinstance(value, dict) else value
            if not isinstance(rows, list):
                raise UsageError(f"{path}: expected a list of inputs, or an object with \"items\"")
            return [{"input": row} if isinstance(row, str) else row for row in rows]
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            reader = csv.DictReader(file)
            if "input" not in (reader.fieldnames or []):
                raise UsageError(f"{path}: the first line has no column \"input\" (also known: name, framerate)")
            return list(reader)
    except (ValueError, csv.Error) as error:
        raise UsageError(f"{path}: not readable: {error}") from error


def _manifest(path: str, framerate: str, outputs: str) -> list[Item]:
    items, base = [], os.path.dirname(path)
    rows = _rows(path)
    if not rows:
        raise UsageError(f"{path}: no entry is in it")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not isinstance(row.get("input"), str) or not row["input"]:
            raise UsageError(f"{path}: entry {number} has no \"input\"")
        if None in row:
            raise UsageError(f"{path}: entry {number} has more fields than the first line")
        if not isinstance(row.get("name") or "", str):
            raise UsageError(f"{path}: entry {number}: the name {row['name']} is no text")
        unknown = set(row) - {"input", "name", "framerate"}
        if unknown:
            raise UsageError(f"{path}: entry {number}: unknown {', '.join(sorted(map(str, unknown)))} "
                             "(known: input, name, framerate)")
        try:
            found = _input(os.path.join(base, row["input"]), str(row.get("framerate") or framerate), outputs)
        except UsageError as error:
            raise UsageError(f"{path}: entry {number}: {error}") from error
        if row.get("name"):
            if len(found) > 1:
                raise UsageError(f"{path}: entry {number}: {row['input']} is {len(found)} items, one name is given")
            found = [dataclasses.replace(found[0], name=row["name"])]
        items += found
    return items


def _input(path: str, framerate: str, outputs: str) -> list[Item]:
    try:
        rate = Fraction(framerate)
        if not 0 < rate <= 1000 or max(rate.as_integer_ratio()) >= 1 << 31:
            raise ValueError
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"framerate {framerate}: expected pictures a second above 0, up to 1000, e.g. 25 or "
                         "30000/1001") from None
    if not path:
        raise UsageError("an input is empty: expected a path")
    path = os.path.abspath(path)
    if os.path.isdir(path):
        return _directory(path, framerate, outputs)
    folder, name = os.path.split(path)
    if not os.path.exists(path) and PATTERN.search(name):
        item = _sequence(folder, name, _pattern_name(name) or os.path.basename(folder), framerate)
        try:
            item.images()
        except OSError as error:
            raise UsageError(f"{path}: {error.strerror}" if error.strerror else str(error)) from None
        except ValueError:
            pass  # a gap ends the item, and no other
        return [item]
    if not os.path.isfile(path):
        raise UsageError(f"{path}: no such file or directory")
    suffix = os.path.splitext(name)[1].lower()
    if suffix in IMAGES:
        match = NUMBERED.fullmatch(name)
        hint = f"{match.group(1)}%0{len(match.group(2))}d{match.group(3)}" if match else "image_%06d" + suffix
        raise UsageError(f"{path}: a single image; an image sequence is given by its directory or a pattern, "
                         f"e.g. {os.path.join(folder, hint)}")
    return [Item(_stem(name), path)]


def output(item: Item, container: str) -> str:
    """The path of an item's output below DIR."""
    return os.path.normpath(item.name) + EXTENSION[container]


def _longest(parts: list[str]) -> float:
    """Bytes of the longest; infinity if one is not of bytes."""
    try:
        return max(len(os.fsencode(part)) for part in parts)
    except UnicodeEncodeError:
        return math.inf


def items(inputs: list[str], framerate: str, to: str, container: str) -> list[Item]:
    """All items, with outputs that differ."""
    outputs, found = os.path.realpath(to), []
    for path in inputs:
        if path.lower().endswith((".csv", ".json")) and os.path.isfile(path):
            found += _manifest(os.path.abspath(path), framerate, outputs)
        else:
            found += _input(path, framerate, outputs)
    taken = {}
    for item in found:
        name = output(item, container)
        parts = name.split(os.sep)
        if "\n" in name or "\0" in name:
            raise UsageError(f"{item.path}: the name {item.name!r} has a line break or a NUL: give a name in a manifest "
                             "(columns input, name)")
        if _longest(parts) > 255:
            raise UsageError(f"{item.path}: the name {item.name!r} is no name of a file, or has more than 255 bytes")
        if os.path.isabs(name) or ".." in parts or name in (".", ""):
            raise UsageError(f"{item.path}: the name {item.name!r} is no path below the target")
        if parts[0] == STATE or name in ("manifest.json", "SHA256SUMS"):
            raise UsageError(f"{item.path}: the name {item.name!r} is one that coalesce-fleet uses itself")
        if name in taken:
            raise UsageError(f"{taken[name]} and {item.path} would both be written to {name}: "
                             "give names in a manifest (columns input, name)")
        taken[name] = item.path
    for name in taken:
        above = os.path.dirname(name)
        while above:
            if above in taken:
                raise UsageError(f"{taken[above]} would be written to {above} and {taken[name]} into it, {name}: "
                                 "give names in a manifest (columns input, name)")
            above = os.path.dirname(above)
    return found
