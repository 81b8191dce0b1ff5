#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the pictures of the README and of the elements' pages from one photograph, and a portrait.

usage: make.py bus_4032x3024.jpg [astronaut_512x512.png] [PICTURE...]
       PICTURE: overview, convolve, sepconvolve, ...; bilateral, cartoon and oilpaint, of the portrait, too

Needs gst-launch-1.0 with the base, good and bad plugins, and the elements themselves: set
GST_PLUGIN_PATH to build/gst. README.md in this folder names the photograph's source."""
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BACKGROUND = (22, 27, 34)
TEXT, FAINT, POSITIVE, NEGATIVE, EMPTY = "#e6edf3", "#9da7b3", "#ff8f3f", "#4c9aff", "#30363d"
GAP = 8  # between the cells of a sheet, in pixels


class Picture:
    """Pixels of 8-bit RGB."""

    def __init__(self, width, height, data):
        assert len(data) == width * height * 3, (width, height, len(data))
        self.width, self.height, self.data = width, height, data

    def row(self, y):
        return self.data[y * self.width * 3:(y + 1) * self.width * 3]

    def crop(self, x, y, width, height):
        rows = (self.row(y + i)[x * 3:(x + width) * 3] for i in range(height))
        return Picture(width, height, b"".join(rows))

    def enlarged(self, n):
        """Each pixel n x n times."""
        rows = []
        for y in range(self.height):
            row = self.row(y)
            rows += [b"".join(row[i:i + 3] * n for i in range(0, len(row), 3))] * n
        return Picture(self.width * n, self.height * n, b"".join(rows))


def launch(*words):
    command = ["gst-launch-1.0", "-q", *(w for words in words for w in words.split())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def passed(folder, data, parse, elements):
    """`data` after a pipeline; rawvideoparse has the properties `parse`."""
    with open(f"{folder}/in", "wb") as file:
        file.write(data)
    launch(f"filesrc location={folder}/in ! rawvideoparse {parse} !", elements,
           f"! filesink location={folder}/out")
    with open(f"{folder}/out", "rb") as file:
        return file.read()


def rgb(folder, picture, elements, width=None, height=None):
    """A picture after elements that may change its size. Rows have no padding in either."""
    width, height = width or picture.width, height or picture.height
    data = passed(folder, picture.data,
                  f"format=rgb width={picture.width} height={picture.height}",
                  f"{elements} ! videoconvert ! videoscale method=lanczos ! "
                  f"video/x-raw,format=RGB,width={width},height={height},pixel-aspect-ratio=1/1")
    return Picture(width, height, without_padding(data, width * 3, height))


def without_padding(data, row, rows):
    pitch = len(data) // rows
    return b"".join(data[y * pitch:y * pitch + row] for y in range(rows))


def part_of_photograph(folder, file, box, width, height):
    """x, y, width, height of the photograph, scaled; rows are a multiple of four bytes."""
    x, y, w, h = box
    launch(f"filesrc location={file} ! jpegdec ! videocrop left={x} top={y} "
           f"right={4032 - x - w} bottom={3024 - y - h} ! videoconvert ! "
           f"video/x-raw,format=RGB ! videoscale method=bilinear2 ! "
           f"video/x-raw,width={width},height={height},pixel-aspect-ratio=1/1 ! "
           f"filesink location={folder}/part")
    with open(f"{folder}/part", "rb") as data:
        return Picture(width, height, data.read())


class Sheet:
    """A picture made of pictures, with SVG on top."""

    def __init__(self, width, height):
        self.width, self.height, self.svg = width, height, []
        self.rows = [bytearray(BACKGROUND * width) for _ in range(height)]

    def paste(self, picture, x, y):
        for i in range(picture.height):
            self.rows[y + i][x * 3:(x + picture.width) * 3] = picture.row(i)

    def text(self, x, y, text, size=13, colour=TEXT, anchor="start", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.svg.append(f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" '
                        f'text-anchor="{anchor}"{weight}>{text}</text>')

    def rectangle(self, x, y, width, height, colour, opacity=1.0, radius=0):
        self.svg.append(f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
                        f'fill="{colour}" fill-opacity="{opacity:.3f}" rx="{radius}"/>')

    def arrow(self, x, y, length):
        self.svg.append(f'<path d="M{x} {y}h{length}m-6 -4l6 4l-6 4" stroke="{FAINT}" '
                        'stroke-width="1.5" fill="none"/>')

    def save(self, folder, name, quality):
        with open(f"{folder}/sheet.svg", "w", encoding="utf-8") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
                       f'height="{self.height}" font-family="DejaVu Sans, sans-serif">'
                       f'{"".join(self.svg)}</svg>')
        with open(f"{folder}/sheet", "wb") as file:
            file.write(b"".join(self.rows))
        launch(f"filesrc location={folder}/sheet ! rawvideoparse format=rgb width={self.width} "
               f"height={self.height} ! videoconvert ! rsvgoverlay location={folder}/sheet.svg ! "
               f"videoconvert ! video/x-raw,format=Y444,colorimetry=1:4:0:1 ! "
               f"jpegenc quality={quality} ! filesink location={HERE}/{name}.jpg")
        print(f"{name}.jpg: {os.path.getsize(f'{HERE}/{name}.jpg')} bytes")


# ---- masks, by what elements make of a single bright pixel --------------------------------------

def mask_of(folder, elements, size, amplitude=800):
    """The coefficients that an element convolves with, as rows of numbers."""
    half, canvas = 32768, 64  # a multiple of four: rows without padding
    pixels = bytearray(canvas * canvas * 2)
    middle = (canvas // 2 * canvas + canvas // 2) * 2
    pixels[middle:middle + 2] = amplitude.to_bytes(2, "little")
    data = passed(folder, bytes(pixels), f"format=gray16-le width={canvas} height={canvas}",
                  f"{elements} normalize=false divisor=1 bias={half} border=constant")
    first = canvas // 2 - size // 2

    def coefficient(y, x):
        at = ((first + y) * canvas + first + x) * 2
        sample = int.from_bytes(data[at:at + 2], "little")
        assert 0 < sample < 65535, "saturated: choose a smaller amplitude"
        return (sample - half) / amplitude

    return [[coefficient(y, x) for x in range(size)] for y in range(size)]


def draw_mask(sheet, x, y, side, mask):
    """Orange above zero, blue below; with the numbers where there is room for them."""
    n = len(mask)
    largest = max(abs(c) for row in mask for c in row)
    s = side / n
    for i, row in enumerate(mask):
        for j, c in enumerate(row):
            sheet.rectangle(x + j * s, y + i * s, s - min(1, s / 8), s - min(1, s / 8), EMPTY)
            sheet.rectangle(x + j * s, y + i * s, s - min(1, s / 8), s - min(1, s / 8),
                            POSITIVE if c > 0 else NEGATIVE, math.sqrt(abs(c) / largest))
            if n <= 5:
                sheet.text(x + (j + 0.47) * s, y + (i + 0.68) * s, f"{c:g}".replace("-", "−"),
                           round(s * (0.5 if abs(c) >= 10 and n == 3 else 0.64), 1), "#ffffff", "middle")


def draw_taps(sheet, x, y, width, height, taps, across):
    """A row of coefficients as bars; those of a column lie on their side."""
    largest = max(abs(c) for c in taps)
    s = (width if across else height) / len(taps)
    room = height if across else width
    negative = any(c < 0 for c in taps)
    zero, unit = (room / 2, room / 2) if negative else (room, room)
    for i, c in enumerate(taps):
        length = max(abs(c) / largest * unit, 1)
        start = zero - length if c > 0 else zero
        colour = POSITIVE if c > 0 else NEGATIVE if c < 0 else FAINT
        if across:
            sheet.rectangle(x + i * s, y + start, max(s - 1, 1), length, colour)
        else:
            sheet.rectangle(x + room - start - length, y + i * s, length, max(s - 1, 1), colour)


# ---- the pictures -------------------------------------------------------------------------------

def overview(folder, file):
    w, h = 320, 240
    photograph = part_of_photograph(folder, file, (0, 1250, 1040, 780), w, h)
    luma = rgb(folder, photograph, "videoconvert ! video/x-raw,format=UYVY ! uyvy2y")
    nv12 = passed(folder, photograph.data, f"format=rgb width={w} height={h}",
                  "rgb2yuv ! video/x-raw,format=NV12,colorimetry=bt709 ! identity")
    blurred = rgb(folder, photograph, "sepconvolve preset=gaussian sigma=5")
    edges = rgb(folder, photograph, "videoconvert ! video/x-raw,format=GRAY8 ! "
                "convolve preset=laplacian-of-gaussian sigma=1 absolute=true divisor=0.3")
    coded = rgb(folder, photograph, "j2kenc bpp=0.5 ! image/x-jpc ! openjpegdec")

    # A part of the planes, and of U and V what belongs to it; chroma is shown in its colours.
    planes = Sheet(w, h)
    shown = Picture(w, h, bytes(b for y in nv12[:w * h] for b in (y,) * 3))
    planes.paste(shown.crop(0, 0, 212, h), 0, 0)
    for i in range(2):
        samples = nv12[w * h + i::2]
        colours = (back_to_rgb(128, *((c, 128) if i == 0 else (128, c))) for c in samples)
        shown = Picture(w // 2, h // 2, bytes(b for colour in colours for b in colour))
        planes.paste(shown.crop(0, 0, 106, h // 2), 214, i * h // 2)

    split = Sheet(w, h)
    box = (200, 145, 40, 60)
    split.paste(photograph.crop(*box).enlarged(4), 0, 0)
    split.paste(coded.crop(*box).enlarged(4), 160, 0)

    sheet = Sheet(3 * w + 4 * GAP, 64 + 2 * (h + 42) + GAP)
    sheet.rectangle(212, 8, 550, 44, EMPTY, 0.5, 6)
    sheet.text(487, 24, "CUDA memory on a GPU, system memory on a CPU: the same bytes", 12, FAINT,
               "middle")
    for x, name, width, colour in ((GAP, "camera, decoder, file", 164, EMPTY),
                                   (222, "uyvy2y", 100, "#1f6feb"),
                                   (329, "rgb2yuv", 100, "#1f6feb"),
                                   (436, "convolve", 100, "#1f6feb"),
                                   (543, "sepconvolve", 102, "#1f6feb"),
                                   (652, "j2kenc", 100, "#1f6feb"),
                                   (802, "file, network, display", 182, EMPTY)):
        sheet.rectangle(x, 30 if colour != EMPTY else 20, width, 20, colour, 1, 4)
        sheet.text(x + width / 2, 44 if colour != EMPTY else 34, name, 12, "#ffffff", "middle")
    sheet.arrow(178, 30, 28)
    sheet.arrow(768, 30, 28)
    cells = ((photograph, "a decoded frame", "RGB"),
             (luma, "uyvy2y", "the luma of packed 4:2:2"),
             (Picture(w, h, b"".join(map(bytes, planes.rows))), "rgb2yuv",
              "to 4:2:0: Y, and half as large U and V"),
             (edges, "convolve", "any mask: here, edges"),
             (blurred, "sepconvolve", "a row and a column: here, a blur"),
             (Picture(w, h, b"".join(map(bytes, split.rows))), "j2kenc",
              "original | 0.5 bits per pixel, 1:48 (4×)"))
    for i, (picture, name, what) in enumerate(cells):
        x, y = GAP + i % 3 * (w + GAP), 64 + i // 3 * (h + 42)
        sheet.paste(picture, x, y)
        sheet.text(x, y + h + 18, name, 14, TEXT, bold=True)
        sheet.text(x + w, y + h + 18, what, 12.5, FAINT, "end")
    sheet.save(folder, "overview", 80)


def convolve(folder, file):
    w, h, side = 192, 136, 60
    photograph = part_of_photograph(folder, file, (0, 1350, 864, 612), w, h)
    grey = "videoconvert ! video/x-raw,format=GRAY8 !"
    cells = (("identity", "", "", 3), ("box", "size=7", "", 7), ("gaussian", "sigma=2", "", 13),
             ("binomial", "size=5", "", 5), ("sharpen", "", "", 3),
             ("unsharp", "sigma=2", "", 13), ("laplacian", "", grey, 3),
             ("laplacian-of-gaussian", "divisor=0.25", grey, 7), ("emboss", "", grey, 3),
             ("sobel-x", "", grey, 3), ("sobel-y", "absolute=true", grey, 3),
             ("prewitt-x", "", grey, 3), ("prewitt-y", "absolute=true", grey, 3),
             ("scharr-x", "divisor=4", grey, 3), ("scharr-y", "absolute=true divisor=4", grey, 3))
    pitch_x, pitch_y = w + GAP, h + side + 3 * GAP
    sheet = Sheet(5 * pitch_x + GAP, 3 * pitch_y + h + 4 * GAP)
    for i, (preset, properties, before, n) in enumerate(cells):
        x, y = GAP + i % 5 * pitch_x, GAP + i // 5 * pitch_y
        sheet.paste(rgb(folder, photograph, f"{before} convolve preset={preset} {properties}"),
                    x, y)
        shape = properties if "size" in properties or "sigma" in properties else ""
        draw_mask(sheet, x, y + h + GAP, side,
                  mask_of(folder, f"convolve preset={preset} {shape}", n))
        words = preset.replace("laplacian-of-", "laplacian-of- ").split()
        for line, word in enumerate(words):
            sheet.text(x + side + GAP, y + h + GAP + 13 + 15 * line, word, 12.5, bold=True)
        for line, word in enumerate(properties.split()):
            sheet.text(x + side + GAP, y + h + GAP + 13 + 15 * (len(words) + line), word, 11, FAINT)

    # The picture moved by eight pixels down and to the right, so that the border comes into view.
    part = photograph.crop(140, 78, 48, 34)
    move = "sepconvolve correlate=true horizontal=" + ",".join("1" + "0" * 16)
    y = 3 * pitch_y + GAP
    for i, border in enumerate(("replicate", "reflect", "reflect-101", "wrap", "constant")):
        value = " border-value=128" if border == "constant" else ""
        moved = rgb(folder, part, f"{move} border={border}{value}")
        sheet.paste(moved.enlarged(4), GAP + i * pitch_x, y)
        sheet.text(GAP + i * pitch_x, y + h + 16, f"border={border}{value}", 10.5, FAINT)
    sheet.save(folder, "convolve", 78)


def sepconvolve(folder, file):
    w, h, side = 192, 136, 48
    photograph = part_of_photograph(folder, file, (0, 1350, 864, 612), w, h)
    grey = "videoconvert ! video/x-raw,format=GRAY8 !"
    cells = (("identity", "", "", 3, 800), ("box", "size=15", "", 15, 800),
             ("gaussian", "sigma=4", "", 25, 60000), ("binomial", "size=9", "", 9, 6),
             ("derivative-x", "", grey, 3, 800), ("derivative-y", "absolute=true", grey, 3, 800),
             ("sobel-x", "size=5 divisor=32", grey, 5, 800),
             ("sobel-y", "size=5 divisor=32 absolute=true", grey, 5, 800),
             ("gaussian-x", "sigma=2 divisor=0.125", grey, 13, 60000),
             ("gaussian-y", "sigma=2 divisor=0.125 absolute=true", grey, 13, 60000))
    pitch_x, pitch_y = w + GAP, h + side + 4 * GAP
    sheet = Sheet(5 * pitch_x + GAP, 2 * pitch_y)
    for i, (preset, properties, before, n, amplitude) in enumerate(cells):
        x, y = GAP + i % 5 * pitch_x, GAP + i // 5 * pitch_y
        sheet.paste(rgb(folder, photograph, f"{before} sepconvolve preset={preset} {properties}"),
                    x, y)
        shape = " ".join(p for p in properties.split() if p.startswith(("size", "sigma")))
        mask = mask_of(folder, f"sepconvolve preset={preset} {shape}", n, amplitude)
        # The mask is column times row; both are taken where it is largest.
        row, column = max(((i, j) for i in range(n) for j in range(n)),
                          key=lambda at: mask[at[0]][at[1]])
        top = y + h + GAP
        draw_taps(sheet, x, top, 34, side, mask[row], across=True)
        draw_taps(sheet, x + 40, top, 34, side, [line[column] for line in mask], across=False)
        sheet.text(x + 82, top + 12, preset, 12.5, bold=True)
        for line, word in enumerate(properties.split()):
            sheet.text(x + 82, top + 26 + 12 * line, word, 10.5, FAINT)
    sheet.save(folder, "sepconvolve", 78)


def exact(pixels):
    """Y, U and V of BT.709 in limited range, unrounded, for each pixel."""
    kr, kb = 0.2126, 0.0722
    for i in range(0, len(pixels), 3):
        r, g, b = pixels[i] / 255, pixels[i + 1] / 255, pixels[i + 2] / 255
        y = kr * r + (1 - kr - kb) * g + kb * b
        yield (16 + 219 * y, 128 + 224 * (b - y) / (2 * (1 - kb)),
               128 + 224 * (r - y) / (2 * (1 - kr)))


def back_to_rgb(y, u, v):
    kr, kb = 0.2126, 0.0722
    y, u, v = (y - 16) / 219, (u - 128) / 224 * 2 * (1 - kb), (v - 128) / 224 * 2 * (1 - kr)
    r, b = y + v, y + u
    g = (y - kr * r - kb * b) / (1 - kr - kb)
    return tuple(min(255, max(0, round(c * 255))) for c in (r, g, b))


def heat(error):
    """Colours of an error of 0 to 2 steps."""
    stops = ((0, (16, 22, 40)), (0.5, (38, 84, 150)), (1, (60, 180, 130)), (1.5, (250, 200, 60)),
             (2, (240, 60, 40)))
    error = min(error, 2)
    for (a, from_), (b, to) in zip(stops, stops[1:]):
        if error <= b:
            return tuple(round(p + (q - p) * (error - a) / (b - a)) for p, q in zip(from_, to))
    raise ValueError(error)


def rgb2yuv(folder, file):
    w, h = 320, 240
    photograph = part_of_photograph(folder, file, (0, 960, 1440, 1080), w, h)
    parse = f"format=rgb width={w} height={h}"
    true = list(exact(photograph.data))
    sheet = Sheet(3 * w + 4 * GAP, 2 * (h + 34) + 34 + GAP)
    sheet.paste(photograph, GAP, GAP)
    sheet.text(GAP, GAP + h + 18, "RGB", bold=True)
    for i, element in enumerate(("videoconvert", "rgb2yuv")):
        planes = passed(folder, photograph.data, parse,
                        f"{element} ! video/x-raw,format=Y444,colorimetry=bt709")
        errors = [max(abs(planes[c * w * h + n] - t[c]) for c in range(3))
                  for n, t in enumerate(true)]
        x = GAP + (i + 1) * (w + GAP)
        sheet.paste(Picture(w, h, bytes(b for e in errors for b in heat(e))), x, GAP)
        sheet.text(x, GAP + h + 18, element, bold=True)
        sheet.text(x + w, GAP + h + 18, f"error: mean {sum(errors) / len(errors):.2f}, largest "
                   f"{max(errors):.2f}", 12.5, FAINT, "end")
    y = GAP + h + 30
    for n in range(200):
        sheet.rectangle(2 * (GAP + w) + n * 1.0, y, 1.0, 12, "#%02x%02x%02x" % heat(n / 100))
    sheet.text(2 * (GAP + w) - GAP, y + 11, "the largest error of Y, U and V:   0", 12, FAINT, "end")
    sheet.text(2 * (GAP + w) + 326, y + 11, "2 steps of 8 bits", 11, FAINT, "end")

    box = (152, 190, 40, 30)
    y += 24
    for i, (what, format_, down_x, down_y) in enumerate((("4:4:4", "Y444", 1, 1),
                                                        ("4:2:2", "Y42B", 2, 1),
                                                        ("4:2:0", "I420", 2, 2))):
        planes = passed(folder, photograph.data, parse,
                        f"rgb2yuv ! video/x-raw,format={format_},colorimetry=bt709")
        cw, size = w // down_x, w // down_x * (h // down_y)
        u, v = planes[w * h:w * h + size], planes[w * h + size:]
        pixels = bytearray()
        for py in range(box[1], box[1] + box[3]):
            for px in range(box[0], box[0] + box[2]):
                at = py // down_y * cw + px // down_x
                pixels += bytes(back_to_rgb(planes[py * w + px], u[at], v[at]))
        x = GAP + i * (w + GAP)
        sheet.paste(Picture(box[2], box[3], bytes(pixels)).enlarged(8), x, y)
        sheet.text(x, y + h + 18, f"{format_}, {what}", bold=True)
        sheet.text(x + w, y + h + 18, "back in RGB, 8×", 12.5, FAINT, "end")
    sheet.save(folder, "rgb2yuv", 72)


def uyvy2y(folder, file):
    w, h, n = 480, 270, 12
    photograph = part_of_photograph(folder, file, (0, 800, 1920, 1080), w, h)
    packed = passed(folder, photograph.data, f"format=rgb width={w} height={h}",
                    "videoconvert ! video/x-raw,format=UYVY,colorimetry=bt709")
    luma = passed(folder, packed, f"format=uyvy width={w} height={h} colorimetry=bt709",
                  "uyvy2y ! video/x-raw,format=GRAY8")
    sheet = Sheet(2 * w + 3 * GAP, h + 122)
    sheet.paste(photograph, GAP, GAP)
    sheet.paste(Picture(w, h, bytes(b for sample in luma for b in (sample,) * 3)), w + 2 * GAP, GAP)
    y, cell = h + 3 * GAP, 38
    start = 250 * w + 194
    for i in range(n):
        name = "UYVY"[i % 4]
        x = GAP + 2 + i * cell
        sheet.rectangle(x, y, cell - 2, 30, {"U": "#2457a6", "V": "#a23b3b"}.get(name, "#8b949e"))
        sheet.text(x + cell / 2 - 1, y + 20, packed[start * 2 + i], 12.5, "#ffffff", "middle")
        sheet.text(x + cell / 2 - 1, y + 46, name, 12.5, FAINT, "middle")
    sheet.text(GAP + 2, y + 70, f"UYVY in memory: {n} bytes, {n // 2} pixels")
    sheet.arrow(GAP + n * cell + 12, y + 15, 34)
    for i in range(n // 2):
        x = w + 3 * GAP + 38 + i * cell
        sheet.rectangle(x, y, cell - 2, 30, "#8b949e")
        sheet.text(x + cell / 2 - 1, y + 20, luma[start + i], 12.5, "#ffffff", "middle")
        sheet.text(x + cell / 2 - 1, y + 46, "Y", 12.5, FAINT, "middle")
    sheet.text(w + 3 * GAP + 38, y + 70, f"GRAY8: {n // 2} bytes")
    sheet.save(folder, "uyvy2y", 80)


def canny(folder, file):
    w, h = 320, 240
    photograph = part_of_photograph(folder, file, (2640, 240, 1392, 1044), w, h)
    cells = (("", "the photograph"),
             ("canny", "the defaults: bricks, too"),
             ("canny sigma=1.2", "a Gaussian in front"),
             ("canny sigma=1.2 low-threshold=150", "low = high: lines break off"),
             ("canny sigma=1.2 high-threshold=60", "lower: weaker lines, too"),
             ("canny sigma=1.2 output=overlay", "drawn on the picture"))
    sheet = Sheet(3 * w + 4 * GAP, 2 * (h + 42) + GAP)
    for i, (element, what) in enumerate(cells):
        x, y = GAP + i % 3 * (w + GAP), GAP + i // 3 * (h + 42)
        sheet.paste(rgb(folder, photograph, element) if element else photograph, x, y)
        sheet.text(x, y + h + 15, element or what, 12.5, TEXT, bold=True)
        if element:
            sheet.text(x, y + h + 30, what, 11.5, FAINT)
    sheet.save(folder, "canny", 82)


def linedetect(folder, file):
    w, h = 480, 320
    photograph = part_of_photograph(folder, file, (0, 330, 1920, 1280), w, h)
    cells = (("", "the photograph"),
             ("", "the defaults"),
             ("min-length=60", "only the long ones"),
             ("tolerance=0.7", "split sooner, so that fewer are long enough"))
    sheet = Sheet(2 * w + 3 * GAP, 2 * (h + 26) + GAP)
    for i, (settings, what) in enumerate(cells):
        x, y = GAP + i % 2 * (w + GAP), GAP + i // 2 * (h + 26)
        drawn = f"linedetect draw=true line-color=0xff00ffff {settings}"
        sheet.paste(rgb(folder, photograph, drawn) if i else photograph, x, y)
        sheet.text(x, y + h + 16, settings or what, 12.5, TEXT, bold=True)
        if settings:
            sheet.text(x + w, y + h + 16, what, 12, FAINT, "end")
    sheet.save(folder, "linedetect", 76)


def j2kenc(folder, file):
    w, h = 1920, 1080
    photograph = part_of_photograph(folder, file, (0, 1040, w, h), w, h)
    box = (650, 700, 80, 60)
    cells = [(photograph, "original", "24 bits per pixel")]
    for rate in (0.25, 0.5, 1, 2, None):
        setting = f"bpp={rate}" if rate else ""
        passed(folder, photograph.data, f"format=rgb width={w} height={h} framerate=1/1",
               f"j2kenc {setting} ! image/x-jpc")
        size = os.path.getsize(f"{folder}/out")
        coded = rgb(folder, photograph, f"j2kenc {setting} ! image/x-jpc ! openjpegdec")
        error = sum((a - b) ** 2 for a, b in zip(photograph.data, coded.data)) / len(coded.data)
        if rate:
            psnr = 10 * math.log10(255 ** 2 / error)
            cells.append((coded, setting, f"{size:,} bytes, 1:{24 / rate:g}, {psnr:.2f} dB"))
        else:
            assert error == 0
            cells.append((coded, "lossless", f"{size:,} bytes, 1:{w * h * 3 / size:.1f}"))
    sheet = Sheet(3 * 320 + 4 * GAP, 2 * (240 + 34))
    for i, (picture, name, what) in enumerate(cells):
        x, y = GAP + i % 3 * (320 + GAP), GAP + i // 3 * (240 + 34)
        sheet.paste(picture.crop(*box).enlarged(4), x, y)
        sheet.text(x, y + 258, name, bold=True)
        sheet.text(x + 320, y + 258, what, 12.5, FAINT, "end")
    sheet.save(folder, "j2kenc", 80)


def part_of_portrait(folder, file, side):
    launch(f"filesrc location={file} ! pngdec ! videocrop left=70 top=0 right={442 - side} "
           f"bottom={512 - side} ! videoconvert ! video/x-raw,format=RGB ! "
           f"filesink location={folder}/part")
    with open(f"{folder}/part", "rb") as data:
        return Picture(side, side, data.read())


def bilateral(folder, file, portrait):
    w, side = 320, 320
    person = part_of_portrait(folder, portrait, side)
    street = part_of_photograph(folder, file, (0, 1250, 1040, 780), w, 240)
    kept = "bilateral radius=5 sigma-space=3 sigma-range=60"
    rows = ((person, (("a portrait", ""), (kept, "smooth skin, sharp eyes"),
                      (f"{kept} iterations=3", "as if painted"))),
            (street, (("a street", ""),
                      ("sepconvolve preset=gaussian sigma=3", "a blur, for comparison"),
                      (f"{kept} iterations=2", "soft leaves, a sharp bus"))))
    sheet = Sheet(3 * w + 4 * GAP, side + 240 + 2 * 44 + GAP)
    top = GAP
    for before, cells in rows:
        for i, (words, what) in enumerate(cells):
            x, y = GAP + i * (w + GAP), top + before.height
            element, _, settings = words.partition(" ") if what else (words, "", "")
            sheet.paste(rgb(folder, before, words) if what else before, x, top)
            sheet.text(x, y + 16, element, 13, bold=True)
            sheet.text(x + w, y + 16, what, 12, FAINT, "end")
            sheet.text(x, y + 32, settings, 11, FAINT)
        top += before.height + 44
    sheet.save(folder, "bilateral", 85)


def cartoon(folder, file, portrait):
    w, side = 320, 320
    launch(f"filesrc location={portrait} ! pngdec ! videocrop left=70 top=0 right={442 - side} "
           f"bottom={512 - side} ! videoconvert ! video/x-raw,format=RGB ! "
           f"filesink location={folder}/part")
    with open(f"{folder}/part", "rb") as data:
        person = Picture(side, side, data.read())
    street = part_of_photograph(folder, file, (0, 1250, 1040, 780), w, 240)
    rows = ((person, (("a portrait", ""), ("cartoon", "the defaults"),
                      ("cartoon edges=canny", "lines of one pixel"))),
            (street, (("a street", ""), ("cartoon", "the defaults"),
                      ("cartoon levels=4 softness=0 edges=none", "a poster"))))
    sheet = Sheet(3 * w + 4 * GAP, side + 240 + 2 * 44 + GAP)
    top = GAP
    for before, cells in rows:
        for i, (words, what) in enumerate(cells):
            x, y = GAP + i * (w + GAP), top + before.height
            sheet.paste(rgb(folder, before, words) if what else before, x, top)
            sheet.text(x, y + 16, words, 13, bold=True)
            sheet.text(x, y + 32, what, 12, FAINT)
        top += before.height + 44
    sheet.save(folder, "cartoon", 85)


def oilpaint(folder, file, portrait):
    side, w, h = 320, 648, 400
    person = part_of_portrait(folder, portrait, side)
    street = part_of_photograph(folder, file, (0, 1000, 2592, 1600), w, h)
    cells = ((person, 4, (("", "a portrait"),
                          ("oilpaint brush-thickest=8", "strokes of brushes"),
                          ("oilpaint method=kuwahara radius=4", "areas along edges"),
                          ("oilpaint method=mode radius=3 ratio=12", "the commonest colours"))),
             (street, 2, (("", "a street"),
                          ("oilpaint brush-thinnest=4", "strokes of brushes"),
                          ("oilpaint method=kuwahara", "areas along edges"),
                          ("oilpaint method=mode ratio=12", "the commonest colours"))))
    sheet = Sheet(4 * side + 5 * GAP, side + 42 + 2 * (h + 42) + GAP)
    top = GAP
    for before, columns, row in cells:
        for i, (element, what) in enumerate(row):
            x = GAP + i % columns * (before.width + GAP)
            y = top + i // columns * (before.height + 42)
            sheet.paste(rgb(folder, before, element) if element else before, x, y)
            sheet.text(x, y + before.height + 16, element or what, 13, bold=True)
            if element:
                sheet.text(x, y + before.height + 31, what, 11.5, FAINT)
        top += len(row) // columns * (before.height + 42)
    sheet.save(folder, "oilpaint", 72)


def main():
    pictures = {f.__name__: f for f in (overview, convolve, sepconvolve, canny, linedetect, rgb2yuv, uyvy2y,
                                        j2kenc)}
    file, *wanted = sys.argv[1:]
    file = os.path.abspath(file)
    if wanted and wanted[0].endswith(".png"):
        portrait = os.path.abspath(wanted.pop(0))
        for function in (bilateral, cartoon, oilpaint):
            pictures[function.__name__] = lambda folder, file, f=function: f(folder, file, portrait)
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted or pictures:
            pictures[name](folder, file)


main()
