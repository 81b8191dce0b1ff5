#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the interface of all elements with docs/interface.json, so that none changes by accident.

usage: interface.py PROGRAM           report what differs; exit with 1 if anything does
       interface.py --renew PROGRAM   write docs/interface.json

PROGRAM is build/tests/check/element-interface, with the environment of the tests: it prints the interface that
GStreamer has. docs/interface.json has the formats of several GStreamers; those that this one lacks do not count,
and neither do those of a later one. To renew it with the oldest and the newest GStreamer keeps the formats of both.
The reference in the pages is made from the same file (scripts/site.py).
"""
import json
import pathlib
import subprocess
import sys

SNAPSHOT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "interface.json"


def walk(value, change):
    """Every list of formats, changed."""
    for name, item in value.items() if isinstance(value, dict) else enumerate(value):
        if name == "format" and isinstance(item, list):
            value[name] = change(item)
        elif isinstance(item, (dict, list)):
            walk(item, change)
    return value


def differences(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(name for name in new if name not in old)]:
            where = f"{path} {name}".strip()
            if name not in new:
                yield f"{where}: removed"
            elif name not in old:
                yield f"{where}: added, {json.dumps(new[name], ensure_ascii=False)[:120]}"
            else:
                yield from differences(old[name], new[name], where)
    elif isinstance(old, list) and isinstance(new, list) and all(
            isinstance(item, dict) for item in old + new) and len(old) == len(new):
        for i, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{path} {i}")
    elif isinstance(old, list) and isinstance(new, list) and set(map(str, old)) != set(map(str, new)):
        for change, some, others in ("removed", old, new), ("added", new, old):
            if items := [str(item) for item in some if item not in others]:
                yield f"{path}: {', '.join(items)} {change}"
    elif old != new:
        yield f"{path}: {json.dumps(new, ensure_ascii=False)}, was {json.dumps(old, ensure_ascii=False)}"


def with_unknown(new, old, known):
    """The lists of formats of new, and in the places that they have in old the formats that are not known."""
    if isinstance(new, dict) and isinstance(old, dict):
        for name in new:
            if name in old and isinstance(new[name], (dict, list)):
                new[name] = with_unknown(new[name], old[name], known) if name != "format" or \
                    not isinstance(new[name], list) else merged(new[name], old[name], known)
    elif isinstance(new, list) and isinstance(old, list) and new and isinstance(new[0], dict):
        for one, other in zip(new, old):
            with_unknown(one, other, known)
    return new


def merged(new, old, known):
    result = list(new)
    for i, name in enumerate(old):
        if name not in known and name not in result:
            before = [place for place in old[:i] if place in result]
            result.insert(result.index(before[-1]) + 1 if before else 0, name)
    return result


def dump(snapshot):
    """A line for each property, and for each structure of a pad's caps."""
    def line(value):
        return json.dumps(value, ensure_ascii=False)

    def block(value, depth):
        if not depth or not isinstance(value, dict) or not value:
            return line(value)
        inner = ",\n".join(f"{line(name)}: {block(item, depth - 1)}" for name, item in value.items())
        return "{\n" + inner + "\n}"
    return block(snapshot, 4) + "\n"


def main():
    renew = sys.argv[1:2] == ["--renew"]
    if len(sys.argv) != 2 + renew:
        sys.exit(__doc__)
    program = sys.argv[-1]
    new = json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
    old = json.loads(SNAPSHOT.read_text(encoding="utf-8")) if SNAPSHOT.exists() else {"elements": {}, "formats": []}
    if not new["elements"]:
        sys.exit("GStreamer finds no element of the plugin")
    if renew:
        with_unknown(new["elements"], old["elements"], new["formats"])
        new["formats"] = sorted({*new["formats"], *old["formats"]})
        SNAPSHOT.write_text(dump(new), encoding="utf-8")
        return

    def shared(snapshot):
        return walk(snapshot["elements"],
                    lambda formats: [f for f in formats if f in new["formats"] and f in old["formats"]])
    lines = list(differences(shared(old), shared(new)))
    if lines:
        sys.exit("\n".join(lines) + f"\n{len(lines)} differences from docs/interface.json. If they are meant, renew it: "
                 f"scripts/interface.py --renew {program}")
    print(f"{len(new['elements'])} elements as in docs/interface.json")


if __name__ == "__main__":
    main()
