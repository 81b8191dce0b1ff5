# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of ./run demo: reads raw frames as GStreamer writes them, writes PNG, measures."""

import math
import random
import struct
import zlib


def round_up(value, step):
    return (value + step - 1) // step * step


def png_size(path):
    with open(path, "rb") as file:
        return struct.unpack(">II", file.read(24)[16:])


def write_png(path, pixels, width, height, palette=None, scale=(1, 1)):
    """Writes grey, palette or RGB samples without padding; pixels grow by scale in x and y."""
    channels = len(pixels) // (width * height)
    rows = []
    for y in range(height):
        row = pixels[y * width * channels : (y + 1) * width * channels]
        if scale[0] > 1:
            row = b"".join(row[x : x + channels] * scale[0] for x in range(0, len(row), channels))
        rows.append((b"\0" + row) * scale[1])

    def chunk(kind, data):
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    colour_type = 2 if channels == 3 else 3 if palette else 0
    header = struct.pack(">IIBBBBB", width * scale[0], height * scale[1], 8, colour_type, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
        if palette:
            file.write(chunk(b"PLTE", bytes(value for colour in palette for value in colour)))
        file.write(chunk(b"IDAT", zlib.compress(b"".join(rows), 6)) + chunk(b"IEND", b""))


def read_samples(file, width, height, bytes_per_pixel=1):
    """Reads one plane of a raw frame; GStreamer pads its rows to multiples of four bytes."""
    used = width * bytes_per_pixel
    stride = round_up(used, 4)
    data = file.read(stride * height)
    if len(data) != stride * height:
        raise ValueError(f"{file.name} ends early")
    if stride == used:
        return data
    return b"".join(data[y * stride : y * stride + used] for y in range(height))


def read_planes(path, sizes):
    with open(path, "rb") as file:
        return [read_samples(file, width, height) for width, height in sizes]


def read_rgb(path, width, height):
    with open(path, "rb") as file:
        return read_samples(file, width, height, 3)


# ---- where to look ------------------------------------------------------------------------------


def busiest(luma, u, v):
    """Returns the index of the sample with the most detail of brightness and colour, or None.

    The planes hold the local mean of a Laplacian's absolute value; for chroma it starts at 128.
    Colour counts twice: foliage has detail everywhere, and shows subsampled chroma badly.
    """
    colour = [abs(a - 128) + abs(b - 128) for a, b in zip(u, v)]
    weights = (max(max(luma), 8), max(max(colour), 8))
    score = [a / weights[0] + 2 * b / weights[1] for a, b in zip(luma, colour)]
    best = max(range(len(score)), key=score.__getitem__)
    return best if score[best] > 0 else None


# ---- colour -------------------------------------------------------------------------------------

KR, KB = 0.2126, 0.0722  # BT.709
KG = 1 - KR - KB


def exact_luma(rgb):
    """The luma of BT.709 in limited range, not rounded."""
    scale = 219 / 255
    reds, greens, blues = rgb[::3], rgb[1::3], rgb[2::3]
    return [16 + scale * (KR * r + KG * g + KB * b) for r, g, b in zip(reds, greens, blues)]


def rgb_of_yuv(planes, width, height, chroma_step):
    """Converts by the formula of BT.709; a chroma sample covers chroma_step pixels in x and y."""
    luma, u, v = planes
    step_x, step_y = chroma_step
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            chroma = y // step_y * (width // step_x) + x // step_x
            grey = (luma[y * width + x] - 16) * 255 / 219
            cb, cr = (u[chroma] - 128) * 255 / 224, (v[chroma] - 128) * 255 / 224
            red, blue = grey + 2 * (1 - KR) * cr, grey + 2 * (1 - KB) * cb
            green = (grey - KR * red - KB * blue) / KG
            pixels += bytes(min(max(int(c + 0.5), 0), 255) for c in (red, green, blue))
    return bytes(pixels)


def psnr(before, after):
    squares = sum((a - b) ** 2 for a, b in zip(before, after))
    return 10 * math.log10(255**2 * len(before) / squares) if squares else math.inf


def with_specks(rgb, share):
    """Makes a share of the pixels black or white, the same ones every time."""
    chance = random.Random(1)
    pixels = bytearray(rgb)
    for at in range(0, len(pixels), 3):
        if chance.random() < share:
            pixels[at : at + 3] = bytes(3) if chance.random() < 0.5 else b"\xff" * 3
    return bytes(pixels)


def with_noise(rgb, sigma):
    """Adds noise of a normal distribution, the same every time."""
    chance = random.Random(1)
    return bytes(min(max(round(sample + chance.gauss(0, sigma)), 0), 255) for sample in rgb)


def padded_rgb(pixels, width):
    """Rows as GStreamer has them, padded to multiples of four bytes."""
    rows = (pixels[at : at + 3 * width] for at in range(0, len(pixels), 3 * width))
    return b"".join(row + bytes(-len(row) % 4) for row in rows)


def error_map(errors, gain):
    return bytes(min(int(error * gain + 0.5), 255) for error in errors)


def heat_palette():
    """From black over red and yellow to white."""
    return [tuple(min(max(3 * i - 255 * c, 0), 255) for c in range(3)) for i in range(256)]


def chroma_palette(plane):
    """The colour of each value of U (plane 1) or V (plane 2), in the middle of the others."""
    middle = [bytes([126]), bytes([128]), bytes([128])]
    palette = []
    for value in range(256):
        planes = list(middle)
        planes[plane] = bytes([value])
        palette.append(tuple(rgb_of_yuv(planes, 1, 1, (1, 1))))
    return palette
