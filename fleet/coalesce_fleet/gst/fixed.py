"""Times of writing in MXF and MJ2 files, set to a fixed one; the timecode of MXF, which mxfmux writes as 0."""

import struct

# MP4's zero is 1904-01-01; MXF's timestamp is year, month, day, hour, minute, second, quarter milliseconds.
MP4_TIME = 0
MXF_TIME = struct.pack(">HBBBBBB", 1970, 1, 1, 0, 0, 0, 0)
SETS = bytes.fromhex("060e2b34025301010d0101010101")  # a local set of metadata, of 16 bytes the first 14
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


def sets(file, end):
    """(set's kind, tag, position, length) of every item of every metadata set of an MXF file."""
    at = 0
    while at + 17 <= end:
        file.seek(at)
        key, first = file.read(16), file.read(1)[0]
        size, head = first, 17
        if first & 0x80:
            size, head = int.from_bytes(file.read(first & 0x7F), "big"), 17 + (first & 0x7F)
        if key[:14] == SETS:
            item = at + head
            while item + 4 <= at + head + size:
                file.seek(item)
                tag, length = struct.unpack(">HH", file.read(4))
                yield key[14], tag, item + 4, length
                item += 4 + length
        at += head + size


def length(file):
    return file.seek(0, 2)


def fix(path, container, timecode=None):
    """`timecode`: frames since midnight, rounded rate, whether frames are dropped."""
    with open(path, "r+b") as file:
        if container == "mxf":
            codes = dict(zip((0x1501, 0x1502, 0x1503), timecode)) if timecode else {}
            for kind, tag, at, size in list(sets(file, length(file))):
                file.seek(at)
                if tag in TIMES and size == 8:
                    file.write(MXF_TIME)
                elif kind == TIMECODE and tag in codes:
                    file.write(int(codes[tag]).to_bytes(size, "big"))
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
