#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the version script of the shared library: it exports what the installed headers declare.

usage: exports.py NM VERSION-NODE OUTPUT ARCHIVE HEADER...

A function of the archive is exported if a header names it, or if it is a member of a class of a header. What
the headers do not name is no part of the ABI.
"""
import re
import subprocess
import sys

nm, node, output, archive, *headers = sys.argv[1:]
functions, classes = set(), set()
for header in headers:
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)
    functions.update(re.findall(r"\b(\w+)\s*\(", text))
    classes.update(re.findall(r"\b(?:class|struct)\s+(?:\[\[\w+\]\]\s+)?(\w+)[^;{()<>]*\{", text))


def symbols(*options):
    text = subprocess.check_output([nm, "--defined-only", "--extern-only", "--format=posix", *options, archive],
                                   text=True, stderr=subprocess.DEVNULL)
    # A demangled name has spaces; the type and the place come last.
    return [re.sub(r" \w( [0-9a-f]*){0,2}$", "", line) for line in text.splitlines() if not line.endswith("]:")]


# Back ends, of which a build has one or both: the ABI is the same for all builds.
BACK_END = re.compile(r"\w+_(?:cpu|cuda)|make_cuda_\w+|cuda_\w+_slot_memory")
# [return type] coalesce::scopes::name, and its arguments or template arguments.
NAME = re.compile(r"(?:[\w:* ]+ )?coalesce::((?:\w+::)*)(operator[^\w(]+|[\w~]+)(?:\[abi:\w+\])?[(<]")


def is_public(name):
    """Whether a demangled name is of the headers."""
    match = NAME.match(name)
    if not match or "[clone" in name:
        return False
    scopes, last = match[1].split("::")[:-1], match[2]
    if last in classes or scopes and scopes[-1] in classes:
        return True
    in_namespace = not scopes or scopes[-1].islower()
    return in_namespace and last in functions and not BACK_END.fullmatch(last)


names = sorted({mangled for mangled, demangled in zip(symbols(), symbols("--demangle"), strict=True)
                if is_public(demangled)})
if not names:
    sys.exit(f"exports.py: {archive} has no function of the headers")
with open(output, "w", encoding="utf-8") as file:
    print(node, "{\n  global:", *(f"    {name};" for name in names), "  local:\n    *;\n};", sep="\n", file=file)
