#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Kernels that are launched early read nothing before they wait: a test of the machine code.

usage: early_loads.py LIBRARY [--planted LIBRARY]

A kernel of compute capability 9.0 or later that waits for the grid before it (griddepcontrol.wait)
must have no access to global memory, no call and no branch in front of that instruction; and no load
of read-only memory (ld.global.nc) anywhere, for a compiler may move that above the wait. With
--planted, every kernel of that library must be reported, so that the test is known to see. (That a
kernel launched early waits at all is the subject of test_grid_order.cu and of the suite gpu.)
"""

import collections
import struct
import sys

EM_CUDA = 190
# The low 12 bits of an instruction of 16 bytes.
WAIT = 0x82E  # ACQBULK
ACCESSES = {0x980: "LD", 0x981: "LDG", 0x985: "ST", 0x986: "STG", 0x98A: "ATOM", 0x98E: "RED",
            0x9A8: "ATOMG", 0xFAE: "LDGSTS", 0x3BA: "UBLKCP", 0x5B4: "UTMALDG", 0x944: "CALL",
            0x947: "BRA"}
READ_ONLY = 1 << (64 + 15)  # of LDG: ld.global.nc


def images(data):
    """The images of machine code in a file, wherever they are."""
    at = data.find(b"\x7fELF")
    while at >= 0:
        if struct.unpack_from("<H", data, at + 18)[0] == EM_CUDA:
            yield data[at:]
        at = data.find(b"\x7fELF", at + 1)


def kernels(image):
    """Names of functions, and their instructions."""
    (table,) = struct.unpack_from("<Q", image, 40)
    size, count, names_at = struct.unpack_from("<3H", image, 58)
    sections = [struct.unpack_from("<IIQQQQ", image, table + i * size) for i in range(count)]
    names = image[sections[names_at][4]:]
    for name_at, _, _, _, offset, length in sections:
        name = names[name_at:names.index(b"\0", name_at)].decode()
        if name.startswith(".text."):
            code = image[offset:offset + length]
            yield name[6:], [int.from_bytes(code[i:i + 16], "little") for i in range(0, length, 16)]


def findings(path):
    """What is wrong with each kernel that waits; and how many loads it has."""
    found, loads = [], collections.Counter()
    with open(path, "rb") as file:
        data = file.read()
    for image in images(data):
        for name, code in kernels(image):
            opcodes = [instruction & 0xFFF for instruction in code]
            if WAIT not in opcodes:
                continue
            wrong = [ACCESSES[o] + " before the wait" for o in opcodes[:opcodes.index(WAIT)]
                     if o in ACCESSES]
            for instruction in code:
                if instruction & 0xFFF == 0x981:
                    loads["read-only" if instruction & READ_ONLY else "plain"] += 1
                    if instruction & READ_ONLY:
                        wrong.append("a read-only load")
            found.append((name, wrong))
    return found, loads


def main():
    found, loads = findings(sys.argv[1])
    if not found:
        print("SKIP: this build has no kernels for compute capability 9.0 or later")
        return 77
    bad = [(name, wrong) for name, wrong in found if wrong]
    for name, wrong in bad:
        print(f"{name}: {', '.join(wrong)}")
    print(f"{len(found)} kernels that wait, with {loads['plain']} plain and {loads['read-only']} "
          f"read-only loads; {len(bad)} are wrong")
    if sys.argv[2:3] == ["--planted"]:
        planted, _ = findings(sys.argv[3])
        unseen = [name for name, wrong in planted if not wrong]
        if unseen or not planted:
            print(f"planted kernels, not reported: {unseen}")
            return 1
    return 1 if bad else 0


sys.exit(main())
