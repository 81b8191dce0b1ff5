# SPDX-License-Identifier: LGPL-2.1-or-later
"""What GStreamer's muxers write differently each time in MXF and MJ2 files, made the same; and the timecode of MXF,
which mxfmux writes as 0."""

import hashlib
import re
import struct

# MP4's zero is 1904-01-01; MXF's timestamp is year, month, day, hour, minute, second, quarter milliseconds.
MP4_TIME = 0
MXF_TIME = struct.pack(">HBBBBBB", 1970, 1, 1, 0, 0, 0, 0)
SETS = bytes.fromhex("060e2b34025301010d0101010101")  # a local set of metadata, of 16 bytes the first 14
PRIMER = bytes.fromhex("060e2b34020501010d010201010501")
INDEX = bytes.fromhex("060e2b34025301010d010201011001")
TIMECODE = 0x14  # a timecode component: 1501 start, 1502 rounded rate, 1503 drop frame
TIMES = (0x3B02, 0x3C06, 0x4404, 0x4405)
CONTAINERS = (b"moov", b"trak", b"mdia", b"minf", b"stbl")


def boxes(file, start, end):
    """(type, payload start, payload end) of the boxes in a range, those within the containers too."""
    at = start
    while at + 8 <= end:
        file.seek(at)
        size, kind = struct.unpack(">I4s", file.read(8))
        head = 8
        if size == 1:
            size, head = struct.unpack(">Q", file.read(8))[0], 16
        elif size == 0:
            size = end - at
        if size < head or at + size > end:
            raise ValueError(f"box {kind!r} at byte {at} is longer than what holds it")
        yield kind, at + head, at + size
        if kind in CONTAINERS:
            yield from boxes(file, at + head, at + size)
        at += size


def packets(file, end):
    """(key, position, length) of the values of an MXF file."""
    at = 0
    while at + 17 <= end:
        file.seek(at)
        key, first = file.read(16), file.read(1)[0]
        size, head = first, 17
        if first & 0x80:
            size, head = int.from_bytes(file.read(first & 0x7F), "big"), 17 + (first & 0x7F)
        yield key, at + head, size
        at += head + size


def sets(file, end):
    """(set's kind, tag, position, length) of every item of every metadata set of an MXF file."""
    for key, at, size in packets(file, end):
        if key[:14] == SETS:
            item = at
            while item + 4 <= at + size:
                file.seek(item)
                tag, length = struct.unpack(">HH", file.read(4))
                yield key[14], tag, item + 4, length
                item += 4 + length


def length(file):
    return file.seek(0, 2)


def identifiers(value):
    """The random identifiers that a set defines: its own and, in a package, the part of the UMID that is drawn."""
    at = 0
    while at + 4 <= len(value):
        tag, size = struct.unpack_from(">HH", value, at)
        if size == 16 and tag in (0x3C0A, 0x3C09):
            yield value[at + 4:at + 20]
        elif size == 32 and tag == 0x4401:
            yield value[at + 17:at + 36]
        at += 4 + size


def fix_mxf(file, name, timecode):
    codes = dict(zip((0x1501, 0x1502, 0x1503), timecode)) if timecode else {}
    found = [packet for packet in packets(file, length(file)) if packet[0][:14] == SETS or packet[0][:15] in (PRIMER, INDEX)]
    fixed = {}
    for key, at, size in found:
        file.seek(at)
        value = file.read(size)
        for one in identifiers(value) if key[:15] != PRIMER else ():
            if one not in fixed and any(one):
                fixed[one] = hashlib.sha256(f"{len(fixed)} {name}".encode()).digest()[:len(one)]
    pattern = re.compile(b"|".join(map(re.escape, fixed)), re.DOTALL) if fixed else None
    for key, at, size in found:
        file.seek(at)
        value = file.read(size)
        if key[:15] == PRIMER:
            # The order of mxfmux's table of tags is that of addresses in memory.
            value = value[:8] + b"".join(sorted(value[place:place + 18] for place in range(8, size, 18)))
        elif pattern:
            value = pattern.sub(lambda match: fixed[match[0]], value)
        file.seek(at)
        file.write(value)
    for kind, tag, at, size in list(sets(file, length(file))):
        file.seek(at)
        if tag in TIMES and size == 8:
            file.write(MXF_TIME)
        elif kind == TIMECODE and tag in codes:
            file.write(int(codes[tag]).to_bytes(size, "big"))


def fix(path, container, name, timecode=None):
    """`name` makes the file's identifiers; `timecode`: frames since midnight, rounded rate, whether frames are
    dropped."""
    with open(path, "r+b") as file:
        if container == "mxf":
            fix_mxf(file, name, timecode)
            return
        for kind, at, _ in list(boxes(file, 0, length(file))):
            if kind in (b"mvhd", b"tkhd", b"mdhd"):
                file.seek(at)
                wide = file.read(1) == b"\1"
                file.seek(at + 4)
                file.write(struct.pack(">QQ" if wide else ">II", MP4_TIME, MP4_TIME))


def read_timecode(path, container, rate):
    """HH:MM:SS:FF, with ; before the frames if frames are dropped; "none" without a timecode."""
    with open(path, "rb") as file:
        if container == "mxf":
            start = base = drop = None
            for kind, tag, at, size in sets(file, length(file)):
                if kind == TIMECODE:  # that of the material package comes first
                    file.seek(at)
                    value = int.from_bytes(file.read(size), "big")
                    if tag == 0x1501 and start is None:
                        start = value
                    elif tag == 0x1502 and base is None:
                        base = value
                    elif tag == 0x1503 and drop is None:
                        drop = bool(value)
            return "none" if start is None else text(start, base or round(rate), bool(drop))
        described = None
        for kind, at, end in boxes(file, 0, length(file)):
            file.seek(at)
            if kind == b"stsd" and file.read(end - at)[12:16] == b"tmcd":
                file.seek(at)
                described = file.read(end - at)
            elif kind in (b"stco", b"co64") and described:
                file.seek(at + 8)
                file.seek(struct.unpack(">I", file.read(4))[0] if kind == b"stco"
                          else struct.unpack(">Q", file.read(8))[0])
                start = struct.unpack(">I", file.read(4))[0]
                flags, base = struct.unpack(">I", described[28:32])[0], described[40]
                return text(start, base, bool(flags & 1))
    return "none"


def text(start, base, drop):
    if drop:
        lost = base // 15  # 2 of 30, 4 of 60
        ten = base * 600 - 9 * lost
        minutes = base * 60 - lost
        tens, rest = divmod(start, ten)
        start += 9 * lost * tens + (lost * ((rest - lost) // minutes) if rest > lost else 0)
    seconds, frames = divmod(start, base)
    return f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{';' if drop else ':'}{frames:02d}"
